/**
 * Where this process works, for the scopes of hints: folder, system, and of the repository around it
 * name and branch, read from `.git` itself. What cannot be read is not known, and matches no scope.
 */
import { join, resolve } from 'node:path';
import type { Clock } from '../shared/clock.js';
import { isFolder } from '../shared/folders.js';
import { addressOf, branchOf, gitFolderAround, originOf } from '../shared/git-folder.js';

export interface PlaceFacts {
  cwd: string;
  os?: 'linux' | 'darwin' | 'windows';
  /** Address of the repository around the folder. */
  repo?: string;
  branch?: string;
}

export interface Place {
  /** As it is now; the repository is looked at anew every few seconds. */
  facts(): PlaceFacts;
  /** The folder of that name in the working folder; `null`: there is none. */
  folderOf(name: string): string | null;
}

const KEPT_MS = 5_000;
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u;
const SYSTEMS: Readonly<Record<string, 'linux' | 'darwin' | 'windows'>> = {
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
  let known: { atMs: number; facts: PlaceFacts } | null = null;
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

/** What cannot be said for sure is left out, and so matches no scope. */
function repositoryOf(folder: string): Pick<PlaceFacts, 'repo' | 'branch'> {
  const git = gitFolderAround(resolve(folder));
  if (git === null) return {};
  const [origin, branch] = [originOf(git), branchOf(git)];
  return {
    ...(origin === 'unclear' ? {} : { repo: addressOf(origin.text, git.root) }),
    ...(branch === 'unclear' || branch.text === null ? {} : { branch: branch.text }),
  };
}
