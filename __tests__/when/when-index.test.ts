import { describe, expect, it } from 'vitest';
import { builtInModel } from '../../src/embeddings/index.js';
import { parseEntryLine } from '../../src/when/index-file.js';
import { createMatcher } from '../../src/when/match/matcher.js';
import { parseRequests } from '../../src/when/requests.js';
import { FLOOR } from '../../src/when/resolve.js';
import type { DiskState } from '../../src/when/types.js';
import { createWhenIndex, OFFER_BAR, type WhenIndex } from '../../src/when/when-index.js';
import { CLI, INDEX, TESTING } from './when-room.js';

const newIndex = () => createWhenIndex(createMatcher(builtInModel()));
const ask = (index: WhenIndex, input: string) => index.resolve(parseRequests(input));

function disk(index: string | null, files: Record<string, string>): DiskState {
  return {
    index: index === null ? null : { path: '/notes/index.md', text: index },
    files: Object.entries(files).map(([path, text]) => ({ path, text })),
    warnings: [],
  };
}

async function bookOf(index = INDEX, files: Record<string, string> = FILES) {
  const book = newIndex();
  await book.load(disk(index, files));
  return book;
}

const FILES = { 'cli.md': CLI, 'testing.md': TESTING };

describe('a book', () => {
  it('knows nothing and answers nothing before it is loaded', async () => {
    const book = newIndex();
    const { results } = await ask(book, 'writing mock tests');
    expect(results.map(({ found, matches }) => [found, matches])).toEqual([['none', []]]);
    expect(
      await book.relevant({ text: 'writing mock tests', files: ['a.ts'] }, 5, 'listing'),
    ).toEqual([]);
  });

  it('answers one command and a batch of lines alike', async () => {
    const book = await bookOf();
    const found = async (input: string) =>
      (await ask(book, input)).results.map(({ found, matches: [best] }) => [found, best?.header]);
    const both = [
      ['exact', 'Exit codes'],
      ['exact', 'Mock Patching Pattern'],
    ];
    expect(await found('choosing exit codes')).toEqual(both.slice(0, 1));
    expect(await found('/when\n- choosing exit codes\n- writing mock tests')).toEqual(both);
  });

  it('parses again only what changed', async () => {
    const book = await bookOf();
    const before = book.library();
    await book.load(disk(INDEX, { ...FILES, 'cli.md': `${CLI}\n## More\n` }));
    const after = book.library();
    expect(after.index).toBe(before.index);
    expect(after.files.map((file, at) => file === before.files[at])).toEqual([false, true]);
    expect(after.files[0]?.sections.map(({ title }) => title)).toEqual(['Exit codes', 'More']);
  });

  it('goes on with the part that is kept, and takes the other and all warnings', async () => {
    const book = await bookOf();
    const gone = { file: '.', code: 'no_folder', message: 'there is no folder' };
    const index = INDEX.replace('choosing exit codes', 'picking exit codes');
    await book.load({ ...disk(index, {}), warnings: [gone] }, { index: false, files: true });
    expect((await ask(book, 'picking exit codes')).results[0]?.matches[0]?.header).toBe(
      'Exit codes',
    );
    expect(book.library().warnings).toEqual([gone]);
    await book.load(disk(null, { 'cli.md': CLI.replace('0, 1', 'zero, 1') }), {
      index: true,
      files: false,
    });
    const [answer] = (await ask(book, 'picking exit codes')).results;
    expect(answer?.matches[0]?.content?.trim()).toBe('zero, 1, 2 and 3.');
    expect(book.library().entries.map(({ section }) => section?.title)).toEqual([
      undefined,
      undefined,
      'Exit codes',
    ]);
  });
});

describe('an entry below a heading that names no file', () => {
  it('leads to the file of the group above it', async () => {
    const index =
      '# Index\n\n## a.md\n\n### Topic\n\n/when doing a thing | Thing | how it is done\n';
    const book = newIndex();
    const files = [{ path: 'a.md', text: '# A\n\n## Thing\n\nSo.\n' }];
    await book.load({ index: { path: '/index.md', text: index }, files, warnings: [] });
    const [answer] = (await ask(book, 'doing a thing')).results;
    expect(answer).toMatchObject({ found: 'exact', matches: [{ file: 'a.md', header: 'Thing' }] });
  });
});

describe('what is relevant', () => {
  it('is what is said and what names a touched file, each section once, surest first', async () => {
    const book = await bookOf();
    const moment = { text: 'writing mock tests', files: ['src/split/modules.ts'] };
    const found = await book.relevant(moment, 5, 'offer');
    expect(found.map(({ command, reasons: [reason] }) => [command, reason])).toEqual([
      ['/when writing mock tests', expect.stringMatching(/^[01]\.\d\d like what was said$/)],
      ['/when organizing test files', 'names src/split/modules.ts'],
    ]);
    expect(found[0]?.confidence).toBeGreaterThan(Number(found[1]?.confidence));
    expect(found[0]?.section.title).toBe('Mock Patching Pattern');
    const both = await book.relevant(
      { text: 'organizing test files', files: ['split/modules.ts'] },
      5,
      'offer',
    );
    expect(both.map(({ command }) => command)).toEqual(['/when organizing test files']);
    expect(both[0]?.reasons).toEqual([
      'names split/modules.ts',
      expect.stringContaining('like what was said'),
    ]);
    expect(await book.relevant(moment, 1, 'offer')).toEqual(found.slice(0, 1));
  });

  it('is nothing for small talk, and nothing for a file that nothing names', async () => {
    const book = await bookOf();
    for (const text of ['good morning, how are you?', 'thanks a lot', '']) {
      expect(await book.relevant({ text, files: ['src/other.ts'] }, 5, 'offer')).toEqual([]);
    }
  });

  it('has to be surer for an offer than for a line that is only listed', async () => {
    const book = await bookOf();
    const words = 'review split mirror zero feature object used source missing code tests'.split(
      ' ',
    );
    const likely = { listing: 0, offer: 0 };
    for (const word of words) {
      for (const text of [
        `a ${word}`,
        `look at the ${word} of the garden`,
        `${word} and the weather`,
      ]) {
        const listed = await book.relevant({ text, files: [] }, 5, 'listing');
        const offered = await book.relevant({ text, files: [] }, 5, 'offer');
        expect(offered).toEqual(listed.filter(({ confidence }) => confidence >= OFFER_BAR));
        expect(listed.every(({ confidence }) => confidence >= FLOOR)).toBe(true);
        likely.listing += listed.length;
        likely.offer += offered.length;
      }
    }
    expect(likely.listing).toBeGreaterThan(likely.offer);
  });

  it('leaves out entries that lead nowhere', async () => {
    const line = '/when feeding cats | No such header | see src/cats.ts for the feeding of cats';
    expect(parseEntryLine(line)).not.toBeNull();
    const book = await bookOf(`${INDEX}${line}\n`);
    expect(
      await book.relevant({ text: 'feeding cats', files: ['src/cats.ts'] }, 5, 'listing'),
    ).toEqual([]);
  });
});
