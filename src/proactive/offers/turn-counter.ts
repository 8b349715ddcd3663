/**
 * How many turns each day had: what false alarms are divided by. Kept in the database, so that it
 * survives a restart; written seldom, since a turn must not wait for it.
 */
import { type Clock, DAY_MS, SECOND_MS } from '../../shared/clock.js';
import { messageOf } from '../../shared/errors.js';
import type { Log } from '../../shared/log.js';
import { dayOf } from './stats.js';

/** Where turns are kept; several processes may add to it. */
export interface TurnStore {
  /** Turns of the project by UTC day. @throws when they cannot be read */
  read(): Promise<Record<string, number>>;
  /**
   * Adds to what is stored, in one step, and drops days before `firstDay`.
   * @throws when nothing was added
   */
  add(turns: Record<string, number>, firstDay: string): Promise<void>;
}

export interface TurnCounterDeps extends TurnStore {
  clock: Clock;
  log: Pick<Log, 'warn'>;
}

export interface TurnCounter {
  /** One more turn today; written within 10 s. */
  count(): void;
  /** Turns by UTC day, also those not written yet. @throws when they cannot be read */
  counts(): Promise<Record<string, number>>;
  /** Writes what was counted. Never rejects: what cannot be written is kept for the next time. */
  flush(): Promise<void>;
  stop(): Promise<void>;
}

const FLUSH_MS = 10 * SECOND_MS;
/** Some more than the days for which offers are kept. */
const KEPT_DAYS = 200;

export function createTurnCounter({ read, add, clock, log }: TurnCounterDeps): TurnCounter {
  /** Counted here and not written. */
  let unsaved = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let writing = Promise.resolve();

  async function save(): Promise<void> {
    if (unsaved.size === 0) return;
    const taken = unsaved;
    unsaved = new Map();
    try {
      await add(Object.fromEntries(taken), dayOf(clock.now() - KEPT_DAYS * DAY_MS));
    } catch (error) {
      for (const [day, turns] of taken) unsaved.set(day, (unsaved.get(day) ?? 0) + turns);
      log.warn({ reason: messageOf(error) }, 'turns could not be counted, tried again later');
    }
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    writing = writing.then(save);
    return writing;
  }

  return {
    count() {
      const day = dayOf(clock.now());
      unsaved.set(day, (unsaved.get(day) ?? 0) + 1);
      if (timer !== undefined) return;
      timer = setTimeout(() => void flush(), FLUSH_MS);
      timer.unref();
    },
    async counts() {
      await writing;
      const sums = await read();
      for (const [day, turns] of unsaved) sums[day] = (sums[day] ?? 0) + turns;
      return sums;
    },
    flush,
    stop: flush,
  };
}
