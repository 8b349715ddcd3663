/** A command may come before a server that has begun to start listens: it waits for it. */
import { setTimeout as delay } from 'node:timers/promises';
import { startingServer, type Wanted } from '../../../server/client.js';
import { SECOND_MS } from '../../../shared/clock.js';
import { AppError, isAppError } from '../../../shared/errors.js';

const PAUSE_MS = 200;
const PATIENCE_MS = 10 * SECOND_MS;

/**
 * Asks, and again while a process that lives is about to serve: ten seconds at most.
 * @throws AppError that of `ask`, or UNAVAILABLE naming that process
 */
export async function onceServed<Answer>(
  wanted: Wanted,
  ask: () => Promise<Answer>,
  patienceMs = PATIENCE_MS,
): Promise<Answer> {
  for (let leftMs = patienceMs; ; leftMs -= PAUSE_MS) {
    try {
      return await ask();
    } catch (error) {
      const isNobody = isAppError(error) && error.details.met === 'nobody';
      const pid = isNobody ? await startingServer(wanted) : null;
      if (!isNobody || pid === null) throw error;
      if (leftMs <= 0) throw notYet(pid, error);
    }
    await delay(PAUSE_MS);
  }
}

/** Without what was met: the PID file has nothing to say to this. */
function notYet(pid: number, cause: AppError): AppError {
  const message = `process ${pid} is about to serve: try again in a moment`;
  return new AppError('UNAVAILABLE', message, { pid }, { cause });
}
