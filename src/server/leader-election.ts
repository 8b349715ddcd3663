/**
 * Who serves the memory that this process means (DESIGN §11): another process, which this one then follows
 * (PROXY), or this one (PRIMARY). Looked for anew whenever a server goes; of several that miss it, the one
 * that gets the right to serve (`right-to-serve`) becomes the next, and the others follow it.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from '../shared/async.js';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import { AppError, isAppError, messageOf } from '../shared/errors.js';
import { isRunning } from '../shared/process-life.js';
import {
  type DatabaseLocation,
  type Env,
  isPersonal,
  personalDatabase,
} from './database-location.js';
import { DEFAULT_PORT, PROJECT_PORT, targetDatabase } from './find-server.js';
import {
  type OwnServer,
  type OwnServerOptions,
  type StartAgent,
  startOwnServer,
} from './own-server.js';
import type { ServerFile } from './pid-file.js';
import { pidFileOf, usualPidFile } from './pid-file.js';
import { takeRight } from './right-to-serve.js';
import {
  askWho,
  type FoundServer,
  howToGoOn,
  type Identity,
  isListened,
  probeNamed,
  probeProcess,
  resolveAgent,
} from './server-probe.js';

/**
 * One that takes the place of another opens the same database for the same agent.
 * @throws AppError UNAVAILABLE when it cannot know which: its folder's own would be another memory
 */
function sameDatabase(env: Env, last: Identity | null): Env {
  if (!last) return env;
  const { database, agentId: CUE_AGENT, pid } = last;
  if (database !== null) {
    const { POSTGRES_URL: _not, ...rest } = env;
    return { ...rest, PGLITE_DATA_DIR: database, CUE_AGENT };
  }
  if (env.POSTGRES_URL || pid === process.pid) return { ...env, CUE_AGENT };
  const message =
    'the server that has gone had a database server, or a memory that is not kept: this process does not ' +
    'take its place without POSTGRES_URL; start a server anew';
  throw new AppError('UNAVAILABLE', message);
}

/** Why a server is not followed that has another database than the one before: it may be another project's. */
function otherDatabase(now: Identity): AppError {
  const message = `another memory is served now: ${databaseWords(now)}; start anew to join it`;
  return new AppError('UNAVAILABLE', message);
}

/** What to tell of a server that is not for the same agent and database as the one before; `null`: it is. */
function changeOf(now: Identity, before: Identity): string | null {
  const isSame = now.agentId === before.agentId && now.database === before.database;
  return isSame
    ? null
    : `another memory than before: ${databaseWords(now)} instead of ${databaseWords(before)}`;
}

function databaseWords({ agentId, database }: Identity): string {
  return `agent ${agentId} in ${database ?? 'a database server, or none that is kept'}`;
}

/** Whoever serves at this moment. */
export interface Server extends FoundServer {
  role: 'primary' | 'proxy';
}

export interface LeaderElection {
  /** `null`: nobody at this moment. */
  readonly current: Server | null;
  /** Why nobody serves, as far as it is known. */
  readonly trouble: string | null;
  /** Resolves when it is known whether somebody served already as this process began to look. */
  readonly looked: Promise<void>;
  /** Whoever serves, or who will next. Rejects (AppError UNAVAILABLE) when the election is closed. */
  server(): Promise<Server>;
  /** Somebody could not reach it: it is looked for anew. Nothing when another serves already. */
  lost(server: Server): void;
  /** A connection to it has ended: whether it lives is looked at now. */
  doubt(server: Server): void;
  /** Called with each server, and with `null` when it has gone; `silent`: it lives on, and does not answer. */
  onChange(listener: (server: Server | null, silent?: Server) => void): void;
  /**
   * Finds a server, or becomes it.
   * @throws AppError as `StartAgent` does; UNAVAILABLE when another process has the database and does not
   * serve, or the server wants a key
   */
  start(): Promise<Server>;
  /** Stops serving, cleanly; idempotent. */
  close(): Promise<void>;
}

export interface LeaderElectionDeps extends Pick<OwnServerOptions, 'hasClient'> {
  startAgent: () => Promise<StartAgent>;
  env: Env;
  cwd: string;
  /** The user's; else the one of the headless server before, or 8765, for a project 8766. 0: one that is free. */
  port?: number;
  clock: Clock;
  /** One line for people. */
  log(line: string): void;
  times?: Partial<ElectionTimes>;
}

/** ms. */
export interface ElectionTimes {
  /** Between two looks whether the server still lives. */
  checkMs: number;
  /** Between two looks who serves, while nobody does. */
  pollMs: number;
  /** Between two tries to open a database that somebody else has, and to find one without a PID file. */
  retryMs: number;
  /** How long a first start waits for whoever has the database. */
  patienceMs: number;
  /** How long a first start waits for a server that does not answer: its own client waits, too. */
  hangingMs: number;
  /** How long an Eliza server that wanted the database may take to serve it. */
  handOverMs: number;
  /** How long a server may take to say who it is. */
  answerMs: number;
  /** From joining a server until what is needed to take its place is loaded: the client's first calls come first. */
  preloadMs: number;
}

const TIMES: ElectionTimes = {
  checkMs: SECOND_MS,
  pollMs: 100,
  retryMs: 2 * SECOND_MS,
  patienceMs: 60 * SECOND_MS,
  hangingMs: 12 * SECOND_MS,
  handOverMs: 45 * SECOND_MS,
  answerMs: 3 * SECOND_MS,
  preloadMs: SECOND_MS,
};

/** Looks for the server of whoever has the right to serve, until that is asked for again: it costs ten times as much. */
const RIGHT_POLLS = 5;
/** Rounds of looking after the server until it is asked, and not only whether it is there. */
const ASK_ROUNDS = 5;
/** What is busy may miss a question; with these it is missed after 16 s at most. */
const SILENCES = 3;

/** What somebody else has: the right to serve, or the database. */
interface Blocked {
  holder: number;
  error: AppError;
  /** Not tried again before. */
  againMs: number;
  /** It has the right to serve, and does not serve yet. */
  isStarting?: true;
  /** It serves, and does not answer. */
  isHanging?: true;
}

/** How long one looks for a server before it is given up, ms. */
type Patience = Pick<ElectionTimes, 'patienceMs' | 'hangingMs'>;
const ENDLESS: Patience = {
  patienceMs: Number.POSITIVE_INFINITY,
  hangingMs: Number.POSITIVE_INFINITY,
};

export function createLeaderElection(deps: LeaderElectionDeps): LeaderElection {
  const { env, clock, log } = deps;
  const times = { ...TIMES, ...deps.times };
  const meant = targetDatabase(env, deps.cwd);
  const usual = usualPidFile(env);
  const listeners: Parameters<LeaderElection['onChange']>[0][] = [];
  let current: Server | null = null;
  let own: OwnServer | null = null;
  /** The right to serve, while this process serves or is about to. */
  let right: { release(): void } | null = null;
  /** Until then an Eliza server is expected, and this process must not take its database again. */
  let handedOverUntilMs = 0;
  let last: FoundServer | null = null;
  let trouble: string | null = null;
  let next = deferred<Server>();
  const looked = deferred<void>();
  let watching: NodeJS.Timeout | undefined;
  let check: () => Promise<void> = async () => {};
  let preloading: NodeJS.Timeout | undefined;
  let closing: Promise<void> | undefined;
  let isClosing = false;
  /** The look that is under way, and whatever else must have ended before the election is closed. */
  let looking: Promise<unknown> = Promise.resolve();

  function begin(role: Server['role'], found: FoundServer): Server {
    const { address, port, identity } = found;
    const server: Server = { role, address, port, identity };
    current = server;
    last = server;
    trouble = null;
    check = checker(server);
    watching = setInterval(() => void check(), times.checkMs);
    if (role === 'proxy') preloadLater(server);
    next.resolve(server);
    for (const listener of listeners) listener(server);
    return server;
  }

  /** Once. What cannot be loaded is said when it is needed: who only follows may do without. */
  function preloadLater({ identity }: Server): void {
    const preload = async (): Promise<void> => {
      // Whoever takes the place of the server has no processor to spare; the next one is followed anew.
      if (!current) preloading = undefined;
      else
        await (await deps.startAgent()).preload?.({
          cwd: deps.cwd,
          env: sameDatabase(env, identity),
        });
    };
    preloading ??= setTimeout(() => void preload().catch(() => {}), times.preloadMs).unref();
  }

  function end(silent?: Server): void {
    clearInterval(watching);
    if (!current) return;
    current = null;
    next = deferred();
    for (const listener of listeners) listener(null, silent);
  }

  /** A server that hangs still has its process and its port: now and then it must say who it is. */
  function checker(server: Server): () => Promise<void> {
    let rounds = 0;
    let silences = 0;
    let isAsking = false;
    return async () => {
      if (own) return own.announce();
      const { port, address, identity } = server;
      if (!isRunning(identity.pid) || !(await isListened(port))) return lost(server);
      rounds += 1;
      if (isAsking || (silences === 0 && rounds % ASK_ROUNDS !== 0)) return;
      isAsking = true;
      const answer = await askWho(address, times.answerMs).catch(() => null);
      isAsking = false;
      silences = answer === 'silent' ? silences + 1 : 0;
      if (silences >= SILENCES) lost(server, 'silent');
    };
  }

  function lost(server: Server, how?: 'silent'): void {
    if (server.role === 'primary' || isClosing || current !== server) return;
    end(how && server);
    const what = how === 'silent' ? 'does not answer' : 'is gone';
    log(`the server ${what} (process ${server.identity.pid}, port ${server.port})`);
    looking = lookOn();
  }

  /** Until somebody serves; what stands in the way is told once, and tried again. Never rejects. */
  async function lookOn(): Promise<void> {
    while (!isClosing && !current) {
      try {
        await look(ENDLESS);
      } catch (error) {
        if (isClosing) return;
        hindered(messageOf(error));
        await delay(times.retryMs);
      }
    }
  }

  function hindered(why: string): void {
    if (trouble !== why) log(why);
    trouble = why;
  }

  async function look({ patienceMs, hangingMs }: Patience): Promise<Server> {
    const beganMs = clock.now();
    let blocked: Blocked | null = null;
    let searchMs = 0;
    let unnamedPid: number | null = null;
    for (;;) {
      const named = await probeNamed(followed(), env, times.answerMs);
      const silent = named && 'silent' in named ? named.silent : null;
      let found = named && 'silent' in named ? null : named;
      if (!found && !silent && blocked && clock.now() >= searchMs) {
        const unnamed = await probeProcess(blocked.holder, deps.port, env, times.answerMs);
        // One that has just begun is about to write its PID file, which has its key.
        if (unnamed?.identity.pid === unnamedPid) found = unnamed;
        unnamedPid = unnamed?.identity.pid ?? null;
        searchMs = clock.now() + times.retryMs;
      }
      if (isClosing) throw closed();
      if (found) return await follow(found);
      if (!silent) looked.resolve();
      const isExpected = clock.now() < handedOverUntilMs;
      const isHeld = blocked && isRunning(blocked.holder) && clock.now() < blocked.againMs;
      if (!isExpected && !isHeld) {
        const tried: Server | Blocked = await serve(silent);
        if ('role' in tried) return tried;
        const isLong = clock.now() >= beganMs + times.patienceMs;
        blocked = tried.isStarting && isLong ? stuck(tried) : tried;
        hindered(blocked.error.message);
        const mostMs = blocked.isHanging ? hangingMs : patienceMs;
        if (clock.now() >= beganMs + mostMs) throw blocked.error;
      }
      await delay(times.pollMs);
    }
  }

  async function follow(found: FoundServer): Promise<Server> {
    letGo();
    const isOther = last !== null && last.identity.database !== found.identity.database;
    if (isOther && place() === null) throw otherDatabase(found.identity);
    const meantOne = await resolveAgent(found, env, times.answerMs);
    if (isClosing) throw closed();
    return begin('proxy', meantOne);
  }

  /** What a server has that this process has followed, or been; else what it means. `null`: none in particular. */
  function place(): DatabaseLocation | null {
    const directory = meant.place === null ? last?.identity.database : null;
    return directory ? { kind: 'directory', directory } : meant.place;
  }

  /** The PID file that counts. Who has followed the usual server stays with the database of that one. */
  function followed(): string {
    const one = place();
    return one === null ? usual : pidFileOf(env, one);
  }

  /** Tries to become the server. @param silent the one that is named, where it does not answer */
  async function serve(silent: ServerFile | null): Promise<Server | Blocked> {
    const served = place() ?? personalDatabase();
    const ownFile = pidFileOf(env, served);
    const isUsual = isPersonal(served);
    if (!right) {
      // Who follows the usual server has to wait for one that is about to be that.
      const taken = await (followed() === usual
        ? takeRight([usual, ownFile])
        : takeRight([ownFile], isUsual ? usual : undefined));
      if ('holder' in taken) {
        return taken.holder === silent?.pid ? hanging(silent) : beingServed(taken.holder);
      }
      if ('lock' in taken) right = taken.lock;
      // Somebody may have been faster between the look and the lock.
      const found = await probeNamed(followed(), env, times.answerMs).catch(giveUp);
      if (found && 'silent' in found) return hanging(found.silent);
      if (found) return await follow(found);
    }
    let server: OwnServer;
    try {
      if (isClosing) throw closed();
      server = await startOwnServer({
        ...{ env, clock, log, cwd: deps.cwd, startAgent: await deps.startAgent() },
        agentEnv: sameDatabase(env, last?.identity ?? null),
        hasClient: deps.hasClient,
        pidFiles: isUsual ? [ownFile, usual] : [ownFile],
        port: deps.port ?? portAfter(last) ?? (isUsual ? DEFAULT_PORT : PROJECT_PORT),
      });
    } catch (error) {
      letGo();
      const holder = isAppError(error) && error.code === 'UNAVAILABLE' ? error.details.pid : null;
      if (!isAppError(error) || typeof holder !== 'number') throw error;
      return { holder, error, againMs: clock.now() + times.retryMs };
    }
    own = server;
    const change = last && changeOf(server.identity, last.identity);
    if (change) log(change);
    if (isClosing) {
      await stopServing();
      throw closed();
    }
    void server.wanted.then((how) => stepDown(server, how));
    handedOverUntilMs = 0;
    return begin('primary', server);
  }

  function giveUp(error: unknown): never {
    letGo();
    throw error;
  }

  /** The right is asked for again now and then: whoever had it may live on without it. */
  function beingServed(holder: number): Blocked {
    const message = `process ${holder} is about to serve`;
    const error = new AppError('UNAVAILABLE', message, { pid: holder });
    return { holder, error, againMs: clock.now() + RIGHT_POLLS * times.pollMs, isStarting: true };
  }

  function stuck(blocked: Blocked): Blocked {
    const seconds = Math.round(times.patienceMs / SECOND_MS);
    const message =
      `process ${blocked.holder} has been about to serve for over ${seconds} s and does not: ` +
      `if it hangs, end it (kill -9 ${blocked.holder}), or use another NUDGE_PID_DIR`;
    return { ...blocked, error: new AppError('UNAVAILABLE', message, { pid: blocked.holder }) };
  }

  /** Beside one that may go on at any moment, nobody begins to serve. */
  function hanging({ pid, port }: ServerFile): Blocked {
    letGo();
    const message = `the server (process ${pid}, port ${port}) does not answer: ${howToGoOn(pid)}`;
    const error = new AppError('UNAVAILABLE', message, { pid, port });
    return { holder: pid, error, againMs: clock.now() + times.retryMs, isHanging: true };
  }

  /** Keeps the right to serve meanwhile, so that no other of our kind takes the database instead. */
  function stepDown(server: OwnServer, how: 'wanted' | 'opened'): void {
    if (own !== server || isClosing) return;
    log('an Eliza server takes the database over');
    handedOverUntilMs = clock.now() + times.handOverMs;
    own = null;
    end();
    trouble = 'the Eliza server that took the database over does not serve yet';
    looking = server
      .close(how === 'opened' ? how : undefined)
      .catch(tell)
      .then(lookOn);
  }

  async function stopServing(): Promise<void> {
    const server = own;
    own = null;
    await server?.close().catch(tell);
    letGo();
  }

  function letGo(): void {
    right?.release();
    right = null;
    handedOverUntilMs = 0;
  }

  function tell(error: unknown): void {
    log(`the agent did not stop cleanly: ${messageOf(error)}`);
  }

  async function closeAll(): Promise<void> {
    isClosing = true;
    clearTimeout(preloading);
    end();
    next.reject(closed());
    await stopServing();
    await looking.catch(() => undefined);
    // A look that was under way has let go of what it had, except the right to serve.
    letGo();
  }

  return {
    get current() {
      return current;
    },
    get trouble() {
      return trouble;
    },
    looked: looked.promise,
    server: () => (current ? Promise.resolve(current) : next.promise),
    lost,
    doubt(server) {
      if (current === server && server.role === 'proxy') void check();
    },
    onChange: (listener) => void listeners.push(listener),
    start() {
      const found = look(times);
      looking = found;
      void found.catch(() => {}).then(() => looked.resolve());
      return found;
    },
    close() {
      closing ??= closeAll();
      return closing;
    },
  };
}

/** Whoever was told the port of a headless server finds the next one there; an Eliza server comes back to its own. */
function portAfter(last: FoundServer | null): number | null {
  return last?.identity.kind === 'headless' ? last.port : null;
}

function closed(): AppError {
  return new AppError('UNAVAILABLE', 'this process is stopping');
}
