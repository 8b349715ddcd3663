/**
 * Requests from outside of a conversation (REST, MCP, the command line): a draft or a change whose
 * schedule may be text instead of data. What they mean is decided here, so that every such surface reads
 * the same request in the same way.
 */
import { z } from 'zod';
import { yieldToLoop } from '../shared/async.js';
import { type Finding, InvalidInputError, wrongField } from '../shared/errors.js';
import { judge, parsed } from '../shared/findings.js';
import { defined } from '../shared/json.js';
import { isVisible } from '../shared/safe-text.js';
import { timeZoneProblem } from '../shared/zones.js';
import { mustSpeakForItself } from './access.js';
import { type CreateResult, type Item, sorted } from './create.js';
import type { TriggerSettings } from './parts.js';
import { judgedScheduleInput, previewSchedule, type SchedulePreview } from './report.js';
import { type KnownZone, timezoneSourceOf } from './retime.js';
import { parseIso, type ScheduleLimits } from './schedule.js';
import {
  LIMITS,
  type Requester,
  scheduleSchema,
  storableText,
  TRIGGER_STATES,
  type TriggerDraft,
  type TriggerRun,
  type TriggerSummary,
  triggerDraftSchema,
  triggerPatchSchema,
} from './schema.js';
import { scheduleOf } from './task-codec.js';
import type { Triggers } from './triggers.js';

const timezoneSchema = z
  .string()
  .max(100)
  .superRefine((name, context) => {
    const problem = timeZoneProblem(name);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

const scheduleTextSchema = storableText(
  LIMITS.scheduleTextChars,
  `must have at most ${LIMITS.scheduleTextChars} characters: say when alone, and what to do as instructions`,
).refine(isVisible, 'must not be empty');

const either = {
  text: scheduleTextSchema.optional(),
  schedule: scheduleSchema.optional(),
  timezone: timezoneSchema.optional(),
};

/** What creates a trigger: `text` or `schedule`; `text` may hold the instructions as well. */
export const triggerInputSchema = triggerDraftSchema
  .omit({
    schedule: true,
    parentTriggerId: true,
    creatorAgentId: true,
    creatorIsGuest: true,
    timezoneSource: true,
  })
  .partial({ instructions: true })
  .extend(either);

const id = z.string().min(1).max(100);

/**
 * What changes one: the fields of a patch, or one of the two commands `snoozeUntil` (ISO 8601,
 * without an offset in the trigger's zone) and `skipNext`, which stand alone.
 */
export const editInputSchema = triggerPatchSchema.omit({ timezoneSource: true }).extend({
  id,
  ...either,
  snoozeUntil: z.string().min(1).max(64).optional(),
  skipNext: z.literal(true).optional(),
});

const previewInputSchema = z.strictObject(either);

/** How long a caller may wait for a run, ms. */
const MAX_WAIT_MS = 20_000;

export const listInputSchema = z.strictObject({
  state: z.enum(TRIGGER_STATES).optional(),
  /** In name or instructions. */
  q: storableText(200).optional(),
  limit: z.int().min(1).max(500).default(50),
  cursor: z.string().min(1).max(200).optional(),
  creatorEntityId: z.guid().optional(),
  order: z.enum(['newest', 'soonest']).optional(),
});
export const idInputSchema = z.strictObject({ id });
export const runInputSchema = z.strictObject({
  id,
  /** Waits so long for the end. */
  waitMs: z.int().min(0).max(MAX_WAIT_MS).optional(),
});

/** An export, or any part of one. */
const importSchema = z.strictObject({
  version: z.literal(1).optional(),
  exportedAtIso: z.string().optional(),
  triggers: z.array(z.unknown()),
});

export type BatchResult = ReturnType<typeof sorted>;

export interface RequestsDeps {
  triggers: Triggers;
  settings: () => TriggerSettings;
  now: () => number;
  /** Zone of the agent, or what is known of the person. */
  zoneOf: (entityId: string | undefined) => Promise<KnownZone>;
  /** Those of the given rooms that exist. */
  roomsThatExist: (roomIds: string[]) => Promise<Set<string>>;
}

/** How many items are judged before the event loop has its turn. */
const READ_BATCH = 50;

export type TriggerRequests = ReturnType<typeof createRequests>;

export function createRequests(deps: RequestsDeps) {
  const { triggers } = deps;

  function limits(): ScheduleLimits & { minIntervalMs: number; allowSeconds: boolean } {
    const { minIntervalMs, allowSeconds } = deps.settings();
    return { nowMs: deps.now(), minIntervalMs, allowSeconds };
  }

  async function readDraft(raw: unknown): Promise<Item> {
    const judged = judge(triggerInputSchema, raw);
    if (judged.findings !== null) return { findings: judged.findings };
    const { text, schedule: given, timezone, instructions: said, ...fields } = judged.data;
    const zone: KnownZone =
      timezone === undefined
        ? await deps.zoneOf(fields.creatorEntityId)
        : { name: timezone, source: 'request' };
    try {
      oneOf(text, given);
      const readIn = (name: string) =>
        judgedScheduleInput({ timezone: name, ...defined({ text, schedule: given }) }, limits());
      const read = readIn(zone.name);
      const isNamed = zone.source === 'request' || given?.timezone !== undefined;
      const timezoneSource = isNamed
        ? 'request'
        : timezoneSourceOf(
            (name) => unlessInvalid(() => readIn(name).schedule),
            zone.source,
            deps.now(),
          );
      const instructions = said ?? read.instructions;
      if (instructions === undefined) return { findings: [NO_INSTRUCTIONS] };
      const { schedule } = read;
      const draft = { ...fields, instructions, schedule, ...defined({ timezoneSource }) };
      return { draft };
    } catch (error) {
      if (error instanceof InvalidInputError) return { findings: error.findings };
      throw error;
    }
  }

  /** Rooms a request names and that are not there: a typing error would lose every answer. */
  async function missingRooms(drafts: Rooms[]): Promise<(draft: Rooms) => Finding[]> {
    const named = new Set(drafts.flatMap((draft) => roomsOf(draft).map(([, id]) => id)));
    const known = named.size === 0 ? new Set() : await deps.roomsThatExist([...named]);
    return (draft) =>
      roomsOf(draft)
        .filter(([, id]) => !known.has(id))
        .map(([field]) => ({ field, message: 'the agent knows no room with this id' }));
  }

  /** @throws InvalidInputError, NotFoundError, AppError CONFLICT, DUPLICATE or DISABLED */
  async function edit(raw: unknown, requester: Requester): Promise<TriggerSummary> {
    const { id, ...change } = parsed(editInputSchema, raw);
    const { text, schedule: given, timezone, snoozeUntil, skipNext, ...patch } = change;
    const asked = Object.entries(change).filter(([, value]) => value !== undefined);
    if (asked.every(([name]) => name === 'revision')) throw new InvalidInputError([NOTHING]);
    const command = skipNext ? 'skipNext' : snoozeUntil === undefined ? null : 'snoozeUntil';
    if (command !== null && asked.length > 1) {
      throw wrongField(command, 'cannot stand beside other fields');
    }
    if (text !== undefined || given !== undefined) oneOf(text, given);
    const before = await triggers.get(id, requester);
    const zone = timezone ?? before.timezone ?? (await deps.zoneOf(before.creatorEntityId)).name;
    if (skipNext) return triggers.skipNext(id, requester);
    if (snoozeUntil !== undefined) {
      return triggers.snooze(id, instantOf(snoozeUntil, zone, deps.now()), requester);
    }
    mustSpeakForItself(requester, patch);
    const missing = (await missingRooms([patch]))(patch);
    if (missing.length > 0) throw new InvalidInputError(missing);
    if (text !== undefined || given !== undefined) {
      const read = judgedScheduleInput(
        { timezone: zone, ...defined({ text, schedule: given }) },
        limits(),
      );
      const { instructions = read.instructions, ...rest } = patch;
      return triggers.update(
        id,
        { ...rest, schedule: read.schedule, ...defined({ instructions }) },
        requester,
      );
    }
    // A zone alone moves the same schedule to it.
    const moved = timezone === undefined ? {} : { schedule: { ...scheduleOf(before), timezone } };
    return triggers.update(id, { ...patch, ...moved }, requester);
  }

  return {
    /** Nothing is stored. @throws InvalidInputError */
    async preview(raw: unknown): Promise<SchedulePreview> {
      const { text, schedule, timezone } = parsed(previewInputSchema, raw);
      oneOf(text, schedule);
      const zone = timezone ?? (await deps.zoneOf(undefined)).name;
      return previewSchedule({ timezone: zone, ...defined({ text, schedule }) }, limits());
    },

    /** @throws InvalidInputError, AppError LIMIT_REACHED or DISABLED */
    async create(raw: unknown, requester: Requester): Promise<Exclude<CreateResult, Confirm>> {
      const read = await readDraft(raw);
      if ('findings' in read) throw new InvalidInputError(read.findings);
      mustSpeakForItself(requester, read.draft);
      const missing = (await missingRooms([read.draft]))(read.draft);
      if (missing.length > 0) throw new InvalidInputError(missing);
      const result = await triggers.create(read.draft, { requester, source: 'operator' });
      if ('confirm' in result) throw new Error('an operator is never asked to confirm');
      return result;
    },

    /** Judged one by one; `index` is the place in the request. */
    async createMany(raws: unknown[]): Promise<BatchResult> {
      tooMany(raws);
      const items: Item[] = [];
      for (const [index, raw] of raws.entries()) {
        if (index % READ_BATCH === 0) await yieldToLoop();
        items.push(await readDraft(raw));
      }
      const missing = await missingRooms(items.flatMap((one) => ('draft' in one ? one.draft : [])));
      const known = items.map((one): Item => {
        const findings = 'draft' in one ? missing(one.draft) : [];
        return findings.length > 0 ? { findings } : one;
      });
      return sorted(await triggers.createEach(known));
    },

    /** Rooms are not checked: those of another agent are not here, and the answers are kept. */
    async importAll(raw: unknown): Promise<BatchResult> {
      const given = parsed(importSchema, raw);
      tooMany(given.triggers);
      return sorted(await triggers.importEach(given.triggers));
    },

    async list(
      raw: unknown,
      requester: Requester,
    ): Promise<{ triggers: TriggerSummary[]; total: number; nextCursor: string | null }> {
      const { state, q, limit, cursor, creatorEntityId, order } = parsed(listInputSchema, raw);
      const filter = defined({ state, text: q, creatorEntityId });
      return triggers.list(filter, { limit, ...defined({ cursor, order }) }, requester);
    },

    edit,

    async remove(raw: unknown, requester: Requester): Promise<TriggerSummary> {
      return triggers.remove(parsed(idInputSchema, raw).id, requester);
    },

    async run(
      raw: unknown,
      requester: Requester,
    ): Promise<{ runId: string; run: TriggerRun | null; trigger: TriggerSummary | null }> {
      const { id, waitMs } = parsed(runInputSchema, raw);
      return triggers.run(id, requester, waitMs === undefined ? {} : { waitMs });
    },
  };
}

function unlessInvalid<T>(read: () => T): T | null {
  try {
    return read();
  } catch (error) {
    if (error instanceof InvalidInputError) return null;
    throw error;
  }
}

type Confirm = Extract<CreateResult, { confirm: unknown }>;
type Rooms = Pick<TriggerDraft, 'originRoomId'> & { deliverTo?: TriggerDraft['deliverTo'] | null };

const NO_INSTRUCTIONS: Finding = { field: 'instructions', message: 'say what to do when it fires' };
const NOTHING: Finding = { field: '(body)', message: 'holds nothing to change' };

/** A schedule comes as text or as data, never as both. */
function oneOf(text: string | undefined, schedule: unknown): void {
  if ((text === undefined) !== (schedule === undefined)) return;
  throw new InvalidInputError([
    text === undefined
      ? { field: 'text', message: 'is required: say when, such as "every weekday at 9"' }
      : { field: 'text', message: 'give text or schedule, not both' },
  ]);
}

function roomsOf(draft: Rooms): [field: string, id: string][] {
  const rooms: [string, string][] = [];
  if (draft.deliverTo) rooms.push(['deliverTo.roomId', draft.deliverTo.roomId.toLowerCase()]);
  if (draft.originRoomId !== undefined)
    rooms.push(['originRoomId', draft.originRoomId.toLowerCase()]);
  return rooms;
}

function instantOf(text: string, timezone: string, nowMs: number): number {
  const atMs = parseIso(text, timezone);
  const message =
    atMs === null
      ? 'is not an ISO 8601 date and time'
      : atMs <= nowMs
        ? `is in the past (${new Date(atMs).toISOString()})`
        : null;
  if (atMs === null || message !== null) {
    throw wrongField('snoozeUntil', message ?? '');
  }
  return atMs;
}

function tooMany(items: unknown[]): void {
  if (items.length <= LIMITS.batch) return;
  throw new InvalidInputError(
    [{ field: 'triggers', message: `holds ${items.length} items, ${LIMITS.batch} is the limit` }],
    'TOO_LARGE',
  );
}
