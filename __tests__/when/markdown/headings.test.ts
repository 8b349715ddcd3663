import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linksOf, outlineOf, plainText } from '../../../src/when/markdown/headings.js';

const headingsOf = (text: string) => outlineOf(text).headings;

const seen = (text: string) =>
  headingsOf(text).map(({ level, title, line }) => [level, title, line]);

describe('what is a heading', () => {
  it.each([
    [
      'marks and underlines',
      '# A\n\nB\n===\n\nC\n-\n',
      [
        [1, 'A', 1],
        [1, 'B', 3],
        [2, 'C', 6],
      ],
    ],
    ['an underline below several lines', 'a\nb\n---\n', [[2, 'a b', 1]]],
    [
      'closing marks',
      '## A ##\n### C# #\n',
      [
        [2, 'A', 1],
        [3, 'C#', 2],
      ],
    ],
    ['none without a space, or deeper than six', '#no\n####### no\n', []],
    ['none in fences', '```sh\n# a\n```\n~~~\n## b\n```\n~~~\n## yes\n', [[2, 'yes', 8]]],
    ['none in a fence that is never closed', '## a\n```\n## b\n', [[2, 'a', 1]]],
    ['none in indented code', 'x\n\n    # a\n', []],
    ['none in a comment', '<!--\n## a\n-->\n## b\n', [[2, 'b', 4]]],
    ['none in a raw block', '<pre>\n## a\n\n## b\n</pre>\n## c\n', [[2, 'c', 6]]],
    ['none in lists and quotes', '- ## a\n\n  ## b\n\n> ## c\n\n## d\n', [[2, 'd', 7]]],
    ['behind a table', '| a |\n|---|\n| # b |\n## c\n', [[2, 'c', 4]]],
    ['none in front matter', '---\n# a\nb: c\n---\n# d\n', [[1, 'd', 5]]],
    ['front matter ended by dots', '---\nb: c\n...\n# d\n', [[1, 'd', 4]]],
    ['front matter behind a byte order mark', '\ufeff---\nb: c\n---\n# d\n', [[1, 'd', 4]]],
    ['a rule is no front matter', '---\n\n## a\n\n---\n', [[2, 'a', 3]]],
    [
      'front matter that never ends is none',
      '---\nb: c\n\n## a\n',
      [
        [2, 'b: c', 2],
        [2, 'a', 4],
      ].slice(1),
    ],
    ['a byte order mark', '\ufeff## a\n', [[2, 'a', 1]]],
    [
      'CR LF',
      '## a\r\n\r\ntext\r\n\r\nb\r\n---\r\n',
      [
        [2, 'a', 1],
        [2, 'b', 5],
      ],
    ],
    ['no final line end', '## a', [[2, 'a', 1]]],
    ['NUL', '## a\0b\n', [[2, 'a\ufffdb', 1]]],
    ['other scripts', '## Prüfen § 記憶\n', [[2, 'Prüfen § 記憶', 1]]],
    ['one without text', '##\n', [[2, '', 1]]],
  ])('%s', (_name, text, expected) => {
    expect(seen(text)).toEqual(expected);
  });
});

describe('titles', () => {
  it.each([
    ['`code` and **bold** and _slanted_', 'code and bold and slanted'],
    ['[a link](x.md) and ![a picture](y.png)', 'a link and a picture'],
    ['fish &amp; chips &#167;', 'fish & chips §'],
    ['a \\* b', 'a * b'],
    ['<a id="x"></a>Anchored <!-- note -->', 'Anchored'],
    ['Map<Key, Value> and Array<T>', 'Map<Key, Value> and Array<T>'],
    ['some_file_name.py', 'some_file_name.py'],
    ['`<trigger>` stays', '<trigger> stays'],
  ])('%s', (inline, title) => {
    expect(plainText(inline)).toBe(title);
    expect(headingsOf(`### ${inline}\n`)[0]?.title).toBe(title);
  });

  it('follow link references of the document', () => {
    expect(headingsOf('## [a][b] c\n\n[b]: http://x\n')[0]?.title).toBe('a c');
  });

  it('keep what was written beside what is read', () => {
    expect(headingsOf('##  `a` *b*  ##\n')[0]?.raw).toBe('`a` *b*');
  });

  it('tell where links lead', () => {
    expect(linksOf('[a](b%20c.md#d) <http://e>')).toEqual(['b c.md#d', 'http://e']);
  });
});

describe('offsets', () => {
  it('cut sections out as they are', () => {
    const text = '\ufeff# T\r\nintro\r\n## A\r\none 😀\r\n### B\ntwo\n## C\nthree';
    const cut = headingsOf(text).map(({ start, bodyStart, end }) => [
      text.slice(start, bodyStart),
      text.slice(bodyStart, end),
    ]);
    expect(cut).toEqual([
      ['# T\r\n', 'intro\r\n## A\r\none 😀\r\n### B\ntwo\n## C\nthree'],
      ['## A\r\n', 'one 😀\r\n### B\ntwo\n'],
      ['### B\n', 'two\n'],
      ['## C\n', 'three'],
    ]);
  });

  it('give the text back when what stands between is put together', () => {
    const piece = fc.constantFrom(
      ...['# a', '## b', '### c', '#### d', 'text', 'under', '===', '---', '```', '~~~', '<!--'],
      ...['-->', '> q', '- l', '  ## in', '| a |', '|---|', '', '\ufeff', 'é😀', '\0', '</pre>'],
    );
    const end = fc.constantFrom('\n', '\r\n', '\r', '\n\n', '');
    const texts = fc.array(fc.tuple(piece, end)).map((parts) => parts.flat().join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const top = headingsOf(text).filter(({ level }) => level <= 2);
        const parts = top.map(({ start }, at) => text.slice(start, top[at + 1]?.start));
        expect(text.slice(0, top[0]?.start ?? text.length) + parts.join('')).toBe(text);
        for (const { start, bodyStart, end, line } of headingsOf(text)) {
          expect(start < bodyStart && bodyStart <= end && line > 0).toBe(true);
        }
      }),
      { numRuns: 300, seed: 5 },
    );
  });
});

it('hides front matter, fences and comments, wherever they stand', () => {
  const text = '---\na: b\n---\nx\n```\ny\n```\n- l\n  ```\n  z\n  ```\n<!-- q\nr -->\ns\n';
  expect([...outlineOf(text).hidden]).toEqual([1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13]);
});

it('shows what is in a block that only folds it', () => {
  expect([...outlineOf('<details>\n/when a | b | c\n</details>\n').hidden]).toEqual([]);
});

it.each([
  ['quotes', '>'.repeat(20_000)],
  ['lines of quotes', `${'>'.repeat(500)}\n`.repeat(40)],
  ['lists', '- '.repeat(10_000)],
  ['indented lists', Array.from({ length: 600 }, (_, at) => `${' '.repeat(at)}- a`).join('\n')],
  ['brackets in a heading', `## ${'['.repeat(20_000)}\n`],
  ['emphasis in a heading', `## ${'*a_'.repeat(7_000)}\n`],
  ['comments that never end', 'p <!--'.repeat(4_000)],
])('gets through deep nesting: %s', (_name, text) => {
  expect(headingsOf(`${text}\n\n## end\n`).at(-1)?.title).toBe('end');
});
