/**
 * Repository and branch of a folder, as `git remote get-url origin` and `git rev-parse --abbrev-ref HEAD`
 * say it (seed `nudge.md` §6). Read from git's own files, because starting git takes as long as the rest
 * of a command; git is asked where they could say something else.
 */
import { execFile } from 'node:child_process';
import { lstatSync, readFileSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface GitFacts {
  /** Address of `origin`; without one, the folder as `file://`: of the work tree, if there is one. */
  repo: string;
  /** `HEAD`: no branch is checked out; absent: no repository. */
  branch?: string;
}

type Env = Readonly<Record<string, string | undefined>>;

/** Where git keeps what is asked for. */
interface Place {
  /** Of the work tree. */
  root: string;
  /** Its own: `HEAD`. */
  gitDir: string;
  /** Of all work trees: `config`. */
  commonDir: string;
}

/** What the files say; `ask`: git has to be asked. */
type Read = { text: string | undefined } | 'ask';

const GIT_TIMEOUT_MS = 2_000;
/** Addresses that git takes as they are, unless it is told to write them in another way. */
const PLAIN_ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/|[\w.-]+@[\w.-]+:|[\w-]+(?:\.[\w-]+)+:)/i;
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

/** @param cwd absolute; need not exist. Never rejects. */
export async function gitFactsOf(cwd: string, env: Env): Promise<GitFacts> {
  const asked = MOVED.some((name) => env[name] !== undefined);
  const place = asked ? null : placeOf(cwd);
  if (!asked && place === null) return { repo: fileUrl(cwd) };
  const ask = (...args: string[]) => askGit(cwd, env, args);
  const [origin, branch, root] = await Promise.all([
    answer(place ? originIn(place) : 'ask', () => ask('remote', 'get-url', 'origin')),
    answer(place ? branchIn(place) : 'ask', () => ask('rev-parse', '--abbrev-ref', 'HEAD')),
    answer(place ? { text: place.root } : 'ask', () => ask('rev-parse', '--show-toplevel')),
  ]);
  const base = root ?? cwd;
  return {
    repo: origin === undefined ? fileUrl(base) : absoluteAddress(origin, base),
    ...(branch === undefined ? {} : { branch }),
  };
}

async function answer(
  read: Read,
  ask: () => Promise<string | undefined>,
): Promise<string | undefined> {
  return read === 'ask' ? ask() : read.text;
}

/** The nearest folder upwards with a `.git` in it; `null`: none. */
function placeOf(cwd: string): Place | null {
  for (let root = cwd; ; root = dirname(root)) {
    const place = placeAt(root);
    if (place) return place;
    if (dirname(root) === root) return null;
  }
}

function placeAt(root: string): Place | null {
  const dotGit = join(root, '.git');
  const found = statSync(dotGit, { throwIfNoEntry: false });
  if (!found) return null;
  const gitDir = found.isDirectory() ? dotGit : linkedDir(dotGit, root);
  if (gitDir === null || textOf(join(gitDir, 'HEAD')) === null) return null;
  const common = textOf(join(gitDir, 'commondir'))?.trim();
  return { root, gitDir, commonDir: common ? resolve(gitDir, common) : gitDir };
}

/** Of a work tree or a submodule: a file that says where the folder is. */
function linkedDir(file: string, root: string): string | null {
  const [, path] = /^gitdir: (.+?)\r?\n?$/.exec(textOf(file) ?? '') ?? [];
  return path === undefined ? null : resolve(root, path);
}

/** Also of a branch without a commit, which git itself cannot name. */
function branchIn({ gitDir }: Place): Read {
  const path = join(gitDir, 'HEAD');
  // As very old versions wrote it.
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink()) return 'ask';
  const head = textOf(path)?.trim() ?? '';
  if (/^[0-9a-f]{40,64}$/i.test(head)) return { text: 'HEAD' };
  const [, name] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
  // Where references have a format of their own, the file only says that they are elsewhere.
  return name === undefined || name === '.invalid' ? 'ask' : { text: name };
}

/** The first `url` of `[remote "origin"]`, where nothing else can have a say in it. */
function originIn({ gitDir, commonDir }: Place): Read {
  const config = textOf(join(commonDir, 'config'));
  if (config === null || textOf(join(gitDir, 'config.worktree')) !== null) return 'ask';
  if (/^\s*\[\s*(?:include|includeif|url)\b/im.test(config)) return 'ask';
  const urls = originUrls(config);
  if (urls === null) return 'ask';
  const [url] = urls;
  if (url === undefined) return { text: undefined };
  const isPlain = PLAIN_ADDRESS.test(url) || isAbsolute(url) || /^\.{1,2}\//.test(url);
  return isPlain ? { text: url } : 'ask';
}

/** `null`: written in a way that only git reads. */
function originUrls(config: string): string[] | null {
  const urls: string[] = [];
  let isOrigin = false;
  for (const line of config.split(/\r?\n/)) {
    const [, header] = /^\s*(\[.*)$/.exec(line) ?? [];
    if (header !== undefined) {
      isOrigin = /^\[\s*remote\s+"origin"\s*\]\s*(?:[#;].*)?$/i.test(header);
      // Header and variable on one line.
      if (!isOrigin && /^\[\s*remote\s+"origin"/i.test(header)) return null;
      continue;
    }
    const [, value] = (isOrigin && /^\s*url\s*=\s*(.*?)\s*$/i.exec(line)) || [];
    if (value === undefined) continue;
    if (value === '' || /["\\#;]/.test(value)) return null;
    urls.push(value);
  }
  return urls;
}

/** A remote may be a folder beside this one. */
function absoluteAddress(address: string, root: string): string {
  return /^\.{1,2}(?:[\\/]|$)/.test(address) ? fileUrl(resolve(root, address)) : address;
}

const fileUrl = (path: string): string => pathToFileURL(path).href;

function textOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** `undefined`: git is not there, does not answer in time, or has nothing to say. */
function askGit(cwd: string, env: Env, args: readonly string[]): Promise<string | undefined> {
  return new Promise((done) => {
    const options = { cwd, env, timeout: GIT_TIMEOUT_MS, encoding: 'utf8', windowsHide: true };
    execFile('git', args, { ...options, encoding: 'utf8' }, (error, stdout) => {
      const line = stdout.trim();
      done(error || line === '' ? undefined : line);
    });
  });
}
