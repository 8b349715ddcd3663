/**
 * Rounds of: make triggers, let the process die, start another one on the same directory, and see
 * that everything happened exactly once. One directory serves many rounds, so that what an earlier
 * death left behind would be seen by the later ones.
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import type { TriggerHealth, TriggerRun } from '../../src/index.js';
import {
  type AgentProcess,
  type Chat,
  type ChildConfig,
  type DeathPoint,
  linesOf,
  newDirectory,
  startAgent,
  until,
} from './children.js';

export const INTERVAL_MS = 1_000;
export const REPEATS = 3;
/** Occurrences of a round: one `once`, REPEATS of the repeating one, one immediate. */
export const OCCURRENCES = REPEATS + 2;

/** How a round ends its process: at a step, or after a while, whatever it is doing then. */
export type Death = DeathPoint | { afterMs: number };

interface Round {
  name: string;
  chat: Chat;
  once: string;
  repeating: string;
  steady: string;
  steadyTask: string;
  startedMs: number;
}

export interface Stage {
  agent: AgentProcess;
  readonly config: ChildConfig & { outbox: string; modelLog: string; dataDir: string };
  readonly rounds: Round[];
}

export async function openStage(
  kind: ChildConfig['kind'],
  settings: Record<string, string> = {},
): Promise<Stage> {
  const directory = newDirectory();
  const config = {
    kind,
    settings,
    dataDir: join(directory, 'db'),
    outbox: join(directory, 'outbox'),
    modelLog: join(directory, 'model'),
  };
  const agent = startAgent(config);
  await agent.ready;
  return { agent, config, rounds: [] };
}

/** A fresh process on the directory of the one that has died. */
export async function restart(
  stage: Stage,
  change: { settings?: Record<string, string>; die?: DeathPoint } = {},
): Promise<void> {
  await stage.agent.ended;
  const { settings, die } = change;
  stage.agent = startAgent({
    ...stage.config,
    settings: { ...stage.config.settings, ...settings },
    ...(die ? { die } : {}),
  });
}

/** Where an answer is to be brought: a channel of the server, or the platform that cannot be asked. */
export function targetOf(chat: Chat): { roomId: string; source?: string } {
  return chat.channelId === null
    ? { roomId: chat.roomId, source: 'fake' }
    : { roomId: chat.roomId };
}

export function isIdle(health: TriggerHealth): boolean {
  const { running, queued, retrying, deferred, undelivered } = health;
  return running + queued + retrying + deferred + undelivered === 0;
}

/**
 * Makes a one-shot, a repeating trigger of three runs and a steady one that runs at once; the
 * process dies in between. `alsoDie` kills the next process, too, while it recovers.
 */
export async function round(
  stage: Stage,
  death: Death,
  options: { alsoDieAfterMs?: number[] } = {},
): Promise<Round> {
  const name = `round-${stage.rounds.length + 1}`;
  await stage.agent.ready;
  const chat = await stage.agent.call('chat', name);
  if ('step' in death) await stage.agent.call('arm', death);
  const common = {
    originRoomId: chat.roomId,
    creatorEntityId: chat.entityId,
    deliverTo: targetOf(chat),
    missedRunPolicy: { mode: 'all', max: 100 },
    overlapPolicy: 'queue',
  };
  const startedMs = Date.now();
  const made = await stage.agent.call('createMany', [
    {
      ...common,
      instructions: `${name} once`,
      displayName: `${name} once`,
      schedule: {
        triggerType: 'once',
        // Within the repeating one's runs.
        inMs: 2_000,
      },
    },
    {
      ...common,
      instructions: `${name} repeating`,
      displayName: `${name} repeating`,
      maxRuns: REPEATS,
      schedule: { triggerType: 'interval', intervalMs: INTERVAL_MS },
    },
    {
      ...common,
      instructions: `${name} steady`,
      displayName: `${name} steady`,
      runImmediately: true,
      schedule: { triggerType: 'interval', intervalMs: 3_600_000 },
    },
  ]);
  expect(made.rejected).toEqual([]);
  const [once, repeating, steady] = made.created;
  if (!once || !repeating || !steady) throw new Error('not all triggers were made');
  const result: Round = {
    name,
    chat,
    once: once.triggerId,
    repeating: repeating.triggerId,
    steady: steady.triggerId,
    steadyTask: steady.taskId,
    startedMs,
  };
  stage.rounds.push(result);

  if ('afterMs' in death) {
    await Promise.race([
      stage.agent.ended,
      new Promise((resolve) => setTimeout(resolve, startedMs + death.afterMs - Date.now())),
    ]);
    stage.agent.signal('SIGKILL');
  }
  await deathOf(stage, `${name}: ${JSON.stringify(death)}`);
  for (const afterMs of options.alsoDieAfterMs ?? []) {
    await restart(stage);
    await new Promise((resolve) => setTimeout(resolve, afterMs));
    await stage.agent.kill();
  }
  await restart(stage);
  await stage.agent.ready;
  await until(
    `${name} is settled`,
    async () => {
      const [gone] = await stage.agent.call(
        'rows',
        `select count(*) as n from tasks where metadata->'trigger'->>'triggerId'
          in ('${result.once}', '${result.repeating}')`,
      );
      const runs = await runsOf(stage, result.steady);
      const done = Number(gone?.n) === 0 && runs.some((run) => !run.open);
      return done && isIdle(await stage.agent.call('health')) ? true : null;
    },
    180_000,
  ).catch(async (error: unknown) => {
    const runs = await stage.agent.call(
      'rows',
      `select metadata from memories where type = 'cue_trigger_run' order by created_at desc limit 6`,
    );
    const tasks = await stage.agent.call(
      'rows',
      `select tags, metadata from tasks where name = 'TRIGGER_DISPATCH'`,
    );
    throw new Error(`${String(error)}: ${JSON.stringify({ runs, tasks }, null, 1)}`, {
      cause: error,
    });
  });
  await checkRound(stage, result);
  return result;
}

export async function runsOf(stage: Stage, triggerId: string): Promise<TriggerRun[]> {
  const rows = await stage.agent.call(
    'rows',
    `select metadata from memories where type = 'cue_trigger_run'
      and metadata->>'triggerId' = '${triggerId}' order by created_at, id`,
  );
  return rows.map((row) => row.metadata as TriggerRun);
}

/** Nothing lost, nothing said twice, nothing left over. */
export async function checkRound(stage: Stage, one: Round): Promise<void> {
  const { agent } = stage;
  const once = await runsOf(stage, one.once);
  const repeating = await runsOf(stage, one.repeating);
  const steady = await runsOf(stage, one.steady);
  const runs = [...once, ...repeating, ...steady];
  expect(once.map((run) => run.status)).toEqual(['success']);
  expect(steady.map((run) => run.status)).toEqual(['success']);
  expect(repeating.map((run) => run.status)).toEqual(Array(REPEATS).fill('success'));
  expect(runs.filter((run) => run.open)).toEqual([]);
  const times = repeating.map((run) => run.scheduledForMs).toSorted((a, b) => a - b);
  const first = times[0] ?? 0;
  expect(times).toEqual(times.map((_, index) => first + index * INTERVAL_MS));

  const answers = runs.map((run) => run.answer ?? '').toSorted();
  expect(new Set(answers).size).toBe(OCCURRENCES);
  const asked = linesOf(stage.config.modelLog).filter((line) => line.includes(`${one.name} `));
  expect(asked).toEqual(expect.arrayContaining(answers));

  if (one.chat.channelId === null) {
    const sent = linesOf(stage.config.outbox)
      .map((line) => JSON.parse(line) as { roomId: string; text: string })
      .filter((line) => line.roomId === one.chat.roomId)
      .map((line) => line.text);
    // Dead between "about to send" and "sent": held, and it may have arrived or not.
    const held = runs.filter((run) => run.delivery?.state === 'unknown').map((run) => run.answer);
    expect(held.length).toBeLessThanOrEqual(1);
    expect(sent.filter((text) => !held.includes(text)).toSorted()).toEqual(
      answers.filter((text) => !held.includes(text)),
    );
    expect(new Set(sent).size).toBe(sent.length);
  } else {
    const said = await agent.call(
      'rows',
      `select content, metadata->>'triggerRunId' as run from central_messages
        where channel_id = '${one.chat.channelId}'`,
    );
    expect(said.map((row) => String(row.content)).toSorted()).toEqual(answers);
    expect(said.map((row) => String(row.run)).toSorted()).toEqual(
      runs.map((run) => run.triggerRunId).toSorted(),
    );
    expect(runs.map((run) => run.delivery?.state)).toEqual(Array(OCCURRENCES).fill('delivered'));
  }
  const remembered = await agent.call(
    'rows',
    `select content->>'text' as text from memories
      where type = 'messages' and room_id = '${one.chat.roomId}'`,
  );
  expect(remembered.map((row) => String(row.text)).toSorted()).toEqual(answers);
  const inside = await agent.call(
    'rows',
    `select metadata->>'type' as kind, count(*) as n from memories where type = 'messages'
      and metadata->>'triggerRunId' in (${runs.map((run) => `'${run.triggerRunId}'`).join(', ')})
      group by 1 order by 1`,
  );
  expect(Object.fromEntries(inside.map((row) => [row.kind, Number(row.n)]))).toEqual({
    autonomous_answer: OCCURRENCES,
    autonomous_instruction: OCCURRENCES,
    trigger_answer: OCCURRENCES,
  });

  const left = await agent.call(
    'rows',
    `select metadata->'trigger'->>'triggerId' as id, metadata->'trigger'->>'runCount' as runs,
        metadata->'trigger'->>'lastStatus' as status
      from tasks where metadata->'trigger'->>'triggerId'
        in ('${one.once}', '${one.repeating}', '${one.steady}')`,
  );
  expect(left).toEqual([{ id: one.steady, runs: '1', status: 'success' }]);
  expect(await agent.call('health')).toMatchObject({
    running: 0,
    queued: 0,
    retrying: 0,
    deferred: 0,
    undelivered: 0,
  });
}

/** Once more over all rounds, then a clean end. */
export async function closeStage(stage: Stage): Promise<void> {
  for (const one of stage.rounds) await checkRound(stage, one);
  await stage.agent.call('exit');
  expect(await stage.agent.ended).toEqual({ code: 0, signal: null });
}

/** Waits for the death that was arranged; one that does not come is a mistake of the test. */
export async function deathOf(stage: Stage, what: string): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it does not die: ${what}`)), 120_000);
  });
  try {
    expect((await Promise.race([stage.agent.ended, late])).signal).toBe('SIGKILL');
  } finally {
    clearTimeout(timer);
  }
}

/** Chance that can be repeated: the same seed gives the same sequence. */
export function chance(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** So many things of a kind for CI, and twice as many in `npm run test:storm`. */
export function inStorm(count: number): number {
  return process.env.CUE_STORM === 'true' ? 2 * count : count;
}

/** `CUE_CRASH_SEED` repeats a run; it is shown in the names of the tests. */
export function seedOfRun(): number {
  const given = Number(process.env.CUE_CRASH_SEED);
  return Number.isInteger(given) && given > 0 ? given : Date.now() % 1_000_000_000;
}
