/** Index and decision files in the middle of a merge: everybody reads them, nobody writes them. */
import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { readFolder } from '../../src/when/disk/read.js';
import { openOfflineIndex } from '../../src/when/offline.js';
import { remember } from '../../src/when/remember.js';
import { type DiskRoom, diskRoom } from './disk-room.js';
import { fill, INDEX } from './when-room.js';

const ENTRY = {
  trigger: 'writing exit codes',
  header: 'Exit codes of tests',
  description: 'zero for done, one for failure, two for bad input',
  file: 'cli.md',
  content: 'As the shell has them.',
};

function git(room: DiskRoom, ...args: string[]): void {
  const who = ['-c', 'user.name=t', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false'];
  execFileSync('git', [...who, ...args], { cwd: room.root, stdio: 'pipe' });
}

/** A folder in which two branches have changed the same line of the index. */
function inConflict(style: 'merge' | 'diff3'): DiskRoom {
  const room = fill(diskRoom());
  const [, phrase = ''] = /^(\/when .*)$/m.exec(INDEX) ?? [];
  const entryOf = (words: string) => phrase.replace('/when ', `/when ${words} `);
  git(room, 'init', '-q', '-b', 'main');
  git(room, 'add', '.');
  git(room, 'commit', '-qm', 'both');
  git(room, 'checkout', '-qb', 'theirs');
  room.putIndex(INDEX.replace(phrase, entryOf('they')));
  git(room, 'commit', '-qam', 'theirs');
  git(room, 'checkout', '-q', 'main');
  room.putIndex(INDEX.replace(phrase, entryOf('we')));
  git(room, 'commit', '-qam', 'ours');
  expect(() => git(room, '-c', `merge.conflictStyle=${style}`, 'merge', '-q', 'theirs')).toThrow();
  expect(room.index()).toContain('<<<<<<<');
  return room;
}

describe('while the markers of a merge stand', () => {
  it.each(['merge', 'diff3'] as const)('in the index (%s), nothing is written', async (style) => {
    const room = inConflict(style);
    const before = room.index();
    const book = await openOfflineIndex({ paths: room.paths });
    const refused = {
      code: 'CONFLICT',
      message: expect.stringMatching(
        new RegExp(`^${room.paths.index} has merge conflict markers \\(lines? [\\d, ]+\\)`),
      ),
      details: { path: room.paths.index, lines: expect.any(Array) },
    };
    await expect(book.fix()).rejects.toMatchObject(refused);
    await expect(book.fix()).rejects.toMatchObject(refused);
    await expect(book.migrate({ dryRun: false })).rejects.toMatchObject(refused);
    await expect(book.remember(ENTRY)).rejects.toMatchObject(refused);
    expect(room.index()).toBe(before);
    const { problems } = await book.validate();
    expect(problems.some(({ code }) => code === 'conflict_marker')).toBe(true);
    expect(book.library.entries.length).toBeGreaterThan(0);
  });

  it('in a decision file, neither it nor the index is written', async () => {
    const room = fill(diskRoom());
    const cli = room.read('cli.md');
    const marked = `${cli}\n<<<<<<< HEAD\n## Ours\n=======\n## Theirs\n>>>>>>> theirs\n`;
    room.put('cli.md', marked);
    const draft = { ...ENTRY, file: 'testing.md' };
    const deps = { paths: room.paths, read: readFolder };
    const refused = { code: 'CONFLICT', details: { path: room.at('cli.md') } };
    await expect(remember(deps, draft)).rejects.toMatchObject(refused);
    const book = await openOfflineIndex({ paths: room.paths });
    await expect(book.fix()).rejects.toMatchObject(refused);
    expect([room.index(), room.read('cli.md')]).toEqual([INDEX, marked]);
    // The merge is done.
    room.put('cli.md', cli);
    expect((await remember(deps, draft)).changed).toBe(true);
  });

  it('half of them are enough, and an example in a code fence is none', async () => {
    const room = fill(diskRoom());
    room.putIndex(`${INDEX}\n>>>>>>> theirs\n`);
    const book = await openOfflineIndex({ paths: room.paths });
    await expect(book.fix()).rejects.toMatchObject({ code: 'CONFLICT' });
    room.putIndex(INDEX);
    const example = '## Merging\n\n```\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> theirs\n```\n';
    room.put('testing.md', `${room.read('testing.md')}\n${example}`);
    expect(await (await openOfflineIndex({ paths: room.paths })).fix()).toEqual([]);
  });
});
