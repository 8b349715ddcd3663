/** Which sessions are one: what a local client says of itself when it begins a session of MCP. */

import { createHash, timingSafeEqual } from 'node:crypto';
import type { OperationGroup } from '../operations/index.js';
import { type Ids, randomIds } from '../shared/ids.js';
import { isUuid, type Uuid } from '../shared/uuid.js';

/**
 * The session that a client has of its own, in which its hooks tell what happens (`cue hook`); read when a client begins a session of MCP, and believed only of a process of the
 * same person (`localKey`).
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

const TOOL_GROUPS = [
  'memory',
  'hints',
  'when',
  'offers',
  'triggers',
] as const satisfies OperationGroup[];

export const TOOL_CHOICES: readonly string[] = ['default', 'all', ...TOOL_GROUPS];

/** The words of a list that are chosen, and the first that may not be. */
export function choicesIn(list: string): { words: string[]; wrong: string | undefined } {
  const words = list.split(',').flatMap((word) => word.trim() || []);
  return { words, wrong: words.find((word) => !TOOL_CHOICES.includes(word)) };
}

/** Of tools those that a client is shown. @param chosen absent or empty: the default set */
export function chosenOf<Tool extends { group: string; isDefault: boolean }>(
  tools: readonly Tool[],
  chosen: readonly string[] | undefined,
): readonly Tool[] {
  const groups = chosen === undefined || chosen.length === 0 ? ['default'] : chosen;
  if (groups.includes('all')) return tools;
  return tools.filter(
    ({ group, isDefault }) => groups.includes(group) || (isDefault && groups.includes('default')),
  );
}

/** What `CUE_MCP_TOOLS` is, of one client alone; read when it begins a session. */
export const TOOLS_HEADER = 'x-cue-tools';

/**
 * In the `_meta` of a result or a message: the ids of the offers in it. `false` in that of a call: none
 * may ride along, because no model reads the answer.
 */
export const OFFERS_META = 'cue/offers';

/** In what a client sends. */
export const LOCAL_KEY_HEADER = 'x-cue-local';

let key: string | undefined;

/** Of this process, for as long as it lives. */
export function localKey(ids: Ids = randomIds): string {
  key ??= ids.next();
  return key;
}

/** In a time that tells nothing of the key. */
export function isLocalKey(given: string | undefined): boolean {
  if (given === undefined || key === undefined) return false;
  return timingSafeEqual(digest(given), digest(key));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
