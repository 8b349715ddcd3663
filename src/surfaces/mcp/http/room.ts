/** Which sessions end so that another can begin. Pure. */
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../shared/clock.js';

/** A session as far as its place is concerned. */
export interface Occupant {
  /** When it was last asked, or had said all that it was asked for. */
  lastMs: number;
  /** A stream of it is open, or a call of it runs. */
  isBusy: boolean;
  /** Its client has come back after it began. */
  wasUsed: boolean;
}

export interface Room<T> {
  ending: T[];
  /** `null`: there is room; else how long it takes until there may be, ms. */
  fullForMs: number | null;
}

export const MAX_SESSIONS = 200;
/** Kept for processes of the same person on this machine: nobody over HTTP may shut them out. */
export const LOCAL_SESSIONS = 50;
const SILENT_MS = HOUR_MS;
/** Nobody comes back to a session that was only begun: scripts that leave one at each call. */
const BEGUN_MS = 30 * SECOND_MS;
const IDLE_MS = 5 * MINUTE_MS;
/** While all are busy nobody knows when one ends. */
const LATER_MS = MINUTE_MS;

/** Nobody has asked it for an hour, and it is not in use. */
export function isLongSilent({ isBusy, lastMs }: Occupant, nowMs: number): boolean {
  return !isBusy && nowMs - lastMs > SILENT_MS;
}

/**
 * Those that nobody has asked for an hour end, and when there are too many, those that have been silent
 * for some minutes. One that is in use never does, whoever else comes.
 * @param places how many there may be
 */
export function roomFor<T extends Occupant>(
  sessions: Iterable<T>,
  nowMs: number,
  places = MAX_SESSIONS,
): Room<T> {
  const all = [...sessions];
  const silent = all.filter(({ isBusy }) => !isBusy).sort((a, b) => freeAt(a) - freeAt(b));
  const free = silent.filter((one) => nowMs >= freeAt(one));
  const over = all.length + 1 - places;
  const ending = free.filter((one, place) => place < over || isLongSilent(one, nowMs));
  if (ending.length >= over) return { ending, fullForMs: null };
  const next = Math.min(...silent.map(freeAt), nowMs + LATER_MS);
  return { ending, fullForMs: Math.max(next - nowMs, 0) };
}

function freeAt({ lastMs, wasUsed }: Occupant): number {
  return lastMs + (wasUsed ? IDLE_MS : BEGUN_MS);
}
