/**
 * What we have asked a person and not been answered yet: at most one question per person and room,
 * kept in the host's cache so that it survives a restart, and forgotten after ten minutes.
 */
import type { IAgentRuntime, Memory } from '@elizaos/core';
import { z } from 'zod';
import { MINUTE_MS } from '../../shared/clock.js';
import { scheduleSchema, TIMEZONE_SOURCES } from '../../triggers/index.js';
import { hintRefSchema } from './hint-ref.js';
import { createPerMessage } from './per-message.js';
import type { Turn } from './turn.js';

/** What a question needs to know of a turn. */
export type Asker = Pick<Turn, 'runtime' | 'run' | 'roomId' | 'nowMs' | 'requester'>;

export const PENDING_MS = 10 * MINUTE_MS;

const pendingSchema = z.discriminatedUnion('kind', [
  /** "That is every 20 seconds, shall I?" */
  z.object({
    kind: z.literal('confirm-create'),
    instructions: z.string(),
    schedule: scheduleSchema,
    scheduleText: z.string(),
    timezoneSource: z.enum(TIMEZONE_SOURCES).optional(),
  }),
  /** "That is every minute from now on, shall I?", about a trigger that exists. */
  z.object({
    kind: z.literal('confirm-reschedule'),
    id: z.string(),
    schedule: scheduleSchema,
    scheduleText: z.string(),
    timezoneSource: z.enum(TIMEZONE_SOURCES).optional(),
  }),
  /** "Which day?", about a request that is not complete. */
  z.object({ kind: z.literal('question'), text: z.string(), question: z.string() }),
  /** "In which time zone?", about a request with a clock time; `action` carries it out. */
  z.object({ kind: z.literal('zone'), action: z.string(), text: z.string() }),
  /** "Which one?", about a request that fits several triggers. */
  z.object({
    kind: z.literal('which'),
    action: z.string(),
    text: z.string(),
    ids: z.array(z.string()),
  }),
  /** "That deletes 3 triggers, shall I?" */
  z.object({ kind: z.literal('confirm-delete'), ids: z.array(z.string()) }),
  /** "That forgets 3 memories, shall I?": exactly those that were shown or counted. */
  z.object({ kind: z.literal('confirm-forget'), ids: z.array(z.string()) }),
  /** "For which component?", "Which of them?", "Shall I keep it?", about a request that has to do with hints. */
  z.object({
    kind: z.literal('hint'),
    action: z.string(),
    text: z.string(),
    missing: z.enum(['component', 'key', 'value', 'yes', 'which']),
    /** What was answered already. */
    draft: z.object({ component: z.string(), key: z.string(), value: z.string() }).partial(),
    hints: z.array(hintRefSchema),
  }),
  /** "That forgets 3 hints, shall I?": exactly those. */
  z.object({ kind: z.literal('confirm-forget-hints'), hints: z.array(hintRefSchema) }),
]);
export type Pending = z.infer<typeof pendingSchema>;

const storedSchema = z.object({
  expiresAtMs: z.number(),
  pending: pendingSchema,
  /** Asked before it and not answered either; open again when this one is closed. */
  before: pendingSchema.optional(),
});

/** As it is stored; whether it is still open is asked each time. */
const seen = createPerMessage<unknown>();

function keyOf(roomId: string, entityId: string): string {
  return `cue:pending:${roomId}:${entityId}`;
}

/** The question that is open between the agent and this person in this room. */
export async function readPending(
  runtime: IAgentRuntime,
  who: { roomId: string | undefined; entityId: string },
  nowMs: number,
): Promise<Pending | null> {
  if (who.roomId === undefined) return null;
  return pendingIn(await runtime.getCache<unknown>(keyOf(who.roomId, who.entityId)), nowMs);
}

/** The same for whoever looks several times in one message: read once, until one is asked or answered. */
export async function pendingFor(
  runtime: IAgentRuntime,
  message: Memory,
  nowMs: number,
): Promise<Pending | null> {
  const read = () => runtime.getCache<unknown>(keyOf(message.roomId, message.entityId));
  return pendingIn(await seen.of(runtime, message, nowMs, read), nowMs);
}

function pendingIn(stored: unknown, nowMs: number): Pending | null {
  const parsed = storedSchema.safeParse(stored);
  if (!parsed.success || parsed.data.expiresAtMs <= nowMs) return null;
  // A clock that was set back must not keep a question open for ever.
  return parsed.data.expiresAtMs - nowMs > PENDING_MS ? null : parsed.data.pending;
}

export function pendingOf(turn: Asker): Promise<Pending | null> {
  // What a person was asked in chat is not answered by a run.
  if (turn.run !== null) return Promise.resolve(null);
  return readPending(
    turn.runtime,
    { roomId: turn.roomId, entityId: turn.requester.entityId },
    turn.nowMs,
  );
}

/**
 * Replaces whatever was open; `before` is what stays open behind it. In a run nothing is kept: nobody
 * would answer.
 */
export async function ask(
  turn: Asker,
  pending: Pending,
  before: Pending | null = null,
): Promise<void> {
  if (turn.run !== null || turn.roomId === undefined) return;
  await turn.runtime.setCache(keyOf(turn.roomId, turn.requester.entityId), {
    expiresAtMs: turn.nowMs + PENDING_MS,
    pending,
    ...(before === null ? {} : { before }),
  });
  seen.drop(turn.runtime, turn.roomId);
}

/** What "it" means next: the trigger this person was last told about in this room. */
export async function mention(turn: Turn, triggerId: string): Promise<void> {
  if (turn.run !== null || turn.roomId === undefined) return;
  await turn.runtime.setCache(mentionKey(turn.roomId, turn.requester.entityId), {
    triggerId,
    atMs: turn.nowMs,
  });
}

export async function lastMentioned(
  turn: Turn,
): Promise<{ triggerId: string; atMs: number } | null> {
  if (turn.run !== null || turn.roomId === undefined) return null;
  const stored = await turn.runtime.getCache<unknown>(
    mentionKey(turn.roomId, turn.requester.entityId),
  );
  const parsed = mentionSchema.safeParse(stored);
  return parsed.success ? parsed.data : null;
}

const mentionSchema = z.object({ triggerId: z.string(), atMs: z.number() });

function mentionKey(roomId: string, entityId: string): string {
  return `cue:mentioned:${roomId}:${entityId}`;
}

/** Closes the question that is open, and opens the one before it, which is returned. */
export async function forget(turn: Asker): Promise<Pending | null> {
  if (turn.run !== null || turn.roomId === undefined) return null;
  const key = keyOf(turn.roomId, turn.requester.entityId);
  const stored = storedSchema.safeParse(await turn.runtime.getCache<unknown>(key));
  const isOpen = stored.success && stored.data.expiresAtMs > turn.nowMs;
  const before = isOpen ? (stored.data.before ?? null) : null;
  if (before === null) await turn.runtime.deleteCache(key);
  else await ask(turn, before);
  seen.drop(turn.runtime, turn.roomId);
  return before;
}
