/** An Eliza server with the plugin says where it listens, as `nudge serve` does (DESIGN §11). */
import { type IAgentRuntime, Service } from '@elizaos/core';
import { pidEnvironment, serverEnvironment } from './settings.js';
import { type Clock, SECOND_MS, systemClock } from './shared/clock.js';
import { isAppError, messageOf } from './shared/errors.js';
import { hostLog, type Log } from './shared/log.js';
import {
  addressOf,
  identify,
  localKey,
  namedServer,
  RPC_PATH,
  readPidFile,
  removePidFile,
  writePidFile,
  writerMark,
} from './surfaces/serving/index.js';

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
 * Writes the PID file once this process answers for this agent, and no other server that lives is named
 * there; again when somebody has taken it away. In a host without a server nothing is asked or written.
 */
export function announceServer(
  runtime: IAgentRuntime,
  { clock, log, everyMs = EVERY_MS }: AnnounceOptions,
): Announcement {
  let timer: NodeJS.Timeout | undefined;
  let looks = 0;
  let isClosed = false;
  let complained = false;
  const started = new Date(clock.now()).toISOString();

  async function look(): Promise<void> {
    const port = servedPort(runtime);
    if (port === null) return;
    const env = environment();
    if (readPidFile(env)?.pid === process.pid) return;
    if (await namedServer(env, ANSWER_MS).catch(() => true)) return;
    const { agentId } = runtime;
    const address = addressOf({ port, agentId }, env);
    const identity = await identify(address, ANSWER_MS).catch(() => null);
    if (isClosed || identity?.pid !== process.pid || identity.agentId !== agentId) return;
    const key = localKey();
    writePidFile(env, { ...writerMark(), port, started, path: RPC_PATH, agentId, key });
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
  const remove = () => removePidFile(environment(), process.pid, runtime.agentId);
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

/** The server writes the port it has got into the environment before it starts any agent. */
function servedPort(runtime: IAgentRuntime): number | null {
  return runtime.elizaOS ? serverEnvironment().port : null;
}

function environment(): Readonly<Record<string, string | undefined>> {
  return { ...pidEnvironment(), ELIZA_SERVER_AUTH_TOKEN: serverEnvironment().apiKey };
}
