import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { boundsOf } from '../../src/when/disk/bounds.js';
import { createFolderReader, MAX_FILE_BYTES, readFolder } from '../../src/when/disk/read.js';
import type { DiskState } from '../../src/when/types.js';
import { diskRoom } from './disk-room.js';

const names = (state: DiskState) => state.files.map(({ path }) => path);
const codes = (state: DiskState) => state.warnings.map(({ file, code }) => `${file}: ${code}`);

describe('reading the folder', () => {
  it('gives the index and every markdown file below the folder, by path, byte for byte', async () => {
    const room = diskRoom();
    room.putIndex('\ufeff# Index\r\n');
    room.put('testing.md', '# T\n');
    room.put('api/auth.MD', 'é\r\n');
    room.put('api/deep/er/x.md', '');
    room.put('notes.txt', 'no');
    expect(await readFolder(room.paths)).toEqual({
      index: { path: room.paths.index, text: '\ufeff# Index\r\n' },
      files: [
        { path: 'api/auth.MD', text: 'é\r\n' },
        { path: 'api/deep/er/x.md', text: '' },
        { path: 'testing.md', text: '# T\n' },
      ],
      warnings: [],
    });
  });

  it('takes a missing index and a missing folder for a normal state, and says so', async () => {
    const room = diskRoom();
    rmSync(room.paths.decisions, { recursive: true });
    const state = await readFolder(room.paths);
    expect(state).toMatchObject({ index: null, files: [] });
    expect(codes(state)).toEqual(['index: no_index', '.: no_folder']);
  });

  it('leaves out hidden files, node_modules, and the index when it lies in the folder', async () => {
    const room = diskRoom();
    room.put('index.md', '# Index\n');
    room.put('.secret.md', 'x');
    room.put('.git/a.md', 'x');
    room.put('node_modules/a/readme.md', 'x');
    room.put('a.md', 'x');
    const state = await readFolder({ ...room.paths, index: room.at('index.md') });
    expect(names(state)).toEqual(['a.md']);
    expect(state.warnings).toEqual([]);
  });

  it('refuses what is no text, too large, or no file, and reads the rest', async () => {
    const room = diskRoom();
    room.putIndex('# Index\n');
    room.put('good.md', 'good');
    room.put('nul.md', 'a\0b');
    writeFileSync(room.at('latin.md'), Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    room.put('large.md', '');
    truncateSync(room.at('large.md'), MAX_FILE_BYTES + 1);
    execFileSync('sh', ['-c', 'mkfifo "$0"', room.at('pipe.md')]);
    const state = await readFolder(room.paths);
    expect(names(state)).toEqual(['good.md']);
    expect(codes(state)).toEqual([
      'large.md: too_large',
      'latin.md: not_text',
      'nul.md: not_text',
      'pipe.md: not_a_file',
    ]);
  });

  it('reads at most 2,000 files, the first by path, and says how many there are', async () => {
    const room = diskRoom();
    for (let number = 0; number < 2_003; number++) {
      room.put(`f${String(number).padStart(4, '0')}.md`, 'x');
    }
    const state = await readFolder(room.paths);
    expect(state.files).toHaveLength(2_000);
    expect(names(state).at(-1)).toBe('f1999.md');
    expect(state.warnings.map(({ message }) => message)).toContain(
      'of 2003 decision files only the first 2000 are read',
    );
  });

  it('lets the event loop turn meanwhile', async () => {
    const room = diskRoom();
    for (let number = 0; number < 40; number++) room.put(`f${number}.md`, 'x'.repeat(10_000));
    let turns = 0;
    let isDone = false;
    const reading = readFolder(room.paths).finally(() => {
      isDone = true;
    });
    while (!isDone) {
      await turn();
      turns++;
    }
    await reading;
    expect(turns).toBeGreaterThan(5);
  });
});

describe('links', () => {
  it('that lead out of the folder are refused, to files and to folders', async () => {
    const room = diskRoom();
    mkdirSync(join(room.root, 'private'));
    writeFileSync(join(room.root, 'private/key.md'), 'secret');
    symlinkSync(join(room.root, 'private/key.md'), room.at('key.md'));
    symlinkSync('../../private', room.at('folder'));
    symlinkSync(join(room.root, 'nowhere.md'), room.at('broken.md'));
    const state = await readFolder(room.paths);
    expect(names(state)).toEqual([]);
    expect(JSON.stringify(state)).not.toContain('secret');
    expect(codes(state)).toEqual([
      'index: no_index',
      'broken.md: broken_link',
      'folder: outside',
      'key.md: outside',
    ]);
  });

  it('within the folder are read when they are files, and have no end when they are folders', async () => {
    const room = diskRoom();
    room.put('api/auth.md', 'a');
    symlinkSync('api/auth.md', room.at('auth.md'));
    symlinkSync('..', room.at('api/loop'));
    const state = await readFolder(room.paths);
    expect(names(state)).toEqual(['api/auth.md', 'auth.md']);
    expect(codes(state)).toEqual(['index: no_index', 'api/loop: linked_folder']);
  });

  it('make no index of a file elsewhere, unless a root holds it or a person named the link', async () => {
    const room = diskRoom();
    mkdirSync(join(room.root, 'elsewhere'));
    writeFileSync(join(room.root, 'elsewhere/i.md'), '# I\n');
    symlinkSync(join(room.root, 'elsewhere/i.md'), room.paths.index);
    const refused = await readFolder(room.paths);
    expect(refused.index).toBeNull();
    expect(codes(refused)).toEqual(['index: outside']);
    const read = { path: room.paths.index, text: '# I\n' };
    expect((await readFolder({ ...room.paths, roots: [room.root] })).index).toEqual(read);
    expect((await readFolder({ ...room.paths, named: ['index'] })).index).toEqual(read);
    expect((await readFolder({ ...room.paths, within: room.root })).index).toEqual(read);
    expect(codes(await readFolder({ ...room.paths, named: ['decisions'] }))).toEqual([
      'index: outside',
    ]);
  });

  it('cannot take the folder or the index out of the roots, named or not', async () => {
    const room = diskRoom();
    room.putIndex('# I\n');
    const other = diskRoom();
    other.put('a.md', 'secret');
    rmSync(room.paths.decisions, { recursive: true });
    symlinkSync(other.paths.decisions, room.paths.decisions);
    const named = ['index', 'decisions'] as const;
    const inside = await readFolder({ ...room.paths, named, roots: [room.root] });
    expect(inside).toMatchObject({ index: { text: '# I\n' }, files: [] });
    expect(codes(inside)).toEqual(['.: outside']);
    const neither = await readFolder({ ...room.paths, named, roots: [join(room.root, 'agent')] });
    expect(codes(neither)).toEqual(['index: outside', '.: outside']);
  });

  it('take a folder that nobody named nowhere else, to read or to write', async () => {
    const room = diskRoom();
    room.putIndex('# I\n');
    const other = diskRoom();
    other.put('a.md', 'secret');
    rmSync(room.paths.decisions, { recursive: true });
    symlinkSync(other.paths.decisions, room.paths.decisions);
    for (const paths of [room.paths, { ...room.paths, named: ['index'] as const }]) {
      const state = await readFolder(paths);
      expect(names(state)).toEqual([]);
      expect(codes(state)).toEqual(['.: outside']);
      expect(boundsOf(paths).writable(other.at('a.md'))).toBe(false);
    }
    const named = { ...room.paths, named: ['decisions'] as const };
    expect(names(await readFolder(named))).toEqual(['a.md']);
    expect(boundsOf(named).writable(other.at('a.md'))).toBe(true);
  });

  it('take a folder above them nowhere else, unless a person named the index there', async () => {
    const room = diskRoom();
    const other = diskRoom();
    other.putIndex('# secret\n');
    other.put('a.md', 'secret');
    rmSync(join(room.root, 'agents'), { recursive: true });
    symlinkSync(join(other.root, 'agents'), join(room.root, 'agents'));
    const paths = { ...room.paths, within: room.root };
    expect(codes(await readFolder(paths))).toEqual(['index: outside', '.: outside']);
    expect(boundsOf(paths).writable(other.paths.index)).toBe(false);
    expect(boundsOf(paths).writable(`${other.paths.index}.bak`)).toBe(false);
    const named = await readFolder({ ...paths, named: ['index'] });
    expect([named.index?.text, names(named)]).toEqual(['# secret\n', ['a.md']]);
  });
});

describe('reading again', () => {
  it('sees a change made right after, of the same size', async () => {
    const room = diskRoom();
    room.put('a.md', 'one');
    const reader = createFolderReader(room.paths);
    await reader.read();
    room.put('a.md', 'two');
    expect((await reader.read()).files).toEqual([{ path: 'a.md', text: 'two' }]);
  });

  it('sees a change of what was not touched for a while, with its time put back', async () => {
    const room = diskRoom();
    room.put('a.md', 'one');
    const hourAgo = new Date(Date.now() - 3_600_000);
    utimesSync(room.at('a.md'), hourAgo, hourAgo);
    // As if an hour had passed: the attributes were changed just now.
    const reader = createFolderReader(room.paths, { now: () => Date.now() + 3_600_000 });
    const [first] = (await reader.read()).files;
    const [second] = (await reader.read()).files;
    expect(second).toEqual(first);
    room.put('a.md', 'two');
    utimesSync(room.at('a.md'), hourAgo, hourAgo);
    expect((await reader.read()).files).toEqual([{ path: 'a.md', text: 'two' }]);
  });
});
