/** The session that a client has of its own, in which its hooks tell what happens (`cue hook`). */

/**
 * Says which one it is; read when a client begins a session of MCP, and believed only of a process of the
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
