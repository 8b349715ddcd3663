/** From where somebody asks: folder, repository, branch, system, environment. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { wordsIn } from '../../../../src/surfaces/cli/flags.js';
import {
  contextOf,
  gitFactsOf,
  harmlessEnv,
  osNamed,
} from '../../../../src/surfaces/cli/nudge/context-flags.js';

const ORIGIN = 'git@github.com:org/repo.git';
const SHA = '0123456789abcdef0123456789abcdef01234567';
/** Nothing of the person who runs the tests. */
const GIT_ENV = {
  PATH: process.env.PATH ?? '',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

let root: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'nudge-git-')));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

let made = 0;
function newFolder(): string {
  made += 1;
  const path = join(root, `folder-${made}`);
  mkdirSync(path);
  return path;
}

/** The files of git that are looked at, without git. */
function repository(config: string, head = 'ref: refs/heads/dev\n'): string {
  const path = newFolder();
  mkdirSync(join(path, '.git'));
  writeFileSync(join(path, '.git', 'config'), config);
  writeFileSync(join(path, '.git', 'HEAD'), head);
  return path;
}

const remote = (url: string): string =>
  `[core]\n\tbare = false\n[remote "up"]\n\turl = x@y.z:a/b\n[remote "origin"]\n\turl = ${url}\n`;
/** Git cannot be asked. */
const NO_GIT = { PATH: '' };
const LONG_MS = 60_000;
const factsOf = (path: string) => gitFactsOf(path, NO_GIT);
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.c', ...args], {
    cwd,
    env: GIT_ENV,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();

describe('repository and branch without asking git', () => {
  it('are those of the nearest repository upwards', async () => {
    const path = repository(remote(ORIGIN), 'ref: refs/heads/hotfix/one\n');
    mkdirSync(join(path, 'src', 'deep'), { recursive: true });
    expect(await factsOf(join(path, 'src', 'deep'))).toEqual({
      repo: ORIGIN,
      branch: 'hotfix/one',
    });
    expect(await factsOf(join(path, 'src', 'not there'))).toEqual({
      repo: ORIGIN,
      branch: 'hotfix/one',
    });
  });

  it('are the folder as an address, where no origin is', async () => {
    const path = repository('[core]\n\tbare = false\n');
    mkdirSync(join(path, 'sub dir'));
    expect(await factsOf(join(path, 'sub dir'))).toEqual({
      repo: pathToFileURL(path).href,
      branch: 'dev',
    });
    const plain = newFolder();
    expect(await factsOf(plain)).toEqual({ repo: pathToFileURL(plain).href });
  });

  it('are HEAD, as git calls it, without a branch', async () => {
    expect((await factsOf(repository(remote(ORIGIN), `${SHA}\n`))).branch).toBe('HEAD');
  });

  it('are not known where only git could say them, and there is none', async () => {
    const path = repository(`[include]\n\tpath = other\n${remote(ORIGIN)}`);
    expect(await factsOf(path)).toEqual({ repo: pathToFileURL(path).href, branch: 'dev' });
    const tables = repository(remote(ORIGIN), 'ref: refs/heads/.invalid\n');
    expect(await factsOf(tables)).toEqual({ repo: ORIGIN });
  });
});

describe('repository and branch as git says them', () => {
  let main: string;
  let linked: string;
  let sub: string;
  beforeAll(() => {
    main = newFolder();
    git(main, 'init', '-q', '-b', 'dev');
    git(main, 'remote', 'add', 'origin', ORIGIN);
    git(main, 'commit', '-q', '--allow-empty', '-m', 'one');
    linked = join(root, 'linked');
    git(main, 'worktree', 'add', '-q', '-b', 'feature/x', linked);
    sub = join(main, 'vendor', 'lib');
    const own = join(main, '.git', 'modules', 'lib');
    mkdirSync(sub, { recursive: true });
    mkdirSync(join(main, '.git', 'modules'));
    git(main, 'init', '-q', '-b', 'trunk', `--separate-git-dir=${own}`, sub);
    git(sub, 'remote', 'add', 'origin', 'https://example.org/lib');
    git(sub, 'commit', '-q', '--allow-empty', '-m', 'one');
  });

  it.each([
    ['a repository', () => main],
    ['a linked work tree', () => linked],
    ['a submodule', () => sub],
  ])('are read alike: %s', async (_what, where) => {
    const path = where();
    const asGitSays = {
      repo: git(path, 'remote', 'get-url', 'origin'),
      branch: git(path, 'rev-parse', '--abbrev-ref', 'HEAD'),
    };
    expect(await factsOf(path)).toEqual(asGitSays);
    // Asked, because the environment could have moved the files.
    const asked = { ...GIT_ENV, GIT_CEILING_DIRECTORIES: '/' };
    expect(await gitFactsOf(path, asked, LONG_MS)).toEqual(asGitSays);
  });

  it('are asked for where the configuration has a say in the address', async () => {
    const path = newFolder();
    git(path, 'init', '-q', '-b', 'dev');
    git(path, 'remote', 'add', 'origin', 'gh:org/repo');
    git(path, 'config', 'url.https://github.com/.insteadOf', 'gh:');
    expect(await gitFactsOf(path, GIT_ENV, LONG_MS)).toEqual({
      repo: 'https://github.com/org/repo',
      branch: 'dev',
    });
  });
});

const world = (cwd: string, env: Record<string, string> = {}) => ({
  ...{ cwd, env: { ...NO_GIT, ...env }, parentPid: 1, clock: { now: () => 0 } },
  stdin: async () => '',
  out: () => {},
  err: () => {},
});

describe('a context', () => {
  it('is inferred where nothing is said', async () => {
    const path = repository(remote(ORIGIN));
    expect(await contextOf({}, world(path, { STAGE: 'dev' }))).toEqual({
      cwd: path,
      repo: ORIGIN,
      branch: 'dev',
      os: process.platform === 'win32' ? 'windows' : process.platform,
      env: { PATH: '', STAGE: 'dev' },
    });
  });

  it('has the folder as the shell names it, with the links on the way', async () => {
    const path = newFolder();
    const link = join(root, 'link');
    symlinkSync(path, link);
    expect((await contextOf({}, world(path, { PWD: link }))).cwd).toBe(link);
    // Of another folder: left over from who called us.
    expect((await contextOf({}, world(path, { PWD: root }))).cwd).toBe(path);
  });

  it('is what is said, each for itself', async () => {
    const path = repository(remote(ORIGIN));
    const flags = {
      ...{ cwd: path, branch: 'main', os: 'MINGW64_NT-10.0', env: ['STAGE=test', 'X=a=b'] },
      filesOpen: ['a.ts,b.ts', 'c.ts'],
    };
    expect(await contextOf(flags, world(root, { STAGE: 'dev' }))).toEqual({
      ...{ cwd: path, repo: ORIGIN, branch: 'main', os: 'windows' },
      env: { PATH: '', STAGE: 'test', X: 'a=b' },
      files_open: ['a.ts', 'b.ts', 'c.ts'],
    });
    expect((await contextOf({ cwd: 'sub' }, world(path))).cwd).toBe(join(path, 'sub'));
    expect((await contextOf({ cwd: 'c:\\code' }, world(path))).cwd).toBe('c:\\code');
  });

  it('knows no branch where the command that should have said it failed', async () => {
    const context = await contextOf({ branch: '', repo: '' }, world(repository(remote(ORIGIN))));
    expect(Object.keys(context)).toEqual(['cwd', 'os', 'env']);
  });

  it.each([
    ['linux', 'linux'],
    ['Darwin', 'darwin'],
    ['macOS', 'darwin'],
    ['Windows_NT', 'windows'],
    ['win32', 'windows'],
    ['msys_nt-10.0', 'windows'],
    ['cygwin_nt-10.0', 'windows'],
  ])('knows the system %s', (name, os) => {
    expect(osNamed(name, '--os')).toBe(os);
  });
});

describe('the environment', () => {
  it.each([
    ['DATABASE_URL', 'postgres://app:hunter22@db/app'],
    ['GITHUB_TOKEN', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
    ['AWS_SECRET_ACCESS_KEY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY'],
    ['OPENAI_API_KEY', 'abcdefgh'],
    ['apiKey', 'abcdefgh'],
    ['MYSQL_PWD', 'letmein'],
    ['GH_PAT', 'abcd'],
    ['SENTRY_DSN', 'https://public@sentry.example/1'],
    ['NOTES', 'x'.repeat(501)],
    ['LICENSE', 'Xk9dL2mQ8vR4tY7wZ1aB3cD5'],
    ['DEPLOY_HEX', '9f86d081884c7d659a2feaa0c55ad015'],
    ['DISCORD', 'https://discord.com/api/webhooks/1234567890/abcDEF123ghiJKL456mnoPQR789stu'],
    [
      'SWARM',
      'SWMTKN-1-3pu6hszjas19xyp7ghgosyx9k8atbfcr8p2is99znpy26u2lkl-7p73s1dx5in4tatdymyhg9hu2',
    ],
    ['AZ', 'https://x.blob.core.windows.net/c?sv=1&sig=abcdEFGH1234abcdEFGH1234abcdEFGH1234%3D'],
    ['SOURCE', 'https://t0ps3cr3t@host/o/r'],
    ['HARMLESS', 'token ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
  ])('says that %s is set, but not to what', (name, value) => {
    expect(harmlessEnv({ [name]: value })).toEqual({ [name]: '' });
  });

  it.each([
    ['NODE_ENV', 'production'],
    ['CI', 'true'],
    ['REMOTE', 'ssh://git@host/o/r'],
    ['PATH', '/usr/local/bin:/usr/bin:/bin'],
    ['PWD', '/srv/api'],
    ['STAGE', 'hotfix/2024-11-22'],
    ['PORT', '8765'],
    ['KEYBOARD', 'us-intl'],
    ['GIT_AUTHOR_NAME', 'Ada Lovelace'],
    ['FEATURE_X', '1'],
    ['JAVA_HOME', '/usr/lib/jvm/java-21-openjdk-amd64'],
  ])('says what %s is', (name, value) => {
    expect(harmlessEnv({ [name]: value })).toEqual({ [name]: value });
  });
});

describe('words of a flag', () => {
  it('are divided at commas, but not within brackets', () => {
    expect(wordsIn(['**/{api,web}/**, /srv/[a,b]', 'c', '', ','])).toEqual([
      '**/{api,web}/**',
      '/srv/[a,b]',
      'c',
    ]);
    expect(wordsIn(['a}b,c{d,e'])).toEqual(['a}b', 'c{d,e']);
  });
});
