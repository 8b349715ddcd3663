/** A PRIMARY: a headless agent of this process, served on a loopback port and named in PID files. */

import { setTimeout as delay } from 'node:timers/promises';
import type { IAgentRuntime } from '@elizaos/core';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import { localKey } from '../surfaces/mcp-client.js';
import type { ServerAddress } from './connect.js';
import { type Env, shownDatabase } from './database-location.js';
import { RPC_PATH } from './find-server.js';
import type { ServerFile } from './pid-file.js';
import { isWriterAlive, readPidFile, removePidFile, writePidFile, writerMark } from './pid-file.js';
import {
  addressOf,
  type FoundServer,
  type Identity,
  identify,
  probeNamed,
} from './server-probe.js';

export interface OwnServer extends FoundServer {
  /** Resolves when an Eliza server wants the database (`PrimaryAgent.wanted`). */
  readonly wanted: PrimaryAgent['wanted'];
  /** Writes each PID file that is there no more, or names a process that is gone. */
  announce(): void;
  /** Idempotent. What is being answered gets a second, unless the database is `opened` by another. */
  close(how?: 'opened'): Promise<void>;
}

export interface OwnServerOptions {
  startAgent: StartAgent;
  env: Env;
  /** Its own first, that of its database. In others it is named where no server that lives is. */
  pidFiles: readonly [own: string, ...others: string[]];
  /** Of the agent, where it is not that of the process. */
  agentEnv: Env;
  cwd: string;
  /** The first that is tried. */
  port: number;
  clock: Clock;
  /** Told to whoever may end it. */
  hasClient?: boolean | undefined;
  log(line: string): void;
}

/** Until the services of an agent have read what is stored. */
const READY_MS = 30 * SECOND_MS;
const PAUSE_MS = 50;
const ANSWER_MS = 5 * SECOND_MS;
/** Of the usual server, which may be another database's, and hang. */
const USUAL_ANSWER_MS = SECOND_MS;

/** @throws AppError as `StartAgent` and the listener do, UNAVAILABLE when its services do not come up */
export async function startOwnServer(options: OwnServerOptions): Promise<OwnServer> {
  const { startAgent, agentEnv, cwd, log } = options;
  const agent = await startAgent({ cwd, env: agentEnv, log });
  try {
    return await serve(agent, options);
  } catch (error) {
    await agent.close();
    throw error;
  }
}

/** What the PID file tells people of it; nothing of a memory that is not kept. */
function databaseOf({ directory }: PrimaryAgent, { POSTGRES_URL: postgresUrl }: Env) {
  if (directory !== null) return { database: directory };
  return postgresUrl ? { database: shownDatabase({ kind: 'server', postgresUrl }) } : {};
}

async function serve(agent: PrimaryAgent, options: OwnServerOptions): Promise<OwnServer> {
  const { env, clock, log, pidFiles } = options;
  const [ownFile, ...others] = pidFiles;
  const { runtime, agentId } = agent;
  const started = new Date(clock.now()).toISOString();
  // With all the routes of the plugin: what only follows a server does without them.
  const { serveHeadless, startListener } = await import('../surfaces/rest/index.js');
  serveHeadless(runtime, started);
  const listener = await startListener({ runtime, port: options.port, increment: true });
  const { port } = listener;
  const file: ServerFile = {
    ...{ ...writerMark(), port, started, path: RPC_PATH, agentId },
    ...{ key: localKey(), kind: 'headless' as const },
    ...databaseOf(agent, options.agentEnv),
    ...(options.hasClient ? { hasClient: true as const } : {}),
  };
  const address = addressOf(file, env);
  const identity = await ready(address, clock).catch(async (error: unknown) => {
    await listener.close();
    throw error;
  });

  let isTold = false;
  const write = (path: string): void => {
    try {
      writePidFile(path, file);
    } catch (error) {
      if (!isTold) log(`${messageOf(error)}; commands find this server with -p ${port} only`);
      isTold = true;
    }
  };
  const forget = (): void => {
    for (const path of pidFiles) removePidFile(path, process.pid);
  };
  const isNamed = (path: string, answerMs: number): Promise<boolean> =>
    probeNamed(path, env, answerMs).then(Boolean, () => true);
  // While the agent started, an Eliza server may have come, which its file has to lead to.
  if (await isNamed(ownFile, ANSWER_MS)) {
    log(`another server is named already; commands find this one with -p ${port} only`);
  } else write(ownFile);
  for (const path of others) if (!(await isNamed(path, USUAL_ANSWER_MS))) write(path);
  process.once('exit', forget);

  const close = async (how?: 'opened'): Promise<void> => {
    isClosing = true;
    const closed = listener.close();
    // Whoever has the database open already must not meet another write of ours.
    if (how !== 'opened') await closed;
    forget();
    process.off('exit', forget);
    await Promise.all([closed, agent.close()]);
  };
  let closing: Promise<void> | undefined;
  let isClosing = false;
  return {
    ...{ address, port, identity, wanted: agent.wanted },
    announce() {
      if (isClosing) return;
      for (const path of pidFiles) {
        const named = readPidFile(path);
        if (!(named && isWriterAlive(named))) write(path);
      }
    },
    close(how) {
      closing ??= close(how);
      return closing;
    },
  };
}

/** Services start in the background: whoever is sent to this server must find them. */
async function ready(address: ServerAddress, clock: Clock): Promise<Identity> {
  const endMs = clock.now() + READY_MS;
  do {
    const found = await identify(address, ANSWER_MS);
    if (found?.pid === process.pid) return found;
    await delay(PAUSE_MS);
  } while (clock.now() < endMs);
  const message = 'the services of the agent have not started; its log has the cause';
  throw new AppError('UNAVAILABLE', message);
}

/** A headless agent that this process has started. */
export interface PrimaryAgent {
  runtime: IAgentRuntime;
  agentId: string;
  /** The embedded database's directory; `null`: a database server, or memory. */
  directory: string | null;
  /**
   * Resolves when an Eliza server wants the directory, or has opened it already: then nothing may be
   * written any more, not even by a clean close. Never rejects.
   */
  readonly wanted: Promise<'wanted' | 'opened'>;
  /** Stops services and database; idempotent. */
  close(): Promise<void>;
}

/**
 * @throws AppError UNAVAILABLE with `details.pid` when another live process has the directory open;
 * INVALID_INPUT when a setting is wrong, or nobody said which of several agents is meant
 */
export interface StartAgent {
  (options: StartAgentOptions): Promise<PrimaryAgent>;
  /** Loads what such a start needs, so that the next one is quick; opens nothing. */
  preload?(options: Omit<StartAgentOptions, 'log'>): Promise<void>;
}

export interface StartAgentOptions {
  /** Absolute: where the command was called. */
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** One line for people; standard output belongs to the protocol. */
  log(line: string): void;
}
