/**
 * The triggers room from outside: create, change, read, run. Rules about who may do what, how many
 * there may be and what counts as the same trigger live here, because every surface shares them.
 */
import type { z } from 'zod';
import type { RecordCursor, Records } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import { HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { AppError, type Finding, InvalidInputError, NotFoundError } from '../shared/errors.js';
import { derivedId, type Ids, isUuid, type Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { yieldToLoop } from '../shared/yield.js';
import { describeSchedule, formatInstant } from './describe.js';
import type { Dispatcher } from './dispatch.js';
import type { Expectations } from './expectations.js';
import { COUNTER_TYPE, type Ledger, runIdOf } from './ledger.js';
import { parseIso } from './plan.js';
import type { AutonomyPort } from './ports.js';
import { heatOf } from './projection.js';
import { runLine } from './run-text.js';
import { nextRunAfter, smallestGapMs, validateSchedule } from './schedule.js';
import {
  type Requester,
  type Schedule,
  type TriggerConfig,
  type TriggerDraft,
  type TriggerPatch,
  type TriggerRun,
  type TriggerSummary,
  triggerDraftSchema,
  triggerPatchSchema,
} from './schema.js';
import {
  dedupeKeyOf,
  decodeTrigger,
  displayNameOf,
  findingsOf,
  normalizeTriggerTaskForCreate,
  PAUSED_ON_REQUEST,
  scheduleOf,
  summaryOf,
  type TriggerTask,
  type TriggerTaskRow,
} from './task-codec.js';
import { type ListFilter, TASK_BATCH, type TaskStore, type Visibility } from './task-store.js';

export interface TriggerSettings {
  enabled: boolean;
  paused: boolean;
  minIntervalMs: number;
  maxPerCreator: number;
  maxPerAgent: number;
  hotWindowMs: number;
  allowSeconds: boolean;
}

export interface TriggersDeps {
  records: Records;
  store: TaskStore;
  ledger: Ledger;
  dispatcher: Dispatcher;
  expectations: Expectations;
  autonomy: AutonomyPort;
  clock: Clock;
  ids: Ids;
  log: Log;
  owner: string;
  settings: () => TriggerSettings;
  /** Owner or admin of the world that the room belongs to. */
  isAdmin: (entityId: string, roomId: string | undefined) => Promise<boolean>;
}

/** Where a creation comes from: it decides which limits and confirmations apply (DESIGN §4). */
export type CreateSource = 'conversation' | 'operator' | 'import';

export interface CreateOptions {
  requester: Requester;
  source: CreateSource;
  /** The person has agreed to a repeating schedule under five minutes. */
  confirmed?: boolean;
}

export type CreateResult =
  | { created: true; trigger: TriggerSummary }
  /** The same trigger exists already. */
  | { created: false; trigger: TriggerSummary }
  /** Nothing stored yet: the person has to agree first. */
  | { created: false; confirm: Confirmation };

export interface Confirmation {
  scheduleText: string;
  /** Shortest time between two runs. */
  everyMs: number;
}

export interface CreateManyResult {
  created: TriggerSummary[];
  duplicates: { index: number; trigger: TriggerSummary }[];
  rejected: { index: number; findings: Finding[] }[];
}

/** Repeating schedules under this need a confirmation when they come from a conversation. */
export const CONFIRM_BELOW_MS = 5 * MINUTE_MS;
export const MAX_CHILDREN_PER_TRIGGER = 5;

/** What one asker needs to know at a glance. */
export interface TriggerGlance {
  /** All that the asker may see here. */
  total: number;
  /** Failed last time, paused with a reason, or set aside. */
  troubled: TriggerSummary[];
  /** The next ones, soonest first; those that are switched off come last. */
  coming: TriggerSummary[];
}

export interface Page {
  limit: number;
  cursor?: string;
}

export type Triggers = ReturnType<typeof createTriggers>;

export function createTriggers(deps: TriggersDeps) {
  const { store, ledger, dispatcher, expectations, clock, log, records } = deps;

  function mustBeOn(): TriggerSettings {
    const settings = deps.settings();
    if (!settings.enabled) {
      throw new AppError('DISABLED', 'triggers are switched off (CUE_TRIGGERS_ENABLED)');
    }
    return settings;
  }

  async function mayChange(requester: Requester, trigger: Partial<TriggerConfig>): Promise<boolean> {
    if (requester.kind === 'operator') return true;
    if (trigger.creatorEntityId !== undefined && trigger.creatorEntityId === requester.entityId) {
      return true;
    }
    // The world of the trigger, not the asker's: in a chat of two the host makes everyone an owner.
    const homeRoomId = homeRoomOf(trigger);
    return homeRoomId !== undefined && deps.isAdmin(requester.entityId, homeRoomId);
  }

  async function maySee(requester: Requester, trigger: Partial<TriggerConfig>): Promise<boolean> {
    if (requester.kind === 'operator') return true;
    if (requester.roomId !== undefined && homeRoomOf(trigger) === requester.roomId) return true;
    return mayChange(requester, trigger);
  }

  async function rowOf(id: string, requester: Requester): Promise<TriggerTaskRow> {
    if (!isUuid(id)) throw new NotFoundError('trigger', id);
    const row = await store.byId(id.toLowerCase());
    if (!row || !(await maySee(requester, summaryOf(row)))) throw new NotFoundError('trigger', id);
    return row;
  }

  async function changeable(id: string, requester: Requester): Promise<TriggerTaskRow> {
    const row = await rowOf(id, requester);
    if (!(await mayChange(requester, summaryOf(row)))) {
      throw new AppError(
        'PERMISSION_DENIED',
        'only the creator of a trigger or an owner or admin may change it',
      );
    }
    return row;
  }

  function readableTrigger(row: TriggerTaskRow): TriggerConfig {
    const decoded = decodeTrigger(row.metadata);
    if (decoded.ok) return decoded.trigger;
    throw new AppError('CONFLICT', `this trigger is set aside (${decoded.reason}); delete it`);
  }

  /** Draft → task with the agent's limits, or the findings. */
  function normalized(draft: TriggerDraft, settings: TriggerSettings, nowMs: number) {
    return normalizeTriggerTaskForCreate(draft, {
      nowMs,
      agentId: records.home.agentId,
      limits: { minIntervalMs: settings.minIntervalMs, allowSeconds: settings.allowSeconds },
    });
  }

  function placed(task: TriggerTask, settings: TriggerSettings, nowMs: number): TriggerTask {
    const { trigger } = task.metadata;
    const heat = heatOf(trigger, trigger.nextRunAtMs ?? null, {
      nowMs,
      hotWindowMs: settings.hotWindowMs,
      immediate: task.tags.includes('immediate'),
    });
    // Ids by chance: a derived one would meet the history of an equal trigger that was deleted.
    const metadata = { ...task.metadata, trigger: { ...trigger, triggerId: deps.ids.next() } };
    return { ...task, tags: heat.tags, metadata };
  }

  async function checkLimits(
    draft: z.output<typeof triggerDraftSchema>,
    options: CreateOptions,
    settings: TriggerSettings,
    nowMs: number,
  ): Promise<void> {
    const total = await store.countEnabled();
    if (total >= settings.maxPerAgent) {
      throw new AppError(
        'LIMIT_REACHED',
        `the agent has ${total} active triggers, the limit is ${settings.maxPerAgent} (CUE_TRIGGER_MAX_PER_AGENT)`,
        { limit: settings.maxPerAgent, count: total },
      );
    }
    if (options.source !== 'conversation') return;
    const creator = draft.creatorEntityId;
    if (creator !== undefined) {
      const own = await store.countEnabled(creator);
      if (own >= settings.maxPerCreator) {
        throw new AppError(
          'LIMIT_REACHED',
          `you have ${own} active triggers, the limit is ${settings.maxPerCreator}: delete one first`,
          { limit: settings.maxPerCreator, count: own },
        );
      }
    }
    if (draft.parentTriggerId !== undefined) {
      const children = await store.countChildren(draft.parentTriggerId);
      if (children >= MAX_CHILDREN_PER_TRIGGER) {
        throw new AppError(
          'LIMIT_REACHED',
          `runs of this trigger have made ${children} triggers already, ${MAX_CHILDREN_PER_TRIGGER} is the limit`,
          { limit: MAX_CHILDREN_PER_TRIGGER, count: children },
        );
      }
      mustBeHourly(draft.schedule, nowMs);
    }
  }

  /** Of a valid schedule: what a person in a conversation has to agree to first, or `null`. */
  function confirmationFor(schedule: Schedule, nowMs = clock.now()): Confirmation | null {
    if (schedule.triggerType === 'once') return null;
    const everyMs = smallestGapMs(schedule, nowMs);
    if (everyMs >= CONFIRM_BELOW_MS) return null;
    return { scheduleText: describeSchedule(schedule, schedule.timezone), everyMs };
  }

  /** Triggers made by a run belong to the trigger at the root of the chain. */
  async function rootOf(triggerId: string): Promise<string> {
    const row = await store.byId(triggerId);
    const decoded = row ? decodeTrigger(row.metadata) : null;
    return (decoded?.ok ? decoded.trigger.parentTriggerId : undefined) ?? triggerId;
  }

  async function create(draft: TriggerDraft, options: CreateOptions): Promise<CreateResult> {
    const settings = mustBeOn();
    const nowMs = clock.now();
    const given =
      options.requester.kind === 'entity' && options.requester.viaRunOfTriggerId !== undefined
        ? {
            ...draft,
            createdBy: 'agent' as const,
            parentTriggerId: await rootOf(options.requester.viaRunOfTriggerId),
          }
        : draft;
    const result = normalized(given, settings, nowMs);
    if (!result.ok) throw new InvalidInputError(result.findings);
    const { task } = result;
    const key = task.metadata.trigger.dedupeKey ?? '';
    const existing = (await store.byDedupeKeys([key])).get(key);
    if (existing) return { created: false, trigger: summaryOf(existing) };

    const parsed = triggerDraftSchema.parse(given);
    await checkLimits(parsed, options, settings, nowMs);
    if (options.source === 'conversation' && !options.confirmed) {
      const confirm = confirmationFor(parsed.schedule, nowMs);
      if (confirm) return { created: false, confirm };
    }
    const stored = await insertOne(placed(task, settings, nowMs), key);
    if (stored.created) {
      log.info(
        {
          triggerId: stored.trigger.triggerId,
          triggerType: stored.trigger.triggerType,
          nextRunAtMs: stored.trigger.nextRunAtMs,
        },
        'trigger created',
      );
    }
    return stored;
  }

  /** The task id is derived from the dedupe key: of two equal requests at once, one inserts. */
  async function insertOne(
    task: TriggerTask,
    key: string,
  ): Promise<Extract<CreateResult, { trigger: TriggerSummary }>> {
    const nowMs = clock.now();
    let mine = task;
    if (!(await store.insert([mine])).has(mine.id)) {
      const existing = (await store.byDedupeKeys([key])).get(key);
      if (existing) return { created: false, trigger: summaryOf(existing) };
      // The id belongs to a trigger that has been edited into another one since.
      mine = { ...task, id: deps.ids.next() };
      await store.insert([mine]);
    }
    return { created: true, trigger: summaryOf({ ...mine, createdAtMs: nowMs }) };
  }

  /**
   * Many at once, in batches that leave the event loop free. Items are judged one by one: what is
   * wrong with one does not stop the others. Counts against the agent's limit only.
   */
  async function createMany(
    drafts: TriggerDraft[],
    options: { requester: Requester; onProgress?: (done: number, total: number) => void },
  ): Promise<CreateManyResult> {
    const settings = mustBeOn();
    const nowMs = clock.now();
    const result: CreateManyResult = { created: [], duplicates: [], rejected: [] };
    let room = settings.maxPerAgent - (await store.countEnabled());
    const seen = new Map<string, TriggerSummary>();
    for (let start = 0; start < drafts.length; start += TASK_BATCH) {
      const batch: { index: number; task: TriggerTask; key: string }[] = [];
      for (const [offset, draft] of drafts.slice(start, start + TASK_BATCH).entries()) {
        const index = start + offset;
        const one = normalized(draft, settings, nowMs);
        if (!one.ok) {
          result.rejected.push({ index, findings: one.findings });
          continue;
        }
        const key = one.task.metadata.trigger.dedupeKey ?? '';
        const twin = seen.get(key);
        if (twin) {
          result.duplicates.push({ index, trigger: twin });
          continue;
        }
        if (batch.some((other) => other.key === key)) {
          const first = batch.find((other) => other.key === key);
          if (first) {
            result.duplicates.push({
              index,
              trigger: summaryOf({ ...first.task, createdAtMs: nowMs }),
            });
          }
          continue;
        }
        batch.push({ index, task: placed(one.task, settings, nowMs), key });
      }
      await yieldToLoop();
      const existing = await store.byDedupeKeys(batch.map((one) => one.key));
      await yieldToLoop();
      const fresh = batch.filter((one) => {
        const row = existing.get(one.key);
        if (row) result.duplicates.push({ index: one.index, trigger: summaryOf(row) });
        return !row;
      });
      for (const over of fresh.splice(Math.max(0, room))) {
        result.rejected.push({
          index: over.index,
          findings: [{ field: '(limit)', message: `the agent's limit of ${settings.maxPerAgent} active triggers is reached` }],
        });
      }
      room -= fresh.length;
      const inserted = await store.insert(fresh.map((one) => one.task));
      await yieldToLoop();
      for (const one of fresh) {
        const stored = inserted.has(one.task.id)
          ? { created: true, trigger: summaryOf({ ...one.task, createdAtMs: nowMs }) }
          : await insertOne(one.task, one.key);
        if (stored.created) result.created.push(stored.trigger);
        else result.duplicates.push({ index: one.index, trigger: stored.trigger });
        seen.set(one.key, stored.trigger);
      }
      options.onProgress?.(Math.min(drafts.length, start + TASK_BATCH), drafts.length);
      await yieldToLoop();
    }
    log.info(
      {
        created: result.created.length,
        duplicates: result.duplicates.length,
        rejected: result.rejected.length,
      },
      'triggers created',
    );
    return result;
  }

  /** Writes an edited config by compare-and-set and remembers it against the host's write-back. */
  async function save(
    row: TriggerTaskRow,
    before: TriggerConfig,
    after: TriggerConfig,
  ): Promise<TriggerSummary> {
    const revision = (before.revision ?? 0) + 1;
    const next: TriggerConfig = { ...after, revision };
    const write: Record<string, unknown> = {};
    for (const key of new Set([...Object.keys(before), ...Object.keys(next)])) {
      if (key in next && next[key] !== undefined) write[key] = next[key];
      else write[key] = null;
    }
    const heat = heatOf(next, next.nextRunAtMs ?? null, {
      nowMs: clock.now(),
      hotWindowMs: deps.settings().hotWindowMs,
      tags: row.tags,
    });
    const done = await store.edit(
      {
        id: row.id,
        trigger: write,
        schedule: heat.schedule,
        tags: heat.tags,
        description: next.displayName,
      },
      before.revision ?? 0,
    );
    if (!done) {
      throw new AppError('CONFLICT', 'the trigger was changed by someone else at the same moment');
    }
    // The run results belong to the ledger; only what the edit decided is defended.
    const { runCount: _n, lastRunAtIso: _r, lastStatus: _s, lastError: _e, ...decided } = write;
    expectations.add(row.id, decided, revision);
    log.info({ triggerId: next.triggerId, revision }, 'trigger changed');
    return summaryOf({
      ...row,
      tags: heat.tags,
      metadata: { ...row.metadata, trigger: next },
    });
  }

  function timeAfterResume(trigger: TriggerConfig, nowMs: number): number | null {
    const schedule = scheduleOf(trigger);
    if (trigger.triggerType === 'once') {
      const atMs = parseIso(trigger.scheduledAtIso ?? '', trigger.timezone ?? 'UTC');
      return atMs === null ? nowMs : Math.max(atMs, nowMs);
    }
    return nextRunAfter(schedule, nowMs);
  }

  async function update(
    id: string,
    input: TriggerPatch,
    requester: Requester,
  ): Promise<TriggerSummary> {
    const settings = mustBeOn();
    const parsed = triggerPatchSchema.safeParse(input);
    if (!parsed.success) throw new InvalidInputError(findingsOf(parsed.error));
    const patch = parsed.data;
    const row = await changeable(id, requester);
    const before = readableTrigger(row);
    const nowMs = clock.now();
    const { schedule, deliverTo, enabled, ...fields } = patch;
    let after: TriggerConfig = { ...before, ...defined(fields) };
    if (
      fields.instructions !== undefined &&
      fields.displayName === undefined &&
      before.displayName === displayNameOf(before.instructions)
    ) {
      // A name that was made of the instructions follows them.
      after.displayName = displayNameOf(fields.instructions);
    }
    if (deliverTo === null) delete after.deliverTo;
    else if (deliverTo !== undefined) after.deliverTo = deliverTo;

    if (schedule !== undefined) {
      const findings = validateSchedule(schedule, {
        nowMs,
        minIntervalMs: settings.minIntervalMs,
        allowSeconds: settings.allowSeconds,
      });
      if (findings.length > 0) {
        throw new InvalidInputError(
          findings.map((found) => ({ ...found, field: `schedule.${found.field}` })),
        );
      }
      const viaRun = requester.kind === 'entity' && requester.viaRunOfTriggerId !== undefined;
      if (viaRun) mustBeHourly(schedule, nowMs);
      after = withSchedule(after, schedule, nowMs);
      after.nextRunAtMs = nextRunAfter(scheduleOf(after), nowMs);
    }
    if (enabled === true && !before.enabled) {
      after.enabled = true;
      delete after.pausedReason;
      after.failureCount = 0;
      if (schedule === undefined) after.nextRunAtMs = timeAfterResume(after, nowMs);
      if (after.nextRunAtMs === null) {
        throw new InvalidInputError([
          { field: 'enabled', message: 'its schedule has nothing left to run: give it a new one' },
        ]);
      }
    } else if (enabled === false) {
      after.enabled = false;
      delete after.pausedReason;
    }
    after.dedupeKey = dedupeKeyOf(
      records.home.agentId,
      after.originRoomId,
      after.instructions,
      scheduleOf(after),
    );
    if (after.dedupeKey !== before.dedupeKey) {
      const twin = (await store.byDedupeKeys([after.dedupeKey])).get(after.dedupeKey);
      if (twin && twin.id !== row.id) {
        throw new AppError('DUPLICATE', 'another trigger does exactly this already', {
          existingId: summaryOf(twin).triggerId,
        });
      }
    }
    const saved = await save(row, before, after);
    if (saved.nextRunAtMs !== null && saved.nextRunAtMs <= nowMs) void dispatcher.drain();
    return saved;
  }

  /** Stops it until it is resumed; `reason` is shown wherever the trigger is. */
  async function pause(id: string, requester: Requester, reason = PAUSED_ON_REQUEST) {
    mustBeOn();
    const row = await changeable(id, requester);
    const before = readableTrigger(row);
    return save(row, before, { ...before, enabled: false, pausedReason: reason });
  }

  function resume(id: string, requester: Requester) {
    return update(id, { enabled: true }, requester);
  }

  /** Leaves out the next run; the ledger says that it was asked for. */
  async function skipNext(id: string, requester: Requester): Promise<TriggerSummary> {
    return moveNext(id, requester, (trigger, nextMs) => {
      if (trigger.triggerType === 'once') {
        throw new InvalidInputError([
          { field: 'skipNext', message: 'a one-time trigger has no run after the next: delete it' },
        ]);
      }
      return { toMs: nextRunAfter(scheduleOf(trigger), nextMs), reason: 'skipped on request' };
    });
  }

  /** Puts off the next run to `untilMs`; a repeating trigger then goes on as before. */
  async function snooze(id: string, untilMs: number, requester: Requester) {
    const nowMs = clock.now();
    if (untilMs <= nowMs) {
      throw new InvalidInputError([{ field: 'untilMs', message: 'lies in the past' }]);
    }
    return moveNext(id, requester, (trigger) => ({
      toMs: untilMs,
      reason: `put off to ${formatInstant(untilMs, trigger.timezone ?? 'UTC')} on request`,
    }));
  }

  async function moveNext(
    id: string,
    requester: Requester,
    move: (trigger: TriggerConfig, nextMs: number) => { toMs: number | null; reason: string },
  ): Promise<TriggerSummary> {
    mustBeOn();
    const row = await changeable(id, requester);
    const before = readableTrigger(row);
    const nextMs = before.nextRunAtMs ?? null;
    if (!before.enabled || nextMs === null) {
      throw new AppError('CONFLICT', 'the trigger is not waiting for a run: resume it first');
    }
    const { toMs, reason } = move(before, nextMs);
    const after: TriggerConfig = { ...before, nextRunAtMs: toMs };
    if (before.triggerType === 'once' && toMs !== null) {
      after.scheduledAtIso = new Date(toMs).toISOString();
      return save(row, before, after);
    }
    const saved = await save(row, before, after);
    const nowMs = clock.now();
    await ledger.claim([
      {
        run: {
          version: 1,
          triggerRunId: runIdOf(before.triggerId, nextMs),
          triggerId: before.triggerId,
          taskId: row.id,
          scheduledForMs: nextMs,
          cause: 'schedule',
          status: 'skipped',
          open: false,
          attempt: 1,
          startedAt: nowMs,
          finishedAt: nowMs,
          reason,
        },
        text: runLine(before.displayName, 'skipped', reason),
      },
    ]);
    return saved;
  }

  async function remove(id: string, requester: Requester): Promise<TriggerSummary> {
    mustBeOn();
    const row = await changeable(id, requester);
    const summary = summaryOf(row);
    await store.remove([row.id]);
    expectations.drop(row.id);
    for (const { run } of await ledger.openRunsOf(summary.triggerId)) {
      await ledger.endIfOpen(run.triggerRunId, {
        status: run.status === 'failed' ? 'failed' : 'skipped',
        open: false,
        finishedAt: clock.now(),
        reason: 'the trigger was deleted',
        retryAtMs: null,
      });
    }
    log.info({ triggerId: summary.triggerId }, 'trigger deleted');
    return summary;
  }

  async function get(id: string, requester: Requester): Promise<TriggerSummary> {
    const row = await rowOf(id, requester);
    const summary = summaryOf(row);
    // The ledger is the truth; the number on the task may be a copy the host has written back.
    return { ...summary, runCount: await ledger.endedCount(summary.triggerId) };
  }

  /** What the requester may see, newest first. */
  async function list(
    filter: Omit<ListFilter, 'visibleTo'>,
    page: Page,
    requester: Requester,
  ): Promise<{ triggers: TriggerSummary[]; total: number; nextCursor: string | null }> {
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
    const own: ListFilter = { ...filter };
    if (requester.kind === 'entity') {
      own.visibleTo = visibleTo(requester);
      if (await deps.isAdmin(requester.entityId, requester.roomId)) own.visibleTo.wholeWorld = true;
    }
    // One more than asked for tells whether there is a next page.
    const { rows, total } = await store.list(own, {
      limit: page.limit + 1,
      ...(after ? { after } : {}),
    });
    const shown = rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      triggers: shown.map(summaryOf),
      total,
      nextCursor: last && rows.length > page.limit ? writeCursor(last) : null,
    };
  }

  /**
   * The few lines that stand in every prompt: what is coming and what is wrong, of the requester and
   * of the room. One statement; a world's owner is shown no more than anybody else here.
   */
  async function glance(requester: Requester, each: number): Promise<TriggerGlance> {
    const rows = await store.glance(
      requester.kind === 'operator' ? null : visibleTo(requester),
      each,
    );
    return {
      total: rows[0]?.total ?? 0,
      troubled: rows.filter((one) => one.troubled).map((one) => summaryOf(one.row)),
      coming: rows.filter((one) => !one.troubled).map((one) => summaryOf(one.row)),
    };
  }

  async function runs(
    id: string,
    page: Page,
    requester: Requester,
  ): Promise<{ runs: TriggerRun[]; total: number; nextCursor: string | null }> {
    if (!isUuid(id)) throw new NotFoundError('trigger', id);
    let triggerId = id.toLowerCase();
    const row = await store.byId(triggerId);
    if (row) {
      const summary = summaryOf(row);
      if (!(await maySee(requester, summary))) throw new NotFoundError('trigger', id);
      triggerId = summary.triggerId;
    } else if (requester.kind !== 'operator') {
      throw new NotFoundError('trigger', id);
    }
    const after = page.cursor === undefined ? undefined : readCursor(page.cursor);
    const found = await ledger.list(triggerId, {
      limit: page.limit + 1,
      ...(after ? { after } : {}),
    });
    // A finished trigger is gone, its history is not.
    if (!row && found.total === 0) throw new NotFoundError('trigger', id);
    const shown = found.rows.slice(0, page.limit);
    const last = shown.at(-1);
    return {
      runs: shown.map(({ run }) => publicRun(run)),
      total: found.total,
      nextCursor:
        last && found.rows.length > page.limit
          ? writeCursor({ createdAtMs: last.createdAtMs, id: last.run.triggerRunId })
          : null,
    };
  }

  /**
   * Runs it now, whatever its schedule says; the schedule is not changed. With `waitMs` waits that
   * long for the end.
   */
  async function run(
    id: string,
    requester: Requester,
    options: { waitMs?: number } = {},
  ): Promise<{ runId: string; run: TriggerRun | null; trigger: TriggerSummary | null }> {
    const settings = mustBeOn();
    if (settings.paused) {
      throw new AppError('DISABLED', 'triggers are paused for the whole agent (CUE_TRIGGERS_PAUSED)');
    }
    if (requester.kind === 'entity' && requester.viaRunOfTriggerId !== undefined) {
      // Two triggers that start each other would never end.
      throw new AppError('PERMISSION_DENIED', 'a scheduled run may not start another run');
    }
    const row = await changeable(id, requester);
    const trigger = readableTrigger(row);
    const nowMs = clock.now();
    const blocked = deps.autonomy.unavailable();
    const runId = deps.ids.next();
    const manual: TriggerRun = {
      version: 1,
      triggerRunId: runId,
      triggerId: trigger.triggerId,
      taskId: row.id,
      scheduledForMs: nowMs,
      cause: 'manual',
      status: blocked === null ? 'running' : 'deferred',
      open: true,
      attempt: 1,
      startedAt: nowMs,
      ...(blocked === null
        ? {
            leaseOwner: deps.owner,
            leaseToken: deps.ids.next(),
            leaseUntilMs: nowMs + ledger.leaseMs,
          }
        : { waitsFor: 'autonomy' as const, reason: blocked }),
    };
    await ledger.claim([{ run: manual, text: runLine(trigger.displayName, manual.status) }]);
    const work = blocked === null ? dispatcher.start(manual) : Promise.resolve();
    if (options.waitMs !== undefined && options.waitMs > 0) {
      await Promise.race([work, sleep(options.waitMs)]);
    }
    const now = await ledger.get(runId);
    const current = await store.byId(row.id);
    return {
      runId,
      run: now ? publicRun(now) : null,
      // Gone when this run was the last one it had.
      trigger: current ? summaryOf(current) : null,
    };
  }

  /** Everything needed to have the same triggers elsewhere. */
  async function exportAll(): Promise<{
    version: 1;
    exportedAtIso: string;
    triggers: TriggerConfig[];
  }> {
    const triggers: TriggerConfig[] = [];
    for await (const page of store.all()) {
      for (let start = 0; start < page.length; start += TASK_BATCH) {
        const readable = page.slice(start, start + TASK_BATCH).flatMap((row) => {
          const decoded = decodeTrigger(row.metadata);
          return decoded.ok ? [decoded.trigger] : [];
        });
        const counts = await ledger.endedCounts(readable.map((one) => one.triggerId));
        for (const one of readable) {
          triggers.push({ ...one, runCount: counts.get(one.triggerId) ?? 0 });
        }
        await yieldToLoop();
      }
    }
    return { version: 1, exportedAtIso: new Date(clock.now()).toISOString(), triggers };
  }

  /** Takes an export back in; what exists already is left as it is. Counts are kept. */
  async function importAll(input: { triggers: unknown[] }): Promise<CreateManyResult> {
    const kept: { config: TriggerConfig; index: number; draft: TriggerDraft }[] = [];
    const rejected: CreateManyResult['rejected'] = [];
    for (const [index, item] of input.triggers.entries()) {
      if (index > 0 && index % TASK_BATCH === 0) await yieldToLoop();
      const decoded = decodeTrigger({ trigger: item });
      if (!decoded.ok) {
        rejected.push({ index, findings: [{ field: `triggers.${index}`, message: decoded.reason }] });
      } else if (!isCount(decoded.trigger.runCount)) {
        rejected.push({ index, findings: [{ field: 'runCount', message: 'is not a number of runs' }] });
      } else {
        kept.push({ config: decoded.trigger, index, draft: draftOf(decoded.trigger) });
      }
    }
    const made = await createMany(
      kept.map((one) => one.draft),
      { requester: { kind: 'operator' } },
    );
    const nowMs = clock.now();
    const agentId = records.home.agentId;
    const createdByKey = new Map(made.created.map((one) => [one.dedupeKey, one]));
    for (const { config, draft } of kept) {
      const key = dedupeKeyOf(agentId, config.originRoomId, config.instructions, scheduleOf(config));
      const stored = createdByKey.get(key);
      if (!stored || config.runCount === 0) continue;
      await records.insertOnce(COUNTER_TYPE, [
        {
          id: derivedId('trigger-counter', stored.triggerId) as Uuid,
          text: `runs of trigger ${stored.triggerId} made before it was imported`,
          createdAtMs: nowMs,
          data: { version: 1, triggerId: stored.triggerId, pruned: config.runCount },
        },
      ]);
      await store.write([{ id: stored.taskId, trigger: { runCount: config.runCount } }]);
      log.debug({ triggerId: stored.triggerId, instructions: draft.displayName }, 'count imported');
      await yieldToLoop();
    }
    const indexOf = (position: number) => kept[position]?.index ?? position;
    return {
      created: made.created,
      duplicates: made.duplicates.map((one) => ({ ...one, index: indexOf(one.index) })),
      rejected: [
        ...rejected,
        ...made.rejected.map((one) => ({ ...one, index: indexOf(one.index) })),
      ],
    };
  }

  return {
    create,
    createMany,
    confirmationFor,
    update,
    pause,
    resume,
    skipNext,
    snooze,
    remove,
    get,
    list,
    glance,
    runs,
    run,
    exportAll,
    importAll,
    rowOf,
    mayChange,
    mustBeOn,
  };
}

/** The conversation a trigger belongs to: where it was asked for, else where its answers go. */
function homeRoomOf(trigger: Partial<TriggerConfig>): string | undefined {
  return trigger.originRoomId ?? trigger.deliverTo?.roomId;
}

function visibleTo(requester: Extract<Requester, { kind: 'entity' }>): Visibility {
  return {
    creatorEntityId: requester.entityId,
    ...(requester.roomId === undefined ? {} : { homeRoomId: requester.roomId }),
  };
}

/** What runs make without being asked must not spin (DESIGN §4). */
function mustBeHourly(schedule: Schedule, nowMs: number): void {
  if (schedule.triggerType !== 'once' && smallestGapMs(schedule, nowMs) < HOUR_MS) {
    throw new AppError(
      'LIMIT_REACHED',
      'a trigger made by a scheduled run may not repeat more often than hourly',
    );
  }
}

/** A run without the lease, which is nobody's business outside. */
export function publicRun(run: TriggerRun): TriggerRun {
  const { leaseOwner: _o, leaseToken: _t, leaseUntilMs: _u, type: _type, ...shown } = run;
  return shown as TriggerRun;
}

function withSchedule(trigger: TriggerConfig, schedule: Schedule, nowMs: number): TriggerConfig {
  const {
    intervalMs: _i,
    scheduledAtIso: _s,
    cronExpression: _c,
    timezone: _t,
    startAtIso: _a,
    untilIso: _u,
    anchorMs: _m,
    wallClock: _w,
    ...rest
  } = trigger;
  const anchored =
    schedule.triggerType === 'interval' && schedule.startAtIso === undefined
      ? { anchorMs: schedule.anchorMs ?? nowMs }
      : {};
  return { ...rest, ...schedule, ...anchored } as TriggerConfig;
}

function draftOf(config: TriggerConfig): TriggerDraft {
  return {
    instructions: config.instructions,
    displayName: config.displayName,
    schedule: scheduleOf(config),
    enabled: config.enabled,
    wakeMode: config.wakeMode,
    createdBy: config.createdBy,
    ...defined({
      maxRuns: config.maxRuns,
      overlapPolicy: config.overlapPolicy,
      timeoutMs: config.timeoutMs,
      maxFailures: config.maxFailures,
      missedRunPolicy: config.missedRunPolicy,
      deliverTo: config.deliverTo,
      creatorEntityId: config.creatorEntityId,
      originRoomId: config.originRoomId,
      parentTriggerId: config.parentTriggerId,
    }),
  };
}

function defined<T extends object>(fields: T): Partial<T> {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Partial<T>;
}

/** What the counter of a trigger can hold. */
function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 1_000_000_000;
}

function writeCursor(row: { createdAtMs: number; id: string }): string {
  return Buffer.from(`${row.createdAtMs}:${row.id}`).toString('base64url');
}

/** The last instant a Date can hold. */
const MAX_DATE_MS = 8.64e15;

function readCursor(cursor: string): RecordCursor {
  const [ms, id] = Buffer.from(cursor, 'base64url').toString('utf8').split(':');
  const createdAtMs = Number(ms);
  if (!Number.isSafeInteger(createdAtMs) || Math.abs(createdAtMs) > MAX_DATE_MS || !isUuid(id)) {
    throw new InvalidInputError([{ field: 'cursor', message: 'is not a cursor of this list' }]);
  }
  return { createdAtMs, id };
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
