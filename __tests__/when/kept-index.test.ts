import {
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { openForRecall, openRecallIndex, parseRequests } from '../../src/when/offline.js';
import { type DiskRoom, diskRoom } from './disk-room.js';
import { CLI, fill, INDEX } from './when-room.js';

/** Stamps are believed where a file has rested for a while. */
const clock = { now: () => Date.now() + 3_600_000 };
const QUESTIONS = [
  'writing mock tests',
  'patching where a name is used',
  'pathcing where a name is used',
  'zero or one at the end of a process',
  '§ .Mock Patching',
  '§ cli.md',
  '§ nothing.md',
  'quarterly taxes of a bakery',
].join('\n');

function keptRoom() {
  const room = fill(diskRoom());
  const keptAt = join(room.root, 'data/when-index.bin');
  const where = { paths: room.paths, keptAt, clock };
  return { room, keptAt, where };
}

/** Asks what has to be ranked, and keeps what that took. */
async function keep(where: ReturnType<typeof keptRoom>['where']) {
  const book = await openForRecall(where);
  await book.resolve(parseRequests(QUESTIONS));
  book.keep();
  return book;
}

async function answersOf(book: Awaited<ReturnType<typeof openForRecall>>) {
  const requests = parseRequests(QUESTIONS);
  return [await book.resolve(requests), await book.resolve(requests, { nearby: false })];
}

describe('the kept index', () => {
  it('gives the library that was parsed, and its answers', async () => {
    const { where } = keptRoom();
    const parsed = await keep(where);
    const kept = await openRecallIndex(where);
    expect(kept?.library).toEqual(parsed.library);
    expect(kept && (await answersOf(kept))).toEqual(await answersOf(parsed));
  });

  it('has what reading found wrong, entries that lead nowhere, and odd texts', async () => {
    const { room, where } = keptRoom();
    room.putIndex(
      `${INDEX}\n## lost.md\n\n/when losing things | Lost | nobody knows\n/when broken |`,
    );
    room.put('odd.md', '\ufeff# Odd\r\n\r\n## Same\r\n\r\n## Same\r\n\r\n“ä” 𝄞\r\n\n## Last');
    room.put('binary.md', 'a\0b');
    const parsed = await keep(where);
    const kept = await openRecallIndex(where);
    expect(parsed.library.warnings.map(({ code }) => code)).toEqual([
      ...['not_text', 'malformed_entry', 'unknown_file'],
    ]);
    expect(kept?.library).toEqual(parsed.library);
  });

  it('of exact answers has no search, which the first question by content adds', async () => {
    const { where, keptAt } = keptRoom();
    const exact = await openForRecall(where);
    await exact.resolve(parseRequests('writing mock tests'), { nearby: false });
    exact.keep();
    const small = statSync(keptAt).size;
    const first = await openRecallIndex(where);
    expect(first && (await answersOf(first))).toEqual(await answersOf(exact));
    first?.keep();
    expect(statSync(keptAt).size).toBeGreaterThan(small);
    const before = readFileSync(keptAt);
    const second = await openRecallIndex(where);
    expect(second && (await answersOf(second))).toEqual(await answersOf(exact));
    second?.keep();
    expect(readFileSync(keptAt).equals(before)).toBe(true);
  });

  it('is for its owner alone, and no repository sees it', async () => {
    const { where, keptAt } = keptRoom();
    await keep(where);
    expect(statSync(keptAt).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(keptAt)).sort()).toEqual(['.gitignore', 'when-index.bin']);
  });

  it.each<[what: string, change: (room: DiskRoom) => void]>([
    ['the index was edited', ({ putIndex }) => putIndex(INDEX.replace('zero done', 'none done'))],
    ['a file was edited', ({ put }) => put('cli.md', `${CLI}\nAnd more.\n`)],
    [
      'a file was edited to the same size, and says an older time',
      ({ at, put }) => {
        const { atime, mtime } = statSync(at('cli.md'));
        put('cli.md', CLI.replace('2 and 3', '4 and 5'));
        utimesSync(at('cli.md'), atime, mtime);
      },
    ],
    ['a file came', ({ put }) => put('new.md', '# New\n')],
    ['a file went', ({ at }) => rmSync(at('cli.md'))],
    ['a file was renamed', ({ at }) => renameSync(at('cli.md'), at('clj.md'))],
    ['the index went', ({ paths }) => rmSync(paths.index)],
    ['something came that cannot be read', ({ put }) => put('binary.md', 'a\0b')],
  ])('counts no longer when %s', async (_what, change) => {
    const { room, where } = keptRoom();
    await keep(where);
    change(room);
    expect(await openRecallIndex(where)).toBeNull();
    const parsed = await keep(where);
    const kept = await openRecallIndex(where);
    expect(kept?.library).toEqual(parsed.library);
  });

  it('of another copy of the same files does not count: it came with a repository, say', async () => {
    const { room, where, keptAt } = keptRoom();
    await keep(where);
    const copy = diskRoom();
    rmSync(copy.paths.decisions, { recursive: true });
    cpSync(dirname(room.paths.index), dirname(copy.paths.index), { recursive: true });
    // Both paths have the same length, so that what was written can still be read.
    expect(copy.root.length).toBe(room.root.length);
    const bytes = readFileSync(keptAt, 'latin1').replaceAll(room.root, copy.root);
    const [head = '', ...rest] = bytes.split('\n');
    const body = Buffer.from(rest.join('\n'), 'latin1');
    const [form, version] = JSON.parse(head);
    const forged = JSON.stringify([form, version, crc32(body)]);
    const copied = join(copy.root, 'when-index.bin');
    writeFileSync(copied, Buffer.concat([Buffer.from(`${forged}\n`), body]));
    expect(copy.index()).toBe(room.index());
    expect(await openRecallIndex({ paths: copy.paths, keptAt: copied, clock })).toBeNull();
  });

  it('of another version does not count', async () => {
    const { where, keptAt } = keptRoom();
    await keep(where);
    const bytes = readFileSync(keptAt);
    const end = bytes.indexOf('\n');
    for (const part of [0, 1]) {
      const head = JSON.parse(bytes.toString('utf8', 0, end));
      head[part] += '1';
      const other = Buffer.from(JSON.stringify(head));
      writeFileSync(keptAt, Buffer.concat([other, bytes.subarray(end)]));
      expect(await openRecallIndex(where)).toBeNull();
    }
    writeFileSync(keptAt, bytes);
    expect(await openRecallIndex(where)).not.toBeNull();
  });

  it('that is damaged anywhere does not count, and is written anew', async () => {
    const { where, keptAt } = keptRoom();
    await keep(where);
    const whole = readFileSync(keptAt);
    const step = Math.ceil(whole.length / 60);
    for (let at = 0; at < whole.length; at += step) {
      const flipped = Buffer.from(whole);
      flipped[at] = (flipped[at] as number) ^ 0x15;
      for (const damaged of [flipped, whole.subarray(0, at)]) {
        writeFileSync(keptAt, damaged);
        expect(await openRecallIndex(where)).toBeNull();
      }
    }
    await keep(where);
    expect(readFileSync(keptAt).equals(whole)).toBe(true);
  });

  it.each<[what: string, put: (path: string) => void]>([
    ['nothing of ours', (path) => writeFileSync(path, '{"a": 1}\n')],
    ['a whole of something else', (path) => writeFileSync(path, foreign(serialize(null)))],
    ['the same with a list', (path) => writeFileSync(path, foreign(serialize({ known: [1] })))],
    ['a whole that cannot be read', (path) => writeFileSync(path, foreign(Buffer.from('x')))],
    ['a link to another file', (path) => symlinkSync(`${path}.target`, path)],
  ])('is written over %s', async (_what, put) => {
    const { where, keptAt } = keptRoom();
    mkdirSync(dirname(keptAt));
    writeFileSync(`${keptAt}.target`, 'of somebody');
    put(keptAt);
    expect(await openRecallIndex(where)).toBeNull();
    await keep(where);
    expect(lstatSync(keptAt).isFile()).toBe(true);
    expect(await openRecallIndex(where)).not.toBeNull();
    expect(readFileSync(`${keptAt}.target`, 'utf8')).toBe('of somebody');
  });

  it('waits until no file was changed just now: two contents could have one stamp', async () => {
    const { where, keptAt } = keptRoom();
    await keep({ ...where, clock: { now: Date.now } });
    expect(existsSync(keptAt)).toBe(false);
    await keep(where);
    expect(existsSync(keptAt)).toBe(true);
  });

  it('leaves nothing behind where it cannot be put in place', async () => {
    const { room, where, keptAt } = keptRoom();
    mkdirSync(join(keptAt, 'full'), { recursive: true });
    await expect(keep(where)).rejects.toThrow(/when-index/);
    expect(readdirSync(dirname(keptAt))).toEqual(['when-index.bin']);
    writeFileSync(join(room.root, 'file'), '');
    await expect(keep({ ...where, keptAt: join(room.root, 'file/kept') })).rejects.toThrow();
  });
});

/** A head that fits a body that does not. */
function foreign(body: Buffer): Buffer {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
  const head = JSON.stringify(['cue-when-2', version, crc32(body)]);
  return Buffer.concat([Buffer.from(`${head}\n`), body]);
}
