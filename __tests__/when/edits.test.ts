import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseDecisionFile, parseIndex, printEntry } from '../../src/when/index-file.js';
import { addSection, insertEntry } from '../../src/when/insert-entry.js';
import { buildLibrary } from '../../src/when/library.js';
import type { EntryFields } from '../../src/when/types.js';

const FILES = [
  parseDecisionFile('api.md', '# Api\n## One\n## Two\n## Three\n## Four\n'),
  parseDecisionFile('cli.md', '# Cli\n## Flags\n'),
  parseDecisionFile('testing.md', '# Testing\n## Mocks\n'),
];

const fields = (header: string): EntryFields => ({
  prefix: 'when',
  phrase: `doing ${header.toLowerCase()}`,
  header,
  description: 'words',
});

function insert(text: string, header: string, file: string) {
  return insertEntry(text, fields(header), file, buildLibrary(parseIndex(text), FILES));
}

const A = '/when one | One | x';
const C = '/when three | Three | x';

describe('an entry', () => {
  it.each([
    ['between those of earlier and later headers', `${A}\n${C}\n`, 'Two', `${A}\n+\n${C}\n`],
    ['before all', `${C}\n`, 'Two', `+\n${C}\n`],
    ['behind all', `${A}\n${C}\n`, 'Four', `${A}\n${C}\n+\n`],
    ['behind all when its header is not there yet', `${A}\n${C}\n`, 'New', `${A}\n${C}\n+\n`],
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
    ['close', '## api.md\n## cli.md\n/when f | Flags | x\n', '## api.md\n+\n## cli.md'],
    ['below its text', '## api.md\nText.\n\n## cli.md\n', '## api.md\nText.\n\n+\n\n## cli.md'],
    [
      'below old lines',
      '## api.md\n\nKey — x\n\n## cli.md\n',
      '## api.md\n\nKey — x\n+\n\n## cli.md',
    ],
  ])('is the first of its group: %s', (_name, before, start) => {
    const { text } = insert(before, 'Two', 'api.md');
    expect(text.startsWith(start.replace('+', () => printEntry(fields('Two'))))).toBe(true);
  });

  it.each([
    ['alone', '', '## cli.md\n\n+\n'],
    ['below a title', '# Index\n', '# Index\n\n## cli.md\n\n+\n'],
    [
      'between groups in order',
      '## api.md\n\n/when x | One | y\n\n## testing.md\n',
      '## api.md\n\n/when x | One | y\n\n## cli.md\n\n+\n\n## testing.md\n',
    ],
    ['before them', '# I\n\n## testing.md\n', '# I\n\n## cli.md\n\n+\n\n## testing.md\n'],
    [
      'behind them, above other groups',
      '## api.md\n\n## Notes\n\ntext\n',
      '## api.md\n\n## cli.md\n\n+\n\n## Notes\n\ntext\n',
    ],
    [
      'at the end when they are in no order',
      '## testing.md\n\n## api.md\n\n## Notes\n',
      '## testing.md\n\n## api.md\n\n## Notes\n\n## cli.md\n\n+\n',
    ],
    [
      'in their form',
      '### `d/api.md`\n- /when x | One | y',
      '### `d/api.md`\n- /when x | One | y\n\n### `d/cli.md`\n- +',
    ],
    [
      'where nothing is apart',
      '## api.md\n/when x | One | y\n## testing.md\n',
      '## api.md\n/when x | One | y\n\n## cli.md\n+\n\n## testing.md\n',
    ],
    ['below front matter', '---\na: b\n---\n', '---\na: b\n---\n\n## cli.md\n\n+\n'],
  ])('makes a group: %s', (_name, before, after) => {
    const { text, line } = insert(before, 'Flags', 'cli.md');
    const added = printEntry(fields('Flags'));
    expect(text).toBe(after.replace('+', () => added));
    expect(text.split('\n')[line - 1]?.endsWith(added)).toBe(true);
  });

  it('makes a group for a file that is not read yet', () => {
    expect(insert('## api.md\n', 'New', 'new.md').text).toBe(
      '## api.md\n\n## new.md\n\n/when doing new | New | words\n',
    );
  });

  it('is refused when it would not be read back', () => {
    const library = buildLibrary(parseIndex(''), FILES);
    const odd = { ...fields('One'), phrase: '§ x' };
    expect(() => insertEntry('', odd, 'api.md', library)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT' }),
    );
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
      'on the level of the others',
      '# T\n### A\n### B\n',
      undefined,
      '# T\n### A\n### B\n\n### N\n\nnew\n',
      5,
    ],
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
    [
      'as the other children are',
      '## .G\n#### A\n## X\n',
      '.G',
      '## .G\n#### A\n\n#### N\n\nnew\n\n## X\n',
      4,
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
    ['headings in bold', '# A\n\na\n\n## B', '**A**\n\na\n\n**B**'],
    [
      'headings apart from the text',
      'a\n# A\nb\n### B #\n### C\nc',
      'a\n\n**A**\n\nb\n\n**B**\n\n**C**\n\nc',
    ],
    ['code in headings', '### Use `a` and *b*, **not** c', '**Use `a` and *b*, not c**'],
    ['what an empty heading parts', 'a\n#\nb', 'a\n\nb'],
    ['headings with a dot in bold, too', '## .A\n\na', '**.A**\n\na'],
    ['underlined headings in bold', 'A\nb\n===\nc', '**A b**\n\nc'],
    ['headings in lists and quotes', '- # A\n\n> ## B', '- # A\n\n> ## B'],
    ['fences as they are', '```\n# a\n```\n# B', '```\n# a\n```\n\n**B**'],
    ['a rule and what it underlines', '---\na b\n---\nc', '---\n\n**a b**\n\nc'],
    ['nothing of front matter', '---\ntitle: x\n# y\n---\n\n# A\n\nb', '**A**\n\nb'],
    ['prose between rules', '---\nNote: a\n\nb\n\n---\nc', '---\nNote: a\n\nb\n\n---\nc'],
    ['nothing of front matter of Windows', '\ufeff---\r\ntitle: x\r\n...\r\nb', 'b'],
    ['without blank lines around', '\n \n    code\n\n', '    code'],
    ['line ends', 'a\r\nb\rc', 'a\nb\nc'],
    ['nothing but a body behind the title and front matter', '---\na: b\n---\n# N\nb', 'b'],
    ['without a repetition of the title', '# n\n\n# A', '**A**'],
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
  const end = fc.constantFrom('\n', '\r\n', '\n\n', '\r');
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
        fc.constantFrom('One', 'Two', 'Four', 'New'),
        fc.constantFrom('api.md', 'cli.md', 'new.md'),
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
        lines(['# H', '### I', 'body', '- m', '===', '']),
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
