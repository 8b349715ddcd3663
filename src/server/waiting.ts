/** How long a call waits while nobody serves or whoever has it hangs, and what it is told then. */

import { deferred, withTimeout } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import type { Roles, Server } from './leader-election.js';
import { howToGoOn, isSameServer } from './server-probe.js';

export interface Waiting {
  /** Of one call; from when it came, or the server went. */
  begin(heldMs: number): Wait;
  /** One exchange with a server, which `outer` breaks off, and the server's being found to hang. */
  attempt(server: Server, outer: AbortSignal): Attempt;
  readonly isClosed: boolean;
  /** Nobody waits any more. @param why this process is stopping */
  close(why?: string): void;
}

export interface Wait {
  /** Whoever serves, or will in time. @throws AppError UNAVAILABLE */
  server(): Promise<Server>;
  /** It has waited long enough. */
  isOver(): boolean;
}

export interface Attempt {
  readonly signal: AbortSignal;
  /** It was broken off because the server hangs. */
  readonly isSilent: boolean;
  /** It has come to an end. */
  end(): void;
}

interface Running {
  server: Server;
  breakOff(): void;
}

export function createWaiting(roles: Roles, clock: Clock): Waiting {
  const closed = deferred<never>();
  let isClosed = false;
  let reason = 'this process is stopping';
  let goneMs = clock.now();
  const running = new Set<Running>();
  roles.onChange((server, silent) => {
    if (!server) goneMs = clock.now();
    if (!silent) return;
    for (const one of running) if (isSameServer(one.server, silent)) one.breakOff();
  });

  return {
    begin(heldMs) {
      const arrivedMs = clock.now();
      let endMs: number | undefined;
      const end = (): number => {
        endMs ??= Math.max(arrivedMs, goneMs) + heldMs;
        return endMs;
      };
      return {
        async server() {
          if (isClosed) throw unserved(reason);
          if (roles.current) return roles.current;
          const left = Math.max(0, end() - clock.now());
          const server = await withTimeout(Promise.race([roles.server(), closed.promise]), left);
          if (server) return server;
          throw unserved(
            `nobody serves: ${roles.trouble ?? 'the next server is being looked for'}`,
          );
        },
        isOver: () => clock.now() >= end(),
      };
    },
    attempt(server, outer) {
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
    },
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
export function unanswered({ identity, port }: Server, why = howToGoOn(identity.pid)): AppError {
  const message = `the server (process ${identity.pid}, port ${port}) has the call, and does not answer: ${why}`;
  return new AppError('UNAVAILABLE', message, { carried_out: 'unknown' });
}
