/**
 * Sessions of conversations (DESIGN §1): per room, messages with gaps under half an hour, and never
 * one from before the agent started. Held in memory only, so that a restart ends them all.
 */
import { MINUTE_MS } from '../shared/clock.js';
import type { Ids } from '../shared/ids.js';

/** Silence after which a room has a new session. */
export const SESSION_GAP_MS = 30 * MINUTE_MS;

/** Rooms remembered; beyond that the ones that have been silent longest are forgotten. */
const MAX_ROOMS = 10_000;

export interface Sessions {
  /** Id of the session that something in this room at this time (epoch ms) belongs to. */
  sessionOf(roomId: string, atMs: number): string;
  /** Whether something at this time would still belong to the session. */
  isOpen(sessionId: string, atMs: number): boolean;
}

/** @param deps.maxRooms for tests */
export function createSessions(deps: { ids: Ids; maxRooms?: number }): Sessions {
  const { ids, maxRooms = MAX_ROOMS } = deps;
  /** In the order of last use. */
  const rooms = new Map<string, { id: string; lastMs: number }>();
  // In both directions: a clock that is set back must not keep a session open for a day.
  const goesOn = (lastMs: number, atMs: number) => Math.abs(atMs - lastMs) < SESSION_GAP_MS;
  return {
    sessionOf(roomId, atMs) {
      const known = rooms.get(roomId);
      const session =
        known !== undefined && goesOn(known.lastMs, atMs)
          ? { id: known.id, lastMs: Math.max(known.lastMs, atMs) }
          : { id: ids.next(), lastMs: atMs };
      rooms.delete(roomId);
      rooms.set(roomId, session);
      const [silent] = rooms.keys();
      if (rooms.size > maxRooms && silent !== undefined) rooms.delete(silent);
      return session.id;
    },
    isOpen(sessionId, atMs) {
      for (const { id, lastMs } of rooms.values())
        if (id === sessionId) return goesOn(lastMs, atMs);
      return false;
    },
  };
}
