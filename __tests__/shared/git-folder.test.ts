/** The files of git, as git itself writes them, and as it never would. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  addressOf,
  branchOf,
  type GitFolder,
  gitFolderAround,
  originOf,
} from '../../src/shared/git-folder.js';
import { onPosix } from '../helpers/where.js';

const ORIGIN = 'git@github.com:org/repo.git';
const ON_DEV = 'ref: refs/heads/dev\n';

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'git-folder-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
/** Files below a new folder. */
function folder(files: Record<string, string> = {}): string {
  made += 1;
  const top = join(root, `folder-${made}`);
  mkdirSync(top);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(top, path, '..'), { recursive: true });
    writeFileSync(join(top, path), text);
  }
  return top;
}
const repository = (config: string, head = ON_DEV): string =>
  folder({ '.git/HEAD': head, '.git/config': config });
const remote = (url: string): string =>
  `[core]\n\tbare = false\n[remote "up"]\n\turl = x@y.z:a/b\n[remote "origin"]\n\turl = ${url}\n\tfetch = +refs\n`;

function around(path: string): GitFolder {
  const found = gitFolderAround(path);
  if (found) return found;
  throw new Error(`nothing around ${path}`);
}
const origin = (path: string) => originOf(around(path));
const branch = (path: string) => branchOf(around(path));

describe('the repository around a folder', () => {
  it('is the nearest upwards, also from a folder that is not there', () => {
    const outer = repository(remote(ORIGIN));
    expect(around(join(outer, 'not', 'there')).root).toBe(outer);
    const inner = join(outer, 'inner');
    mkdirSync(join(inner, '.git'), { recursive: true });
    // No repository yet: git passes it by, too.
    expect(around(inner).root).toBe(outer);
    writeFileSync(join(inner, '.git', 'HEAD'), ON_DEV);
    expect(around(inner).root).toBe(inner);
  });

  it('is none behind a file that points nowhere, or that says something else', () => {
    const outer = repository(remote(ORIGIN));
    for (const text of ['gitdir: ../nowhere\n', 'git me\n', '']) {
      const inner = join(outer, 'inner');
      mkdirSync(inner, { recursive: true });
      writeFileSync(join(inner, '.git'), text);
      expect(gitFolderAround(inner)).toBeNull();
    }
  });

  it('is followed from a work tree to where its configuration is', () => {
    const kept = folder({
      '.git/config': remote(ORIGIN),
      '.git/worktrees/side/HEAD': 'ref: refs/heads/side\n',
      '.git/worktrees/side/commondir': '../..\n',
    });
    const side = folder({ '.git': `gitdir: ${join(kept, '.git/worktrees/side')}\n` });
    expect(origin(side)).toEqual({ text: ORIGIN });
    expect(branch(side)).toEqual({ text: 'side' });
  });

  it('does not fall over what cannot be read', () => {
    expect(gitFolderAround(`${root}/a\u0000b`)).toEqual(gitFolderAround(root));
    const path = folder({ '.git/HEAD': ON_DEV, '.git/config/is a folder': '' });
    expect(origin(path)).toBe('unclear');
  });
});

describe('its branch', () => {
  it.each([
    ['a name with slashes', 'ref: refs/heads/hotfix/one\n', { text: 'hotfix/one' }],
    ['none where a commit is checked out', `${'0123456789'.repeat(4)}\n`, { text: null }],
    ['unclear where references have another format', 'ref: refs/heads/.invalid\n', 'unclear'],
    ['unclear where it is no branch', 'ref: refs/remotes/origin/dev\n', 'unclear'],
    ['unclear in a file without words', '\n', 'unclear'],
  ])('is %s', (_what, head, expected) => {
    expect(branch(repository(remote(ORIGIN), head))).toEqual(expected);
  });

  it('is unclear where HEAD is a link', () => {
    const path = folder({ '.git/refs/heads/dev': `${'a1'.repeat(20)}\n` });
    symlinkSync('refs/heads/dev', join(path, '.git', 'HEAD'));
    expect(branch(path)).toBe('unclear');
  });
});

describe('its origin', () => {
  it.each([
    'https://github.com/org/repo',
    'ssh://git@github.com:22/org/repo.git',
    'github.com:org/repo',
    '/srv/git/repo.git',
    '../other.git',
  ])('is as it is written: %s', (url) => {
    expect(origin(repository(remote(url)))).toEqual({ text: url });
  });

  it.each([
    ['another file', `[include]\n\tpath = other\n${remote(ORIGIN)}`],
    ['rules of rewriting', `[url "https://a.org/"]\n\tinsteadOf = gh:\n${remote(ORIGIN)}`],
    ['an abbreviation', remote('gh:org/repo')],
    ['a value in quotes', remote('"a.org:b/c"')],
    ['all on one line', '[remote "origin"] url = a.org:b/c\n'],
    ['more than anybody writes', `${remote(ORIGIN)}#${'x'.repeat(262_144)}`],
  ])('is unclear where there is %s', (_what, config) => {
    expect(origin(repository(config))).toBe('unclear');
  });

  it('is none without a remote of that name', () => {
    expect(origin(repository('[core]\n[remote "up"]\n\turl = a.org:b/c\n'))).toEqual({
      text: null,
    });
  });

  it('is not what a work tree sets for itself, unless that names a remote', () => {
    const path = repository(remote(ORIGIN));
    const own = join(path, '.git', 'config.worktree');
    writeFileSync(own, '[core]\n\tsparseCheckout = true\n');
    expect(origin(path)).toEqual({ text: ORIGIN });
    writeFileSync(own, '[remote "origin"]\n\turl = a.org:b/c\n');
    expect(origin(path)).toBe('unclear');
  });

  it.runIf(onPosix())('is no pipe that nobody writes to', () => {
    const path = repository('');
    rmSync(join(path, '.git', 'config'));
    execFileSync('mkfifo', [join(path, '.git', 'config')]);
    expect(origin(path)).toBe('unclear');
  });
});

describe('what it is called', () => {
  it.each([
    ['https://bob:ghp_secret@host/o/r.git', 'https://host/o/r.git'],
    ['https://ghp_secret@host:8443/o/r', 'https://host:8443/o/r'],
    ['https://bob:p@ss@host/o/r', 'https://host/o/r'],
    ['ssh://bob:secret@host/o/r', 'ssh://host/o/r'],
    ['ssh://git@host:22/o/r', 'ssh://git@host:22/o/r'],
    ['git@host:o/r.git', 'git@host:o/r.git'],
    ['https://host/o/@scope/r', 'https://host/o/@scope/r'],
  ])('is without a password: %s', (origin, name) => {
    expect(addressOf(origin, root)).toBe(name);
  });

  it('is its origin, a folder beside it, or its own', () => {
    expect(addressOf(ORIGIN, root)).toBe(ORIGIN);
    expect(addressOf('../other.git', join(root, 'one'))).toBe(
      pathToFileURL(join(root, 'other.git')).href,
    );
    expect(addressOf(null, root)).toBe(pathToFileURL(root).href);
  });
});
