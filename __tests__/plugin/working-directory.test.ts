/** Where a process works, read from real folders; of git's files more in shared/git-folder.test.ts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../../src/host/working-directory.js';

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

/** Of the repository around a folder. */
function repositoryOf(cwd: string): object {
  const place = createPlace({ clock: { now: () => 0 }, cwd: () => cwd, platform: 'aix' });
  const { cwd: _, ...facts } = place.facts();
  return facts;
}

describe('the repository around a folder', () => {
  it('is its origin or its folder, with the branch that is out, also from far below', () => {
    const config = '[remote "origin"]\n\turl = ../other.git\n';
    const top = folder('plain', { '.git/HEAD': ON_DEV, '.git/config': config, 'src/a/b.ts': '' });
    const repo = pathToFileURL(join(root, 'other.git')).href;
    expect(repositoryOf(join(top, 'src/a'))).toEqual({ repo, branch: 'feature/dev' });
    const local = folder('local', { '.git/HEAD': ON_DEV, '.git/config': '[core]\n' });
    expect(repositoryOf(local)).toEqual({
      repo: pathToFileURL(local).href,
      branch: 'feature/dev',
    });
  });

  it('is not known as far as it cannot be said for sure', () => {
    const config = '[include]\n\tpath = x\n[remote "origin"]\n\turl = a.org:b/c\n';
    const unclear = folder('unclear', { '.git/HEAD': ON_DEV, '.git/config': config });
    expect(repositoryOf(unclear)).toEqual({ branch: 'feature/dev' });
    const detached = { '.git/HEAD': `${'a1'.repeat(20)}\n`, '.git/config': '[core]\n' };
    const top = folder('detached', detached);
    expect(repositoryOf(top)).toEqual({ repo: pathToFileURL(top).href });
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
