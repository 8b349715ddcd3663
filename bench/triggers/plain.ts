/** The host's own way: every trigger a repeating task with the tag `queue`, no plugin of ours. */
import type { IAgentRuntime, UUID } from '@elizaos/core';
import { databaseOf, tasksTable } from '../../src/records/index.js';
import { bootPlain, type HostTaskService } from '../agent.js';
import { delay, loopGaps, nextTurn, series } from '../clockwork.js';
import { type DueMode, dueTimes } from './due-times.js';
import { addTo, type Samples, type ScenarioReport, type ScenarioRequest } from './protocol.js';
import { plainMetadata } from './workload.js';

const FAR_TASK = 'BENCH_PLAIN';
const DUE_TASK = 'BENCH_DUE';
const TAGS = ['queue', 'repeat'];
/** What is created through the host's API; the rest goes in by SQL. */
const MEASURED_CREATES = 1_000;
const ROWS_PER_INSERT = 100;

export async function plainScenario(request: ScenarioRequest): Promise<ScenarioReport> {
  const { runtime, tasks, stop } = await bootPlain();
  const samples: Samples = {};
  const beats = new Map<string, number>();
  for (const name of [FAR_TASK, DUE_TASK]) {
    runtime.registerTaskWorker({
      name,
      validate: async () => true,
      execute: async (_runtime, _options, task) => {
        if (task.id && !beats.has(task.id)) beats.set(task.id, Date.now());
        return undefined;
      },
    });
  }

  const measured = Math.min(MEASURED_CREATES, request.size);
  const each: number[] = [];
  const from = performance.now();
  samples['create.gaps'] = await loopGaps(async () => {
    for (let index = 0; index < measured; index += 1) {
      const began = performance.now();
      await createFar(runtime, index);
      each.push(performance.now() - began);
    }
  });
  const total = performance.now() - from;
  samples['create.many'] = [(total / measured) * request.size];
  samples['create.many.each'] = each;
  await insertFar(runtime, measured, request.size);

  samples.tick = await series(() => tasks.checkTasks(), {
    times: request.quick ? 10 : 100,
    forMs: request.quick ? 3_000 : 20_000,
  });
  samples['create.one'] = await series((index) => createFar(runtime, request.size + index), {
    times: request.quick ? 10 : 50,
  });
  samples.list = await series(() => runtime.getTasks({ tags: ['queue'], entityIds: [] } as never), {
    times: request.quick ? 5 : 20,
    forMs: request.quick ? 2_000 : 20_000,
  });
  const [one] = await runtime.getTasksByName(FAR_TASK);
  const id = one?.id;
  if (id) {
    const metadata = plainMetadata(0, Date.now());
    const times = request.quick ? 20 : 200;
    samples.get = await series(() => runtime.getTask(id), { times });
    // The host marks a task as taken by writing its metadata back.
    samples['claim.won'] = await series(() => runtime.updateTask(id, { metadata }), { times });
  }

  if (request.dueRounds > 0) {
    tasks.startTimer();
    for (const mode of request.dueModes) {
      for (let round = 0; round < request.dueRounds; round += 1) {
        await dueRound(runtime, beats, samples, mode, request.duePerRound);
      }
    }
  }
  await stopQuietly(tasks, stop);
  return { samples, blocks: [] };
}

async function createFar(runtime: IAgentRuntime, index: number): Promise<UUID> {
  return runtime.createTask({
    name: FAR_TASK,
    description: `Project ${index}`,
    worldId: runtime.agentId,
    tags: TAGS,
    metadata: plainMetadata(index, Date.now()) as never,
  });
}

async function insertFar(runtime: IAgentRuntime, from: number, to: number): Promise<void> {
  const db = databaseOf(runtime);
  const nowMs = Date.now();
  for (let start = from; start < to; start += ROWS_PER_INSERT) {
    const indexes = Array.from(
      { length: Math.min(ROWS_PER_INSERT, to - start) },
      (_, offset) => start + offset,
    );
    await db.insert(tasksTable).values(
      indexes.map((index) => ({
        id: crypto.randomUUID(),
        name: FAR_TASK,
        description: `Project ${index}`,
        worldId: runtime.agentId,
        agentId: runtime.agentId,
        tags: TAGS,
        metadata: plainMetadata(index, nowMs),
      })),
    );
    await nextTurn();
  }
}

async function dueRound(
  runtime: IAgentRuntime,
  beats: Map<string, number>,
  samples: Samples,
  mode: DueMode,
  count: number,
): Promise<void> {
  const due = dueTimes(mode, count, Date.now());
  const ids: { id: UUID; atMs: number }[] = [];
  for (const [index, atMs] of due.entries()) {
    const nowMs = Date.now();
    const id = await runtime.createTask({
      name: DUE_TASK,
      description: `Due ${index}`,
      worldId: runtime.agentId,
      tags: TAGS,
      metadata: { updatedAt: nowMs, updateInterval: atMs - nowMs },
    });
    ids.push({ id, atMs });
    await nextTurn();
  }
  const giveUpAt = Date.now() + 60_000;
  while (ids.some(({ id }) => !beats.has(id)) && Date.now() < giveUpAt) await delay(50);
  const lags = ids.map(({ id, atMs }) => (beats.get(id) ?? Date.now()) - atMs);
  addTo(samples, `due.${mode}.each`, lags);
  addTo(samples, `due.${mode}.worst`, [Math.max(...lags)]);
  for (const { id } of ids) await runtime.deleteTask(id);
}

async function stopQuietly(tasks: HostTaskService, stop: () => Promise<void>): Promise<void> {
  await tasks.stop();
  // A tick that is under way does not know that the database is about to be closed.
  await delay(1_000);
  await stop();
}
