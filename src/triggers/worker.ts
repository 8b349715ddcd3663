/** The task workers that the host calls, and the heartbeat task that keeps calling them. */
import type { IAgentRuntime, Task, TaskWorker } from '@elizaos/core';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import type { Dispatcher } from './dispatch.js';
import { TRIGGER_TASK_NAME } from './task-codec.js';

export const HEARTBEAT_TASK_NAME = 'CUE_HEARTBEAT';
/** Often enough that a retry after 30 s is on time; an idle beat costs a few milliseconds. */
export const HEARTBEAT_MS = 5 * SECOND_MS;
const HEARTBEAT_TAG = 'cue_heartbeat';
/** A step back of the clock smaller than this is jitter (NTP), not a jump. */
export const CLOCK_JUMP_MS = 5 * SECOND_MS;

export interface WorkerDeps {
  clock: Clock;
  /** Kill switches: why nothing is dispatched, or `null`. */
  stopped: () => string | null;
}

/** The task workers of one agent, and the dispatcher they lead to once it exists. */
export interface WorkerHost {
  workers: TaskWorker[];
  attach(dispatcher: Dispatcher, nowMs: number, onClockSetBack: (byMs: number) => void): void;
  detach(): void;
}

/**
 * The workers exist from `init` on, the dispatcher from the service's start. `validate` is given
 * no task by the host, only its own tick: it says whether we run at all, and it is also the one
 * place that is called every second whatever the clock does, so a clock that jumped back (after
 * which the host finds nothing due, our heartbeat included) is noticed here.
 */
export function createWorkerHost(deps: WorkerDeps): WorkerHost {
  let dispatcher: Dispatcher | null = null;
  let lastSeenMs = 0;
  let clockSetBack = (_byMs: number) => {};

  const validate = async (): Promise<boolean> => {
    const nowMs = deps.clock.now();
    const byMs = lastSeenMs - nowMs;
    lastSeenMs = nowMs;
    if (dispatcher && byMs > CLOCK_JUMP_MS) clockSetBack(byMs);
    dispatcher?.watchEdits();
    return dispatcher !== null && deps.stopped() === null;
  };

  return {
    workers: [
      {
        name: TRIGGER_TASK_NAME,
        validate,
        execute: async (_runtime, _options, task) => {
          if (task.id) dispatcher?.noteDue({ taskId: task.id, dueAtMs: snapshotDueMs(task) });
          return undefined;
        },
      },
      {
        name: HEARTBEAT_TASK_NAME,
        validate,
        execute: async () => {
          // Not awaited: the host's tick is never held.
          void dispatcher?.heartbeat();
          return undefined;
        },
      },
    ],
    attach(started, nowMs, onClockSetBack) {
      dispatcher = started;
      lastSeenMs = nowMs;
      clockSetBack = onClockSetBack;
    },
    detach() {
      dispatcher = null;
    },
  };
}

/** When the host's snapshot of the task came due; the same for every tick that holds it. */
function snapshotDueMs(task: Task): number {
  const updatedAt = Number(task.metadata?.updatedAt ?? 0);
  if (task.tags?.includes('immediate') && updatedAt === Number(task.metadata?.createdAt ?? 0)) {
    return updatedAt;
  }
  return updatedAt + Number(task.metadata?.updateInterval ?? 0);
}

/** One repeating task beats for all triggers; a stale time in it would stop the beat. */
export async function ensureHeartbeat(
  runtime: IAgentRuntime,
  nowMs: number,
): Promise<{ wasAheadMs: number }> {
  const beats = await runtime.getTasksByName(HEARTBEAT_TASK_NAME);
  const [first, ...rest] = beats.filter((task) => task.id !== undefined);
  for (const extra of rest) if (extra.id) await runtime.deleteTask(extra.id);
  const metadata = { updatedAt: nowMs, updateInterval: HEARTBEAT_MS };
  if (first?.id) {
    await runtime.updateTask(first.id, { tags: ['queue', 'repeat', HEARTBEAT_TAG], metadata });
    return { wasAheadMs: Number(first.metadata?.updatedAt ?? 0) - nowMs };
  }
  await runtime.createTask({
    name: HEARTBEAT_TASK_NAME,
    description: 'Keeps the triggers of the cue plugin going',
    worldId: runtime.agentId,
    tags: ['queue', 'repeat', HEARTBEAT_TAG],
    metadata,
  });
  return { wasAheadMs: 0 };
}
