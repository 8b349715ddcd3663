/** New triggers: limits, confirmation, duplicates; one by one, thousands at once, or from an export. */
import { yieldToLoop } from '../shared/async.js';
import { MINUTE_MS } from '../shared/clock.js';
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { defined } from '../shared/json.js';
import { clientIdsOf, isProjects, mustSpeakForItself, type TriggersDeps } from './access.js';
import { describeSchedule } from './describe.js';
import type { TriggerSettings } from './parts.js';
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
  normalizeTriggerTaskForCreate,
  readableRows,
  scheduleOf,
  summaryOf,
  type TriggerTask,
  triggerIn,
} from './task-codec.js';

/** Whose triggers are counted, by the field of theirs that says so. */
type Creator = Pick<TriggerConfig, 'creatorEntityId' | 'creatorAgentId' | 'creatorIsGuest'>;

/**
 * Whose triggers are counted: people in conversations and MCP clients have a limit of their own. Clients
 * without an identity share one: each new session would be a new creator.
 */
export function countedCreator(kind: Requester['kind'], trigger: Creator): Creator | undefined {
  const { creatorEntityId, creatorAgentId, creatorIsGuest } = trigger;
  if (kind === 'entity') return creatorEntityId === undefined ? undefined : { creatorEntityId };
  if (kind !== 'agent') return undefined;
  if (creatorIsGuest) return { creatorIsGuest };
  return creatorAgentId === undefined ? undefined : { creatorAgentId };
}

/**
 * @param creator counted too when given: the person in a conversation, or the MCP client
 * @throws AppError LIMIT_REACHED with `limit` and `count`
 */
export async function requireCapacity(
  store: Pick<TaskStore, 'countEnabled'>,
  { maxPerAgent, maxPerCreator }: Pick<TriggerSettings, 'maxPerAgent' | 'maxPerCreator'>,
  creator: Creator | undefined,
): Promise<void> {
  const total = await store.countEnabled();
  if (total >= maxPerAgent) {
    throw new AppError(
      'LIMIT_REACHED',
      `the agent has ${total} active triggers, the limit is ${maxPerAgent} (CUE_TRIGGER_MAX_PER_AGENT)`,
      { limit: maxPerAgent, count: total },
    );
  }
  if (creator === undefined) return;
  const count = await store.countEnabled(creator);
  if (count < maxPerCreator) return;
  throw new AppError(
    'LIMIT_REACHED',
    creator.creatorIsGuest
      ? `clients without an identity have ${count} active triggers, the limit of all of them is ${maxPerCreator}: register an identity first, or delete one`
      : `you have ${count} active triggers, the limit is ${maxPerCreator}: delete one first`,
    { limit: maxPerCreator, count },
  );
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

/** One of many drafts, or what is wrong with it already. */
export type Item =
  | { draft: TriggerDraft /** How often it has run before, elsewhere. */; runsBefore?: number }
  | { findings: Finding[] };

/** What became of it. */
export type ItemResult = { created: boolean; trigger: TriggerSummary } | { findings: Finding[] };

/** Repeating schedules under this need a confirmation when they come from a conversation. */
export const CONFIRM_BELOW_MS = 5 * MINUTE_MS;
export const MAX_CHILDREN_PER_TRIGGER = 5;
/** So many tasks stored at once, and the table is tidied at once, not within the hour. */
const TIDY_AFTER = 1_000;

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
    draft: TriggerDraft,
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

    await checkLimits(given, options, settings, nowMs);
    if (options.source === 'conversation' && !options.confirmed) {
      const confirm = confirmationFor(given.schedule, nowMs);
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

  /** One batch of many: judged, looked for among those that exist, inserted in one statement. */
  async function createBatch(
    items: readonly Item[],
    capacity: number,
    nowMs: number,
  ): Promise<ItemResult[]> {
    const settings = mustBeOn();
    const judged = items.map(
      (item): { findings: Finding[] } | { task: TriggerTask; key: string } => {
        const one = 'findings' in item ? item : normalized(item.draft, settings, nowMs);
        if (!('task' in one)) return { findings: one.findings };
        const task = placed(one.task);
        task.metadata.trigger.runCount = ('draft' in item && item.runsBefore) || 0;
        return { task, key: task.metadata.trigger.dedupeKey ?? '' };
      },
    );
    const results = new Map<string, ItemResult>();
    const firsts = new Map<string, TriggerTask>();
    for (const one of judged)
      if ('task' in one && !firsts.has(one.key)) firsts.set(one.key, one.task);
    await yieldToLoop();
    for (const [key, row] of await store.byDedupeKeys([...firsts.keys()])) {
      results.set(key, { created: false, trigger: summaryOf(row) });
      firsts.delete(key);
    }
    await yieldToLoop();
    const message = `the agent's limit of ${settings.maxPerAgent} active triggers is reached`;
    for (const [key] of [...firsts].slice(Math.max(0, capacity))) {
      results.set(key, { findings: [{ field: '(limit)', message }] });
      firsts.delete(key);
    }
    const inserted = await insertCounted([...firsts.values()], nowMs);
    await yieldToLoop();
    for (const [key, task] of firsts) {
      const trigger = summaryOf({ ...task, createdAtMs: nowMs });
      const isNew = inserted.has(task.id);
      results.set(key, isNew ? { created: true, trigger } : await insertOne(task, key));
    }
    const told = new Set<string>();
    return judged.map((one) => {
      if (!('task' in one)) return one;
      const result = results.get(one.key) as ItemResult;
      const isTwin = told.has(one.key) && 'created' in result;
      told.add(one.key);
      return isTwin ? { ...result, created: false } : result;
    });
  }

  /**
   * Many at once, in batches that leave the event loop free. Items are judged one by one: what is
   * wrong with one does not stop the others. Counts against the agent's limit only.
   */
  async function createEach(items: readonly Item[]): Promise<ItemResult[]> {
    const { maxPerAgent } = mustBeOn();
    const nowMs = clock.now();
    const results: ItemResult[] = [];
    const before = await store.countEnabled();
    let created = 0;
    for (let start = 0; start < items.length; start += TASK_BATCH) {
      const batch = items.slice(start, start + TASK_BATCH);
      const done = await createBatch(batch, maxPerAgent - before - created, nowMs);
      created += done.filter((one) => 'created' in one && one.created).length;
      results.push(...done);
      await yieldToLoop();
    }
    if (created >= TIDY_AFTER) await store.tidy();
    log.info({ created, asked: items.length }, 'triggers created');
    return results;
  }

  async function createMany(
    drafts: TriggerDraft[],
    _options: { requester: Requester },
  ): Promise<CreateManyResult> {
    const { created, ...others } = sorted(await createEach(drafts.map((draft) => ({ draft }))));
    return { created: created.map(({ trigger }) => trigger), ...others };
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
  async function importEach(configs: readonly unknown[]): Promise<ItemResult[]> {
    const items: Item[] = [];
    for (const [index, config] of configs.entries()) {
      if (index > 0 && index % TASK_BATCH === 0) await yieldToLoop();
      items.push(itemOf(config, index));
    }
    return createEach(items);
  }

  return {
    create,
    createEach,
    createMany,
    confirmationFor,
    exportAll,
    importEach,
  };
}

/** The results of many in three lists; `index` is the place in the request. */
export function sorted(results: readonly ItemResult[]): {
  created: { index: number; trigger: TriggerSummary }[];
} & Omit<CreateManyResult, 'created'> {
  const stored = (isNew: boolean) =>
    results.flatMap((one, index) =>
      'trigger' in one && one.created === isNew ? [{ index, trigger: one.trigger }] : [],
    );
  const rejected = results.flatMap((one, index) =>
    'findings' in one ? [{ index, findings: one.findings }] : [],
  );
  return { created: stored(true), duplicates: stored(false), rejected };
}

/** The trigger that exists already, if the requester may see it. @throws AppError DUPLICATE */
function twinFor(requester: Requester, twin: TriggerSummary): TriggerSummary {
  if (requester.kind !== 'agent' || isProjects(twin)) return twin;
  throw new AppError('DUPLICATE', 'another trigger does exactly this already');
}

/** An exported trigger as a draft, or why it is none. */
function itemOf(config: unknown, index: number): Item {
  const decoded = decodeTrigger({ trigger: config });
  if (!decoded.ok) return { findings: [{ field: `triggers.${index}`, message: decoded.reason }] };
  const { runCount } = decoded.trigger;
  if (!isCount(runCount)) {
    return { findings: [{ field: 'runCount', message: 'is not a number of runs' }] };
  }
  return { draft: draftOf(decoded.trigger), runsBefore: runCount };
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
