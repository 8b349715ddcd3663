/** One process per embedded database: the lock an agent takes before it opens one (DESIGN §11). */

import type { IAgentRuntime } from '@elizaos/core';
import { serverEnvironment } from '../settings.js';
import { type DirLock, lockDirectory } from '../shared/dir-lock.js';
import { fieldOf } from '../shared/json.js';

const LOST =
  'another process has taken the lock of the database directory: two that write to it damage it, stop one';
const locks = new WeakMap<IAgentRuntime, { lock: DirLock; atExit: () => void }>();

/**
 * Refuses to start on an embedded database that another live process has open (DESIGN §11). A headless
 * agent is asked to leave, and has ten seconds for it.
 * @throws AppError UNAVAILABLE naming pid and port of the holder
 */
export async function lockOf(runtime: IAgentRuntime): Promise<void> {
  const directory = embeddedDirectory(runtime);
  if (directory === null || locks.has(runtime)) return;
  const lock = await lockDirectory(directory, serverEnvironment().port, {
    // The host opens the database before any plugin is asked.
    ask: { opened: openPgliteDirectory() !== undefined },
    onLost: (path) => runtime.logger.error({ path }, LOST),
  });
  const atExit = () => lock.release();
  locks.set(runtime, { lock, atExit });
  process.once('exit', atExit);
}

/** For whoever closes a database before its process ends. */
export function unlockOf(runtime: IAgentRuntime): void {
  const held = locks.get(runtime);
  if (!held) return;
  locks.delete(runtime);
  process.off('exit', held.atExit);
  held.lock.release();
}

/**
 * The PGlite directory of this process: the host's one instance if it is open, else what it will
 * open. `null`: a database server, or memory.
 */
function embeddedDirectory(runtime: IAgentRuntime): string | null {
  if (runtime.getSetting('POSTGRES_URL')) return null;
  const open = openPgliteDirectory();
  if (open !== undefined) return open;
  const set = runtime.getSetting('PGLITE_DATA_DIR') ?? serverEnvironment().pgliteDir;
  return typeof set === 'string' ? directoryOf(set) : null;
}

/** plugin-sql keeps its one PGlite instance of the process here (ELIZA_GUIDE §1). */
function openPgliteDirectory(): string | null | undefined {
  const key = Symbol.for('@elizaos/plugin-sql/global-singletons');
  const singletons: unknown = Object.getOwnPropertyDescriptor(globalThis, key)?.value;
  const manager = fieldOf(singletons, 'pgLiteClientManager');
  const directory = fieldOf(fieldOf(manager, 'client'), 'dataDir');
  if (typeof directory !== 'string') return undefined;
  return directoryOf(directory);
}

/** PGlite takes `file://` for a plain path; anything else with a scheme is no directory. */
function directoryOf(dataDir: string): string | null {
  const path = dataDir.replace(/^file:\/\//, '');
  return path === '' || path.includes('://') ? null : path;
}
