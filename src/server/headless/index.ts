/**
 * An Eliza agent without a server, a chat client or a model: it holds the memory for the command line
 * and for coding agents while no Eliza server does (DESIGN §11). Like `plugin.ts` a composition root.
 * Nothing here loads the host before an agent is started.
 */

import { Console } from 'node:console';
import { mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseSettings, setHostLogLevel } from '../../settings.js';
import { type DirLock, lockDirectory } from '../../shared/dir-lock.js';
import { AppError, messageOf } from '../../shared/errors.js';
import {
  configuredDatabase,
  type DatabaseLocation,
  type Env,
  type PrimaryAgent,
  personalDatabase,
  type StartAgent,
  type StartAgentOptions,
} from '../client.js';
import type { SqlPackage } from './database.js';
import { hasLeft, openerOf } from './lock-handover.js';

const HOST_LEVELS: readonly string[] = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];

/** Starts the agent whose memory the folder's tools share; see `StartAgent` for what it throws. */
export const startHeadless: StartAgent = Object.assign(start, { preload });

async function start({ cwd, env, log }: StartAgentOptions): Promise<PrimaryAgent> {
  checkSettings(env);
  prepareHost(env);
  const place = placeOf(env, cwd);
  const lock = place.kind === 'directory' ? await takeDirectory(place.directory) : null;
  const release = () => lock?.release();
  process.once('exit', release);
  const unlock = () => {
    process.off('exit', release);
    release();
  };
  try {
    const { sql, startAgentOn } = await load();
    return await startAgentOn({ place, env, sql, unlock, log });
  } catch (error) {
    unlock();
    throw error;
  }
}

async function preload({ cwd, env }: Omit<StartAgentOptions, 'log'>): Promise<void> {
  prepareHost(env);
  const { sql, warmUp, prepareDatabase } = await load();
  await import('../../surfaces/rest/index.js');
  warmUp();
  const place = placeOf(env, cwd);
  if (place.kind === 'directory') {
    mustBeFolder(place.directory);
    prepareDatabase(sql, place.directory);
  }
}

/** Before any of it is loaded. */
function prepareHost(env: Env): void {
  keepStdoutForProtocol();
  setHostLogLevel(hostLogLevel(env));
}

/** The host, and all of this plugin. @throws AppError UNAVAILABLE naming a package that is missing */
async function load() {
  forgoSaltWarning(await importPeer('@elizaos/core'));
  const sql = (await importPeer('@elizaos/plugin-sql')) as SqlPackage;
  const [{ startAgentOn, warmUp }, { prepareDatabase }] = await Promise.all([
    import('./agent.js'),
    import('./database.js'),
  ]);
  return { sql, startAgentOn, warmUp, prepareDatabase };
}

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
async function takeDirectory(directory: string): Promise<DirLock> {
  mustBeFolder(directory);
  const lock = await lockDirectory(directory, null, { kind: 'headless' });
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

/** @throws AppError INVALID_INPUT where something else lies in the place of the folder, or of one above it */
function mustBeFolder(directory: string): void {
  const odd = obstacleOn(directory);
  if (odd === null) return;
  const is =
    odd === directory
      ? `the database directory ${odd} is no folder, but a file`
      : `${odd} is no folder, but a file, so the database directory ${directory} cannot lie in it`;
  throw new AppError('INVALID_INPUT', `${is}: name another one with PGLITE_DATA_DIR`, {
    directory,
  });
}

/** The first that exists on the way up, where it is no folder. */
function obstacleOn(directory: string): string | null {
  for (let path = directory; ; path = dirname(path)) {
    try {
      return statSync(path).isDirectory() ? null : path;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      const isMissing = code === 'ENOENT' || code === 'ENOTDIR';
      if (!isMissing || path === dirname(path)) return null;
    }
  }
}

const PEERS = ['@elizaos/core', '@elizaos/plugin-sql'] as const;

/**
 * Imports a package of the host.
 * @throws AppError UNAVAILABLE naming the one that is missing and how to get it
 */
export async function importPeer(name: (typeof PEERS)[number]): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw missingPeer(/package '([^']+)'/.exec(messageOf(error))?.[1] ?? name, error);
  }
}

function missingPeer(missing: string, cause: unknown): AppError {
  return new AppError(
    'UNAVAILABLE',
    `a server of its own needs the package ${missing}, which is not installed here: ` +
      `npm install ${PEERS.join(' ')}`,
    { missing },
    { cause },
  );
}

/**
 * The host warns once of an encryption without a salt of one's own, for secrets in an agent's settings,
 * which a headless agent neither makes nor shows: it warns while nobody hears it.
 */
export function forgoSaltWarning(core: unknown): void {
  const { logger, getSalt } = core as { logger?: { warn?: unknown }; getSalt?: unknown };
  if (!logger || typeof logger.warn !== 'function' || typeof getSalt !== 'function') return;
  const { warn } = logger;
  logger.warn = () => {};
  try {
    getSalt();
  } finally {
    logger.warn = warn;
  }
}

const TALKATIVE = ['log', 'info', 'debug', 'trace', 'dir', 'table', 'group'] as const;
let done = false;

/** For the rest of the process: a late line of an agent that has been closed would hurt as much. */
export function keepStdoutForProtocol(): void {
  if (done) return;
  done = true;
  const toStderr = new Console(process.stderr, process.stderr);
  for (const method of TALKATIVE) {
    Reflect.set(globalThis.console, method, toStderr[method].bind(toStderr));
  }
}

/**
 * The database that is meant, else one for all of a person's tools, whose folder is made, for its owner
 * alone.
 */
export function placeOf(env: Env, cwd: string, home?: string): DatabaseLocation {
  const meant = configuredDatabase(env, cwd, home);
  if (meant !== null) return meant;
  const personal = personalDatabase(home);
  mkdirSync(personal.directory, { recursive: true, mode: 0o700 });
  return personal;
}
