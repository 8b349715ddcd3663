/** A catalog in a file: used when it is whole and fits, otherwise removed and loaded anew. */
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readSnapshotFile, writeSnapshotFile } from '../../src/records/catalog-snapshot-file.js';
import { createCatalog } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { NOTE, quiet, words } from '../contract/record-fixtures.js';
import { onPosix } from '../helpers/where.js';

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'cue-snapshot-'));
});
afterAll(() => {
  rmSync(directory, { recursive: true, force: true });
});

const NOW_MS = 1_800_000_000_000;
const OUTSIDE = { [NOTE.name]: [derivedId('test', 'damaged')] };
const DAY_MS = 86_400_000;
const PROJECT = derivedId('test', 'snapshot project');

async function written(name: string, build = 'build 1') {
  const path = join(directory, name, 'catalog');
  const catalog = createCatalog({ analyze: words, project: PROJECT });
  catalog.shelf(NOTE.name).put({
    id: derivedId('test', 'doc'),
    timeMs: 1,
    keys: ['k'],
    flags: 0,
    audience: 'p',
    fields: [{ text: 'kept word', weight: 1 }],
    vector: null,
  });
  await writeSnapshotFile({ path, build }, catalog, NOW_MS, OUTSIDE);
  return path;
}

async function read(path: string, nowMs = NOW_MS, build = 'build 1', project = PROJECT) {
  const lines: string[] = [];
  const log = {
    ...quiet().log,
    info: (fields: Record<string, unknown>) => lines.push(String(fields.reason)),
  };
  const snapshot = await readSnapshotFile({ path, build, log }, { analyze: words, project }, nowMs);
  return { snapshot, lines, exists: existsSync(path) };
}

it('gives back the catalog, the watermark and what was left out, and leaves no other file', async () => {
  const path = await written('whole');
  const { snapshot, exists } = await read(path, NOW_MS + DAY_MS);
  expect([snapshot?.watermarkMs, exists]).toEqual([NOW_MS, true]);
  expect(snapshot?.outside).toEqual(OUTSIDE);
  expect(snapshot?.catalog.shelf(NOTE.name).documentFrequency('kept')).toBe(1);
  expect(readdirSync(join(directory, 'whole'))).toEqual(['catalog']);
});

it.runIf(onPosix())('is for the owner alone: it has the words of private memories', async () => {
  const path = await written('private');
  const modes = [path, join(directory, 'private')].map((one) => statSync(one).mode & 0o777);
  expect(modes).toEqual([0o600, 0o700]);
});

it('has nothing to say where there is no file', async () => {
  expect(await read(join(directory, 'none'))).toEqual({ snapshot: null, lines: [], exists: false });
});

it('removes a file that is damaged, cut off, too old or of something else', async () => {
  const flip = (at: (bytes: Buffer) => number) => (path: string) => {
    const bytes = readFileSync(path);
    const place = at(bytes);
    bytes[place] = (bytes[place] ?? 0) ^ 1;
    writeFileSync(path, bytes);
  };
  const nothing = () => {};
  const cases: [
    string,
    (path: string) => void,
    Parameters<typeof read> extends [string, ...infer Rest] ? Rest : never,
  ][] = [
    ['head', flip(() => 30), []],
    ['checksum', flip(() => 2), []],
    ['body', flip((bytes) => bytes.indexOf('kept')), []],
    ['cut', (path) => truncateSync(path, readFileSync(path).length - 40), []],
    ['cut at a frame', (path) => truncateSync(path, readFileSync(path).indexOf('\n') + 1), []],
    ['empty', (path) => truncateSync(path, 0), []],
    ['no snapshot', (path) => writeFileSync(path, 'hello\nworld'), []],
    ['old', nothing, [NOW_MS + DAY_MS + 1]],
    ['future', nothing, [NOW_MS - DAY_MS]],
    ['other build', nothing, [NOW_MS, 'build 2']],
    ['other project', nothing, [NOW_MS, 'build 1', derivedId('test', 'another project')]],
  ];
  for (const [name, harm, args] of cases) {
    const path = await written(name);
    harm(path);
    const { snapshot, lines, exists } = await read(path, ...args);
    expect([name, snapshot, lines.length, exists]).toEqual([name, null, 1, false]);
  }
});
