/**
 * Brings each call to whoever serves, in the order in which they come. While nobody does they are held;
 * what was under way when a server died is sent again where that does no harm (`isRepeatable`), else
 * answered with an error that says so: such a call is carried out at most once.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Clock, SECOND_MS } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import type { Roles } from './roles.js';
import { failureOf, isQuick, isRepeatable } from './rpc-body.js';
import { deliver, SILENT_MS } from './transport.js';
import { createWaiting, unanswered, unknownOutcome, unserved, type Wait } from './waiting.js';

export interface Forwarder {
  /**
   * @param text one request or batch as it came
   * @param body the same, parsed
   * @returns the answer in one line, an error where it could not be brought; `null` when none is due.
   * Never rejects
   */
  send(text: string, body: unknown): Promise<string | null>;
  /** What is held is answered with an error that says why, what is under way is broken off. */
  close(why?: string): void;
}

export interface ForwardLimits {
  /** Calls that wait while nobody serves. */
  held: number;
  /** How long one waits for a server, ms. */
  heldMs: number;
  /** How long a read may take that a server has, ms; 10 s. */
  readMs?: number;
}

const READ_MS = 10 * SECOND_MS;

export const FORWARD_LIMITS: ForwardLimits = { held: 1_000, heldMs: 20 * SECOND_MS };
/** A call that one server after the other dies of must not end them all. */
export const DEATHS = 2;
/** Before one that went and is there again is tried anew. */
export const PAUSE_MS = 100;

export function createForwarder(
  roles: Roles,
  { clock, limits = FORWARD_LIMITS }: { clock: Clock; limits?: ForwardLimits },
): Forwarder {
  const closing = new AbortController();
  const waiting = createWaiting(roles, clock);
  let open = 0;
  let turn: Promise<unknown> = Promise.resolve();

  /** @throws AppError */
  async function bring(text: string, body: unknown, wait: Wait): Promise<string | null> {
    let deaths = 0;
    /** What is to be said when nobody else takes it. */
    let lost: AppError | null = null;
    for (;;) {
      const server = await wait.server().catch((error: unknown) => {
        throw lost ?? error;
      });
      const silentMs = isQuick(body) ? (limits.readMs ?? READ_MS) : SILENT_MS;
      const attempt = waiting.attempt(server, closing.signal);
      const outcome = await deliver(server.address, text, attempt.signal, { silentMs });
      attempt.end();
      if ('answer' in outcome) return outcome.answer;
      if ('refused' in outcome) throw new AppError(outcome.refused.code, outcome.refused.message);
      // Whether it hangs, or has but much to do, the roles find out.
      if ('silent' in outcome) throw unanswered(server, outcome.silent);
      roles.lost(server);
      if ('broken' in outcome) {
        deaths += 1;
        lost = attempt.isSilent ? unanswered(server) : unknownOutcome(outcome.broken);
        const isOver = waiting.isClosed || deaths > DEATHS;
        if (isOver || !isRepeatable(body)) throw lost;
      } else if (wait.isOver()) throw lost ?? unserved(outcome.undelivered);
      if (roles.current) await delay(PAUSE_MS);
    }
  }

  return {
    async send(text, body) {
      const wait = waiting.begin(limits.heldMs);
      if (!roles.current && open >= limits.held) {
        return failureOf(body, unserved(`${open} calls wait for a server already`));
      }
      open += 1;
      const mine = turn.then(() => bring(text, body, wait));
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
    close(why) {
      waiting.close(why);
      closing.abort();
    },
  };
}
