/**
 * The right to serve this machine: a lock beside the PID file. Two databases have two locks of their own,
 * a database server has none, but there is one PID file.
 */
import { lstatSync } from 'node:fs';
import { dirname } from 'node:path';
import { type DirLock, holderOf, lockDirectorySoon } from '../../shared/dir-lock.js';
import { isAppError, messageOf } from '../../shared/errors.js';
import { makeFolder } from '../../shared/make-folder.js';
import { pidFilePath, readPidFile } from './pid-file.js';
import type { StartAgentOptions } from './types.js';

export type Env = StartAgentOptions['env'];

export type Right =
  | { lock: DirLock }
  /** Another process that lives has it. */
  | { holder: number }
  /** There can be none, and so no PID file: what stands in the way. */
  | { impossible: string };

/** Never rejects. */
export async function takeRight(env: Env): Promise<Right> {
  const path = pidFilePath(env);
  try {
    const folder = dirname(path);
    makeFolder(folder, 0o700);
    if (!isOwnFolder(folder)) return { impossible: `${folder} belongs to somebody else` };
    return { lock: await lockDirectorySoon(path, null) };
  } catch (error) {
    const holder = isAppError(error) ? error.details.pid : undefined;
    return typeof holder === 'number' ? { holder } : { impossible: messageOf(error) };
  }
}

/** The process that is about to serve, and has not said yet where; `null`: none. */
export function startingProcess(env: Env): number | null {
  const holder = holderOf(pidFilePath(env));
  if (!holder) return null;
  return readPidFile(env)?.pid === holder.pid ? null : holder.pid;
}

function isOwnFolder(path: string): boolean {
  const found = lstatSync(path);
  if (!found.isDirectory()) return false;
  return process.geteuid === undefined || found.uid === process.geteuid();
}
