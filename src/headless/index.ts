/**
 * An Eliza agent without a server, a chat client or a model: it holds the memory for the command line
 * and for coding agents while no Eliza server does (DESIGN §11). Like `plugin.ts` a composition root.
 * Nothing here loads the host before an agent is started.
 */
import { parseSettings, setHostLogLevel } from '../settings.js';
import { type DirLock, lockDirectory } from '../shared/dir-lock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { StartAgent } from '../surfaces/serving/index.js';
import { mustBeFolder } from './failure.js';
import { hasLeft } from './leave.js';
import { openerOf } from './openers.js';
import { forgoSaltWarning, importPeer } from './peers.js';
import { type Env, placeOf } from './place.js';
import { keepStdoutForProtocol } from './quiet-stdout.js';

const HOST_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** Starts the agent whose memory the folder's tools share; see `StartAgent` for what it throws. */
export const startHeadless: StartAgent = async ({ cwd, env, log }) => {
  checkSettings(env);
  keepStdoutForProtocol();
  setHostLogLevel(hostLogLevel(env));
  const place = placeOf(env, cwd);
  const lock = place.kind === 'directory' ? takeDirectory(place.directory) : null;
  const release = () => lock?.release();
  process.once('exit', release);
  const unlock = () => {
    process.off('exit', release);
    release();
  };
  try {
    forgoSaltWarning(await importPeer('@elizaos/core'));
    const sql = await importPeer('@elizaos/plugin-sql');
    const { startAgentOn } = await import('./agent.js');
    return await startAgentOn({ place, env, sql, unlock, log });
  } catch (error) {
    unlock();
    throw error;
  }
};

/**
 * The host looks at them only when its database is open, and a process that follows another one only
 * when it takes its place.
 * @throws AppError INVALID_INPUT naming every setting with a wrong value
 */
export function checkSettings(env: Env): void {
  try {
    parseSettings((key) => env[key]);
  } catch (error) {
    throw wrongSetting(error);
  }
}

/** Whoever prints it puts the program's name before it. */
function wrongSetting(cause: unknown): AppError {
  return new AppError('INVALID_INPUT', messageOf(cause).replace(/^cue: /, ''), {}, { cause });
}

function hostLogLevel(env: Env): string {
  const asked = (env.NUDGE_LOG_LEVEL || env.LOG_LEVEL || 'warn').trim().toLowerCase();
  return HOST_LEVELS.includes(asked) ? asked : 'warn';
}

/** @throws AppError UNAVAILABLE with the pid of who has it, with our lock or without; INVALID_INPUT for no folder */
function takeDirectory(directory: string): DirLock {
  mustBeFolder(directory);
  const lock = lockDirectory(directory, null, 'headless');
  const pid = openerOf(directory);
  if (pid === null && !hasLeft(directory)) return lock;
  lock.release();
  const who = pid === null ? 'another process' : `process ${pid}`;
  throw new AppError(
    'UNAVAILABLE',
    `the database directory ${directory} is open in ${who}: stop it, or wait until it serves`,
    // The lock is still ours where the other has not asked for it.
    { pid: pid ?? process.pid, port: null },
  );
}
