/** What `cue mcp` and `nudge serve` do alike: serve, or join whoever serves, with MCP on standard input. */

import { fstatSync } from 'node:fs';
import { deferred, withTimeout } from '../shared/async.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Env } from './database-location.js';
import type { Bridge } from './json-lines.js';
import { createLeaderElection, type LeaderElection, type Server } from './leader-election.js';
import { createMcpBridge } from './mcp-bridge.js';
import type { StartAgent } from './own-server.js';
import { createIdentityKeeper } from './session-replay.js';

export interface ServeOptions {
  /** In front of what is told on standard error. */
  name: string;
  /** What it sees of the process, and standard error. */
  io: { cwd: string; clock: Clock; err(text: string): void };
  /** Of the server, and of the agent that is started. */
  env: Env;
  port?: number | undefined;
  /** Groups of tools, comma-separated, for this client alone. */
  tools?: string | undefined;
  /** The session of its own that the client's hooks speak in. */
  clientSession?: string | undefined;
  startAgent: () => Promise<StartAgent>;
  /** Asked also where another process serves: this one may have to take its place. */
  checkSettings?: CheckSettings | undefined;
}

/** @throws AppError INVALID_INPUT naming every setting with a wrong value */
export type CheckSettings = (env: Env) => Promise<void>;

const STANDARD_INPUT = 0;
type Level = 'info' | 'warn' | 'error';
const LEVELS: readonly string[] = ['debug', 'info', 'warn', 'error'];

/** Resolves when the process may end. @throws AppError as `live` and `checkSettings` */
export async function serveStdio(options: ServeOptions): Promise<void> {
  await options.checkSettings?.(options.env);
  await checkDefaultTtl(options.env);
  const { name, io, env, port, tools, clientSession, startAgent } = options;
  const tell = (level: Level): ((line: string) => void) =>
    isTold(level, env.NUDGE_LOG_LEVEL) ? (line) => io.err(`${name}: ${line}\n`) : () => {};
  const log = tell('warn');
  const input = inputKind(STANDARD_INPUT);
  const election = createLeaderElection({
    ...{ startAgent, env, log, cwd: io.cwd, clock: io.clock, hasClient: input === 'client' },
    ...(port === undefined ? {} : { port }),
  });
  const streams = { input: process.stdin, output: process.stdout };
  const bridge = createMcpBridge({
    ...{ ...streams, election, log, tools, clientSession },
    clock: io.clock,
    keeper: createIdentityKeeper({ env, cwd: io.cwd, log }),
  });
  try {
    const lines = { log: tell('error'), news: tell('info') };
    await live({ election, ...lines, input, startBridge: bridge.start, giveUp: bridge.giveUp });
  } finally {
    leave(input);
  }
}

/** Which words are a duration says the room of hints, and it is not loaded for a process that only follows. */
async function checkDefaultTtl({ NUDGE_DEFAULT_TTL: ttl }: Env): Promise<void> {
  if (!ttl?.trim()) return;
  const { parseTtl } = await import('../hints/offline.js');
  const parsed = parseTtl(ttl);
  if ('finding' in parsed) {
    const message = `wrong setting: NUDGE_DEFAULT_TTL ${parsed.finding.message}`;
    throw new AppError('INVALID_INPUT', message);
  }
}

/** @param least as it was asked for; what is no level is told by the agent's settings */
function isTold(level: Level, least: string | undefined): boolean {
  const from = LEVELS.indexOf(least ?? '');
  return LEVELS.indexOf(level) >= from;
}

/** The host leaves timers and handles behind, which must not keep the process. */
function leave(input: InputKind): void {
  if (input !== 'nobody') process.stdin.destroy();
  setTimeout(() => process.exit(), SECOND_MS).unref();
}

/**
 * What standard input leads to. Only a `client` can leave. A terminal is nobody: a background process
 * that read from it would be stopped by the system.
 */
export type InputKind = 'client' | 'file' | 'nobody';

export interface LifeDeps {
  election: LeaderElection;
  input: InputKind;
  /** Speaks with whoever is at standard input. */
  startBridge(): Bridge;
  /** Breaks off what is held and under way, with answers that say so, and why. */
  giveUp(why?: string): void;
  /** One line for people: what has gone wrong. */
  log(line: string): void;
  /** Who serves from now on; `log` when absent. */
  news?(line: string): void;
  /** From the wish to stop to the end of the process, ms; 4.8 s when absent. */
  stopMs?: number;
}

/** What was asked before its client left, or the file ended, is answered for so long, ms. */
const LAST_ANSWERS_MS = 20 * SECOND_MS;
/** The same when a signal says stop. */
const QUICK_ANSWERS_MS = 500;
const BROKEN_ANSWERS_MS = 300;
const STOP_MS = 4.8 * SECOND_MS;
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;
const FAILED = 1;
/** Neither a listener for signals nor a promise keeps a process whose input has ended. */
const AWAKE_MS = MINUTE_MS;

export function inputKind(descriptor: number): InputKind {
  try {
    const found = fstatSync(descriptor);
    if (found.isFile()) return 'file';
    return found.isCharacterDevice() ? 'nobody' : 'client';
  } catch {
    return 'nobody';
  }
}

/**
 * Resolves when the process may end. Ends it itself when that takes too long, or a second signal comes. Where the
 * start fails, a client that was greeted before is answered with the cause until it leaves.
 * @throws AppError when nobody serves, and this process cannot either
 */
export async function live(deps: LifeDeps): Promise<void> {
  const { election, input, log, news = log, stopMs = STOP_MS } = deps;
  const end = deferred<'signal' | 'client' | 'done'>();
  const signals = onSignals(log);
  void signals.asked.then(() => end.resolve('signal'));
  const bridge = input === 'nobody' ? null : deps.startBridge();
  let hasClient = bridge !== null;
  let hasServed = false;
  const look = (): void => {
    if (!hasClient && election.current?.role === 'proxy') end.resolve('done');
  };
  void bridge?.gone.then(() => {
    hasClient = false;
    if (input === 'client') end.resolve('client');
    else look();
  });
  election.onChange((server) => {
    if (server) {
      hasServed = true;
      news(described(server));
    }
    look();
  });
  const started = election.start();
  const awake = setInterval(() => {}, AWAKE_MS);
  let closed: Promise<void> | undefined;
  const allAnswered = (): Promise<void> => {
    closed ??= bridge?.close() ?? Promise.resolve();
    return closed;
  };
  let failure: unknown;
  try {
    const why = await Promise.race([end.promise, started.then(() => end.promise)]);
    // Whoever asked and left, or ended its file, has not asked in vain: somebody may serve yet.
    const isInTime = why === 'signal' || (await areAnswered(allAnswered(), started, signals.asked));
    if (signals.isAsked()) {
      if (!hasServed) log('ended by a signal before anybody served');
    } else if (!election.current && !(isInTime && (hasServed || !bridge?.isUsed))) {
      const nobody = 'no server has started before the client left';
      throw new AppError('UNAVAILABLE', election.trouble ?? nobody);
    }
  } catch (error) {
    failure = error;
    // Whoever was told that there is a server is told at each call why there is none.
    if (hasClient && input === 'client' && bridge?.hasGreeted) {
      log(messageOf(error));
      deps.giveUp(messageOf(error));
      await end.promise;
    }
    throw error;
  } finally {
    const answered = allAnswered();
    const deadline = setTimeout(() => {
      if (failure !== undefined) log(messageOf(failure));
      log('it has not stopped in time');
      process.exit(FAILED);
    }, stopMs);
    if (signals.isAsked()) await withTimeout(answered, QUICK_ANSWERS_MS);
    deps.giveUp(failure === undefined ? undefined : messageOf(failure));
    await withTimeout(answered, BROKEN_ANSWERS_MS);
    await election.close();
    await started.catch(() => {});
    clearTimeout(deadline);
    clearInterval(awake);
    signals.forget();
  }
}

/** In time. */
async function areAnswered(
  answered: Promise<void>,
  started: Promise<Server>,
  asked: Promise<void>,
): Promise<boolean> {
  const over = Promise.race([answered, asked, started.then(() => answered)]);
  return (await withTimeout(over, LAST_ANSWERS_MS)) !== null;
}

function described({ role, port, identity }: Server): string {
  const { pid, kind, database } = identity;
  const where = `port ${port}${database === null ? '' : `, database ${database}`}`;
  if (role === 'primary') return `PRIMARY: serves on ${where}`;
  return `PROXY of process ${pid} (${kind === 'eliza' ? 'an Eliza server' : 'headless'}), ${where}`;
}

interface Signals {
  readonly asked: Promise<void>;
  isAsked(): boolean;
  forget(): void;
}

/** The first one asks, the second does not wait. A slip of the agent's must not end what it serves. */
function onSignals(log: (line: string) => void): Signals {
  const asked = deferred<void>();
  let isAsked = false;
  const onSignal = (): void => {
    if (isAsked) process.exit(FAILED);
    isAsked = true;
    asked.resolve();
  };
  const onRejection = (error: unknown): void => log(`unexpected: ${messageOf(error)}`);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('unhandledRejection', onRejection);
  return {
    asked: asked.promise,
    isAsked: () => isAsked,
    forget() {
      for (const signal of SIGNALS) process.off(signal, onSignal);
      process.off('unhandledRejection', onRejection);
    },
  };
}
