/**
 * Brings a request to whoever serves: how long it waits while nobody does or the server hangs, when it is sent
 * again to the next server, and what it is told where that may not be.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { deferred, withTimeout } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import type { NotDelivered } from './connect.js';
import type { LeaderElection, Server } from './leader-election.js';
import { howToGoOn, isSameServer } from './server-probe.js';

export interface RequestRetry {
  /** Of one request; from when it came, or the server went. */
  wait(heldMs: number): Wait;
  /** One exchange with a server, which `outer` breaks off, and the server's being found to hang. */
  attempt(server: Server, outer: AbortSignal): Attempt;
  /** @returns what was answered; `null` where it is cancelled. @throws AppError */
  bring<T>(request: ResumableRequest<T>): Promise<T | null>;
  readonly isClosed: boolean;
  /** Nobody waits any more. @param why this process is stopping */
  close(why?: string): void;
}

export interface ResumableRequest<T> {
  wait: Wait;
  /** How long it waits for the next server after one that hangs, ms. */
  heldMs: number;
  /** Breaks it off. */
  signal: AbortSignal;
  /** Nobody wants an answer any more. */
  isCancelled?(): boolean;
  /** Whether it does no harm to send it again when nobody knows what became of it. */
  mayRepeat(): boolean;
  /** @param isAgain a server went while it had it. @throws AppError when it may not be tried again */
  send(server: Server, signal: AbortSignal, isAgain: boolean): Promise<Sent<T>>;
}

export type Sent<T> =
  | { done: T }
  | NotDelivered
  /** The server knows the session of the request no more: nothing has been carried out. */
  | { unknownSession: string }
  /** The server went while it had it: whether it has been carried out is not known. */
  | { broken: string }
  /** It has it, and said nothing for as long as it may take: the same is not known. */
  | { silent: string };

export interface Wait {
  /** Whoever serves, or will in time. @throws AppError UNAVAILABLE */
  server(): Promise<Server>;
  /** It has waited long enough. */
  isOver(): boolean;
}

interface Attempt {
  readonly signal: AbortSignal;
  /** It was broken off because the server hangs. */
  readonly isSilent: boolean;
  /** It has come to an end. */
  end(): void;
}

/** A request that one server after the other dies of must not end them all. */
const DEATHS = 2;
/** A session may be forgotten once; a server that forgets each of them is none. */
const RENEWALS = 3;
/** Before a server that went and is there again is tried anew. */
const PAUSE_MS = 100;

interface Running {
  server: Server;
  breakOff(): void;
}

export function createRequestRetry(election: LeaderElection, clock: Clock): RequestRetry {
  const closed = deferred<never>();
  let isClosed = false;
  let reason = 'this process is stopping';
  let goneMs = clock.now();
  const running = new Set<Running>();
  election.onChange((server, silent) => {
    if (!server) goneMs = clock.now();
    if (!silent) return;
    for (const one of running) if (isSameServer(one.server, silent)) one.breakOff();
  });

  function wait(heldMs: number): Wait {
    const arrivedMs = clock.now();
    let endMs: number | undefined;
    const end = (): number => {
      endMs ??= Math.max(arrivedMs, goneMs) + heldMs;
      return endMs;
    };
    return {
      async server() {
        if (isClosed) throw unserved(reason);
        if (election.current) return election.current;
        const left = Math.max(0, end() - clock.now());
        const server = await withTimeout(Promise.race([election.server(), closed.promise]), left);
        if (server) return server;
        throw unserved(
          `nobody serves: ${election.trouble ?? 'the next server is being looked for'}`,
        );
      },
      isOver: () => clock.now() >= end(),
    };
  }

  function attempt(server: Server, outer: AbortSignal): Attempt {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    let isSilent = false;
    const one: Running = {
      server,
      breakOff() {
        isSilent = true;
        abort();
      },
    };
    running.add(one);
    if (outer.aborted) abort();
    else outer.addEventListener('abort', abort);
    return {
      signal: stop.signal,
      get isSilent() {
        return isSilent;
      },
      end() {
        running.delete(one);
        outer.removeEventListener('abort', abort);
      },
    };
  }

  async function bring<T>(request: ResumableRequest<T>): Promise<T | null> {
    const { heldMs, signal, isCancelled = () => false, mayRepeat, send } = request;
    let waiting = request.wait;
    let deaths = 0;
    let renewals = 0;
    /** What is to be said when nobody else takes it. */
    let lost: AppError | null = null;
    for (;;) {
      if (isCancelled()) return null;
      const server = await waiting.server().catch((error: unknown) => {
        throw lost ?? error;
      });
      const one = attempt(server, signal);
      const outcome = await send(server, one.signal, deaths > 0).finally(one.end);
      if ('done' in outcome) return outcome.done;
      if ('refused' in outcome) throw new AppError(outcome.refused.code, outcome.refused.message);
      // Whether the server hangs, or has but much to do, the election finds out.
      if ('silent' in outcome) throw unanswered(server, outcome.silent);
      if ('unknownSession' in outcome) {
        renewals += 1;
        if (renewals > RENEWALS) throw unserved(outcome.unknownSession);
        continue;
      }
      if (isCancelled()) return null;
      election.lost(server);
      if ('broken' in outcome) {
        deaths += 1;
        lost = one.isSilent ? unanswered(server) : unknownOutcome(outcome.broken);
        if (isClosed || deaths > DEATHS || !mayRepeat()) throw lost;
        // A first handshake, too: whoever has begun does not wait for a start.
        if (one.isSilent) waiting = wait(heldMs);
      } else if (waiting.isOver()) throw lost ?? unserved(outcome.undelivered);
      if (election.current) await delay(PAUSE_MS);
    }
  }

  return {
    wait,
    attempt,
    bring,
    get isClosed() {
      return isClosed;
    },
    close(why = reason) {
      isClosed = true;
      reason = why;
      closed.reject(unserved(why));
    },
  };
}

export function unserved(why: string): AppError {
  return new AppError('UNAVAILABLE', `the call was not carried out: ${why}`, {
    carried_out: false,
  });
}

export function unknownOutcome(why: string): AppError {
  const message = `the server went while it had the call, which may have been carried out: ${why}`;
  return new AppError('UNAVAILABLE', message, { carried_out: 'unknown' });
}

/** @param why what is known, and what may be done */
function unanswered({ identity, port }: Server, why = howToGoOn(identity.pid)): AppError {
  const message = `the server (process ${identity.pid}, port ${port}) has the call, and does not answer: ${why}`;
  return new AppError('UNAVAILABLE', message, { carried_out: 'unknown' });
}
