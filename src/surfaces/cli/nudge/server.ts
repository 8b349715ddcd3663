/** `nudge serve`: PRIMARY or PROXY (seed `nudge.md` §11), with MCP on standard input and output. */

import { setTimeout as delay } from 'node:timers/promises';
import type { HintCounts } from '../../../hints/offline.js';
import {
  type Identity,
  identityOf,
  isPortOf,
  isWriterCertain,
  pidFiles,
  removePidFile,
  serverOnPort,
} from '../../../server/client.js';
import { serveStdio } from '../../../server/serve-stdio.js';
import { SECOND_MS } from '../../../shared/clock.js';
import { AppError, isAppError, messageOf } from '../../../shared/errors.js';
import { isRunning } from '../../../shared/process-life.js';
import { askWho } from '../ask-server.js';
import { agentStarterOf, type CommandContext } from '../command-line.js';
import { EXIT, printJson, printText } from '../io.js';
import { requestCommand } from '../request.js';
import { serverLines } from '../status-text.js';

/** All of the seed's, and what every client is shown. */
const NUDGE_TOOLS = 'hints,default';
const LEVELS = ['debug', 'info', 'warn', 'error'];

const SERVE_EXPLAINED = `
The first one of a database serves it (PRIMARY), every other passes its calls on to it (PROXY) and takes its
place when it dies. Servers of other databases are left alone. An Eliza server with the plugin is served by first of all, and takes the database over when it starts.
Where standard input is a pipe, it speaks MCP there, takes plain JSON-RPC calls of nudge.* beside it, and
ends when the input does.

Database: POSTGRES_URL, else PGLITE_DATA_DIR, else .eliza/.elizadb in this folder or above, else what
          the running Eliza server has, else ~/.cue/db
Agent:    CUE_AGENT, a name or an id, where the database has several

Environment:
  NUDGE_MAX_HINTS, NUDGE_SECRET_GUARD, NUDGE_DEFAULT_TTL, NUDGE_LOG_LEVEL   as the options
`;

/** Each flag is the variable that it mirrors. */
const serve = requestCommand<never, Record<string, string | false>>({
  flags: [
    ['NUDGE_MAX_HINTS', '--max-hints <number>', 'how many hints are kept (5000)'],
    ['NUDGE_SECRET_GUARD', '--no-secret-guard', 'take hints that look like secrets', false],
    [
      'NUDGE_DEFAULT_TTL',
      '--default-ttl <ttl>',
      'how long a hint lives that does not say: session, or P1D',
    ],
    ['NUDGE_LOG_LEVEL', '--log-level <level>', 'what is told on standard error', LEVELS],
  ],
  after: SERVE_EXPLAINED,
  async ask({ fields }, context) {
    const { io, port, checkSettings } = context;
    const set = Object.entries(fields).map(([name, value]) => [name, value || '0']);
    const env = { ...io.env, ...Object.fromEntries(set) };
    const tools = io.env.CUE_MCP_TOOLS || NUDGE_TOOLS;
    const outside = { startAgent: agentStarterOf(context), checkSettings };
    await serveStdio({ name: 'nudge', io, env, port: port?.(), tools, ...outside });
    context.end(EXIT.done);
    return null;
  },
});

/** @throws AppError NOT_FOUND when nothing serves */
const status = requestCommand<never, { json?: true }>({
  flags: [['json', '--json', 'print the result as JSON, with the port']],
  async ask({ fields: { json } }, context) {
    const { io, end } = context;
    const server = await serverOf(context);
    if (json) printJson(io, { ...server.status, port: server.port });
    else printText(io, (await linesOf(server, io.clock.now())).join('\n'));
    end(EXIT.done);
    return null;
  },
});

async function linesOf(server: KnownServer, nowMs: number): Promise<string[]> {
  const { oneLine } = await import('./print-hint.js');
  // Of a server that says less, nothing.
  const { components, hints, durable, session, secret, top_tags }: HintCounts = {
    ...{ components: 0, hints: 0, durable: 0, session: 0, secret: 0, top_tags: [] },
    ...Object(server.status.counts),
  };
  const tags = top_tags.map(({ tag, count }) => `${oneLine(tag)} (${count})`).join(', ');
  return [
    ...serverLines(server, server.port, nowMs),
    `  hints: ${hints} of ${components} ${components === 1 ? 'component' : 'components'} ` +
      `(${durable} durable, ${session} of the session, ${secret} secret)`,
    ...(tags === '' ? [] : [`  top tags: ${tags}`]),
  ];
}

const PATIENCE_MS = 10 * SECOND_MS;
const LOOK_MS = 50;
const CUT_OFF =
  '; a client was connected through it, such as a coding agent, and may have to reconnect';

const STOP_EXPLAINED = `
Another "nudge serve" with a client at its standard input takes the place of a server that stops.
`;

/**
 * @throws AppError NOT_FOUND when nothing serves, DISABLED for an Eliza server, PERMISSION_DENIED for a
 * process that only an answer names
 */
const stop = requestCommand<never, { json?: true }>({
  flags: [['json', '--json', 'print what was stopped as JSON']],
  after: STOP_EXPLAINED,
  async ask({ fields: { json } }, context) {
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
    const named = serverOnPort(io.env, port);
    const isNamed = named?.pid === pid;
    // Anybody's program may listen there, and name any process as itself.
    if (!(isNamed && isWriterCertain(named)) && isPortOf(pid, port) !== true) {
      const message =
        `whoever answers at port ${port} says that it is process ${pid}, which no PID file confirms: ` +
        'nothing was stopped; end it as it was started, or by its process once you know it';
      throw new AppError('PERMISSION_DENIED', message, { pid, port });
    }
    try {
      process.kill(pid, 'SIGTERM');
    } catch (cause) {
      const message = `process ${pid} cannot be stopped: ${messageOf(cause)}`;
      const failure = new AppError('PERMISSION_DENIED', message, { pid }, { cause });
      if (isRunning(pid)) throw failure;
    }
    await ended(pid, io.clock);
    // Where a process is ended without being asked, it leaves its files behind.
    for (const path of pidFiles(io.env)) removePidFile(path, pid);
    if (json) printJson(io, { stopped: true, pid, port });
    else {
      const cutOff = isNamed && named.hasClient === true ? CUT_OFF : '';
      printText(io, `✔ stopped the server (process ${pid}, port ${port})${cutOff}`);
    }
    end(EXIT.done);
    return null;
  },
});

async function ended(pid: number, clock: CommandContext['io']['clock']): Promise<void> {
  const endMs = clock.now() + PATIENCE_MS;
  while (isRunning(pid)) {
    if (clock.now() >= endMs) {
      const message = `process ${pid} has not stopped within ${PATIENCE_MS / SECOND_MS} s`;
      throw new AppError('UNAVAILABLE', message, { pid });
    }
    await delay(LOOK_MS);
  }
}

interface KnownServer extends Identity {
  port: number;
}

/** What is met where no server is. */
const NO_SERVER: ReadonlySet<unknown> = new Set(['nobody', 'unreachable', 'foreign']);

/** @throws AppError NOT_FOUND when nothing of ours serves, else what was met */
async function serverOf({ io, port }: CommandContext): Promise<KnownServer> {
  const nothing = (met: string) =>
    new AppError('NOT_FOUND', `nothing serves: ${met}`, { what: 'server' });
  const { who, baseUrl } = await askWho(io, port?.()).catch((error: unknown) => {
    throw isAppError(error) && NO_SERVER.has(error.details.met) ? nothing(error.message) : error;
  });
  const identity = identityOf(who);
  if (!identity) throw nothing(`${baseUrl} is served by another program`);
  return { ...identity, port: Number(new URL(baseUrl).port) };
}

export const commands = { serve, status, stop };
