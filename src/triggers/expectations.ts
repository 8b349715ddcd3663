/**
 * Remembers the edits this process made on trigger tasks. The host's TaskService writes a stale snapshot
 * of the metadata back before it runs a task (ELIZA_GUIDE §3), which undoes what was written in between;
 * tags and other columns survive. An edit has a revision, so a copy of before is known by its number;
 * results of runs have none, and are derived anew from the ledger.
 */
import { isTimeAgain, SECOND_MS } from '../shared/clock.js';
import { decodeTrigger, type TriggerTaskRow } from './task-codec.js';
import type { TaskWrite } from './tasks/index.js';

interface Expectation {
  trigger: Record<string, unknown>;
  revision: number;
  checksLeft: number;
  /** Of the last check that counted. */
  checkedAtMs: number;
}

/** An edit is verified on the next two heartbeats (DESIGN §4). */
const CHECKS = 2;
/** Shorter than the time between two beats: two checks in one moment would see the same. */
const CHECK_GAP_MS = 4 * SECOND_MS;
/** Edits remembered beyond that: a tick of the host can last longer, and calls us after its write. */
const REMEMBERED = 1_000;

export interface Expectations {
  /** What an edit has written, its revision among it; merged with earlier ones of the task. */
  add(taskId: string, trigger: Record<string, unknown>, revision: number): void;
  /** Changes what is expected of a task, if anything is. */
  amend(taskId: string, trigger: Record<string, unknown>): void;
  drop(taskId: string): void;
  /** The tasks whose edits are to be verified still. */
  ids(): string[];
  /** The write that restores what the host has undone, or `null` when the row is as expected. */
  repair(row: TriggerTaskRow): TaskWrite | null;
  /** One verification has passed over the task at this time. */
  checked(taskId: string, nowMs: number): void;
}

export function createExpectations(): Expectations {
  const expected = new Map<string, Expectation>();
  return {
    add(taskId, trigger, revision) {
      const before = expected.get(taskId);
      expected.delete(taskId);
      expected.set(taskId, {
        trigger: { ...before?.trigger, ...trigger },
        revision: Math.max(revision, before?.revision ?? 0),
        checksLeft: CHECKS,
        checkedAtMs: Number.NEGATIVE_INFINITY,
      });
      const [oldest] = expected.keys();
      if (oldest !== undefined && expected.size > REMEMBERED) expected.delete(oldest);
    },
    amend(taskId, trigger) {
      const wanted = expected.get(taskId);
      if (wanted) wanted.trigger = { ...wanted.trigger, ...trigger };
    },
    drop(taskId) {
      expected.delete(taskId);
    },
    ids: () => [...expected].filter(([, { checksLeft }]) => checksLeft > 0).map(([id]) => id),
    repair(row) {
      const wanted = expected.get(row.id);
      if (!wanted) return null;
      const decoded = decodeTrigger(row.metadata);
      if (!decoded.ok) return null;
      const seenRevision = decoded.trigger.revision ?? 0;
      if (seenRevision > wanted.revision) {
        // A later edit, of this process or another one: nothing of ours to defend.
        expected.delete(row.id);
        return null;
      }
      return seenRevision < wanted.revision
        ? { id: row.id, trigger: wanted.trigger, seenRevision }
        : null;
    },
    checked(taskId, nowMs) {
      const wanted = expected.get(taskId);
      if (!wanted || !isTimeAgain(wanted.checkedAtMs, nowMs, CHECK_GAP_MS)) return;
      wanted.checkedAtMs = nowMs;
      wanted.checksLeft -= 1;
    },
  };
}
