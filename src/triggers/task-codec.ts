/**
 * Between a trigger and its Eliza task: draft → task for creation, stored metadata → trigger (or
 * the reason why it is set aside). Pure.
 */
import { createHash } from 'node:crypto';
import type { Finding } from '../shared/errors.js';
import { judge } from '../shared/findings.js';
import { derivedId, isUuid } from '../shared/ids.js';
import { defined } from '../shared/json.js';
import { describeSchedule } from './describe.js';
import {
  computeInitialSchedule,
  nextRunAfter,
  type ScheduleLimits,
  validateSchedule,
} from './schedule.js';
import {
  SCHEDULE_FIELDS,
  type Schedule,
  type TriggerConfig,
  type TriggerDraft,
  type TriggerRun,
  type TriggerState,
  type TriggerSummary,
  triggerConfigSchema,
  triggerDraftSchema,
} from './schema.js';

export const TRIGGER_TASK_NAME = 'TRIGGER_DISPATCH';
export const RESTING_TAG = 'trigger_resting';
export const INVALID_TAG = 'trigger_invalid';
/** Reason of a pause that a person asked for; any other reason is news to the person. */
export const PAUSED_ON_REQUEST = 'paused on request';

/** A task as this room writes and reads it. */
export interface TriggerTask {
  id: string;
  name: typeof TRIGGER_TASK_NAME;
  description: string;
  tags: string[];
  metadata: {
    updatedAt: number;
    updateInterval: number;
    blocking: true;
    createdAt?: number;
    trigger: TriggerConfig;
  };
}

export interface NormalizeLimits {
  minIntervalMs?: number;
  allowSeconds?: boolean;
}

export type NormalizeResult = { ok: true; task: TriggerTask } | { ok: false; findings: Finding[] };

/** The schedule part of a config; one truth for both forms. */
export function scheduleOf(trigger: TriggerConfig): Schedule {
  const fields = SCHEDULE_FIELDS.map((field) => [field, trigger[field]]);
  return defined(Object.fromEntries(fields)) as Schedule;
}

/** What says whose a trigger is, and where it was asked for and answers. */
type Owned = Pick<
  TriggerConfig,
  'originRoomId' | 'deliverTo' | 'creatorEntityId' | 'creatorAgentId' | 'creatorIsGuest'
>;

/** Which form of the key it is; those of older forms are made anew at start. */
export const DEDUPE_FORM = '2:';

/**
 * Same agent, rooms, creator, wording, schedule and time zone give the same key, whatever the case and
 * spacing of the wording; every other character counts. The anchor of an interval is when it was asked
 * for, not what. All clients without an identity are one creator: each session has a new id.
 */
export function dedupeKeyOf(
  agentId: string,
  of: Owned & Pick<TriggerConfig, 'instructions'>,
  schedule: Schedule,
): string {
  const id = (given: string | undefined) => (given ?? '').toLowerCase();
  const parts = [
    agentId,
    id(of.originRoomId),
    id(of.deliverTo?.roomId),
    id(of.creatorEntityId),
    of.creatorIsGuest ? 'guest' : id(of.creatorAgentId),
    of.instructions.toLowerCase().replace(/\s+/g, ' ').trim(),
    schedule.triggerType,
    schedule.intervalMs ?? '',
    schedule.scheduledAtIso === undefined ? '' : Date.parse(schedule.scheduledAtIso),
    (schedule.cronExpression ?? '').trim().replace(/\s+/g, ' '),
    schedule.timezone ?? 'UTC',
    schedule.startAtIso ?? '',
    schedule.untilIso ?? '',
    schedule.wallClock ?? '',
  ];
  const hash = createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32);
  return `${DEDUPE_FORM}${hash}`;
}

/**
 * Checks a draft and turns it into the task to store (seed §5.6). Tags are the seed's (§4); whether
 * the trigger rests is decided when it is stored. The task id is derived from the dedupe key, so
 * that two equal requests at once meet in the primary key.
 */
export function normalizeTriggerTaskForCreate(
  draft: TriggerDraft,
  options: { nowMs: number; agentId: string; limits?: NormalizeLimits },
): NormalizeResult {
  const judged = judge(triggerDraftSchema, draft);
  if (judged.findings !== null) return { ok: false, findings: judged.findings };
  const { nowMs, agentId } = options;
  const { runImmediately, schedule: given, ...rest } = judged.data;
  const { instructions, displayName, enabled, wakeMode, createdBy, ...optional } = rest;
  const schedule = anchored(given, nowMs);
  const findings = scheduleFindings(schedule, { ...options.limits, nowMs });
  if (findings.length > 0) return { ok: false, findings };
  const initial = computeInitialSchedule(schedule, { nowMs, runImmediately });
  const dedupeKey = dedupeKeyOf(agentId, rest, schedule);
  const trigger: TriggerConfig = {
    version: 1,
    triggerId: derivedId('trigger', agentId, dedupeKey, nowMs),
    displayName: displayName ?? displayNameOf(instructions),
    instructions,
    enabled,
    wakeMode,
    createdBy,
    ...schedule,
    runCount: 0,
    nextRunAtMs: initial.nextRunAtMs,
    dedupeKey,
    revision: 0,
    ...defined(optional),
  };
  return {
    ok: true,
    task: {
      id: derivedId('trigger-task', agentId, dedupeKey),
      name: TRIGGER_TASK_NAME,
      description: trigger.displayName,
      tags: enabled ? initial.tags : withoutQueue(initial.tags),
      metadata: {
        updatedAt: initial.updatedAt,
        updateInterval: initial.updateInterval,
        blocking: true,
        // The host starts an `immediate` task when these two are equal (seed §4.1).
        ...(runImmediately ? { createdAt: initial.updatedAt } : {}),
        trigger,
      },
    },
  };
}

/** The grid of an interval starts when it is asked for, unless a start is given. */
export function anchored(schedule: Schedule, nowMs: number): Schedule {
  return schedule.triggerType === 'interval' && schedule.startAtIso === undefined
    ? { ...schedule, anchorMs: schedule.anchorMs ?? nowMs }
    : schedule;
}

/** What is wrong with the field `schedule` of a request. */
export function scheduleFindings(schedule: Schedule, limits: ScheduleLimits): Finding[] {
  const findings = validateSchedule(schedule, limits);
  return findings.map((found) => ({ ...found, field: `schedule.${found.field}` }));
}

export function withoutQueue(tags: string[]): string[] {
  return tags.filter((tag) => tag !== 'queue' && tag !== RESTING_TAG && tag !== 'immediate');
}

/** The first words of the instructions, as a name. */
export function displayNameOf(instructions: string): string {
  const line = instructions.replace(/[\p{Cc}\s]+/gu, ' ').trim();
  const characters = [...line];
  return characters.length <= 60 ? line : `${characters.slice(0, 59).join('')}…`;
}

export type DecodedTrigger = { ok: true; trigger: TriggerConfig } | { ok: false; reason: string };

/** Reads stored metadata; what cannot be understood is set aside with the reason, never guessed. */
export function decodeTrigger(metadata: unknown): DecodedTrigger {
  const stored =
    typeof metadata === 'object' && metadata !== null && 'trigger' in metadata
      ? metadata.trigger
      : undefined;
  if (typeof stored !== 'object' || stored === null) {
    return { ok: false, reason: 'the task has no trigger in its metadata' };
  }
  if ('version' in stored && typeof stored.version === 'number' && stored.version > 1) {
    return {
      ok: false,
      reason: `written by a later version of the plugin (trigger version ${stored.version}): update it`,
    };
  }
  const judged = judge(triggerConfigSchema, stored);
  if (judged.findings !== null) {
    return {
      ok: false,
      reason: `damaged: ${judged.findings.map((f) => `${f.field} ${f.message}`).join('; ')}`,
    };
  }
  try {
    nextRunAfter(scheduleOf(judged.data), 0);
  } catch (error) {
    return { ok: false, reason: `damaged: ${error instanceof Error ? error.message : 'schedule'}` };
  }
  return { ok: true, trigger: judged.data };
}

/** A stored task row, as far as this room reads it. */
export interface TriggerTaskRow {
  id: string;
  tags: string[];
  metadata: Record<string, unknown>;
  createdAtMs: number;
}

/** The trigger of a row; `null` when there is no row, or it cannot be read. */
export function triggerIn(row: TriggerTaskRow | null): TriggerConfig | null {
  const decoded = row ? decodeTrigger(row.metadata) : null;
  return decoded?.ok ? decoded.trigger : null;
}

/** The rows that can be read, with their triggers. */
export function readableRows(
  rows: TriggerTaskRow[],
): { row: TriggerTaskRow; trigger: TriggerConfig }[] {
  return rows.flatMap((row) => {
    const trigger = triggerIn(row);
    return trigger ? [{ row, trigger }] : [];
  });
}

/** Where a trigger stands, and why. */
export function stateOf(
  tags: string[],
  decoded: DecodedTrigger,
): { state: TriggerState; stateReason?: string } {
  if (!decoded.ok) return { state: 'invalid', stateReason: decoded.reason };
  const { trigger } = decoded;
  if (!trigger.enabled) {
    return trigger.pausedReason === undefined
      ? { state: 'disabled' }
      : { state: 'paused', stateReason: trigger.pausedReason };
  }
  return { state: tags.includes(RESTING_TAG) ? 'resting' : 'active' };
}

/** The trigger as surfaces show it; a damaged one is shown with what can be read of it. */
export function summaryOf(row: TriggerTaskRow): TriggerSummary {
  const decoded = decodeTrigger(row.metadata);
  const state = stateOf(row.tags, decoded);
  if (decoded.ok) {
    const { trigger } = decoded;
    return {
      ...trigger,
      id: trigger.triggerId,
      taskId: row.id,
      ...state,
      nextRunAtMs: trigger.enabled ? (trigger.nextRunAtMs ?? null) : null,
      scheduleText: describeSchedule(scheduleOf(trigger), trigger.timezone),
    };
  }
  const raw = row.metadata.trigger;
  const fields: Record<string, unknown> = typeof raw === 'object' && raw !== null ? { ...raw } : {};
  const text = (key: string) => (typeof fields[key] === 'string' ? fields[key] : '');
  const triggerId = isUuid(fields.triggerId) ? fields.triggerId : row.id;
  return {
    version: 1,
    triggerId,
    displayName: text('displayName') || '(unreadable trigger)',
    instructions: text('instructions'),
    triggerType: 'once',
    enabled: false,
    wakeMode: 'inject_now',
    createdBy: 'user',
    runCount: 0,
    id: triggerId,
    taskId: row.id,
    ...state,
    nextRunAtMs: null,
    scheduleText: 'unreadable',
    ...(isUuid(fields.creatorEntityId) ? { creatorEntityId: fields.creatorEntityId } : {}),
  };
}

/** The conversation a trigger belongs to: where it was asked for, else where its answers go. */
export function homeRoomOf(trigger: Partial<TriggerConfig>): string | undefined {
  return trigger.originRoomId ?? trigger.deliverTo?.roomId;
}

/** What a run keeps of its trigger, for when the trigger is gone. */
export function originOf(
  trigger: TriggerConfig,
): Pick<TriggerRun, 'displayName' | 'creatorEntityId' | 'homeRoomId'> {
  const homeRoomId = homeRoomOf(trigger);
  return {
    displayName: trigger.displayName,
    ...(trigger.creatorEntityId === undefined ? {} : { creatorEntityId: trigger.creatorEntityId }),
    ...(homeRoomId === undefined ? {} : { homeRoomId }),
  };
}
