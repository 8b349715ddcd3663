import { expect, it } from 'vitest';
import { createFileMentions } from '../../src/when/file-mentions.js';
import { parseDecisionFile, parseIndex } from '../../src/when/index-file.js';
import { buildLibrary } from '../../src/when/library.js';

/** One entry and section per text: `s0`, `s1` … */
async function mentionsIn(...texts: string[]) {
  const file = texts.map((text, at) => `## s${at}\n\n${text}\n`).join('\n');
  const index = texts.map((_, at) => `/when doing s${at} | s${at} | words of it`).join('\n');
  const library = buildLibrary(parseIndex(`## a.md\n\n${index}\n`), [
    parseDecisionFile('a.md', file),
  ]);
  const mentions = await createFileMentions(library);
  return (path: string) => mentions.of(path).map(({ header }) => header);
}

it('finds the sections that name the file, however much of its path is written', async () => {
  const of = await mentionsIn(
    'Tokens are kept in `src/auth/tokens.ts`.',
    'See tokens.ts and docs/guide.md.',
    'Nothing here.',
  );
  expect(of('src/auth/tokens.ts')).toEqual(['s0', 's1']);
  expect(of('/home/ada/project/src/auth/tokens.ts')).toEqual(['s0', 's1']);
  expect(of('tokens.ts').sort()).toEqual(['s0', 's1']);
  expect(of('guide.md')).toEqual(['s1']);
  expect(of('SRC/Auth/Tokens.ts')).toEqual(['s0', 's1']);
});

it('takes no file for another that ends alike', async () => {
  const of = await mentionsIn('Tokens are kept in src/auth/tokens.ts.');
  expect(of('src/auth/mytokens.ts')).toEqual([]);
  expect(of('lib/tokens.ts')).toEqual([]);
  expect(of('src/auth/tokens.ts.bak')).toEqual([]);
});

it('counts what the description names, too', async () => {
  const library = buildLibrary(parseIndex('## a.md\n\n/when doing it | One | as in src/one.ts\n'), [
    parseDecisionFile('a.md', '## One\n\ntext\n'),
  ]);
  const mentions = await createFileMentions(library);
  expect(mentions.of('src/one.ts').map(({ phrase }) => phrase)).toEqual(['doing it']);
});

it('leaves nobody out of a file that many speak of', async () => {
  const of = await mentionsIn(...Array.from({ length: 9 }, () => 'See src/a.ts.'));
  expect(of('src/a.ts')).toEqual(['s0', 's1', 's2', 's3', 's4', 's5', 's6', 's7', 's8']);
});

it('puts first who names most of the path, then who names few files', async () => {
  const of = await mentionsIn(
    'a.ts and src/auth/a.ts and src/b.ts',
    'See a.ts.',
    'See auth/a.ts.',
    'See src/auth/a.ts.',
    'See a.ts, b.ts.',
    'See a.ts, too.',
  );
  const order = ['s3', 's0', 's2', 's1', 's5', 's4'];
  expect(of('src/auth/a.ts')).toEqual(order);
  expect(of('/home/ada/src/auth/a.ts')).toEqual(order);
  // Of a bare name nobody says more than another.
  expect(of('a.ts')).toEqual(['s1', 's2', 's3', 's5', 's4', 's0']);
});

it('puts who names it in trigger, title or description before who does in the text', async () => {
  const index = [
    '/when doing one | One | words',
    '/when doing two | Two | as in a.ts',
    '/when editing a.ts | Three | words',
    '/when doing four | Rules of `a.ts` | words',
  ].join('\n');
  const text = '## One\n\na.ts\n\n## Two\n\n## Three\n\n## Rules of `a.ts`\n\n## Five\n';
  const library = buildLibrary(parseIndex(`## x.md\n\n${index}\n`), [
    parseDecisionFile('x.md', text),
  ]);
  const mentions = await createFileMentions(library);
  expect(mentions.of('src/a.ts').map(({ header }) => header)).toEqual([
    'Two',
    'Three',
    'Rules of `a.ts`',
    'One',
  ]);
});

it('takes a name that every folder has only with its folder', async () => {
  const of = await mentionsIn('In package.json and src/auth/index.ts.');
  expect(of('web/package.json')).toEqual([]);
  expect(of('index.ts')).toEqual([]);
  expect(of('src/auth/index.ts')).toEqual(['s0']);
  expect(of('auth/index.ts')).toEqual(['s0']);
});

it('is not upset by what is no path', async () => {
  const of = await mentionsIn('See src/a.ts.');
  for (const path of ['', '..', '../../etc/passwd', '\0', 'x'.repeat(5_000)]) {
    expect(of(path)).toEqual([]);
  }
});

it('gives the event loop turns while it reads a large library', async () => {
  const text = 'The cache of src/cache/store.ts is read before src/cache/index.ts.\n'.repeat(40);
  const file = Array.from({ length: 100 }, (_, at) => `## s${at}\n\n${text}`).join('\n');
  const index = Array.from({ length: 100 }, (_, at) => `/when doing s${at} | s${at} | words`);
  const library = buildLibrary(parseIndex(`## a.md\n\n${index.join('\n')}\n`), [
    parseDecisionFile('a.md', file),
  ]);
  let turns = 0;
  const turn = () => {
    turns += 1;
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  await createFileMentions(library);
  const first = turns;
  await createFileMentions(library);
  clearImmediate(timer);
  // What was looked through once is not looked through again.
  expect([first >= 5, turns - first]).toEqual([true, 0]);
});
