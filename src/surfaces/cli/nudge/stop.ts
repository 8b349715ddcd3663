/** `nudge stop`: ends a headless server. An Eliza server is not ours to end. */
import { setTimeout as delay } from 'node:timers/promises';
import {
  isPortOf,
  isWriterCertain,
  pidFiles,
  removePidFile,
  serverOnPort,
} from '../../../server/client.js';
import { SECOND_MS } from '../../../shared/clock.js';
import { AppError, messageOf } from '../../../shared/errors.js';
import { isRunning } from '../../../shared/process-life.js';
import { EXIT } from '../exit-codes.js';
import { printJson, printText } from '../io.js';
import type { NudgeCommand, NudgeContext } from './command.js';
import { serverOf } from './server-of.js';

const PATIENCE_MS = 10 * SECOND_MS;
const LOOK_MS = 50;
const CUT_OFF =
  '; a client was connected through it, such as a coding agent, and may have to reconnect';

const EXPLAINED = `
Another "nudge serve" with a client at its standard input takes the place of a server that stops.
`;

export const stop: NudgeCommand = {
  define(command, context) {
    command
      .option('--json', 'print what was stopped as JSON')
      .addHelpText('after', EXPLAINED)
      .action(({ json = false }: { json?: boolean }) => perform(json, context));
  },
};

/**
 * @throws AppError NOT_FOUND when nothing serves, DISABLED for an Eliza server, PERMISSION_DENIED for a
 * process that only an answer names
 */
async function perform(json: boolean, context: NudgeContext): Promise<void> {
  const { io, end } = context;
  const { pid, port, kind } = await serverOf(context);
  if (kind === 'eliza') {
    throw new AppError(
      'DISABLED',
      `an Eliza server serves (process ${pid}, port ${port}), and is stopped as it was started: ` +
        'with Ctrl-C, or by what keeps it running',
      { pid, port },
    );
  }
  if (!isCertain(pid, port, io.env)) throw unproven(pid, port);
  const named = serverOnPort(io.env, port);
  const hadClient = named?.pid === pid && named.hasClient === true;
  askToEnd(pid);
  await ended(pid, io.clock);
  // Where a process is ended without being asked, it leaves its files behind.
  for (const path of pidFiles(io.env)) removePidFile(path, pid);
  if (json) printJson(io, { stopped: true, pid, port });
  else
    printText(io, `✔ stopped the server (process ${pid}, port ${port})${hadClient ? CUT_OFF : ''}`);
  end(EXIT.done);
}

/** Anybody's program may listen there, and name any process as itself. */
function isCertain(pid: number, port: number, env: NudgeContext['io']['env']): boolean {
  const file = serverOnPort(env, port);
  if (file?.pid === pid && isWriterCertain(file)) return true;
  return isPortOf(pid, port) === true;
}

function unproven(pid: number, port: number): AppError {
  const message =
    `whoever answers at port ${port} says that it is process ${pid}, which no PID file confirms: ` +
    'nothing was stopped; end it as it was started, or by its process once you know it';
  return new AppError('PERMISSION_DENIED', message, { pid, port });
}

function askToEnd(pid: number): void {
  try {
    process.kill(pid, 'SIGTERM');
  } catch (error) {
    if (isRunning(pid)) throw notStopped(pid, error);
  }
}

function notStopped(pid: number, cause: unknown): AppError {
  const message = `process ${pid} cannot be stopped: ${messageOf(cause)}`;
  return new AppError('PERMISSION_DENIED', message, { pid }, { cause });
}

async function ended(pid: number, clock: NudgeContext['io']['clock']): Promise<void> {
  const endMs = clock.now() + PATIENCE_MS;
  while (isRunning(pid)) {
    if (clock.now() >= endMs) {
      const message = `process ${pid} has not stopped within ${PATIENCE_MS / SECOND_MS} s`;
      throw new AppError('UNAVAILABLE', message, { pid });
    }
    await delay(LOOK_MS);
  }
}
