/** Small memories of when something was: sessions that have begun, turns of clients, offers that wait. */
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { placeKey } from './occasions.js';
import type { OfferData } from './offer-types.js';
import type { OfferTarget } from './types.js';

/** Conversations and places remembered; the ones that have been silent longest are dropped. */
const MOST = 10_000;
/** An offer that waits longer has lost its moment: the talk is elsewhere. */
const FRESH_MS = 30 * MINUTE_MS;
/** Happenings of a client so near to each other are one turn of it. */
const ONE_TURN_MS = 10 * SECOND_MS;

export interface Begun {
  has(session: { roomId: string; sessionId: string }): boolean;
  note(session: { roomId: string; sessionId?: string | undefined }): void;
}

/** The session that each conversation was greeted in. */
export function createBegun(): Begun {
  const sessions = new Map<string, string>();
  return {
    has: ({ roomId, sessionId }) => sessions.get(roomId) === sessionId,
    note({ roomId, sessionId }) {
      if (sessionId !== undefined) remember(sessions, roomId, sessionId);
    },
  };
}

/** Turns of clients, which no run delimits. */
export function createClientTurns(clock: Clock): { begins(target: OfferTarget): boolean } {
  const last = new Map<string, number>();
  return {
    begins(target) {
      const place = placeKey(target);
      const nowMs = clock.now();
      const before = last.get(place);
      remember(last, place, nowMs);
      return before === undefined || Math.abs(nowMs - before) >= ONE_TURN_MS;
    },
  };
}

/** Whether an offer that waits may still be shown. A time in the future is of a clock set back. */
export function isFresh({ state, createdAtMs }: OfferData, nowMs: number): boolean {
  return state === 'pending' && nowMs - createdAtMs < FRESH_MS;
}

/** Keeps the newest. */
export function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}
