/** Export and import of triggers, with their counts. */
import { yieldToLoop } from '../shared/yield.js';
import type { CreateManyResult, Creation } from './create.js';
import type { TriggersDeps } from './deps.js';
import { askedOf } from './projection.js';
import type { TriggerConfig, TriggerDraft } from './schema.js';
import { decodeTrigger, defined, scheduleOf } from './task-codec.js';
import { TASK_BATCH } from './tasks/index.js';

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
        const readable = page.slice(start, start + TASK_BATCH).flatMap((row) => {
          const decoded = decodeTrigger(row.metadata);
          return decoded.ok ? [decoded.trigger] : [];
        });
        const results = await ledger.resultsOf(readable.map(askedOf));
        for (const one of readable) {
          const { runCount = 0 } = results.get(one.triggerId) ?? {};
          triggers.push({ ...one, runCount });
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
      creatorAgentId: config.creatorAgentId,
      creatorIsGuest: config.creatorIsGuest,
      timezoneSource: config.timezoneSource,
    }),
  };
}

/** What the counter of a trigger can hold. */
function isCount(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= 1_000_000_000;
}
