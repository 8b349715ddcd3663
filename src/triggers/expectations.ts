/**
 * Remembers what this process wrote on a trigger task, until it has been seen to stay. The host's
 * TaskService writes a stale snapshot of the metadata back before it runs a task (ELIZA_GUIDE §3),
 * which undoes an edit or a result written in between; tags and other columns survive.
 */

import { decodeTrigger, type TriggerTaskRow } from './task-codec.js';
import type { TaskWrite } from './tasks/index.js';

interface Expectation {
  trigger: Record<string, unknown>;
  revision: number;
  checksLeft: number;
}

/** An edit is verified on the next two heartbeats (DESIGN §4). */
const CHECKS = 2;

export interface Expectations {
  /** What was written; merged with what is already expected of the task. */
  add(taskId: string, trigger: Record<string, unknown>, revision: number): void;
  /** Changes what is expected of a task, if anything is. */
  amend(taskId: string, trigger: Record<string, unknown>): void;
  drop(taskId: string): void;
  ids(): string[];
  /** The write that restores what the host has undone, or `null` when the row is as expected. */
  repair(row: TriggerTaskRow): TaskWrite | null;
  /** One verification has passed over the task. */
  checked(taskId: string): void;
}

export function createExpectations(): Expectations {
  const expected = new Map<string, Expectation>();
  return {
    add(taskId, trigger, revision) {
      const before = expected.get(taskId);
      expected.set(taskId, {
        trigger: { ...before?.trigger, ...trigger },
        revision: Math.max(revision, before?.revision ?? 0),
        checksLeft: CHECKS,
      });
    },
    amend(taskId, trigger) {
      const wanted = expected.get(taskId);
      if (wanted) wanted.trigger = { ...wanted.trigger, ...trigger };
    },
    drop(taskId) {
      expected.delete(taskId);
    },
    ids: () => [...expected.keys()],
    repair(row) {
      const wanted = expected.get(row.id);
      if (!wanted) return null;
      const decoded = decodeTrigger(row.metadata);
      if (!decoded.ok) return null;
      if ((decoded.trigger.revision ?? 0) > wanted.revision) {
        // A later edit, of this process or another one: nothing of ours to defend.
        expected.delete(row.id);
        return null;
      }
      const stored: Record<string, unknown> = decoded.trigger;
      const differs = Object.entries(wanted.trigger).some(
        ([key, value]) => JSON.stringify(stored[key] ?? null) !== JSON.stringify(value ?? null),
      );
      return differs ? { id: row.id, trigger: wanted.trigger } : null;
    },
    checked(taskId) {
      const wanted = expected.get(taskId);
      if (!wanted) return;
      wanted.checksLeft -= 1;
      if (wanted.checksLeft <= 0) expected.delete(taskId);
    },
  };
}
