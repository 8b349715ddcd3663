import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { exclusively, writeTogether } from '../../src/when/disk/write.js';
import { hashOf } from '../../src/when/index-file.js';
import { type DiskRoom, diskRoom } from './disk-room.js';

const OLD = '# I\n';

function filled(): DiskRoom {
  const room = diskRoom();
  room.putIndex(OLD);
  room.put('a.md', 'a');
  return room;
}

/** Everything in the room, folders included. */
const listing = ({ root }: DiskRoom) => readdirSync(root, { recursive: true }).sort();

describe('writing together', () => {
  it('replaces and makes files, and leaves nothing else', async () => {
    const room = filled();
    await writeTogether(
      [
        { path: room.at('new/deep/b.md'), text: 'é\r\n', expected: null },
        { path: room.at('a.md'), text: 'new a', expected: hashOf('a') },
        { path: room.paths.index, text: '# J\n', expected: hashOf(OLD) },
      ],
      { paths: room.paths },
    );
    expect(room.read('new/deep/b.md')).toBe('é\r\n');
    expect(room.read('a.md')).toBe('new a');
    expect(room.index()).toBe('# J\n');
    expect(listing(room)).toEqual([
      'agents',
      'agents/decisions',
      'agents/decisions/a.md',
      'agents/decisions/new',
      'agents/decisions/new/deep',
      'agents/decisions/new/deep/b.md',
      'agents/index.md',
    ]);
  });

  it('may write beside the index: a copy of it as it was', async () => {
    const room = filled();
    const path = `${room.paths.index}.bak`;
    await writeTogether([{ path, text: OLD, expected: null }], { paths: room.paths });
    expect(readFileSync(path, 'utf8')).toBe(OLD);
  });

  it('keeps the mode of a file', async () => {
    const room = filled();
    chmodSync(room.at('a.md'), 0o640);
    await writeTogether([{ path: room.at('a.md'), text: 'b', expected: hashOf('a') }], {
      paths: room.paths,
    });
    expect(statSync(room.at('a.md')).mode & 0o777).toBe(0o640);
  });

  it.each([
    ['changed', { text: 'b', expected: hashOf('other') }, 'a.md has been changed meanwhile'],
    ['there already', { text: 'b', expected: null }, 'a.md is there already'],
    [
      'no longer there',
      { text: 'b', expected: hashOf('a'), file: 'gone.md' },
      'gone.md is no longer there',
    ],
  ] as [string, { text: string; expected: string | null; file?: string }, string][])(
    'writes nothing when one of them is %s',
    async (_, { file = 'a.md', ...change }, message) => {
      const room = filled();
      const before = listing(room);
      const index = { path: room.paths.index, text: '# J\n', expected: hashOf(OLD) };
      const writing = writeTogether([index, { path: room.at(file), ...change }], {
        paths: room.paths,
      });
      await expect(writing).rejects.toMatchObject({
        code: 'CONFLICT',
        message: `${room.paths.decisions}/${message}: nothing was written`,
        details: { path: room.at(file) },
      });
      expect(room.index()).toBe(OLD);
      expect(listing(room)).toEqual(before);
    },
  );

  it('puts everything back when an editor writes one of them in the middle', async () => {
    const room = filled();
    chmodSync(room.at('a.md'), 0o600);
    const before = listing(room);
    const writing = writeTogether(
      [
        { path: room.at('x/y/new.md'), text: 'n', expected: null },
        { path: room.at('a.md'), text: 'b', expected: hashOf('a') },
        { path: room.paths.index, text: '# J\n', expected: hashOf(OLD) },
      ],
      {
        paths: room.paths,
        onStep(step, path) {
          if (step === 'renamed' && path.endsWith('a.md')) room.putIndex('# Edited\n');
        },
      },
    );
    await expect(writing).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { path: room.paths.index },
    });
    expect(room.index()).toBe('# Edited\n');
    expect(room.read('a.md')).toBe('a');
    expect(statSync(room.at('a.md')).mode & 0o777).toBe(0o600);
    // Folders that were made for it stay.
    const folders = ['agents/decisions/x', 'agents/decisions/x/y'];
    expect(listing(room)).toEqual([...before, ...folders].sort());
  });

  it('leaves what an editor has saved over its own writing', async () => {
    const room = filled();
    const writing = writeTogether(
      [
        { path: room.at('new.md'), text: 'n', expected: null },
        { path: room.at('a.md'), text: 'b', expected: hashOf('a') },
        { path: room.paths.index, text: '# J\n', expected: hashOf(OLD) },
      ],
      {
        paths: room.paths,
        onStep(step, path) {
          if (step !== 'renamed' || !path.endsWith('a.md')) return;
          room.put('new.md', 'n, and what somebody added');
          room.put('a.md', 'saved meanwhile');
          room.putIndex('# Edited\n');
        },
      },
    );
    await expect(writing).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { path: room.paths.index },
    });
    expect(room.read('new.md')).toBe('n, and what somebody added');
    expect(room.read('a.md')).toBe('saved meanwhile');
    expect(room.index()).toBe('# Edited\n');
    expect(readdirSync(room.paths.decisions).sort()).toEqual(['a.md', 'new.md']);
  });

  it('does not replace a file that is read-only, though its folder is not', async () => {
    const room = filled();
    chmodSync(room.paths.index, 0o444);
    const writing = writeTogether(
      [
        { path: room.at('a.md'), text: 'b', expected: hashOf('a') },
        { path: room.paths.index, text: '# J\n', expected: hashOf(OLD) },
      ],
      { paths: room.paths },
    );
    await expect(writing).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
      details: { path: room.paths.index },
    });
    expect(room.read('a.md')).toBe('a');
    expect(room.index()).toBe(OLD);
    // Nothing is to be written to it.
    await writeTogether([{ path: room.paths.index, text: OLD, expected: hashOf(OLD) }], {
      paths: room.paths,
    });
  });

  it('says UNAVAILABLE with the cause when the disk refuses, and writes nothing', async () => {
    const room = filled();
    const writing = writeTogether(
      [
        { path: room.at('a.md'), text: 'b', expected: hashOf('a') },
        { path: room.at('a.md/b.md'), text: 'b', expected: null },
      ],
      { paths: room.paths },
    );
    await expect(writing).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    expect(room.read('a.md')).toBe('a');
  });

  it('clears away what a dead process left, and nothing of others', async () => {
    const room = filled();
    // Made under the lock of this index; an hour ago, by a version that named its process.
    const index = hashOf(realpathSync(room.paths.index)).slice(0, 12);
    const left = [`.a.md.${index}-99999.cue-tmp`, '.a.md.1-1.cue-tmp'];
    // Made now under the lock of another index, or by that version; made by nobody of ours.
    const others = [
      '.a.md.0123456789ab-1.cue-tmp',
      '.a.md.1-2.cue-tmp',
      '.a.md.swp',
      'a.md.cue-tmp',
    ];
    for (const name of [...left, ...others]) room.put(name, 'x');
    const longAgo = Date.now() / 1_000 - 3_700;
    utimesSync(room.at('.a.md.1-1.cue-tmp'), longAgo, longAgo);
    await writeTogether([{ path: room.at('a.md'), text: 'b', expected: hashOf('a') }], {
      paths: room.paths,
    });
    expect(readdirSync(room.paths.decisions).sort()).toEqual([...others, 'a.md'].sort());
  });
});

describe('where it may write', () => {
  it.each([
    ['above the folder', (room: DiskRoom) => join(room.root, 'x.md')],
    ['by ".."', (room: DiskRoom) => `${room.paths.decisions}/../../x.md`],
    ['through a linked folder', (room: DiskRoom) => room.at('out/x.md')],
    ['through a linked file', (room: DiskRoom) => room.at('out.md')],
    ['through a link to nothing', (room: DiskRoom) => room.at('nothing.md')],
  ] as [string, (room: DiskRoom) => string][])('not %s', async (_, pathIn) => {
    const room = filled();
    mkdirSync(join(room.root, 'out'));
    writeFileSync(join(room.root, 'out/there.md'), 'a');
    symlinkSync(join(room.root, 'out'), room.at('out'));
    symlinkSync(join(room.root, 'out/there.md'), room.at('out.md'));
    symlinkSync(join(room.root, 'out/nothing.md'), room.at('nothing.md'));
    const before = listing(room);
    const path = pathIn(room);
    const expected = path.endsWith('out.md') ? hashOf('a') : null;
    await expect(
      writeTogether([{ path, text: 'x', expected }], { paths: room.paths }),
    ).rejects.toMatchObject({ code: 'PERMISSION_DENIED', details: { path } });
    expect(listing(room)).toEqual(before);
    expect(readFileSync(join(room.root, 'out/there.md'), 'utf8')).toBe('a');
  });

  it('through a link that stays in the folder, which stays a link', async () => {
    const room = filled();
    symlinkSync('a.md', room.at('link.md'));
    await writeTogether([{ path: room.at('link.md'), text: 'b', expected: hashOf('a') }], {
      paths: room.paths,
    });
    expect(room.read('a.md')).toBe('b');
    room.put('a.md', 'c');
    expect(room.read('link.md')).toBe('c');
  });

  it('nowhere outside the roots, not even a lock', async () => {
    const room = filled();
    const paths = { ...room.paths, roots: [join(room.root, 'else')] };
    await expect(
      writeTogether([{ path: room.at('a.md'), text: 'b', expected: hashOf('a') }], { paths }),
    ).rejects.toMatchObject({ code: 'PERMISSION_DENIED' });
    expect(room.read('a.md')).toBe('a');
  });
});

describe('the lock', () => {
  it('lets in one after the other', async () => {
    const { paths } = filled();
    const steps: string[] = [];
    const work = (name: string) =>
      exclusively(paths, async () => {
        steps.push(`${name} in`);
        await new Promise((done) => setImmediate(done));
        steps.push(`${name} out`);
      });
    await Promise.all([work('a'), work('b')]);
    expect(steps).toEqual(['a in', 'a out', 'b in', 'b out']);
    expect(existsSync(`${paths.index}.cue-lock`)).toBe(false);
  });

  it('that a crash left half written is waited for without holding up anybody', async () => {
    const { paths } = filled();
    const lock = `${paths.index}.cue-lock`;
    writeFileSync(lock, '{"pid":');
    // So that it does not become old by itself, however long the machine pauses.
    const ahead = Date.now() / 1_000 + 3_600;
    utimesSync(lock, ahead, ahead);
    let turns = 0;
    const ticking = setInterval(() => {
      turns++;
      // As if it had lain there for long.
      if (turns === 10) utimesSync(lock, new Date(0), new Date(0));
    }, 5);
    expect(await exclusively(paths, async () => 'in')).toBe('in');
    clearInterval(ticking);
    expect(turns).toBeGreaterThanOrEqual(10);
    expect(existsSync(lock)).toBe(false);
  });

  it('is given back when the work fails', async () => {
    const { paths } = filled();
    const failing = exclusively(paths, async () => {
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect(await exclusively(paths, async () => 'in')).toBe('in');
  });
});
