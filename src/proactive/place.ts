/** The place an offer is for: the narrowest thing its target names. */
import type { OfferTarget } from './types.js';

/** Equal for targets that are the same place; cooldowns, rate limits and standing warnings are per place. */
export function placeKey({ roomId, sessionId, agentId }: OfferTarget): string {
  if (roomId !== undefined) return `room ${roomId}`;
  if (sessionId !== undefined) return `session ${sessionId}`;
  return agentId === undefined ? 'anyone' : `agent ${agentId}`;
}
