/** The place an offer is for: the narrowest thing its target names. */
import type { OfferTarget } from './types.js';

/** Whether both are clients of one identity, whichever session each of them is. */
export function isSameIdentity(one: OfferTarget, other: OfferTarget): boolean {
  if (one.roomId !== undefined || other.roomId !== undefined) return false;
  return one.agentId !== undefined && one.agentId === other.agentId;
}

/** Equal for targets that are the same place; cooldowns, rate limits and standing warnings are per place. */
export function placeKey({ roomId, sessionId, agentId }: OfferTarget): string {
  if (roomId !== undefined) return `room ${roomId}`;
  if (sessionId !== undefined) return `session ${sessionId}`;
  return agentId === undefined ? 'anyone' : `agent ${agentId}`;
}
