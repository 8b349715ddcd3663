/**
 * What we have asked a person and not been answered yet: the questions of one person in one room, the
 * newest first, kept in the host's cache so that they survive a restart. They are forgotten ten minutes
 * after the last one was asked or answered.
 */
import type { IAgentRuntime, Memory } from '@elizaos/core';
import { z } from 'zod';
import { databaseOf, pgliteDirectory } from '../../records/index.js';
import { MINUTE_MS } from '../../shared/clock.js';
import { AppError } from '../../shared/errors.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { scheduleSchema, TIMEZONE_SOURCES } from '../../triggers/index.js';
import type { ToldHint } from './hint-reading.js';
import { createPerMessage } from './per-message.js';
import type { Turn } from './turn.js';

/** What a question needs to know of a turn. */
export type Asker = Pick<Turn, 'runtime' | 'run' | 'roomId' | 'nowMs' | 'requester'>;

const PENDING_MS = 10 * MINUTE_MS;
/** More open questions than anybody keeps in mind. */
const MOST_OPEN = 20;

/** A variant of a hint: that one, and none that is only called so. */
export const hintRefSchema = z.object({
  id: z.custom<Uuid>(isUuid),
  component: z.string(),
  key: z.string(),
});
export type HintRef = z.infer<typeof hintRefSchema>;

const question = <Kind extends string, Fields extends z.ZodRawShape>(kind: Kind, fields: Fields) =>
  z.object({ kind: z.literal(kind), ...fields });
const text = z.string();
const texts = z.array(text);
const timed = {
  ...{ schedule: scheduleSchema, scheduleText: text },
  timezoneSource: z.enum(TIMEZONE_SOURCES).optional(),
};

const pendingSchema = z.discriminatedUnion('kind', [
  /** "That is every 20 seconds, shall I?" */
  question('confirm-create', { instructions: text, ...timed }),
  /** "That is every minute from now on, shall I?", about a trigger that exists. */
  question('confirm-reschedule', { id: text, ...timed }),
  /** "Which day?", about a request that is not complete. */
  question('question', { text, question: text }),
  /** "Which one is 'at 5' for?", about an answer that completes several requests. */
  question('for-which', { said: text, requests: texts }),
  /** "In which time zone?", about a request with a clock time; `action` carries it out. */
  question('zone', { action: text, text }),
  /** "Which one?", about a request that fits several triggers. */
  question('which', { action: text, text, ids: texts }),
  /** "That deletes 3 triggers, shall I?" */
  question('confirm-delete', { ids: texts }),
  /** "That forgets 3 memories, shall I?": exactly those that were shown or counted. */
  question('confirm-forget', { ids: texts }),
  /** "Which of them?", about a request that fits several hints. */
  question('hint', { action: text, text, hints: z.array(hintRefSchema) }),
  /** "Did you mean this hint?", which the model has read. */
  question('confirm-hint', {
    text,
    told: z.custom<ToldHint>((told) => typeof told === 'object' && told !== null),
  }),
]);
export type Pending = z.infer<typeof pendingSchema>;

const ACTIONS: Readonly<Record<Exclude<Pending, { action: string }>['kind'], string>> = {
  'confirm-create': 'CREATE_TRIGGER',
  question: 'CREATE_TRIGGER',
  'for-which': 'CREATE_TRIGGER',
  'confirm-reschedule': 'UPDATE_TRIGGER',
  'confirm-delete': 'DELETE_TRIGGER',
  'confirm-forget': 'FORGET_WORK_MEMORY',
  'confirm-hint': 'SET_HINT',
};

/** The action that the answer goes to. */
export function actionOf(pending: Pending): string {
  return 'action' in pending ? pending.action : ACTIONS[pending.kind];
}

export function takesYesOrNo(pending: Pending): boolean {
  return pending.kind.startsWith('confirm-');
}

const storedSchema = z.object({ expiresAtMs: z.number(), open: z.array(pendingSchema) });

/** As it is stored; whether it is still open is asked each time. */
const seen = createPerMessage<unknown>((runtime) => pgliteDirectory(databaseOf(runtime)) !== null);

function keyOf(roomId: string, entityId: string): string {
  return `cue:pending:${roomId}:${entityId}`;
}

/**
 * The questions that are open between the agent and the writer of this message. Read once for a
 * message, or a minute of a database that no other process has, until one is asked or answered.
 */
export async function questionsFor(
  runtime: IAgentRuntime,
  message: Memory,
  nowMs: number,
): Promise<Pending[]> {
  const read = () => runtime.getCache<unknown>(keyOf(message.roomId, message.entityId));
  return openIn(await seen.of(runtime, message, nowMs, read), nowMs);
}

function openIn(stored: unknown, nowMs: number): Pending[] {
  const parsed = storedSchema.safeParse(stored);
  if (!parsed.success || parsed.data.expiresAtMs <= nowMs) return [];
  // A clock that was set back must not keep a question open for ever.
  return parsed.data.expiresAtMs - nowMs > PENDING_MS ? [] : parsed.data.open;
}

/** The open questions, the newest first; none in a run, which does not answer what a person was asked. */
export async function openQuestions(turn: Asker): Promise<Pending[]> {
  if (turn.run !== null || turn.roomId === undefined) return [];
  const key = keyOf(turn.roomId, turn.requester.entityId);
  return openIn(await turn.runtime.getCache<unknown>(key), turn.nowMs);
}

/**
 * The newest question that `action` has asked. A yes or no is said to the last question that takes one,
 * so an older one does not count.
 */
export async function pendingOf(turn: Asker, action: string): Promise<Pending | null> {
  const open = await openQuestions(turn);
  const confirm = open.find(takesYesOrNo);
  const answered = (one: Pending) => actionOf(one) === action;
  return open.find((one) => answered(one) && (one === confirm || !takesYesOrNo(one))) ?? null;
}

/** Opens a question; the same one asked before is replaced. In a run nobody would answer. */
export async function ask(turn: Asker, pending: Pending): Promise<void> {
  const others = (await openQuestions(turn)).filter((one) => !isSame(one, pending));
  if (others.length >= MOST_OPEN) {
    throw new AppError(
      'LIMIT_REACHED',
      `${MOST_OPEN} questions are open already: answer one of them or say "never mind" first`,
    );
  }
  await keep(turn, [pending, ...others]);
}

/** Closes questions. */
export async function forget(turn: Asker, ...answered: readonly Pending[]): Promise<void> {
  const open = await openQuestions(turn);
  await keep(
    turn,
    open.filter((one) => !answered.some((other) => isSame(one, other))),
  );
}

async function keep(turn: Asker, open: readonly Pending[]): Promise<void> {
  if (turn.run !== null || turn.roomId === undefined) return;
  const key = keyOf(turn.roomId, turn.requester.entityId);
  if (open.length === 0) await turn.runtime.deleteCache(key);
  else await turn.runtime.setCache(key, { expiresAtMs: turn.nowMs + PENDING_MS, open });
  seen.drop(turn.runtime, turn.roomId);
}

/** The same request, or, where a question holds none, the same kind of question. */
function isSame(one: Pending, other: Pending): boolean {
  return (
    one.kind === other.kind &&
    actionOf(one) === actionOf(other) &&
    subjectOf(one) === subjectOf(other)
  );
}

function subjectOf(pending: Pending): string {
  if ('text' in pending) return pending.text;
  if ('instructions' in pending) return pending.instructions;
  return pending.kind === 'confirm-reschedule' ? pending.id : '';
}

/** What one person was told of last in one room, kept in the host's cache. A run tells nobody. */
export function lastTold<Told extends object>(name: string, schema: z.ZodType<Told>) {
  const stored = z.intersection(z.object({ atMs: z.number() }), schema);
  const keyIn = ({ roomId, requester }: Asker) => `cue:${name}:${roomId}:${requester.entityId}`;
  const isHeard = ({ run, roomId }: Asker) => run === null && roomId !== undefined;
  return {
    async note(turn: Asker, told: Told): Promise<void> {
      if (!isHeard(turn)) return;
      await turn.runtime.setCache(keyIn(turn), { ...told, atMs: turn.nowMs });
    },
    async last(turn: Asker): Promise<(Told & { atMs: number }) | null> {
      if (!isHeard(turn)) return null;
      return stored.safeParse(await turn.runtime.getCache<unknown>(keyIn(turn))).data ?? null;
    },
  };
}

/** What "it" means next: the trigger this person was last told about in this room. */
export const mentioned = lastTold('mentioned', z.object({ triggerId: z.string() }));
