/** Export and import of triggers, with their counts. */
import { derivedId } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import type { CreateManyResult, Creation } from './create.js';
import { COUNTER_TYPE } from './ledger.js';
import type { TriggerConfig, TriggerDraft } from './schema.js';
import { decodeTrigger, dedupeKeyOf, defined, scheduleOf } from './task-codec.js';
import { TASK_BATCH } from './task-store.js';
import type { TriggersDeps } from './triggers.js';

export function createTransfer(deps: TriggersDeps, { createMany }: Pick<Creation, 'createMany'>) {
  const { records, store, ledger, clock, log } = deps;

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
      const key = dedupeKeyOf(
        agentId,
        config.originRoomId,
        config.instructions,
        scheduleOf(config),
      );
      const stored = createdByKey.get(key);
      if (!stored || config.runCount === 0) continue;
      await records.insertOnce(COUNTER_TYPE, [
        {
          id: derivedId('trigger-counter', stored.triggerId),
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

  return { exportAll, importAll };
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

/** What the counter of a trigger can hold. */
function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 1_000_000_000;
}
