/** An Eliza server with the plugin says where it listens, as `nudge serve` does (DESIGN §11). */
import { type IAgentRuntime, Service } from '@elizaos/core';
import { pidEnvironment, serverEnvironment } from '../settings.js';
import { type Clock, SECOND_MS, systemClock } from '../shared/clock.js';
import { isAppError, messageOf } from '../shared/errors.js';
import { hostLog, type Log } from '../shared/log.js';
import { localKey } from '../surfaces/mcp-client.js';
import {
  addressOf,
  type DatabaseLocation,
  type Env,
  type Identity,
  identify,
  pidFileOf,
  pidFiles,
  probeNamed,
  RPC_PATH,
  readPidFile,
  removePidFile,
  shownDatabase,
  usualPidFile,
  writePidFile,
  writerMark,
} from './client.js';

export interface Announcement {
  /** Takes the file away if it is ours. */
  close(): void;
}

export interface AnnounceOptions {
  clock: Clock;
  log: Log;
  /** Between two looks, ms; the first ones come faster. */
  everyMs?: number;
}

const ANSWER_MS = 2 * SECOND_MS;
const EVERY_MS = 10 * SECOND_MS;
/** The host takes an agent's routes up some time after its services have started. */
const FIRST_MS = 500;
const FIRST_LOOKS = 20;

/**
 * Writes the PID files, that of its database and the machine's usual one, once this process answers for this
 * agent: each where no other server that lives is named, the usual one also in place of a headless server;
 * again when somebody has taken it away. In a host without a server nothing is asked or written.
 */
export function announceServer(
  runtime: IAgentRuntime,
  { clock, log, everyMs = EVERY_MS }: AnnounceOptions,
): Announcement {
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let isClosed = false;
  let complained = false;
  /** The PID file of its database, once it is known which. */
  let own: string | null = null;
  const started = new Date(clock.now()).toISOString();

  async function look(): Promise<void> {
    const port = servedPort(runtime);
    if (port === null) return;
    const env = environment();
    if (own !== null && [own, usualPidFile(env)].every(isOurs)) return;
    const { agentId } = runtime;
    const address = addressOf({ port, agentId }, env);
    const identity = await identify(address, ANSWER_MS).catch(() => null);
    if (identity?.pid !== process.pid || identity.agentId !== agentId) return;
    const place = placeOf(runtime, identity);
    own = pidFileOf(env, place);
    const database = shownDatabase(place);
    const key = localKey();
    const usual = usualPidFile(env);
    for (const path of [own, usual]) {
      const isKept = isOurs(path) || (await isNamed(path, env, path === usual));
      if (isClosed) return;
      if (!isKept) {
        const file = { ...writerMark(), port, started, path: RPC_PATH, agentId, key } as const;
        writePidFile(path, { ...file, kind: 'eliza', database });
      }
    }
  }
  function soon(): void {
    if (isClosed) return;
    timer = setTimeout(() => void lookAgain(), looks < FIRST_LOOKS ? FIRST_MS : everyMs);
    timer.unref();
  }
  async function lookAgain(): Promise<void> {
    looks += 1;
    try {
      await look();
    } catch (error) {
      const fields = { error: messageOf(error), ...(isAppError(error) ? error.details : {}) };
      if (!complained) log.warn(fields, 'commands need -p PORT to find this server');
      complained = true;
    }
    soon();
  }
  const remove = () => {
    for (const path of pidFiles(environment())) {
      removePidFile(path, process.pid, runtime.agentId);
    }
  };
  process.once('exit', remove);
  soon();

  return {
    close() {
      if (isClosed) return;
      isClosed = true;
      clearTimeout(timer);
      process.off('exit', remove);
      remove();
    },
  };
}

/** `announceServer` for as long as the agent runs. */
export class ServingService extends Service {
  static override serviceType = 'CUE_SERVING';
  override capabilityDescription = 'Tells the command line and coding agents where this server is';
  private announcement: Announcement | null = null;

  static override async start(runtime: IAgentRuntime): Promise<ServingService> {
    const service = new ServingService(runtime);
    const log = hostLog(runtime, 'serving');
    service.announcement = announceServer(runtime, { clock: systemClock, log });
    return service;
  }

  override async stop(): Promise<void> {
    this.announcement?.close();
  }
}

/** @param isUsual a running agent comes before a headless server */
async function isNamed(path: string, env: Env, isUsual: boolean): Promise<boolean> {
  try {
    const named = await probeNamed(path, env, ANSWER_MS);
    if (named === null || 'silent' in named) return false;
    return !(isUsual && named.identity.kind === 'headless');
  } catch {
    return true;
  }
}

function isOurs(path: string): boolean {
  return readPidFile(path)?.pid === process.pid;
}

/** What it has open: nobody who means another database may be sent here. */
function placeOf(runtime: IAgentRuntime, { database }: Identity): DatabaseLocation {
  if (database !== null) return { kind: 'directory', directory: database };
  const { pgliteDir = 'memory://', postgresUrl } = serverEnvironment();
  const set = runtime.getSetting('POSTGRES_URL') || postgresUrl;
  return typeof set === 'string'
    ? { kind: 'server', postgresUrl: set }
    : { kind: 'memory', dataDir: pgliteDir };
}

/** The server writes the port it has got into the environment before it starts any agent. */
function servedPort(runtime: IAgentRuntime): number | null {
  return runtime.elizaOS ? serverEnvironment().port : null;
}

function environment(): Env {
  return { ...pidEnvironment(), ELIZA_SERVER_AUTH_TOKEN: serverEnvironment().apiKey };
}
