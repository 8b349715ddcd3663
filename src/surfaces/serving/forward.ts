/**
 * Brings each call to whoever serves, in the order in which they come. While nobody does they are held;
 * what was under way when a server died is sent again where that does no harm (`isRepeatable`), else
 * answered with an error that says so: such a call is carried out at most once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, SECOND_MS } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { within } from '../../shared/within.js';
import { deferred } from './deferred.js';
import type { Roles, Server } from './roles.js';
import { failureOf, isRepeatable } from './rpc-body.js';
import { deliver } from './transport.js';

export interface Forwarder {
  /**
   * @param text one request or batch as it came
   * @param body the same, parsed
   * @returns the answer in one line, an error where it could not be brought; `null` when none is due.
   * Never rejects
   */
  send(text: string, body: unknown): Promise<string | null>;
  /** What is held is answered with an error, what is under way is broken off. */
  close(): void;
}

export interface ForwardLimits {
  /** Calls that wait while nobody serves. */
  held: number;
  /** How long one waits for a server, ms. */
  heldMs: number;
}

const LIMITS: ForwardLimits = { held: 1_000, heldMs: 20 * SECOND_MS };
/** A call that one server after the other dies of must not end them all. */
const DEATHS = 2;
const PAUSE_MS = 100;

export function createForwarder(
  roles: Roles,
  { clock, limits = LIMITS }: { clock: Clock; limits?: ForwardLimits },
): Forwarder {
  const closing = new AbortController();
  const closed = deferred<never>();
  let open = 0;
  let goneMs = clock.now();
  let turn: Promise<unknown> = Promise.resolve();
  roles.onChange((server) => {
    if (!server) goneMs = clock.now();
  });

  /** @throws AppError */
  async function bring(text: string, body: unknown, arrivedMs: number): Promise<string | null> {
    let endMs: number | undefined;
    let deaths = 0;
    for (;;) {
      if (closing.signal.aborted) throw stopping();
      const server = roles.current ?? (await nextServer());
      const outcome = await deliver(server.address, text, closing.signal);
      if ('answer' in outcome) return outcome.answer;
      if ('refused' in outcome) throw new AppError(outcome.refused.code, outcome.refused.message);
      roles.lost(server);
      if ('broken' in outcome) {
        deaths += 1;
        const isOver = closing.signal.aborted || deaths > DEATHS;
        if (isOver || !isRepeatable(body)) throw unknownOutcome(outcome.broken);
      } else if (clock.now() >= end()) throw unserved(outcome.undelivered);
      if (roles.current) await delay(PAUSE_MS);
    }

    async function nextServer(): Promise<Server> {
      const left = Math.max(0, end() - clock.now());
      const server = await within(Promise.race([roles.server(), closed.promise]), left);
      if (server) return server;
      throw unserved(`nobody serves: ${roles.trouble ?? 'the next server is being looked for'}`);
    }
    /** Counted from when it came, or the server went. */
    function end(): number {
      endMs ??= Math.max(arrivedMs, goneMs) + limits.heldMs;
      return endMs;
    }
  }

  return {
    async send(text, body) {
      const arrivedMs = clock.now();
      if (!roles.current && open >= limits.held) {
        return failureOf(body, unserved(`${open} calls wait for a server already`));
      }
      open += 1;
      const mine = turn.then(() => bring(text, body, arrivedMs));
      turn = mine.catch(() => undefined);
      try {
        return await mine;
      } catch (error) {
        if (error instanceof AppError) return failureOf(body, error);
        throw error;
      } finally {
        open -= 1;
      }
    },
    close() {
      closing.abort();
      closed.reject(stopping());
    },
  };
}

function unserved(why: string): AppError {
  return new AppError('UNAVAILABLE', `the call was not carried out: ${why}`, {
    carried_out: false,
  });
}

function stopping(): AppError {
  return unserved('this process is stopping');
}

function unknownOutcome(why: string): AppError {
  const message = `the server went while it had the call, which may have been carried out: ${why}`;
  return new AppError('UNAVAILABLE', message, { carried_out: 'unknown' });
}
