/**
 * What has changed among triggers and runs since one looked last, whoever did it, in this process or another
 * one. Cheap enough to be asked once a second while somebody watches.
 */
import type { Ledger } from './ledger.js';
import type { TriggerRun, TriggerSummary } from './schema.js';
import type { TaskStore } from './store.js';
import { summaryOf } from './task-codec.js';
import { type NamedRun, namedRun } from './triggers.js';

export interface TriggerChanges {
  runs: NamedRun[];
  triggers: TriggerSummary[];
  /** Ids of triggers that are gone. */
  deleted: string[];
}

export interface TriggerLook {
  /** Since the look before; the first one finds nothing. */
  look(): Promise<TriggerChanges>;
}

/** A run may be committed this long after the time it bears. */
const OVERLAP_MS = 10_000;
/** Runs that have ended and may be read again. */
const MOST_REMEMBERED = 1_000;

export function createTriggerLook(deps: { store: TaskStore; ledger: Ledger }): TriggerLook {
  const runs = createRunLook(deps.ledger);
  const triggers = createTaskLook(deps.store);
  return { look: async () => ({ ...(await triggers()), runs: await runs() }) };
}

function createRunLook(ledger: Ledger): () => Promise<NamedRun[]> {
  /** As it was told, by id; those that were told last are at the end. */
  const told = new Map<string, string>();
  /** Those that had not come to their end. */
  let unsettled = new Set<string>();
  let sinceMs: number | null = null;

  return async () => {
    const isFirst = sinceMs === null;
    const found = await ledger.changing(sinceMs === null ? null : sinceMs - OVERLAP_MS);
    const seen = new Set(found.map(({ run }) => run.triggerRunId));
    const ended = await ledger.getMany([...unsettled].filter((id) => !seen.has(id)));
    const all = [...ended, ...found.map(({ run }) => run)];
    unsettled = new Set(all.filter(isUnsettled).map((run) => run.triggerRunId));
    sinceMs = Math.max(sinceMs ?? 0, ...found.map(({ createdAtMs }) => createdAtMs));
    const changed = all.map(namedRun).filter((run) => {
      const text = JSON.stringify(run);
      if (told.get(run.triggerRunId) === text) return false;
      told.delete(run.triggerRunId);
      told.set(run.triggerRunId, text);
      return true;
    });
    for (const id of told.keys()) {
      if (told.size <= MOST_REMEMBERED) break;
      told.delete(id);
    }
    return isFirst ? [] : changed.toSorted((a, b) => a.startedAt - b.startedAt);
  };
}

function isUnsettled({ open, delivery }: TriggerRun): boolean {
  return open || ['pending', 'delivering', 'unknown'].includes(delivery?.state ?? 'none');
}

/**
 * The host's table has no time of the last change: rows are known by the transaction that wrote them. A
 * transaction that was open at the look before may have written since, so it counts as later.
 */
function createTaskLook(store: TaskStore): () => Promise<Omit<TriggerChanges, 'runs'>> {
  /** The triggers there are: task id → trigger id, and the transaction that wrote the row. */
  let known: Map<string, { id: string; writer: string }> | null = null;
  let from = '0';

  return async () => {
    const next = await store.oldestTransaction();
    if (known === null) {
      known = await store.writers();
      from = next;
      return { triggers: [], deleted: [] };
    }
    const { rows, count } = await store.writtenSince(from);
    from = next;
    const triggers = rows.flatMap(({ row, writer }) => {
      if (known?.get(row.id)?.writer === writer) return [];
      const summary = summaryOf(row);
      known?.set(row.id, { id: summary.id, writer });
      return summary;
    });
    if (count === known.size) return { triggers, deleted: [] };
    // What is new among them is told by the next look.
    const there = await store.writers();
    const gone = [...known].filter(([taskId]) => !there.has(taskId));
    for (const [taskId] of gone) known.delete(taskId);
    return { triggers, deleted: gone.map(([, { id }]) => id) };
  };
}
