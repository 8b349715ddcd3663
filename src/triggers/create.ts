/** New triggers: limits, confirmation, duplicates; one by one, thousands at once, or from an export. */
import type { z } from 'zod';
import { MINUTE_MS } from '../shared/clock.js';
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { yieldToLoop } from '../shared/yield.js';
import {
  clientIdsOf,
  isProjects,
  mustSpeakForItself,
  type TriggerSettings,
  type TriggersDeps,
} from './access.js';
import { describeSchedule } from './describe.js';
import { askedOf } from './plan.js';
import { mustBeHourly, smallestGapMs } from './schedule.js';
import {
  type Requester,
  type Schedule,
  type TriggerConfig,
  type TriggerDraft,
  type TriggerSummary,
  triggerDraftSchema,
} from './schema.js';
import { TASK_BATCH, type TaskStore } from './store.js';
import {
  decodeTrigger,
  defined,
  normalizeTriggerTaskForCreate,
  readableRows,
  scheduleOf,
  summaryOf,
  type TriggerTask,
  triggerIn,
} from './task-codec.js';

export interface CountLimits {
  maxPerCreator: number;
  maxPerAgent: number;
}

type Creator = { entityId: string } | { agentId: string } | { guests: true };

/**
 * Whose triggers are counted: people in conversations and MCP clients have a limit of their own. Clients
 * without an identity share one: each new session would be a new creator.
 */
export function countedCreator(
  kind: Requester['kind'],
  trigger: Pick<TriggerConfig, 'creatorEntityId' | 'creatorAgentId' | 'creatorIsGuest'>,
): Creator | undefined {
  const { creatorEntityId, creatorAgentId, creatorIsGuest } = trigger;
  if (kind === 'entity')
    return creatorEntityId === undefined ? undefined : { entityId: creatorEntityId };
  if (kind !== 'agent') return undefined;
  if (creatorIsGuest) return { guests: true };
  return creatorAgentId === undefined ? undefined : { agentId: creatorAgentId };
}

/**
 * @param creator counted too when given: the person in a conversation, or the MCP client
 * @throws AppError LIMIT_REACHED with `limit` and `count`
 */
export async function requireCapacity(
  store: Pick<TaskStore, 'countEnabled'>,
  limits: CountLimits,
  creator: Creator | undefined,
): Promise<void> {
  const total = await store.countEnabled();
  if (total >= limits.maxPerAgent) {
    throw new AppError(
      'LIMIT_REACHED',
      `the agent has ${total} active triggers, the limit is ${limits.maxPerAgent} (CUE_TRIGGER_MAX_PER_AGENT)`,
      { limit: limits.maxPerAgent, count: total },
    );
  }
  if (creator === undefined) return;
  const own = await countOf(store, creator);
  if (own >= limits.maxPerCreator) {
    throw new AppError(
      'LIMIT_REACHED',
      'guests' in creator
        ? `clients without an identity have ${own} active triggers, the limit of all of them is ${limits.maxPerCreator}: register an identity first, or delete one`
        : `you have ${own} active triggers, the limit is ${limits.maxPerCreator}: delete one first`,
      { limit: limits.maxPerCreator, count: own },
    );
  }
}

function countOf(store: Pick<TaskStore, 'countEnabled'>, creator: Creator): Promise<number> {
  if ('entityId' in creator) return store.countEnabled(creator.entityId);
  if ('agentId' in creator) return store.countEnabled(creator.agentId, 'creatorAgentId');
  return store.countEnabled('true', 'creatorIsGuest');
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

  function placed(task: TriggerTask): TriggerTask {
    const { trigger } = task.metadata;
    const immediate = task.tags.includes('immediate');
    const { tags } = deps.reconciler.place(trigger, [], { immediate });
    // Ids by chance: a derived one would meet the history of an equal trigger that was deleted.
    const metadata = { ...task.metadata, trigger: { ...trigger, triggerId: deps.ids.next() } };
    return { ...task, tags, metadata };
  }

  async function checkLimits(
    draft: z.output<typeof triggerDraftSchema>,
    options: CreateOptions,
    settings: TriggerSettings,
    nowMs: number,
  ): Promise<void> {
    const inChat = options.source === 'conversation';
    const kind = inChat ? 'entity' : options.requester.kind;
    await requireCapacity(store, settings, countedCreator(kind, draft));
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
    return triggerIn(await store.byId(triggerId))?.parentTriggerId ?? triggerId;
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
    const stored = await insertOne(placed(task), key);
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
        const task = placed(one.task);
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

/** The trigger that exists already, if the requester may see it. @throws AppError DUPLICATE */
function twinFor(requester: Requester, twin: TriggerSummary): TriggerSummary {
  if (requester.kind !== 'agent' || isProjects(twin)) return twin;
  throw new AppError('DUPLICATE', 'another trigger does exactly this already');
}

export function createTransfer(deps: TriggersDeps, { createMany }: Pick<Creation, 'createMany'>) {
  const { store, ledger, clock } = deps;

  /** Everything needed to have the same triggers elsewhere. */
  async function exportAll(): Promise<{
    version: 1;
    exportedAtIso: string;
    triggers: TriggerConfig[];
  }> {
    const triggers: TriggerConfig[] = [];
    for await (const page of store.all()) {
      for (let start = 0; start < page.length; start += TASK_BATCH) {
        const readable = readableRows(page.slice(start, start + TASK_BATCH));
        const results = await ledger.resultsOf(readable.map(({ trigger }) => askedOf(trigger)));
        for (const { trigger } of readable) {
          const { runCount = 0 } = results.get(trigger.triggerId) ?? {};
          triggers.push({ ...trigger, runCount });
        }
        await yieldToLoop();
      }
    }
    return { version: 1, exportedAtIso: new Date(clock.now()).toISOString(), triggers };
  }

  /**
   * Takes an export back in; what exists already is left as it is. A trigger and its count are
   * stored together, so an import that was cut short can be repeated.
   */
  async function importAll(input: { triggers: unknown[] }): Promise<CreateManyResult> {
    const kept: { runCount: number; index: number; draft: TriggerDraft }[] = [];
    const rejected: CreateManyResult['rejected'] = [];
    for (const [index, item] of input.triggers.entries()) {
      if (index > 0 && index % TASK_BATCH === 0) await yieldToLoop();
      const decoded = decodeTrigger({ trigger: item });
      if (!decoded.ok) {
        rejected.push({
          index,
          findings: [{ field: `triggers.${index}`, message: decoded.reason }],
        });
      } else if (!isCount(decoded.trigger.runCount)) {
        rejected.push({
          index,
          findings: [{ field: 'runCount', message: 'is not a number of runs' }],
        });
      } else {
        const { runCount } = decoded.trigger;
        kept.push({ runCount, index, draft: draftOf(decoded.trigger) });
      }
    }
    const made = await createMany(
      kept.map((one) => one.draft),
      {
        requester: { kind: 'operator' },
        runsBefore: (position) => kept[position]?.runCount ?? 0,
      },
    );
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

  return { exportAll, importAll };
}

/** The draft that would make this trigger. Its schema lists what a draft may say. */
function draftOf(config: TriggerConfig): TriggerDraft {
  const { schedule: _schedule, runImmediately: _now, ...fields } = triggerDraftSchema.shape;
  const said = Object.keys(fields).map((field) => [field, config[field]]);
  const draft = defined(Object.fromEntries(said) as Omit<TriggerDraft, 'schedule'>);
  return { ...draft, schedule: scheduleOf(config) } as TriggerDraft;
}

/** What the counter of a trigger can hold. */
function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 1_000_000_000;
}
