/** Where a process works, read from real folders. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace, repositoryOf } from '../src/plugin-place.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'place-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Files below a new folder. */
function folder(name: string, files: Record<string, string>): string {
  const top = join(root, name);
  mkdirSync(top, { recursive: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(top, path, '..'), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  return top;
}
const ON_DEV = 'ref: refs/heads/feature/dev\n';
const CONFIG =
  '[core]\n\tbare = false\n[remote "up"]\n\turl = git@up:a/b.git\n[remote "origin"]\n\turl = git@github.com:org/repo.git\n\tfetch = +refs\n';

describe('the repository around a folder', () => {
  it('is named by its origin, with the branch that is out, also from far below', () => {
    const top = folder('plain', { '.git/HEAD': ON_DEV, '.git/config': CONFIG, 'src/a/b.ts': '' });
    const expected = { repo: 'git@github.com:org/repo.git', branch: 'feature/dev' };
    expect(repositoryOf(top)).toEqual(expected);
    expect(repositoryOf(join(top, 'src/a'))).toEqual(expected);
  });

  it('is a folder where it has no origin, and on no branch where none is out', () => {
    const top = folder('local', { '.git/HEAD': `${'a1'.repeat(20)}\n`, '.git/config': '[core]\n' });
    expect(repositoryOf(top)).toEqual({ repo: pathToFileURL(top).href });
  });

  it('is followed from a worktree to where it is kept', () => {
    const kept = folder('kept', {
      '.git/config': CONFIG,
      '.git/worktrees/side/HEAD': 'ref: refs/heads/side\n',
      '.git/worktrees/side/commondir': '../..\n',
    });
    const side = folder('side', { '.git': `gitdir: ${join(kept, '.git/worktrees/side')}\n` });
    expect(repositoryOf(side)).toEqual({ repo: 'git@github.com:org/repo.git', branch: 'side' });
  });

  it('is not known where it cannot be read', () => {
    expect(repositoryOf(folder('empty', { '.git/config': CONFIG }))).toEqual({});
    expect(repositoryOf(folder('lost', { '.git': 'gitdir: ../nowhere\n' }))).toEqual({});
  });
});

describe('the place of a process', () => {
  it('is looked at anew after a few seconds, and at once in another folder', () => {
    const top = folder('moving', { '.git/HEAD': ON_DEV, 'api/x': '' });
    const state = { nowMs: 1_000_000, cwd: top };
    const place = createPlace({
      clock: { now: () => state.nowMs },
      cwd: () => state.cwd,
      platform: 'win32',
    });
    expect(place.facts()).toMatchObject({ os: 'windows', cwd: top, branch: 'feature/dev' });
    writeFileSync(join(top, '.git/HEAD'), 'ref: refs/heads/main\n');
    state.nowMs += 4_999;
    expect(place.facts().branch).toBe('feature/dev');
    state.nowMs += 1;
    expect(place.facts().branch).toBe('main');
    writeFileSync(join(top, '.git/HEAD'), ON_DEV);
    state.cwd = join(top, 'api');
    expect(place.facts()).toMatchObject({ cwd: state.cwd, branch: 'feature/dev' });
  });

  it('has a component by the name of its folder, and looks nowhere else', () => {
    const top = folder('parts', { 'api/x': '', file: '' });
    const place = createPlace({ clock: { now: () => 0 }, cwd: () => top, platform: 'aix' });
    expect(place.facts().os).toBeUndefined();
    expect(place.folderOf('api')).toBe(join(top, 'api'));
    expect(['web', 'file', '..', '.git', 'api/../api', ''].map(place.folderOf)).toEqual(
      Array.from({ length: 6 }, () => null),
    );
  });
});
