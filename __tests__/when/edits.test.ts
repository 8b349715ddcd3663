import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { addSection } from '../../src/when/add-section.js';
import { parseDecisionFile, parseIndex, printEntry } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';
import { entryLine, placeEntries } from '../../src/when/place-entries.js';
import type { EntryFields } from '../../src/when/types.js';

const FILES = [
  parseDecisionFile('api.md', '# Api\n## One\n## Two\n## Three\n## Four\n'),
  parseDecisionFile('cli.md', '# Cli\n## Flags\n'),
  parseDecisionFile('testing.md', '# Testing\n## Mocks\n'),
  parseDecisionFile('new.md', '# New\n## One\n## Two\n## Four\n'),
];

const fields = (header: string): EntryFields => ({
  prefix: 'when',
  phrase: `doing ${header.toLowerCase()}`,
  header,
  description: 'words',
});

function insert(text: string, header: string, file: string) {
  const library = buildLibrary(parseIndex(text), FILES);
  const [section] = FILES.flatMap(({ sections }) => sections).filter(
    (one) => one.file === file && one.title === header,
  );
  if (section === undefined) throw new Error(`no section ${header} in ${file}`);
  const printed = printEntry(fields(header));
  const after = placeEntries(library, [{ section, text: entryLine(library, file, printed) }]);
  const added = parseIndex(after).entries.find(({ phrase }) => phrase === fields(header).phrase);
  return { text: after, line: added?.line ?? 0 };
}

const A = '/when one | One | x';
const C = '/when three | Three | x';

describe('an entry', () => {
  it.each([
    ['between those of earlier and later headers', `${A}\n${C}\n`, 'Two', `${A}\n+\n${C}\n`],
    ['before all', `${C}\n`, 'Two', `+\n${C}\n`],
    ['behind all', `${A}\n${C}\n`, 'Four', `${A}\n${C}\n+\n`],
    ['without a final line end', `${A}\n${C}`, 'Four', `${A}\n${C}\n+`],
    ['with the bullet of its neighbour', `- ${A}\n- ${C}\n`, 'Two', `- ${A}\n- +\n- ${C}\n`],
    ['with indentation, too', `  * ${A}\n`, 'Two', `  * ${A}\n  * +\n`],
    [
      'below what belongs to its neighbour',
      `- ${A}\n  more\n\ntext\n`,
      'Two',
      `- ${A}\n  more\n- +\n\ntext\n`,
    ],
    ['above a rule', `${A}\n---\ntext\n`, 'Two', `${A}\n+\n---\ntext\n`],
    [
      'behind entries that lead nowhere',
      `/when x | Gone | x\n${A}\n`,
      'Two',
      `/when x | Gone | x\n${A}\n+\n`,
    ],
  ])('stands %s', (_name, before, header, after) => {
    const head = '# Index\n\n## decisions/api.md\n\n';
    const tail = '\n## decisions/cli.md\n\n/when flags | Flags | x\n';
    const end = before.endsWith('\n') ? tail : '';
    const { text, line } = insert(`${head}${before}${end}`, header, 'api.md');
    const added = printEntry(fields(header));
    expect(text).toBe(`${head}${after.replace('+', () => added)}${end}`);
    expect(text.split('\n')[line - 1]?.endsWith(added)).toBe(true);
  });

  it('keeps CR LF and a byte order mark', () => {
    const { text } = insert(`\ufeff## api.md\r\n\r\n${A}\r\n`, 'Two', 'api.md');
    expect(text).toBe(`\ufeff## api.md\r\n\r\n${A}\r\n${printEntry(fields('Two'))}\r\n`);
  });

  it.each([
    [
      'a blank line apart',
      '## api.md\n\n## cli.md\n\n/when f | Flags | x\n',
      '## api.md\n\n+\n\n## cli.md',
    ],
    [
      'below its heading',
      '## api.md\n## cli.md\n/when f | Flags | x\n',
      '## api.md\n\n+\n\n## cli.md',
    ],
    ['above its text', '## api.md\nText.\n\n## cli.md\n', '## api.md\n\n+\n\nText.\n'],
    ['below an underlined heading', 'api.md\n---\n\nText.\n', 'api.md\n---\n\n+\n\nText.\n'],
  ])('is the first of its group: %s', (_name, before, start) => {
    const { text } = insert(before, 'Two', 'api.md');
    expect(text.startsWith(start.replace('+', () => printEntry(fields('Two'))))).toBe(true);
  });

  it.each([
    ['alone', '', '## cli.md\n\n+\n'],
    ['below a title', '# Index\n', '# Index\n\n## cli.md\n\n+\n'],
    [
      'behind the others',
      '## testing.md\n\n## api.md\n\n## Notes\n',
      '## testing.md\n\n## api.md\n\n## Notes\n\n## cli.md\n\n+\n',
    ],
    [
      'in their form',
      '### `d/api.md`\n- /when x | One | y',
      '### `d/api.md`\n- /when x | One | y\n\n### `d/cli.md`\n\n- +',
    ],
    ['below front matter', '---\na: b\n---\n', '---\na: b\n---\n\n## cli.md\n\n+\n'],
  ])('makes a group: %s', (_name, before, after) => {
    const { text, line } = insert(before, 'Flags', 'cli.md');
    const added = printEntry(fields('Flags'));
    expect(text).toBe(after.replace('+', () => added));
    expect(text.split('\n')[line - 1]?.endsWith(added)).toBe(true);
  });

  it('does not go into a fence that is never closed', () => {
    expect(() => insert('# Index\n\n```\ncode\n', 'One', 'api.md')).toThrow(
      expect.objectContaining({
        code: 'CONFLICT',
        message: 'the index has a code fence, comment or tag that is never closed before line 8',
      }),
    );
  });
});

describe('a section', () => {
  const add = (text: string, title: string, content: string, under?: string) =>
    addSection(text, { title, content, under });

  it.each([
    ['at the end', '# T\n\n## A\n\na\n', undefined, '# T\n\n## A\n\na\n\n## N\n\nnew\n', 7],
    ['into an empty file', '', undefined, '## N\n\nnew\n', 1],
    ['without a final line end', '# T', undefined, '# T\n\n## N\n\nnew', 3],
    ['before blank lines at the end', '## A\n\n\n', undefined, '## A\n\n## N\n\nnew\n\n\n', 3],
    [
      'outside of what groups others',
      '## .G\n### A\n',
      undefined,
      '## .G\n### A\n\n## N\n\nnew\n',
      4,
    ],
    [
      'below its parent',
      '## .G\n\n### A\n\na\n\n## .H\n',
      '.G',
      '## .G\n\n### A\n\na\n\n### N\n\nnew\n\n## .H\n',
      7,
    ],
    [
      'with the dot left out, in any case',
      '## .Gh\n## X\n',
      'gH',
      '## .Gh\n\n### N\n\nnew\n\n## X\n',
      3,
    ],
    ['below a parent without a dot', '## G\n', 'G', '## G\n\n### N\n\nnew\n', 3],
    ['below the one with a dot first', '## G\n## .G\n', 'G', '## G\n## .G\n\n### N\n\nnew\n', 4],
    [
      'with the line ends of the file',
      '## A\r\n\r\na\r\n',
      undefined,
      '## A\r\n\r\na\r\n\r\n## N\r\n\r\nnew\r\n',
      5,
    ],
  ])('goes %s', (_name, before, under, after, line) => {
    expect(add(before, 'N', 'new', under)).toEqual({ text: after, line });
  });

  it.each([
    ['headings in lists and quotes', '- # A\n\n> ## B', '- # A\n\n> ## B'],
    ['fences as they are', '```\n# a\n```\nb', '```\n# a\n```\nb'],
    ['prose between rules', '---\nNote: a\n\nb\n\n---\nc', '---\nNote: a\n\nb\n\n---\nc'],
    ['without blank lines around', '\n \n    code\n\n', '    code'],
    ['line ends', 'a\r\nb\rc', 'a\nb\nc'],
    ['without a repetition of the title', '# n\n\na', 'a'],
  ])('keeps %s', (_name, content, body) => {
    expect(add('## X\n', 'N', content).text).toBe(`## X\n\n## N\n\n${body}\n`);
  });

  it('may have no content', () => {
    expect(add('## X\n', 'N', ' \n').text).toBe('## X\n\n## N\n');
  });

  it('keeps marks at the end of its title', () => {
    const { text } = add('', 'Learning F #', 'x');
    expect(parseDecisionFile('a.md', text).sections[0]?.title).toBe('Learning F #');
  });

  it.each(['a\n\n# A\n\nb', '# A\n\n# B', 'A\n===', '---\ntitle: x\n---\nb'])(
    'is refused with a heading in its content: %j',
    (content) => {
      expect(() => add('## X\n', 'N', content)).toThrow(
        /has the heading ".+", .*: write it in bold/,
      );
    },
  );

  it.each([
    ['a fence left open', '```\ncode', 'content'],
    ['a comment left open', '<!-- note', 'content'],
  ])('is refused with %s', (_name, content, field) => {
    expect(() => add('## X\n', 'N', content)).toThrow(
      expect.objectContaining({
        findings: [{ field, message: 'has a code fence, comment or tag that is never closed' }],
      }),
    );
  });

  it.each(['', ' ', '<b></b>'])('is refused with the title "%s"', (title) => {
    expect(() => add('', title, 'x')).toThrow(
      expect.objectContaining({
        findings: [{ field: 'title', message: 'must be a line of text' }],
      }),
    );
  });

  it('needs the parent it names', () => {
    expect(() => add('## .G\n## X\n', 'N', 'x', '.Gone')).toThrow(
      expect.objectContaining({ code: 'NOT_FOUND', details: { under: '.Gone', sections: ['.G'] } }),
    );
  });

  it('does not go into a fence of the file that is never closed', () => {
    expect(() => add('## X\n```\n', 'N', 'x')).toThrow(
      expect.objectContaining({ code: 'CONFLICT' }),
    );
  });
});

describe('whatever the text is', () => {
  const end = fc.constantFrom('\n', '\r\n', '\n\n');
  const lines = (pieces: string[]) =>
    fc
      .array(fc.tuple(fc.constantFrom(...pieces), end), { maxLength: 14 })
      .map((parts) => parts.flat().join(''));

  /** All pieces of the new text without which it is the old one. */
  function insertions(before: string, after: string): string[] {
    const length = after.length - before.length;
    return Array.from({ length: before.length + 1 }, (_, at) => at)
      .filter((at) => after.slice(0, at) + after.slice(at + length) === before)
      .map((at) => after.slice(at, at + length));
  }

  it('an entry is one insertion, and is read back', () => {
    const pieces = ['# T', '## api.md', '### `d/cli.md`', '## Notes', A, `- ${C}`, 'text', '---'];
    const more = ['Key — x', '```', '<!-- c -->', '', '  in', '> q', '/when broken', '| a |'];
    fc.assert(
      fc.property(
        lines([...pieces, ...more]),
        fc.constantFrom('One', 'Two', 'Four'),
        fc.constantFrom('api.md', 'new.md'),
        (text, header, file) => {
          let after: { text: string; line: number };
          try {
            after = insert(text, header, file);
          } catch (error) {
            expect(error).toMatchObject({ code: 'CONFLICT' });
            expect(text).toContain('```');
            return;
          }
          const added = printEntry(fields(header));
          expect(insertions(text, after.text).some((piece) => piece.includes(added))).toBe(true);
          const read = (one: string) => parseIndex(one).entries.map(printEntry).sort();
          expect(read(after.text)).toEqual([...read(text), printEntry(fields(header))].sort());
          const own = parseIndex(after.text).entries.find(({ line }) => line === after.line);
          expect(own?.phrase).toBe(fields(header).phrase);
        },
      ),
      { numRuns: 250, seed: 5 },
    );
  });

  it('a section is one insertion, and is read back', () => {
    const pieces = [
      '# T',
      '## .G',
      '### A',
      '## B',
      '#### C',
      'text',
      '---',
      '- l',
      '> q',
      '| a |',
    ];
    const more = ['```', '    # x', '<div>', '<!-- c -->', '', 'under', '==='];
    fc.assert(
      fc.property(
        lines([...pieces, ...more]),
        lines(['body', '- m', '> n', '']),
        fc.boolean(),
        (text, content, isUnder) => {
          const titles = parseDecisionFile('a.md', text).sections.map(({ title }) => title);
          const isOne = titles.filter((title) => title === '.G').length === 1;
          const under = isUnder && isOne ? '.G' : undefined;
          let after: { text: string; line: number };
          try {
            after = addSection(text, { title: 'New one', content, under });
          } catch (error) {
            expect(error).toMatchObject({ code: 'CONFLICT' });
            expect(text).toContain('```');
            return;
          }
          const { sections } = parseDecisionFile('a.md', after.text);
          const own = sections.filter(({ title }) => title === 'New one');
          expect(own.map(({ line }) => line)).toEqual([after.line]);
          if (under !== undefined) expect(own[0]?.path.at(-1)).toBe('.G');
          const inside = sections.filter(
            ({ title }) => !['New one', 'H', 'I', 'body'].includes(title),
          );
          const others = inside.map(({ title }) => title).filter((title) => titles.includes(title));
          expect(others).toEqual(titles);
          const bodies = insertions(text, after.text).map((piece) =>
            piece.split('# New one')[1]?.trim(),
          );
          expect(bodies).toContain(own[0]?.content.trim());
        },
      ),
      { numRuns: 250, seed: 5 },
    );
  });
});
