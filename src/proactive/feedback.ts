/**
 * A memory that is not wanted is offered less (docs/proactive.md). Pure; made from the offers of the
 * last 30 days, so that it survives a restart. What is learned of whole kinds is in `learned.ts`.
 *
 * A memory that was dismissed d times since it was last used or acknowledged: its cooldown is 8^d
 * times as long (counted from at least one minute), at most 7 days. Dismissed warnings count for
 * warnings only, other offers for other offers: who does not want to hear of a file may still want
 * to be warned.
 */
import { DAY_MS, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import { FEEDBACK_DAYS, type OfferFact, settledAtMs } from './offers/offer-fact.js';
import type { DetectorName } from './types.js';

const REMEMBERED_MS = FEEDBACK_DAYS * DAY_MS;
const MEMORY_FACTOR = 8;
const MOST_MEMORY_COOLDOWN_MS = 7 * DAY_MS;
/** More of them change nothing: the cap is reached before. */
const KEPT_PER_MEMORY = 12;
const MOST_MEMORIES = 10_000;

export interface Feedback {
  /** What has come of an offer, in whatever order; the same again changes nothing. */
  note(fact: OfferFact): void;
  /** How often the memory was dismissed since it was last wanted. */
  dismissals(sourceId: Uuid, kind: DetectorName, nowMs: number): number;
  /** The cooldown of a memory, ms, given its ordinary one. */
  memoryCooldownMs(sourceId: Uuid, kind: DetectorName, baseMs: number, nowMs: number): number;
  /** For `why`: "mem_1f2e3d4c was dismissed once: its cooldown is 8 times as long, at most 7 days". */
  sentence(
    kind: DetectorName,
    sources: readonly { id: Uuid; memoryId: string }[],
    nowMs: number,
  ): string | undefined;
  /** Forgotten memories. */
  forget(sourceIds: readonly Uuid[]): void;
}

/** What is known of a memory, in whatever order it was heard of. */
interface Row {
  /** When they were dismissed since then, by the offer's id. */
  dismissed: Map<Uuid, number>;
  /** When it was last used or acknowledged, ms. */
  wantedMs: number;
}

export function feedbackOf(facts: Iterable<OfferFact>): Feedback {
  /** Dismissals of a memory, those of warnings apart. */
  const memories = new Map<string, Row>();

  function note(fact: OfferFact): void {
    const { id, kind, state, sourceIds } = fact;
    const keys = sourceIds.map((sourceId) => memoryKey(sourceId, kind));
    const atMs = settledAtMs(fact);
    if (state === 'used' || state === 'acknowledged') {
      for (const key of keys) wanted(memories, key, atMs);
    } else if (state === 'dismissed') {
      for (const key of keys) dismissed(memories, key, id, atMs);
    }
    for (const key of memories.keys()) {
      if (memories.size <= MOST_MEMORIES) break;
      memories.delete(key);
    }
  }

  const feedback: Feedback = {
    note,
    dismissals: (sourceId, kind, nowMs) => countOf(memories.get(memoryKey(sourceId, kind)), nowMs),
    memoryCooldownMs(sourceId, kind, baseMs, nowMs) {
      const times = feedback.dismissals(sourceId, kind, nowMs);
      if (times === 0) return baseMs;
      const longerMs = Math.max(baseMs, MINUTE_MS) * MEMORY_FACTOR ** times;
      return Math.max(baseMs, Math.min(MOST_MEMORY_COOLDOWN_MS, longerMs));
    },
    sentence(kind, sources, nowMs) {
      const parts = sources.flatMap(({ id, memoryId }) => {
        const times = feedback.dismissals(id, kind, nowMs);
        if (times === 0) return [];
        const factor = MEMORY_FACTOR ** times;
        return [
          `${memoryId} was dismissed ${timesOf(times)}: its cooldown is ${factor} times as long, at most 7 days`,
        ];
      });
      return parts.length === 0 ? undefined : parts.join('; ');
    },
    forget(sourceIds) {
      for (const sourceId of sourceIds) {
        memories.delete(memoryKey(sourceId, 'conflictWarning'));
        memories.delete(memoryKey(sourceId, 'fileTouch'));
      }
    },
  };

  for (const fact of facts) note(fact);
  return feedback;
}

function memoryKey(sourceId: Uuid, kind: DetectorName): string {
  return `${kind === 'conflictWarning' ? 'warning' : 'offer'} ${sourceId}`;
}

function wanted(rows: Map<string, Row>, key: string, atMs: number): void {
  const row = rowOf(rows, key);
  row.wantedMs = Math.max(row.wantedMs, atMs);
  for (const [id, dismissedMs] of row.dismissed) {
    if (dismissedMs <= atMs) row.dismissed.delete(id);
  }
}

function dismissed(rows: Map<string, Row>, key: string, id: Uuid, atMs: number): void {
  const row = rowOf(rows, key);
  if (atMs < row.wantedMs) return;
  row.dismissed.delete(id);
  row.dismissed.set(id, atMs);
  const [oldest] = row.dismissed.keys();
  if (row.dismissed.size > KEPT_PER_MEMORY && oldest !== undefined) row.dismissed.delete(oldest);
}

/** The row of the key, which is the last to go by that. */
function rowOf(rows: Map<string, Row>, key: string): Row {
  const row = rows.get(key) ?? { dismissed: new Map<Uuid, number>(), wantedMs: 0 };
  rows.delete(key);
  rows.set(key, row);
  return row;
}

/** A clock that was set back makes nothing older than it is. */
function countOf(row: Row | undefined, nowMs: number): number {
  let count = 0;
  for (const atMs of row?.dismissed.values() ?? []) if (nowMs - atMs < REMEMBERED_MS) count += 1;
  return count;
}

function timesOf(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** "80 seconds", "10 minutes", "24 hours": rounded up to the largest unit that is at least two. */
export function spanOf(ms: number): string {
  if (ms >= 2 * DAY_MS) return `${Math.ceil(ms / DAY_MS)} days`;
  if (ms >= 120 * MINUTE_MS) return `${Math.ceil(ms / (60 * MINUTE_MS))} hours`;
  if (ms >= 2 * MINUTE_MS) return `${Math.ceil(ms / MINUTE_MS)} minutes`;
  const seconds = Math.max(1, Math.ceil(ms / SECOND_MS));
  return seconds === 1 ? '1 second' : `${seconds} seconds`;
}
