/** Our way, through the service an agent has: nothing here is faster than in a real agent. */
import { stringToUuid } from '@elizaos/core';
import { createRecords, databaseOf, homeOf, type Records } from '../../src/records/index.js';
import type { Uuid } from '../../src/shared/ids.js';
import { createLedger } from '../../src/triggers/ledger.js';
import { type NewRun, RUN_TYPE, runIdOf } from '../../src/triggers/run-history.js';
import type { TriggerRun } from '../../src/triggers/schema.js';
import { bootCue } from '../agent.js';
import { delay, loopGaps, nextTurn, series } from '../clockwork.js';
import { watchStatements } from '../statement-watch.js';
import { type DueMode, dueTimes } from './due-times.js';
import { addTo, type Samples, type ScenarioReport, type ScenarioRequest } from './protocol.js';
import { dueDraft, farDraft } from './workload.js';

const OPERATOR = { kind: 'operator' } as const;
/** Must be longer than it takes to store a round of `beat.due`. */
const HOT_WINDOW_MS = 120_000;

type Cue = Awaited<ReturnType<typeof bootCue>>;

export async function cueScenario(request: ScenarioRequest): Promise<ScenarioReport> {
  const begun = new Map<string, number>();
  const agent = await bootCue({
    onStep: (step, runId) => {
      if (step === 'claimed') begun.set(runId, Date.now());
    },
  });
  const { runtime, tasks, triggers } = agent;
  const { size, quick } = request;
  const db = databaseOf(runtime);
  const records = createRecords({ db, home: homeOf(runtime) });
  const watch = watchStatements(db);
  const samples: Samples = {};
  const blocks: ScenarioReport['blocks'] = [];
  const phase = async (during: string, work: () => Promise<void>) => {
    await work();
    for (const block of watch.take()) blocks.push({ ...block, during });
  };
  watch.take();

  await phase('create many', async () => {
    const nowMs = Date.now();
    const drafts = Array.from({ length: size }, (_, index) => farDraft(index, nowMs));
    const from = performance.now();
    let made = 0;
    samples['create.gaps'] = await loopGaps(async () => {
      const result = await triggers.createMany(drafts, { requester: OPERATOR });
      made = result.created.length;
    });
    const took = performance.now() - from;
    if (made !== size) throw new Error(`only ${made} of ${size} triggers were created`);
    samples['create.many'] = [took];
    samples['create.many.each'] = [took / size];
  });
  await phase('idle tick', async () => {
    samples.tick = await series(() => tasks.checkTasks(), { times: quick ? 20 : 200 });
    await triggers.settle();
  });
  await phase('heartbeat, none due', async () => {
    samples['beat.idle'] = await series(() => triggers.heartbeat(), { times: quick ? 10 : 50 });
  });
  await phase('heartbeat, 50 due', async () => {
    samples['beat.due'] = await heartbeatsWithDue(agent, quick ? 1 : 10, request.duePerRound);
  });
  await phase('list, get, health', async () => {
    samples.list = await series(() => triggers.list({}, { limit: 50 }, OPERATOR), {
      times: quick ? 10 : 50,
    });
    const { triggers: shown } = await triggers.list({}, { limit: 50 }, OPERATOR);
    samples.get = await series((index) => triggers.get(shown[index % 50]?.id ?? '', OPERATOR), {
      times: quick ? 20 : 200,
    });
    samples.health = await series(() => triggers.health(), { times: quick ? 10 : 50 });
  });
  await phase('create one', async () => {
    const nowMs = Date.now();
    samples['create.one'] = await series(
      (index) =>
        triggers.create(
          { ...farDraft(index, nowMs, 'one '), creatorEntityId: stringToUuid(`one-${index}`) },
          { requester: OPERATOR, source: 'conversation', confirmed: true },
        ),
      { times: quick ? 10 : 50 },
    );
  });
  await phase('claims', () => claims(records, samples, quick ? 20 : 200));
  if (request.dueRounds > 0) {
    await phase('due', async () => {
      tasks.startTimer();
      for (const mode of request.dueModes) {
        for (let round = 0; round < request.dueRounds; round += 1) {
          await dueRound(agent, records, begun, samples, mode, request.duePerRound);
        }
      }
      await tasks.stop();
    });
  }
  samples.statement = blocks.map((block) => block.ms);
  samples['statement.cpu'] = blocks.map((block) => block.cpuMs);
  await delay(200);
  await agent.stop();
  return { samples, blocks: blocks.filter((block) => block.ms >= 20) };
}

/** Resting triggers whose time has just come into the hot window, then one beat. */
async function heartbeatsWithDue(agent: Cue, rounds: number, count: number): Promise<number[]> {
  const values: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const atMs = Date.now() + HOT_WINDOW_MS + 1_500;
    const { created } = await agent.triggers.createMany(
      Array.from({ length: count }, (_, index) => dueDraft(`beat ${round} ${index}`, atMs)),
      { requester: OPERATOR },
    );
    // A timer may fire a moment early.
    await delay(Math.max(0, atMs - HOT_WINDOW_MS - Date.now()) + 5);
    const from = performance.now();
    await agent.triggers.heartbeat();
    values.push(performance.now() - from);
    const { state } = await agent.triggers.get(created[0]?.id ?? '', OPERATOR);
    if (state !== 'active') throw new Error(`the heartbeat left a due trigger ${state}`);
    for (const { id } of created) {
      await agent.triggers.delete(id, OPERATOR);
      await nextTurn();
    }
  }
  return values;
}

/** The three statements that decide who runs an occurrence. */
async function claims(records: Records, samples: Samples, times: number): Promise<void> {
  const ledger = createLedger(records);
  const runs = Array.from({ length: times + 2 }, (_, index) => claimOf(index));
  const runAt = (index: number): NewRun => {
    const run = runs[index];
    if (!run) throw new Error('more claims than runs');
    return run;
  };
  samples['claim.won'] = await series((index) => ledger.claim([runAt(index)]), { times });
  samples['claim.lost'] = await series((index) => ledger.claim([runAt(index)]), { times });
  samples['lease.cas'] = await series(
    async (index) => {
      const lease = { owner: 'bench', token: `second-${index}`, nowMs: Date.now() };
      if (!(await ledger.take(runAt(index).run, lease))) throw new Error('the lease was not taken');
    },
    { times },
  );
  for (let start = 0; start < runs.length; start += 50) {
    const ids = runs.slice(start, start + 50).map(({ run }) => run.triggerRunId as Uuid);
    await records.delete(RUN_TYPE, ids);
  }
}

function claimOf(index: number): NewRun {
  const triggerId = stringToUuid(`bench-claim-${index}`);
  const nowMs = Date.now();
  const run: TriggerRun = {
    version: 1,
    triggerRunId: runIdOf(triggerId, index),
    triggerId,
    taskId: stringToUuid(`bench-claim-task-${index}`),
    scheduledForMs: nowMs,
    cause: 'schedule',
    status: 'running',
    open: true,
    attempt: 1,
    startedAt: nowMs,
    leaseOwner: 'bench',
    leaseToken: `first-${index}`,
    leaseUntilMs: nowMs + 30_000,
  };
  return { run, text: 'bench' };
}

async function dueRound(
  { triggers }: Cue,
  records: Records,
  begun: Map<string, number>,
  samples: Samples,
  mode: DueMode,
  count: number,
): Promise<void> {
  const ledger = createLedger(records);
  const times = dueTimes(mode, count, Date.now());
  const { created } = await triggers.createMany(
    times.map((atMs, index) => dueDraft(`number ${index} of ${times[0]}`, atMs)),
    { requester: OPERATOR },
  );
  const runIds = created.map((one, index) => runIdOf(one.triggerId, times[index] ?? 0));
  const giveUpAt = Date.now() + 60_000;
  while (runIds.some((id) => !begun.has(id)) && Date.now() < giveUpAt) await delay(50);
  // The next round begins when the agent has done what this one asked of it.
  await triggers.settle();
  const rows = await ledger.getMany(runIds);
  if (rows.length !== count)
    throw new Error(`${rows.length} of ${count} due triggers were claimed`);
  const lags = rows.map((run) => run.startedAt - run.scheduledForMs);
  const begins = rows.map((run) => (begun.get(run.triggerRunId) ?? 0) - run.scheduledForMs);
  addTo(samples, `due.${mode}.each`, lags);
  addTo(samples, `due.${mode}.worst`, [Math.max(...lags)]);
  addTo(samples, 'due.begun.each', begins);
  addTo(samples, 'due.begun.worst', [Math.max(...begins)]);
}
