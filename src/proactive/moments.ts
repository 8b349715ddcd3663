/** Small memories of when something was: sessions that have begun, turns of clients, offers that wait. */
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import type { OfferData } from './offer-types.js';
import type { OfferBook } from './offers/offer-book-types.js';
import { placeKey } from './place.js';
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

export interface ClientSessions {
  /**
   * Whether nobody has been told yet what there is to know at the start of the session. Who is answered
   * `true` tells it; nobody else is, until it is given back.
   */
  take(sessionId: string | undefined): Promise<boolean>;
  /** It could not be told. */
  giveBack(sessionId: string | undefined): void;
  began(...sessionIds: (string | undefined)[]): void;
}

/**
 * Sessions of clients that have begun. A hook that tells of the start often finds no server yet: the
 * client itself starts one a moment later.
 */
export function createClientSessions(
  book: Pick<OfferBook, 'open'>,
  loaded: Promise<void>,
): ClientSessions {
  const known = new Map<string, true>();
  return {
    async take(sessionId) {
      if (sessionId === undefined) return false;
      await loaded;
      if (known.has(sessionId)) return false;
      remember(known, sessionId, true);
      // Of before a restart: what was shown then is known by its offer.
      const told = book.open(
        { sessionId, kind: 'sessionStart', state: 'shown' },
        { kind: 'agent' },
      );
      return told.length === 0;
    },
    giveBack(sessionId) {
      if (sessionId !== undefined) known.delete(sessionId);
    },
    began(...sessionIds) {
      for (const id of sessionIds) if (id !== undefined) remember(known, id, true);
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

function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MOST && oldest !== undefined) map.delete(oldest);
}
