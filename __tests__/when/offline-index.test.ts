import { spawn } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/shared/clock.js';
import { faultOfPaths } from '../../src/when/find-index.js';
import { openForRecall, openOfflineIndex } from '../../src/when/offline.js';
import { parseRequests } from '../../src/when/requests.js';
import type { WhenPaths } from '../../src/when/types.js';
import { diskRoom } from './disk-room.js';
import { CLI, fill, INDEX } from './when-room.js';

const DOOR = fileURLToPath(new URL('../../src/when/offline.ts', import.meta.url));
const TSX = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href;
const LEGACY = `# Memory Index

## cli.md

Exit codes — zero done, three missing, two usage
`;

const forRecall = (paths: WhenPaths) => openForRecall({ paths, keptAt: null, clock: systemClock });

describe('the book of a folder', () => {
  it('answers from what stands there', async () => {
    const room = fill(diskRoom());
    const book = await openOfflineIndex({ paths: room.paths });
    const recall = await forRecall(room.paths);
    const { results } = await recall.resolve(parseRequests('choosing exit codes\n§ testing.md'));
    expect(results.map(({ found, matches: [best] }) => [found, best?.file])).toEqual([
      ['exact', 'cli.md'],
      ['exact', 'testing.md'],
    ]);
    expect((await book.validate()).counts).toEqual({ entries: 3, files: 2, sections: 4 });
  });

  it('mends the index once, also what somebody else has changed meanwhile', async () => {
    const room = fill(diskRoom());
    const [, testing = '', cli = ''] = INDEX.split(/^## /m);
    const swapped = testing.replace(/^(\/when writing.*\n)(\/when organizing.*\n)/m, '$2$1');
    room.putIndex(`# Memory Index\n\n## ${swapped}## ${cli}`);
    const book = await openOfflineIndex({ paths: room.paths });
    const late = await openOfflineIndex({ paths: room.paths });
    expect((await book.fix()).length).toBeGreaterThan(0);
    expect(room.index().indexOf('/when writing')).toBeLessThan(room.index().indexOf('/when organ'));
    expect(book.library.index.text).toBe(room.index());
    expect(await book.fix()).toEqual([]);
    // It still has the index as it was before.
    expect(await late.fix()).toEqual([]);
    expect(late.library.index.text).toBe(room.index());
  });

  it('keeps the index as it was beside the migrated one, and overwrites no older copy', async () => {
    const room = fill(diskRoom());
    room.putIndex(LEGACY);
    writeFileSync(`${room.paths.index}.bak`, 'older');
    const book = await openOfflineIndex({ paths: room.paths });
    const tried = await book.migrate({ dryRun: true });
    expect([tried.changed, tried.backup, room.index()]).toEqual([true, null, LEGACY]);
    const made = await book.migrate({ dryRun: false });
    expect(made.backup).toBe(`${room.paths.index}.bak.1`);
    expect(readFileSync(made.backup ?? '', 'utf8')).toBe(LEGACY);
    expect(readFileSync(`${room.paths.index}.bak`, 'utf8')).toBe('older');
    expect(room.index()).toBe(tried.text);
    expect(book.library.entries.map(({ header, section }) => [header, section?.title])).toEqual([
      ['Exit codes', 'Exit codes'],
    ]);
    expect((await book.migrate({ dryRun: false })).changed).toBe(false);
    expect(existsSync(`${room.paths.index}.bak.2`)).toBe(false);
  });

  it('migrates what stands there when it writes, not what it had read', async () => {
    const room = fill(diskRoom());
    room.putIndex(LEGACY);
    const book = await openOfflineIndex({ paths: room.paths });
    const more = `${LEGACY}\n<!-- meanwhile -->\n`;
    room.putIndex(more);
    const made = await book.migrate({ dryRun: false });
    expect(made.text).toBe(room.index());
    expect(room.index()).toContain('<!-- meanwhile -->');
    expect(readFileSync(`${room.paths.index}.bak`, 'utf8')).toBe(more);
    expect(existsSync(`${room.paths.index}.bak.1`)).toBe(false);
  });

  it('writes nothing while a file cannot be read: entries may lead to it', async () => {
    const room = fill(diskRoom());
    room.put('other.md', CLI);
    room.put('cli.md', 'caf\xe9\0');
    const book = await openOfflineIndex({ paths: room.paths });
    expect((await book.validate()).ok).toBe(false);
    const refused = { code: 'UNAVAILABLE', details: { file: 'cli.md', reason: 'not_text' } };
    await expect(book.fix()).rejects.toMatchObject(refused);
    await expect(book.migrate({ dryRun: true })).rejects.toMatchObject(refused);
    expect(room.index()).toBe(INDEX);
  });

  it('ranks nothing for a command that is answered exactly, unless what is near is wanted', async () => {
    const room = fill(diskRoom());
    const book = await forRecall(room.paths);
    const requests = parseRequests('choosing exit codes\n§ testing.md');
    const { results } = await book.resolve(requests, { nearby: false });
    expect(results.map(({ found, matches }) => [found, matches.length])).toEqual([
      ['exact', 1],
      ['exact', 1],
    ]);
    const whole = await book.resolve(requests);
    expect(whole.results.map(({ matches }) => matches.length)).toEqual([3, 4]);
    expect(whole.results.map(({ related }) => related)).toEqual(
      results.map(({ related }) => related),
    );
  });

  it('knows at once what it was told to remember', async () => {
    const room = fill(diskRoom());
    const book = await openOfflineIndex({ paths: room.paths });
    const made = await book.remember({
      trigger: 'printing json',
      header: 'JSON output',
      description: 'one document on standard output, nothing else beside it there',
      file: 'cli.md',
      content: 'Print one document.',
    });
    expect([made.changed, made.sectionAdded]).toEqual([true, true]);
    const entry = book.library.entries.find(({ phrase }) => phrase === 'printing json');
    expect(entry?.section?.content.trim()).toBe('Print one document.');
    expect(room.read('cli.md').startsWith(CLI.trimEnd())).toBe(true);
  });

  it('is empty where there is nothing', async () => {
    const room = diskRoom();
    const book = await openOfflineIndex({ paths: room.paths });
    expect(book.library.warnings.map(({ code }) => code)).toEqual(['no_index']);
    const recall = await forRecall(room.paths);
    expect((await recall.resolve(parseRequests('anything'))).results[0]?.found).toBe('none');
  });
});

describe('where index and folder are set to be', () => {
  it('is fine when they exist as what they are to be, or do not exist yet', () => {
    const { paths, root } = fill(diskRoom());
    expect(faultOfPaths(paths)).toBeNull();
    expect(faultOfPaths({ ...paths, roots: [root] })).toBeNull();
    expect(faultOfPaths({ index: join(root, 'x/i.md'), decisions: join(root, 'x/d') })).toBeNull();
  });

  it('is wrong when a folder is no file, a file no folder, or either lies outside', () => {
    const { paths, root } = fill(diskRoom());
    const { index, decisions } = paths;
    expect(faultOfPaths({ index: decisions, decisions })).toEqual({
      of: 'index',
      message: `${decisions} is a folder, not a file`,
    });
    expect(faultOfPaths({ index, decisions: index })).toEqual({
      of: 'decisions',
      message: `${index} is a file, not a folder`,
    });
    const roots = [join(root, 'agents/decisions'), join(root, 'agents/dec')];
    expect(faultOfPaths({ index, decisions, roots })).toEqual({
      of: 'index',
      message: `${index} lies outside the allowed folders (${roots.join(', ')})`,
    });
    expect(faultOfPaths({ index, decisions, roots: [index] })?.of).toBe('decisions');
  });

  it('is no matter of the settings when a link in the folder leads out', () => {
    const { paths, root } = diskRoom();
    const elsewhere = diskRoom();
    symlinkSync(elsewhere.paths.index, paths.index);
    fill(elsewhere);
    expect(faultOfPaths({ ...paths, roots: [root] })).toBeNull();
  });
});

it('is opened by a process that loads neither host, database, tokenizer nor schemas', async () => {
  const hooks = `import { writeSync } from 'node:fs';
    export async function load(url, context, next) { writeSync(1, url + '\\n'); return next(url, context); }`;
  const register = `import { register } from 'node:module';
    register('data:text/javascript,${encodeURIComponent(hooks).replaceAll("'", '%27')}');`;
  const child = spawn(
    process.execPath,
    [
      ...['--import', TSX],
      ...['--import', `data:text/javascript,${encodeURIComponent(register)}`],
      ...['--input-type=module', '-e', `await import(${JSON.stringify(DOOR)})`],
    ],
    { env: { PATH: process.env.PATH } },
  );
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const code = await new Promise((done) => child.on('close', done));
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const loaded = out.trim().split('\n');
  expect(loaded.some((url) => url.includes('/src/when/recall-index.ts'))).toBe(true);
  const packages = loaded.flatMap(
    (url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? [],
  );
  expect([...new Set(packages)].sort()).toEqual([
    ...['entities', 'linkify-it', 'markdown-it', 'mdurl', 'punycode.js', 'uc.micro'],
  ]);
  expect(loaded.filter((url) => /src\/(records|memory|shared\/tokens)/.test(url))).toEqual([]);
  // What only some commands need comes with them.
  const later =
    /src\/(embeddings|when\/(validate|remember|disk\/write|match\/matcher|migrate\/migrate))/;
  expect(loaded.filter((url) => later.test(url))).toEqual([]);
});
