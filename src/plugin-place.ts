/**
 * Where this process works, for the scopes of hints: folder, system, and of the repository around it
 * name and branch, read from `.git` itself. What cannot be read is not known, and matches no scope.
 */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { NudgeContext } from './hints/index.js';
import type { Clock } from './shared/clock.js';

export interface Place {
  /** As it is now; the repository is looked at anew every few seconds. */
  facts(): NudgeContext;
  /** The folder of that name in the working folder; `null`: there is none. */
  folderOf(name: string): string | null;
}

const KEPT_MS = 5_000;
const MOST_BYTES = 262_144;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u;
const SYSTEMS: Readonly<Record<string, NonNullable<NudgeContext['os']>>> = {
  linux: 'linux',
  darwin: 'darwin',
  win32: 'windows',
};

export function createPlace({
  clock,
  cwd,
  platform,
}: {
  clock: Clock;
  /** Asked at each look, since a process may change it. */
  cwd: () => string;
  platform: string;
}): Place {
  let known: { atMs: number; facts: NudgeContext } | null = null;
  const os = SYSTEMS[platform];

  return {
    facts() {
      const nowMs = clock.now();
      const folder = cwd();
      const isFresh = known !== null && Math.abs(nowMs - known.atMs) < KEPT_MS;
      if (known === null || !isFresh || known.facts.cwd !== folder) {
        const facts = { ...(os === undefined ? {} : { os }), cwd: folder, ...repositoryOf(folder) };
        known = { atMs: nowMs, facts };
      }
      return known.facts;
    },
    folderOf(name) {
      if (!NAME.test(name)) return null;
      const path = join(cwd(), name);
      return isFolder(path) ? path : null;
    },
  };
}

/** Name of the remote `origin`, or the folder as a `file://` address, and the branch that is out. */
export function repositoryOf(folder: string): Pick<NudgeContext, 'repo' | 'branch'> {
  for (let at = resolve(folder); ; at = dirname(at)) {
    const git = gitFolder(join(at, '.git'));
    if (git !== null) return factsOf(git, at);
    if (dirname(at) === at) return {};
  }
}

/** Of a worktree or submodule, `.git` is a file that says where. */
function gitFolder(path: string): string | null {
  if (isFolder(path)) return path;
  const [, target] = /^gitdir: (.+)$/m.exec(readText(path) ?? '') ?? [];
  return target === undefined ? null : resolve(dirname(path), target.trim());
}

function factsOf(git: string, top: string): Pick<NudgeContext, 'repo' | 'branch'> {
  const head = readText(join(git, 'HEAD'));
  if (head === null) return {};
  const [, branch] = /^ref: refs\/heads\/(.+)$/m.exec(head) ?? [];
  const common = readText(join(git, 'commondir'));
  const config = readText(join(common === null ? git : resolve(git, common.trim()), 'config'));
  const repo = originIn(config ?? '') ?? pathToFileURL(top).href;
  return { repo, ...(branch === undefined ? {} : { branch: branch.trim() }) };
}

function originIn(config: string): string | null {
  const [, section] = /^\s*\[remote "origin"\]([^[]*)/m.exec(config) ?? [];
  const [, url] = /^\s*url\s*=\s*(\S+)\s*$/m.exec(section ?? '') ?? [];
  return url ?? null;
}

function readText(path: string): string | null {
  try {
    const { size } = statSync(path);
    return size <= MOST_BYTES ? readFileSync(path, 'utf8') : null;
  } catch {
    return null;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
