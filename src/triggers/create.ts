/** New triggers: limits, confirmation, duplicates, one by one or thousands at once. */
import type { z } from 'zod';
import { MINUTE_MS } from '../shared/clock.js';
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { yieldToLoop } from '../shared/yield.js';
import { clientIdsOf, isProjects, mustSpeakForItself } from './access.js';
import type { TriggerSettings, TriggersDeps } from './deps.js';
import { describeSchedule } from './describe.js';
import { countedCreator, mustHaveRoom } from './limits.js';
import { heatOf } from './projection.js';
import { mustBeHourly, smallestGapMs } from './schedule.js';
import {
  type Requester,
  type Schedule,
  type TriggerDraft,
  type TriggerSummary,
  triggerDraftSchema,
} from './schema.js';
import {
  decodeTrigger,
  normalizeTriggerTaskForCreate,
  summaryOf,
  type TriggerTask,
} from './task-codec.js';
import { TASK_BATCH } from './tasks/index.js';

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
/** So many tasks stored at once, and the table is tidied at once, not within the hour. */
const TIDY_AFTER = 1_000;

export type Creation = ReturnType<typeof createCreation>;

export function createCreation(deps: TriggersDeps, mustBeOn: () => TriggerSettings) {
  const { store, ledger, clock, log, records } = deps;

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
    const inChat = options.source === 'conversation';
    const kind = inChat ? 'entity' : options.requester.kind;
    await mustHaveRoom(store, settings, countedCreator(kind, draft));
    if (!inChat) return;
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

  /** The draft with what only the requester can say of it. */
  async function asAskedBy(requester: Requester, draft: TriggerDraft): Promise<TriggerDraft> {
    if (requester.kind === 'agent') {
      const { creatorAgentId: _id, creatorIsGuest: _guest, ...own } = draft;
      const [client] = clientIdsOf(requester);
      const maker = {
        ...(client === undefined ? {} : { creatorAgentId: client }),
        ...(requester.identityId === undefined ? { creatorIsGuest: true as const } : {}),
      };
      return { ...own, createdBy: 'agent', ...maker };
    }
    if (requester.kind !== 'entity' || requester.viaRunOfTriggerId === undefined) return draft;
    const parentTriggerId = await rootOf(requester.viaRunOfTriggerId);
    return { ...draft, createdBy: 'agent', parentTriggerId };
  }

  async function create(draft: TriggerDraft, options: CreateOptions): Promise<CreateResult> {
    const settings = mustBeOn();
    const nowMs = clock.now();
    const { requester } = options;
    mustSpeakForItself(requester, draft);
    const given = await asAskedBy(requester, draft);
    const result = normalized(given, settings, nowMs);
    if (!result.ok) throw new InvalidInputError(result.findings);
    const { task } = result;
    const key = task.metadata.trigger.dedupeKey ?? '';
    const existing = (await store.byDedupeKeys([key])).get(key);
    if (existing) return { created: false, trigger: twinFor(requester, summaryOf(existing)) };

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

  /** Tasks and the counts they bring along, all of them or none. */
  function insertCounted(tasks: TriggerTask[], nowMs: number): Promise<Set<string>> {
    const counted = tasks.filter((task) => task.metadata.trigger.runCount > 0);
    if (counted.length === 0) return store.insert(tasks);
    return records.transaction(async (tx) => {
      const inserted = await store.insert(tasks, tx);
      const counts = counted
        .filter((task) => inserted.has(task.id))
        .map(({ metadata: { trigger } }) => ({
          triggerId: trigger.triggerId,
          runs: trigger.runCount,
        }));
      await ledger.bringCounts(counts, nowMs, tx);
      return inserted;
    });
  }

  /** The task id is derived from the dedupe key: of two equal requests at once, one inserts. */
  async function insertOne(
    task: TriggerTask,
    key: string,
  ): Promise<Extract<CreateResult, { trigger: TriggerSummary }>> {
    const nowMs = clock.now();
    let mine = task;
    if (!(await insertCounted([mine], nowMs)).has(mine.id)) {
      const existing = (await store.byDedupeKeys([key])).get(key);
      if (existing) return { created: false, trigger: summaryOf(existing) };
      // The id belongs to a trigger that has been edited into another one since.
      mine = { ...task, id: deps.ids.next() };
      await insertCounted([mine], nowMs);
    }
    return { created: true, trigger: summaryOf({ ...mine, createdAtMs: nowMs }) };
  }

  /**
   * Many at once, in batches that leave the event loop free. Items are judged one by one: what is
   * wrong with one does not stop the others. Counts against the agent's limit only.
   */
  async function createMany(
    drafts: TriggerDraft[],
    options: {
      requester: Requester;
      onProgress?: (done: number, total: number) => void;
      /** How often the n-th draft has run before, elsewhere. */
      runsBefore?: (index: number) => number;
    },
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
        const task = placed(one.task, settings, nowMs);
        task.metadata.trigger.runCount = options.runsBefore?.(index) ?? 0;
        batch.push({ index, task, key });
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
          findings: [
            {
              field: '(limit)',
              message: `the agent's limit of ${settings.maxPerAgent} active triggers is reached`,
            },
          ],
        });
      }
      room -= fresh.length;
      const inserted = await insertCounted(
        fresh.map((one) => one.task),
        nowMs,
      );
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
    if (result.created.length >= TIDY_AFTER) await store.tidy();
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

  return { create, createMany, confirmationFor };
}

/** What exists already, unless it is nobody's business. @throws AppError DUPLICATE */
function twinFor(requester: Requester, twin: TriggerSummary): TriggerSummary {
  if (requester.kind !== 'agent' || isProjects(twin)) return twin;
  throw new AppError('DUPLICATE', 'another trigger does exactly this already');
}
