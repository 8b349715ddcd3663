/**
 * Time in the hands of the test: `Date` is faked, the host's one-second timer and ours are stopped, and the host's
 * real `checkTasks` is called instead. Everything else (database, model, pipeline) is real.
 */
import type { IAgentRuntime } from '@elizaos/core';
import { vi } from 'vitest';
import type { Agent } from './boot.js';

interface TaskServiceInside {
  timer: NodeJS.Timeout | null;
  checkTasks(): Promise<void>;
}

export interface Time {
  now(): number;
  /** Moves the clock without letting anything happen. */
  jump(ms: number): void;
  set(atMs: number): void;
  /** One tick of the host's TaskService, then everything it started is awaited. */
  tick(): Promise<void>;
  /** Moves the clock and ticks. */
  advance(ms: number): Promise<void>;
  release(): void;
}

function taskServiceOf(runtime: IAgentRuntime): TaskServiceInside {
  const service: unknown = runtime.getService('task');
  if (typeof service === 'object' && service !== null && 'checkTasks' in service) {
    return service as TaskServiceInside;
  }
  throw new Error('the runtime has no task service');
}

export function takeTime(agent: Agent, startMs: number): Time {
  const tasks = taskServiceOf(agent.runtime);
  if (tasks.timer) clearInterval(tasks.timer);
  tasks.timer = null;
  agent.triggers.leaveToTick();
  vi.useFakeTimers({ toFake: ['Date'], now: startMs });
  const time: Time = {
    now: () => Date.now(),
    jump: (ms) => {
      vi.setSystemTime(Date.now() + ms);
    },
    set: (atMs) => {
      vi.setSystemTime(atMs);
    },
    async tick() {
      await tasks.checkTasks();
      await agent.triggers.settle();
    },
    async advance(ms) {
      time.jump(ms);
      await time.tick();
    },
    release: () => {
      vi.useRealTimers();
    },
  };
  return time;
}
