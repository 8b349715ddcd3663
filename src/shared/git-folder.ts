/**
 * The repository around a folder, read from git's own files, since to start git takes as long as all
 * else a command does. Where something beside these files has a say (included files, rewritten
 * addresses, other formats), the answer is `unclear`: only git itself knows it then.
 */
import { lstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

export interface GitFolder {
  /** Of the work tree. */
  root: string;
  /** Its own: `HEAD`. */
  gitDir: string;
  /** Of all work trees: `config`. */
  commonDir: string;
}

/** `null`: there is none. */
export type Said = { text: string | null } | 'unclear';

/** Larger files are none of those that git writes here, bytes. */
const MOST_BYTES = 262_144;
/** Addresses that git takes as they are, unless it is told to write them in another way. */
const PLAIN_ADDRESS = /^(?:(?:https?|ssh|git|file):\/\/|[\w.-]+@[\w.-]+:|[\w-]+(?:\.[\w-]+)+:)/i;
const LOGIN = /^(?:git\+)?ssh:\/\/[^/:@]*@[^/@]*(?:\/|$)/i;
/** To the last `@` of the host: a password may have one, too. */
const USER = /^([a-z][a-z0-9+.-]*:\/\/)[^/?#]*@/i;
const HAS_A_SAY = /^\s*\[\s*(?:include|includeif|url)\b/im;

/**
 * The nearest one upwards; `null`: none. A `.git` without a `HEAD` is passed by; a file that points
 * nowhere ends the search, as it does for git.
 * @param folder absolute; need not exist
 */
export function gitFolderAround(folder: string): GitFolder | null {
  for (let root = folder; ; root = dirname(root)) {
    const dotGit = join(root, '.git');
    const found = statOf(dotGit);
    const gitDir = found?.isFile()
      ? linkedFrom(dotGit, root)
      : found?.isDirectory()
        ? dotGit
        : null;
    if (gitDir !== null && textOf(join(gitDir, 'HEAD')) !== null) {
      const common = textOf(join(gitDir, 'commondir'))?.trim();
      return { root, gitDir, commonDir: common ? resolve(gitDir, common) : gitDir };
    }
    if (found?.isFile() || dirname(root) === root) return null;
  }
}

/** The branch that is checked out, one without a commit, too; `null`: none is. */
export function branchOf({ gitDir }: GitFolder): Said {
  const path = join(gitDir, 'HEAD');
  // As very old versions wrote it.
  if (statOf(path, lstatSync)?.isSymbolicLink()) return 'unclear';
  const head = textOf(path)?.trim() ?? '';
  if (/^[0-9a-f]{40,64}$/i.test(head)) return { text: null };
  const [, name] = /^ref: refs\/heads\/(.+)$/.exec(head) ?? [];
  // Where references have a format of their own, the file only says that they are elsewhere.
  return name === undefined || name === '.invalid' ? 'unclear' : { text: name };
}

/** Address of the remote `origin`, as it is written; `null`: there is none. */
export function originOf({ gitDir, commonDir }: GitFolder): Said {
  const config = textOf(join(commonDir, 'config'));
  if (config === null || HAS_A_SAY.test(config)) return 'unclear';
  // Of one work tree alone; what is checked out of it, say.
  const own = join(gitDir, 'config.worktree');
  if (statOf(own)) {
    const text = textOf(own);
    if (text === null || HAS_A_SAY.test(text) || /^\s*\[\s*remote\b/im.test(text)) return 'unclear';
  }
  const urls = originUrls(config);
  if (urls === null) return 'unclear';
  const [url] = urls;
  if (url === undefined) return { text: null };
  const isPlain = PLAIN_ADDRESS.test(url) || isAbsolute(url) || /^\.{1,2}\//.test(url);
  return isPlain ? { text: url } : 'unclear';
}

/**
 * What a repository is called: by its origin, which may be a folder beside this one; without one by
 * its folder, as `file://`. Never with a password.
 */
export function addressOf(origin: string | null, root: string): string {
  if (origin === null) return pathToFileURL(root).href;
  if (/^\.{1,2}(?:[\\/]|$)/.test(origin)) return pathToFileURL(resolve(root, origin)).href;
  return withoutUser(origin);
}

/** Without the user of an address, who may be a password or a token; that of a login stays (`ssh://git@…`). */
export function withoutUser(address: string): string {
  return LOGIN.test(address) ? address : address.replace(USER, '$1');
}

/** Of a work tree or a submodule: a file that says where the folder is. */
function linkedFrom(file: string, root: string): string | null {
  const [, path] = /^gitdir: (.+?)\r?\n?$/.exec(textOf(file) ?? '') ?? [];
  return path === undefined ? null : resolve(root, path);
}

/** Each `url` of `[remote "origin"]`; `null`: written in a way that only git reads. */
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

/** `null`: no file, or none of such a size. */
function textOf(path: string): string | null {
  const found = statOf(path);
  if (!found?.isFile() || found.size > MOST_BYTES) return null;
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}

/** `undefined`: it is not there, or not for us. */
function statOf(path: string, stat: (path: string) => Stats = statSync): Stats | undefined {
  try {
    return stat(path);
  } catch {
    return undefined;
  }
}
