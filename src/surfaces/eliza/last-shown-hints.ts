/**
 * The hints that a person was given last in a room: what "that worked" and "forget it" mean. Kept in
 * the host's cache, for half an hour.
 */
import { z } from 'zod';
import { MINUTE_MS } from '../../shared/clock.js';
import { type HintRef, hintRefSchema } from './hint-ref.js';
import type { Asker } from './pending.js';

const GIVEN_MS = 30 * MINUTE_MS;
const MOST_GIVEN = 8;
const storedSchema = z.object({ atMs: z.number(), hints: z.array(hintRefSchema) });

/** Replaces what was given before. In a run nobody speaks of it next. */
export async function noteShownHints(turn: Asker, hints: readonly HintRef[]): Promise<void> {
  if (turn.run !== null || turn.roomId === undefined) return;
  const kept = hints.slice(0, MOST_GIVEN).map(({ id, component, key }) => ({ id, component, key }));
  await turn.runtime.setCache(keyOf(turn.roomId, turn.requester.entityId), {
    atMs: turn.nowMs,
    hints: kept,
  });
}

export async function lastShownHints(turn: Asker): Promise<HintRef[]> {
  if (turn.run !== null || turn.roomId === undefined) return [];
  const stored = await turn.runtime.getCache<unknown>(keyOf(turn.roomId, turn.requester.entityId));
  const parsed = storedSchema.safeParse(stored);
  if (!parsed.success || Math.abs(turn.nowMs - parsed.data.atMs) > GIVEN_MS) return [];
  return parsed.data.hints;
}

function keyOf(roomId: string, entityId: string): string {
  return `cue:hints-given:${roomId}:${entityId}`;
}
