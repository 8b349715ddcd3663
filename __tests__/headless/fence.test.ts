/** The fence alone: around something that writes like the host's PGlite, in a directory like its own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFence, type Fence } from '../../src/server/headless/fence.js';

class ErrnoError extends Error {
  constructor(errno: number) {
    super(`write refused: ${errno}`);
  }
}
/** What the database does while it executes a message. */
type Work = (write: (path: string) => void) => void;

let directory: string;
let written: string[];
let work: Work;
let client: {
  execProtocolRawSync(message: Uint8Array): Uint8Array;
  closed: boolean;
  Module: object;
  fs: { closeFs(): Promise<void> };
};
let fence: Fence;
let turns = 0;

/** As another process does first when it opens the database. */
function openElsewhere(): void {
  turns += 1;
  writeFileSync(join(directory, 'postmaster.pid'), 'x'.repeat(turns));
}
const execute = (done: Work): Uint8Array => {
  work = done;
  return client.execProtocolRawSync(new Uint8Array());
};

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'cue-fence-'));
  mkdirSync(join(directory, 'global'));
  writeFileSync(join(directory, 'global', 'pg_control'), 'control');
  openElsewhere();
  written = [];
  const operations = {
    write: (stream: { path: string }): number => written.push(stream.path),
  };
  client = {
    execProtocolRawSync() {
      work((path) => void operations.write({ path }));
      return new Uint8Array([1]);
    },
    closed: false,
    Module: { FS: { ErrnoError, filesystems: { NODEFS: { stream_ops: operations } } } },
    fs: { closeFs: async () => void written.push('files closed') },
  };
  fence = createFence(client, directory);
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('lets everything through while nobody else has opened the directory', () => {
  expect(execute((write) => write('/pg_wal/1'))).toEqual(new Uint8Array([1]));
  expect(written).toEqual(['/pg_wal/1']);
  expect(fence.check()).toBe(false);
});

it('does not answer a statement that wrote when somebody has opened it meanwhile', () => {
  const late = () =>
    execute((write) => {
      write('/pg_wal/1');
      openElsewhere();
    });
  expect(late).toThrow('another process has opened the database directory');
  expect(written).toEqual(['/pg_wal/1']);
  expect(() => execute(() => {})).toThrow('nothing is written here any more');
});

it('answers a statement that only read', () => {
  expect(execute(openElsewhere)).toEqual(new Uint8Array([1]));
  expect(fence.check()).toBe(true);
});

it('stops a statement in the middle, before its next write', () => {
  const long = () =>
    execute((write) => {
      write('/pg_wal/1');
      openElsewhere();
      write('/pg_wal/1');
    });
  expect(long).toThrow(expect.objectContaining({ code: 'UNAVAILABLE' }));
  expect(written).toEqual(['/pg_wal/1']);
});

it('knows its own checkpoints from those of others', () => {
  const control = join(directory, 'global', 'pg_control');
  execute((write) => {
    write('/global/pg_control');
    writeFileSync(control, 'our checkpoint');
  });
  expect(fence.check()).toBe(false);
  writeFileSync(control, 'a checkpoint of somebody else');
  expect(fence.check()).toBe(true);
});

it('passes the errors of statements on', () => {
  const failing = () =>
    execute(() => {
      throw new Error('syntax error');
    });
  expect(failing).toThrow('syntax error');
  expect(fence.isUp).toBe(false);
});

it('once raised, lets nothing be written, and only closes the files', async () => {
  fence.raise();
  expect(() => execute((write) => write('/base/1'))).toThrow('another process');
  await fence.abandon();
  expect(written).toEqual(['files closed']);
});
