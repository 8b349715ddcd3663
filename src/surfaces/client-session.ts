/** Which sessions are one: what a local client says of itself when it begins a session of MCP. */
import { isUuid, type Uuid } from '../shared/uuid.js';

/**
 * The session that a client has of its own, in which its hooks tell what happens (`cue hook`); read when a client begins a session of MCP, and believed only of a process of the
 * same person (`serving/local-key.ts`).
 */
export const CLIENT_SESSION_HEADER = 'x-cue-session';

/** As long as a happening's `sessionId` may be, and what a header carries as it is. */
const USABLE = /^[\x20-\x7e]{1,200}$/;

/** `undefined` where there is none that can be sent. */
export function clientSessionOf(text: string | undefined): string | undefined {
  const id = text?.trim();
  return id !== undefined && USABLE.test(id) ? id : undefined;
}

/**
 * The connection of a bridge, a secret of the two ends: its session goes on as the same one with the next
 * server, with what it wrote and what waits for it. Believed as the other.
 */
export const CONNECTION_HEADER = 'x-cue-connection';

/** `undefined` where there is none. */
export function connectionOf(text: string | undefined): Uuid | undefined {
  return isUuid(text) ? text : undefined;
}
