/** How long a call waits while nobody serves, and what it is told then. */
import type { Clock } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { within } from '../../shared/within.js';
import { deferred } from './deferred.js';
import type { Roles, Server } from './roles.js';

export interface Waiting {
  /** Of one call; from when it came, or the server went. */
  begin(heldMs: number): Wait;
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

export function createWaiting(roles: Roles, clock: Clock): Waiting {
  const closed = deferred<never>();
  let isClosed = false;
  let reason = 'this process is stopping';
  let goneMs = clock.now();
  roles.onChange((server) => {
    if (!server) goneMs = clock.now();
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
          const server = await within(Promise.race([roles.server(), closed.promise]), left);
          if (server) return server;
          throw unserved(
            `nobody serves: ${roles.trouble ?? 'the next server is being looked for'}`,
          );
        },
        isOver: () => clock.now() >= end(),
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

export function unanswered(pid: number, port: number, why: string): AppError {
  const message = `the server (process ${pid}, port ${port}) has the call, and does not answer: ${why}`;
  return new AppError('UNAVAILABLE', message, { carried_out: 'unknown' });
}
