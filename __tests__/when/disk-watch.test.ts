import { mkdirSync, renameSync, rmdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Log } from '../../src/shared/log.js';
import { type FolderWatch, type WatchDeps, watchFolder } from '../../src/when/disk/watch.js';
import type { DiskState, WhenPaths } from '../../src/when/types.js';
import { type DiskRoom, diskRoom } from './disk-room.js';
import { startWhenChild } from './when-children.js';

const open: FolderWatch[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((watch) => watch.close()));
});

interface Watched {
  watch: FolderWatch;
  states: DiskState[];
  /** The texts by path, the index as `index`, once they are as given. */
  until(wanted: Record<string, string>): Promise<void>;
}

function textsOf({ index, files }: DiskState): Record<string, string> {
  const texts = Object.fromEntries(files.map(({ path, text }) => [path, text]));
  return index === null ? texts : { index: index.text, ...texts };
}

async function watched(paths: WhenPaths, deps: WatchDeps = {}): Promise<Watched> {
  const states: DiskState[] = [];
  const watch = await watchFolder(paths, (state) => void states.push(state), {
    settleMs: 80,
    debounceMs: 10,
    ...deps,
  });
  open.push(watch);
  return {
    watch,
    states,
    async until(wanted) {
      const isThere = () =>
        JSON.stringify(textsOf(states.at(-1) as DiskState)) === JSON.stringify(wanted);
      for (let tries = 0; tries < 1_000 && !isThere(); tries++) await sleep(10);
      expect(textsOf(states.at(-1) as DiskState)).toEqual(wanted);
    },
  };
}

function filled(): DiskRoom {
  const room = diskRoom();
  room.putIndex('# I\n');
  room.put('a.md', 'a');
  return room;
}

it('tells what is there at first, and each change after that', async () => {
  const room = filled();
  const { states, until } = await watched(room.paths);
  expect(states.map(textsOf)).toEqual([{ index: '# I\n', 'a.md': 'a' }]);
  room.put('a.md', 'ab');
  await until({ index: '# I\n', 'a.md': 'ab' });
  room.put('new/b.md', 'b');
  await until({ index: '# I\n', 'a.md': 'ab', 'new/b.md': 'b' });
  room.put('new/b.md', 'bc');
  await until({ index: '# I\n', 'a.md': 'ab', 'new/b.md': 'bc' });
  room.putIndex('# I\n\n## a.md\n');
  await until({ index: '# I\n\n## a.md\n', 'a.md': 'ab', 'new/b.md': 'bc' });
});

it('follows files that are saved under another name and renamed', async () => {
  const room = filled();
  const { until } = await watched(room.paths);
  for (const text of ['one', 'three', 'seventeen']) {
    writeFileSync(room.at('a.md~'), text);
    renameSync(room.at('a.md~'), room.at('a.md'));
    await until({ index: '# I\n', 'a.md': text });
  }
});

it('never tells of a file that is written in two steps as empty', async () => {
  const room = filled();
  room.put('a.md', '# A\n\n## One\n');
  const { states, until } = await watched(room.paths, { settleMs: 10_000 });
  room.put('a.md', '');
  await sleep(60);
  rmSync(room.at('a.md'));
  await sleep(60);
  room.put('a.md', '# A\n\n## One\n\n## Two\n');
  await until({ index: '# I\n', 'a.md': '# A\n\n## One\n\n## Two\n' });
  expect(states).toHaveLength(2);
});

it('tells of a deleted file once it stays away, without another event', async () => {
  const room = filled();
  room.put('b.md', 'b');
  const { until } = await watched(room.paths);
  rmSync(room.at('b.md'));
  await until({ index: '# I\n', 'a.md': 'a' });
});

it('finds what is made only later, and the folder above made again', async () => {
  const room = diskRoom();
  rmSync(join(room.root, 'agents'), { recursive: true });
  const { states, until } = await watched(room.paths);
  expect(states.map(textsOf)).toEqual([{}]);
  for (const text of ['first', 'second']) {
    mkdirSync(room.paths.decisions, { recursive: true });
    room.putIndex('# I\n');
    room.put('a.md', text);
    await until({ index: '# I\n', 'a.md': text });
    rmSync(join(room.root, 'agents'), { recursive: true });
    await until({});
  }
});

it.each([
  ['the folder above', 'agents'],
  ['the folder of the files', 'agents/decisions'],
  ['a folder of files', 'agents/decisions/api'],
])(
  'follows %s when it is back after another one of its name came and went',
  async (_, name) => {
    const room = filled();
    room.put('api/b.md', 'b');
    const { until } = await watched(room.paths, { settleMs: 10_000 });
    const folder = join(room.root, name);
    renameSync(folder, `${room.root}/away`);
    await sleep(200);
    mkdirSync(folder);
    await sleep(200);
    rmdirSync(folder);
    await sleep(3);
    renameSync(`${room.root}/away`, folder);
    await sleep(300);
    room.put('api/b.md', 'bc');
    await until({ index: '# I\n', 'a.md': 'a', 'api/b.md': 'bc' });
    room.put('api/b.md', 'bcd');
    await until({ index: '# I\n', 'a.md': 'a', 'api/b.md': 'bcd' });
  },
  15_000,
);

it('follows the folder where a link within the roots leads, but no link in it', async () => {
  const room = filled();
  const other = join(room.root, 'other');
  mkdirSync(other);
  renameSync(room.paths.decisions, join(room.root, 'real'));
  symlinkSync(join(room.root, 'real'), room.paths.decisions);
  symlinkSync(other, join(room.root, 'real/linked'));
  const { states, until } = await watched({ ...room.paths, roots: [room.root] });
  writeFileSync(join(other, 'x.md'), 'x');
  writeFileSync(join(room.root, 'real/a.md'), 'changed');
  await until({ index: '# I\n', 'a.md': 'changed' });
  expect(states.at(-1)?.warnings.map(({ code }) => code)).toEqual(['outside']);
});

it('goes on reading when nothing reports a change, and when the reader of a change fails', async () => {
  const room = filled();
  const said: string[] = [];
  const log: Log = {
    debug: () => {},
    info: () => {},
    warn: () => {},
    error: (fields) => void said.push(String(fields.error)),
  };
  const seen: string[] = [];
  const watch = await watchFolder(
    room.paths,
    ({ files }) => {
      seen.push(files[0]?.text ?? '');
      if (seen.length === 1) throw new Error('not now');
    },
    { log, rereadMs: 30, debounceMs: 1 },
  );
  open.push(watch);
  for (let tries = 0; tries < 500 && seen.length < 2; tries++) await sleep(10);
  expect(seen).toEqual(['a', 'a']);
  expect(said).toEqual(['not now']);
});

it('finds a change that nothing reports', async () => {
  const room = filled();
  const target = room.at('.store/x.md');
  room.put('.store/x.md', 'one');
  rmSync(room.at('a.md'));
  symlinkSync(target, room.at('a.md'));
  const { until } = await watched(room.paths, { rereadMs: 300 });
  // In a folder that is not watched, another file takes the place of the one that was followed.
  for (const text of ['three', 'seventeen']) {
    writeFileSync(`${target}~`, text);
    renameSync(`${target}~`, target);
    await until({ index: '# I\n', 'a.md': text });
  }
});

it('looks once for all that is asked for while a look is under way', async () => {
  const room = filled();
  let release = () => {};
  let told = 0;
  const watch = await watchFolder(room.paths, async () => {
    told += 1;
    if (told === 2) await new Promise<void>((done) => (release = done));
  });
  open.push(watch);
  room.put('a.md', 'ab');
  const first = watch.look();
  await expect.poll(() => told).toBe(2);
  const looks = ['abc', 'abcd', 'abcde'].map((text) => {
    room.put('a.md', text);
    return watch.look();
  });
  expect(new Set([first, ...looks]).size).toBe(2);
  release();
  await Promise.all(looks);
  expect(told).toBe(3);
});

it('is silent once it is closed, and leaves a process nothing to wait for', async () => {
  const room = filled();
  const starting = startWhenChild();
  const { watch, states } = await watched(room.paths);
  const child = await starting;
  const ended = child.run({ kind: 'watch', paths: room.paths });
  room.put('a.md', 'changed');
  const looking = watch.look();
  await watch.close();
  await looking;
  const told = states.length;
  room.put('a.md', 'changed again');
  expect(await ended).toEqual({ code: 0, signal: null, stderr: '' });
  expect(states).toHaveLength(told);
});
