/** From where somebody asks: what the flags say, and for the rest what can be seen (seed `nudge.md` §6). */

import { statSync } from 'node:fs';
import { isAbsolute, resolve, win32 } from 'node:path';
import { type NudgeContext as Facts, redactText } from '../../../hints/offline.js';
import {
  addressOf,
  branchOf,
  gitFolderAround,
  originOf,
  type Said,
  withoutUser,
} from '../../../shared/git-folder.js';
import { isSensitiveName } from '../../../shared/secret-values.js';
import { type Flags, listedPairsOf, pairsOf, wordsIn } from '../flags.js';
import { badInput, type Io } from '../io.js';

/** No scope says more than that of one value. */
const MAX_VALUE = 500;
const MAX_NAME = 500;
/** More words of a name that mean a secret than a memory's text needs: `GH_PAT`, `AWS_SESSION_TOKEN`. */
const TELLING =
  /(?:^|[_.-])(?:pass(?:w(?:or)?d|phrase)?|pwd|secrets?|tokens?|keys?|auth|credentials?|creds?|cookies?|session|pat|dsn|salt|signature|cert|jwt|bearer|private)(?:$|[_.\d-])/i;
/** `https://token@host`: who is in front of a host. */
const HAS_USER = /:\/\/(?!git@)[^/\s?#]*@/i;
/** The names the words above would hold back, and that folders and editors go by. */
const KNOWN_HARMLESS: ReadonlySet<string> = new Set([
  'PWD',
  'OLDPWD',
  'XDG_SESSION_TYPE',
  'XDG_SESSION_CLASS',
  'XDG_SESSION_DESKTOP',
  'DESKTOP_SESSION',
]);

export function harmlessEnv(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]): [string, string][] =>
      value === undefined || name.length > MAX_NAME
        ? []
        : [[name, isHarmless(name, value) ? value : '']],
    ),
  );
}

function isHarmless(name: string, value: string): boolean {
  if (value.length > MAX_VALUE) return false;
  // A switch, a level, a port: too short to be one.
  if (value.length < 4) return true;
  if (KNOWN_HARMLESS.has(name)) return true;
  if (TELLING.test(name) || isSensitiveName(name) !== null) return false;
  // As the guard of the hints judges what is to be kept.
  return !HAS_USER.test(value) && redactText(value, name) === value;
}

/** Where somebody is, as the flags say it; what is `undefined` is inferred. */
export interface ContextFlags {
  cwd?: string;
  repo?: string;
  branch?: string;
  os?: string;
  env?: string[];
  filesOpen?: string[];
}

/** They fill `at`. */
export const CONTEXT_FLAGS: Flags = [
  ['at.cwd', '--cwd <folder>', 'working folder'],
  ['at.repo', '--repo <address>', 'repository: its address, or git:org/repo'],
  ['at.branch', '--branch <name>', 'branch'],
  ['at.os', '--os <name>', 'linux, darwin or windows'],
  ['at.env', '--env <name=value>', 'variable of the environment; repeatable', 'texts'],
  ['at.filesOpen', '--files-open <paths>', 'files that are open: they break ties', 'texts'],
];

export type Os = NonNullable<Facts['os']>;

const OS_NAMES: readonly Os[] = ['linux', 'darwin', 'windows'];

export const CONTEXT_EXPLAINED = `
Context:
  What is left out is inferred: --cwd from $PWD, --repo from the address of origin (without one, the
  folder as file://), --branch from git, --os from this machine, --env from this process. Of variables
  that look like secrets, and of very long ones, only the name is sent.
`;

/** @throws AppError INVALID_INPUT for a system that does not exist, and a variable without a value */
export async function contextOf(flags: ContextFlags, { cwd: here, env }: Io): Promise<Facts> {
  const cwd = folderOf(flags.cwd, here, env);
  const said = flags.env === undefined ? {} : pairsOf(flags.env, '--env');
  const wantsGit = flags.repo === undefined || flags.branch === undefined;
  const git = wantsGit ? await gitFactsOf(cwd, env) : undefined;
  const repo = flags.repo === undefined ? git?.repo : withoutUser(flags.repo);
  const branch = flags.branch ?? git?.branch;
  const own = process.platform === 'win32' ? 'windows' : process.platform;
  const os =
    flags.os === undefined ? OS_NAMES.find((name) => name === own) : osNamed(flags.os, '--os');
  return {
    cwd,
    // `--branch "$(git …)"` is empty where git has failed: not known.
    ...(repo ? { repo } : {}),
    ...(branch ? { branch } : {}),
    ...(os === undefined ? {} : { os }),
    env: { ...harmlessEnv(env), ...said },
    ...(flags.filesOpen === undefined ? {} : { files_open: wordsIn(flags.filesOpen) }),
  };
}

/**
 * As `uname` or Windows calls it (`MINGW64_NT-10.0`, `macOS`).
 * @throws AppError INVALID_INPUT
 */
export function osNamed(name: string, flag: string): Os {
  const text = name.trim().toLowerCase();
  const known =
    OS_NAMES.find((one) => one === text) ??
    (/^(?:mingw|msys|cygwin|windows|win(?:32|64)?(?![a-z]))/.test(text) ? 'windows' : undefined) ??
    (/^mac ?os(?: ?x)?$/.test(text) ? 'darwin' : undefined);
  if (known !== undefined) return known;
  throw badInput(`${flag} is ${OS_NAMES.join(', ')}, not "${name}"`, { os: name });
}

/** `$PWD` keeps the links on the way, as the user sees it; a folder of another system stays as it is. */
function folderOf(said: string | undefined, here: string, env: Io['env']): string {
  if (!said) return env.PWD && isSameFolder(env.PWD, here) ? env.PWD : here;
  return isAbsolute(said) || win32.isAbsolute(said) ? said : resolve(here, said);
}

/** A program may have changed its folder, but not its variables, before it called us. */
function isSameFolder(path: string, here: string): boolean {
  if (path === here) return true;
  if (!isAbsolute(path)) return false;
  const [one, other] = [path, here].map((each) => statSync(each, { throwIfNoEntry: false }));
  return one !== undefined && one.ino === other?.ino && one.dev === other.dev;
}

export interface GitFacts {
  /** Address of `origin`; without one, the folder as `file://`: of the work tree, if there is one. */
  repo: string;
  /** `HEAD`: no branch is checked out; absent: no repository. */
  branch?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

const GIT_TIMEOUT_MS = 2_000;
/** The environment can move every file that is read here. */
const MOVED = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_COMMON_DIR',
  'GIT_CEILING_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_COUNT',
  'GIT_CONFIG_PARAMETERS',
];

/**
 * Never rejects.
 * @param cwd absolute; need not exist
 * @param timeoutMs how long git may take
 */
export async function gitFactsOf(
  cwd: string,
  env: Env,
  timeoutMs = GIT_TIMEOUT_MS,
): Promise<GitFacts> {
  const asked = MOVED.some((name) => env[name] !== undefined);
  const folder = asked ? null : gitFolderAround(cwd);
  if (!asked && folder === null) return { repo: addressOf(null, cwd) };
  const ask = (...args: string[]) => askGit({ cwd, env, timeout: timeoutMs }, args);
  const [origin, branch, root] = await Promise.all([
    answer(folder ? originOf(folder) : 'unclear', () => ask('remote', 'get-url', 'origin')),
    answer(folder ? headOf(branchOf(folder)) : 'unclear', () =>
      ask('rev-parse', '--abbrev-ref', 'HEAD'),
    ),
    folder ? folder.root : ask('rev-parse', '--show-toplevel'),
  ]);
  return { repo: addressOf(origin, root ?? cwd), ...(branch === null ? {} : { branch }) };
}

function answer(
  said: Said,
  ask: () => Promise<string | null>,
): Promise<string | null> | string | null {
  return said === 'unclear' ? ask() : said.text;
}

/** As git calls it. */
function headOf(branch: Said): Said {
  return branch === 'unclear' ? branch : { text: branch.text ?? 'HEAD' };
}

/** `null`: git is not there, does not answer in time, or has nothing to say. */
function askGit(
  where: { cwd: string; env: Env; timeout: number },
  args: readonly string[],
): Promise<string | null> {
  // Loaded where it is needed: git is mostly read, and not asked.
  const { execFile } = process.getBuiltinModule('node:child_process');
  return new Promise((done) => {
    const options = { ...where, encoding: 'utf8', windowsHide: true } as const;
    execFile('git', args, options, (error, stdout) => {
      const line = stdout.trim();
      done(error || line === '' ? null : line);
    });
  });
}

/** Where a hint holds: they fill `scope`. */
export const SCOPE_FLAGS: Flags = [
  ['scope.cwd_glob', '--scope-cwd-glob <globs>', 'working folders: "**/http-proxy*"', 'words'],
  ['scope.repo', '--scope-repo <addresses>', 'repositories: git:org/repo', 'words'],
  ['scope.branch', '--scope-branch <globs>', 'branches: "dev,hotfix/*"', 'words'],
  ['scope.os', '--scope-os <names>', 'linux, darwin, windows', 'words'],
  ['scope.env_required', '--scope-env-required <names>', 'variables that must be set', 'words'],
  [
    'scope.env_match',
    '--scope-env-match <name=value>',
    'a value it must have; repeatable',
    'texts',
  ],
];

/** As the flags fill it. */
export interface SaidScope {
  repo?: string[];
  os?: string[];
  env_match?: string[];
  [field: string]: unknown;
}

/**
 * `undefined`: no flag was given. A list without a word stays, for the server to name it.
 * @throws AppError INVALID_INPUT
 */
export function scopeOf(said: SaidScope | undefined): object | undefined {
  if (said === undefined) return undefined;
  const { repo, os, env_match: pairs } = said;
  return {
    ...said,
    repo: repo?.length === 1 ? repo[0] : repo,
    os: os?.map((name) => osNamed(name, '--scope-os')),
    env_match: pairs && listedPairsOf(pairs, '--scope-env-match'),
  };
}
