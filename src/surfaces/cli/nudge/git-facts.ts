/**
 * Repository and branch of a folder, as `git remote get-url origin` and `git rev-parse --abbrev-ref HEAD`
 * say it (seed `nudge.md` §6): read from git's own files, and asked of git where only git knows.
 */
import { execFile } from 'node:child_process';
import {
  addressOf,
  branchOf,
  gitFolderAround,
  originOf,
  type Said,
} from '../../../shared/git-folder.js';

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
  return new Promise((done) => {
    const options = { ...where, encoding: 'utf8', windowsHide: true } as const;
    execFile('git', args, options, (error, stdout) => {
      const line = stdout.trim();
      done(error || line === '' ? null : line);
    });
  });
}
