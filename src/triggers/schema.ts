/**
 * The shapes of a trigger, parsed once at the border (seed `trigger-runtime.md` §3; additions of
 * DESIGN §4 are optional). Requests are strict; what was stored is loose and carries `version`.
 */
import { z } from 'zod';
import { isVisible } from '../shared/safe-text.js';

export const TRIGGER_TYPES = ['interval', 'once', 'cron'] as const;
export const WAKE_MODES = ['inject_now', 'next_autonomy_cycle'] as const;
export const RUN_STATUSES = ['success', 'failed', 'skipped', 'deferred'] as const;

/** Who has said in which zone the clock times of a trigger are meant; `host`: only its machine. */
export const TIMEZONE_SOURCES = ['request', 'person', 'agent', 'host'] as const;

export type TriggerType = (typeof TRIGGER_TYPES)[number];
export type TriggerWakeMode = (typeof WAKE_MODES)[number];
export type TimezoneSource = (typeof TIMEZONE_SOURCES)[number];
export type TriggerExecutionStatus = (typeof RUN_STATUSES)[number];

export const MISSED_RUN_MODES = ['skip', 'once', 'all'] as const;
export const OVERLAP_POLICIES = ['skip', 'queue'] as const;

/** Limits of one field, in one place: the door, the chat and the docs say the same. */
export const LIMITS = {
  instructionsBytes: 8 * 1024,
  displayNameChars: 120,
  /** Of `text` in a request; long instructions have a field of their own. */
  scheduleTextChars: 2_000,
  maxIntervalMs: 366 * 86_400_000,
  maxRuns: 1_000_000,
  minTimeoutMs: 1_000,
  maxTimeoutMs: 3_600_000,
  batch: 10_000,
} as const;

/** PostgreSQL refuses lone surrogates, and one of them would take a whole batch down. */
export function isWellFormed(text: string): boolean {
  return !/\p{Cs}/u.test(text);
}

const wellFormed = z
  .string()
  .refine(isWellFormed, 'must not contain half a character (a lone surrogate)');
const storable = wellFormed.refine(
  (text) => !text.includes('\u0000'),
  'must not contain NUL characters',
);

/** Text that the database takes. */
export const storableText = (max: number, message?: string) => storable.max(max, message);

const isoString = z.string().min(1).max(64);
const uuidString = z.guid();

export const missedRunPolicySchema = z.strictObject({
  mode: z.enum(MISSED_RUN_MODES).default('once'),
  windowMs: z.int().min(0).max(LIMITS.maxIntervalMs).default(86_400_000),
  max: z.int().min(1).max(100).default(10),
});
export type MissedRunPolicy = z.infer<typeof missedRunPolicySchema>;

export const deliverToSchema = z.strictObject({
  roomId: uuidString,
  source: z
    .string()
    .min(1)
    .max(100)
    .refine((text) => !/[\p{Cc}\p{Cs}]/u.test(text), 'must not contain control characters')
    .optional(),
});
export type DeliverTo = z.infer<typeof deliverToSchema>;

/** A schedule as it comes over a wire: shape only; `validateSchedule` judges the content. */
export const scheduleSchema = z.strictObject({
  triggerType: z.enum(TRIGGER_TYPES),
  intervalMs: z.number().optional(),
  scheduledAtIso: isoString.optional(),
  cronExpression: z.string().min(1).max(1_000).optional(),
  timezone: z.string().min(1).max(100).optional(),
  startAtIso: isoString.optional(),
  untilIso: isoString.optional(),
  anchorMs: z.int().optional(),
  wallClock: z.boolean().optional(),
});
/**
 * When a trigger fires. Exactly the field of its `triggerType` is used:
 * - `interval`: `intervalMs` (milliseconds), counted from `startAtIso`, else `anchorMs`. With
 *   `wallClock` the interval is a whole number of days and steps in calendar days of `timezone`,
 *   so that "every other day at 9" stays at 9 across a clock change.
 * - `once`: `scheduledAtIso` (an instant, ISO 8601).
 * - `cron`: `cronExpression` read in `timezone` (IANA name; UTC when absent).
 * `startAtIso`/`untilIso` bound all of them; both ends are inclusive.
 */
export type Schedule = z.infer<typeof scheduleSchema>;

/** The fields of a trigger that are its schedule. */
export const SCHEDULE_FIELDS = Object.keys(scheduleSchema.shape) as (keyof Schedule)[];

/** Policies a person may set; each has the default of DESIGN §4. */
export const policiesShape = {
  maxRuns: z.int().min(1).max(LIMITS.maxRuns).optional(),
  missedRunPolicy: missedRunPolicySchema.optional(),
  overlapPolicy: z.enum(OVERLAP_POLICIES).optional(),
  timeoutMs: z.int().min(LIMITS.minTimeoutMs).max(LIMITS.maxTimeoutMs).optional(),
  maxFailures: z.int().min(1).max(100).optional(),
};

/** What a trigger does, and what a change may put in its place. */
const workShape = {
  instructions: storable
    .refine(isVisible, 'must not be empty: say what to do when it fires')
    .refine(
      (text) => Buffer.byteLength(text) <= LIMITS.instructionsBytes,
      `must be at most ${LIMITS.instructionsBytes} bytes`,
    ),
  displayName: wellFormed
    .trim()
    .refine(isVisible, 'must not be empty')
    .max(LIMITS.displayNameChars)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters'),
  schedule: scheduleSchema,
  enabled: z.boolean(),
  wakeMode: z.enum(WAKE_MODES),
};
const createdBy = z.enum(['user', 'agent', 'system']);

/** Who made it and where. */
const originShape = {
  creatorEntityId: uuidString.optional(),
  originRoomId: uuidString.optional(),
  parentTriggerId: uuidString.optional(),
  /** The MCP client that made it: its identity, else an id of its session; never read from a request. */
  creatorAgentId: uuidString.optional(),
  /** That client had no identity: all such clients have one limit; never read from a request either. */
  creatorIsGuest: z.literal(true).optional(),
  /** Absent: no time depends on the zone; never read from a request. */
  timezoneSource: z.enum(TIMEZONE_SOURCES).optional(),
};

/** What a caller gives to create a trigger. */
export const triggerDraftSchema = z.strictObject({
  ...workShape,
  displayName: workShape.displayName.optional(),
  enabled: workShape.enabled.default(true),
  wakeMode: workShape.wakeMode.default('inject_now'),
  createdBy: createdBy.default('user'),
  runImmediately: z.boolean().default(false),
  ...policiesShape,
  deliverTo: deliverToSchema.optional(),
  ...originShape,
});
export type TriggerDraft = z.input<typeof triggerDraftSchema>;

/**
 * A partial change; absent fields stay. `schedule` replaces the whole schedule, and a policy or a delivery
 * that is null is taken away: its default holds again.
 */
export const triggerPatchSchema = z.strictObject({
  ...z.object(workShape).partial().shape,
  maxRuns: policiesShape.maxRuns.nullable(),
  missedRunPolicy: policiesShape.missedRunPolicy.nullable(),
  overlapPolicy: policiesShape.overlapPolicy.nullable(),
  timeoutMs: policiesShape.timeoutMs.nullable(),
  maxFailures: policiesShape.maxFailures.nullable(),
  deliverTo: deliverToSchema.nullable().optional(),
  timezoneSource: originShape.timezoneSource,
  /** The one the change was made against; absent: the current one. */
  revision: z.int().min(0).optional(),
});
export type TriggerPatch = z.input<typeof triggerPatchSchema>;

/**
 * `task.metadata.trigger`: the seed's TriggerConfig version 1 with every field it lists; what is
 * optional and not in the seed is ours (DESIGN §4). Loose, because a later version may add fields
 * and an older one must not lose them.
 */
export const triggerConfigSchema = z.looseObject({
  version: z.literal(1),
  triggerId: uuidString,
  displayName: z.string(),
  instructions: z.string().min(1),
  ...scheduleSchema.shape,
  enabled: z.boolean(),
  wakeMode: workShape.wakeMode,
  createdBy,
  runCount: z.number(),
  lastRunAtIso: z.string().optional(),
  lastStatus: z.enum(RUN_STATUSES).optional(),
  lastError: z.string().optional(),
  /** Time of the occurrence that is next in line; `null`: nothing left to run. */
  nextRunAtMs: z.number().nullable().optional(),
  dedupeKey: z.string().optional(),
  ...policiesShape,
  missedRunPolicy: missedRunPolicySchema.partial().optional(),
  deliverTo: z.object({ roomId: z.string(), source: z.string().optional() }).optional(),
  ...originShape,
  /** Why it does not run although it exists ("paused after 5 failed runs: …"). */
  pausedReason: z.string().optional(),
  /** Failed runs in a row. */
  failureCount: z.number().optional(),
  /** When it was last resumed, epoch ms: what failed before does not count. */
  failuresFromMs: z.number().optional(),
  /** Counts edits; an older number found in the table means the host wrote an old copy back. */
  revision: z.number().optional(),
});
export type TriggerConfig = z.infer<typeof triggerConfigSchema>;

export const DELIVERY_STATES = [
  'none',
  'pending',
  'delivering',
  'delivered',
  'unknown',
  'failed',
] as const;

/**
 * One run: a row of the ledger. `status` passes through `running`; the four others are the seed's.
 * `open` is true until the occurrence has ended for good (a failed run that will be retried is open).
 */
export const triggerRunSchema = z.looseObject({
  version: z.literal(1),
  triggerRunId: uuidString,
  triggerId: uuidString,
  taskId: uuidString,
  /** Time the occurrence was due, epoch ms. */
  scheduledForMs: z.number(),
  /** `schedule`, or `manual` for a run asked for by a person. */
  cause: z.enum(['schedule', 'immediate', 'manual']),
  status: z.enum([...RUN_STATUSES, 'running']),
  open: z.boolean(),
  attempt: z.number(),
  startedAt: z.number(),
  finishedAt: z.number().optional(),
  latencyMs: z.number().optional(),
  error: z.string().optional(),
  /** Why it was skipped or deferred, or what is special about it ("was due 09:00"). */
  reason: z.string().optional(),
  /** What a deferred run waits for. */
  waitsFor: z.enum(['autonomy', 'cycle', 'budget', 'room']).optional(),
  retryAtMs: z.number().optional(),
  leaseOwner: z.string().optional(),
  leaseToken: z.string().optional(),
  leaseUntilMs: z.number().optional(),
  /** When the turn of this attempt came and the model was about to be asked; absent: it still waits. */
  begunAtMs: z.number().optional(),
  /** The clock was set back by so much after this was written: its times are those of the clock before. */
  setBackByMs: z.number().optional(),
  /** How many processes have died after it had begun; absent: it has never been taken over. */
  takeovers: z.number().optional(),
  /** The turn of the autonomy loop it shares with others, and the run that delivers its answer. */
  together: z.object({ id: z.string(), lead: z.string() }).optional(),
  responded: z.boolean().optional(),
  answer: z.string().optional(),
  actions: z
    .array(
      z.object({
        name: z.string(),
        success: z.boolean(),
        text: z.string().optional(),
        error: z.string().optional(),
      }),
    )
    .optional(),
  /** What all its attempts have asked of models, by model; absent: it is not known. */
  modelCalls: z
    .array(
      z.object({
        model: z.string(),
        provider: z.string(),
        calls: z.number(),
        ms: z.number(),
        tokens: z.object({ prompt: z.number(), completion: z.number() }).optional(),
      }),
    )
    .optional(),
  messageId: z.string().optional(),
  responseId: z.string().optional(),
  roomId: z.string().optional(),
  /** Of the trigger when it was claimed: a finished one-shot is gone, its runs can still be asked for. */
  displayName: z.string().optional(),
  creatorEntityId: z.string().optional(),
  homeRoomId: z.string().optional(),
  missedCount: z.number().optional(),
  /** When the last of those occurrences was due. */
  missedUntilMs: z.number().optional(),
  delivery: z
    .looseObject({
      state: z.enum(DELIVERY_STATES),
      roomId: z.string().optional(),
      source: z.string().optional(),
      messageId: z.string().optional(),
      attempts: z.number().optional(),
      error: z.string().optional(),
      nextAttemptAtMs: z.number().optional(),
      /** Whose attempt is under way, after the run has ended. */
      ticket: z.string().optional(),
      deliveredAt: z.number().optional(),
    })
    .optional(),
  /** Answer of an attempt that had already timed out; kept for people, never delivered. */
  lateAnswer: z.string().optional(),
});
export type TriggerRun = z.infer<typeof triggerRunSchema>;

/** The seed's shape of a run, as surfaces show it (§5.7). */
export type TriggerRunRecord = Pick<
  TriggerRun,
  'triggerRunId' | 'triggerId' | 'taskId' | 'startedAt' | 'finishedAt' | 'error' | 'latencyMs'
> & { status: TriggerExecutionStatus | 'running' };

export const TRIGGER_STATES = ['active', 'resting', 'disabled', 'paused', 'invalid'] as const;
export type TriggerState = (typeof TRIGGER_STATES)[number];

/** A trigger as every surface shows it (DESIGN §11). */
export type TriggerSummary = TriggerConfig & {
  id: string;
  taskId: string;
  state: TriggerState;
  stateReason?: string;
  nextRunAtMs: number | null;
  scheduleText: string;
};

/**
 * Who asks. REST and the command line act as operator of the project (DESIGN §3); `agent` is an MCP
 * client, which speaks for nobody: what belongs to a person or a conversation does not exist for it.
 */
export type Requester =
  | { kind: 'operator' }
  | { kind: 'agent'; identityId?: string; sessionId?: string }
  | { kind: 'entity'; entityId: string; roomId?: string; viaRunOfTriggerId?: string };
