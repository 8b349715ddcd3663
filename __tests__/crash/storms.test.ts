/** Deaths in the middle of many things at once, and of things that belong together. */
import { afterAll, describe, expect, it } from 'vitest';
import { type Chat, cleanUp, linesOf, until } from '../helpers/children.js';
import {
  chance,
  deathOf,
  isIdle,
  openStage,
  restart,
  type Stage,
  seedOfRun,
  targetOf,
} from '../helpers/crash-stage.js';

const seed = seedOfRun();
const below = chance(seed + 77);
process.stdout.write(`CUE_CRASH_SEED=${seed} repeats these storms\n`);

afterAll(cleanUp);

const onceIn = (inMs: number) => ({ triggerType: 'once', inMs });

/** @param turn taken before each look: what a death has interrupted waits for the next cycle again */
async function settled(stage: Stage, turn?: 'cycle'): Promise<void> {
  await until(
    'all is settled',
    async () => {
      if (turn) await stage.agent.call(turn);
      const health = await stage.agent.call('health');
      return isIdle(health) && health.active + health.resting === 0 ? true : null;
    },
    300_000,
  );
}

const textOf = (line: string) => (JSON.parse(line) as { text: string }).text;

describe('twenty conversations at once', () => {
  const ROOMS = 20;

  for (const [n, kind] of (['bare', 'server'] as const).entries()) {
    it(`all get their answer once, whatever dies (${kind}, CUE_CRASH_SEED=${seed})`, async () => {
      const stage = await openStage(kind);
      const chats: Chat[] = [];
      for (let room = 0; room < ROOMS; room += 1) {
        chats.push(await stage.agent.call('chat', `room ${room}`));
      }
      await stage.agent.call('model', 100);
      const made = await stage.agent.call(
        'createMany',
        chats.map((chat, room) => ({
          instructions: `storm ${room}`,
          displayName: `storm ${room}`,
          schedule: onceIn(1_000),
          originRoomId: chat.roomId,
          creatorEntityId: chat.entityId,
          deliverTo: targetOf(chat),
        })),
      );
      expect(made.created).toHaveLength(ROOMS);
      // Two deaths: when some have their answer, and while the next process takes over.
      const some = 1 + below(ROOMS - 2);
      await until('some have been asked', async () =>
        linesOf(stage.config.modelLog).length >= some ? true : null,
      );
      await stage.agent.kill();
      await restart(stage);
      await new Promise((resolve) => setTimeout(resolve, 2_000 + below(4_000)));
      await stage.agent.kill();
      await restart(stage);
      await stage.agent.ready;
      await settled(stage);

      const runs = await stage.agent.call(
        'rows',
        `select metadata->>'status' as status, metadata->>'answer' as answer,
            metadata->'delivery'->>'state' as delivery
          from memories where type = 'cue_trigger_run'`,
      );
      expect(runs.map((run) => run.status)).toEqual(Array(ROOMS).fill('success'));
      const held = runs.filter((run) => run.delivery === 'unknown').map((run) => run.answer);
      const said =
        kind === 'bare'
          ? linesOf(stage.config.outbox).map(textOf)
          : (await stage.agent.call('rows', 'select content from central_messages')).map((row) =>
              String(row.content),
            );
      const certain = (texts: unknown[]) => texts.filter((text) => !held.includes(text)).toSorted();
      expect(certain(said)).toEqual(certain(runs.map((run) => run.answer)));
      expect(new Set(said).size).toBe(said.length);
      const remembered = await stage.agent.call(
        'rows',
        `select content->>'text' as text from memories where metadata->>'type' = 'trigger_answer'`,
      );
      expect(remembered.map((row) => row.text).toSorted()).toEqual(
        runs.map((run) => run.answer).toSorted(),
      );
      if (n === 1) expect(held).toEqual([]);
      await stage.agent.call('exit');
      await stage.agent.ended;
    });
  }
});

describe('several instructions in one turn of the autonomy loop', () => {
  // Once there is an answer for all three, it is the only one. Before, they wait for a cycle again, which may
  // find them one after the other.
  const deaths = [
    { step: 'injected', count: 1, most: 3 },
    { step: 'answered', count: 1, most: 1 },
    { step: 'recorded', count: 1, most: 1 },
    { step: 'recorded', count: 2, most: 1 },
    { step: 'claimed', count: 2, most: 3 },
  ] as const;

  it('are answered once, whatever dies', async () => {
    const stage = await openStage('server');
    for (const [n, { most, ...death }] of deaths.entries()) {
      const chat = await stage.agent.call('chat', `cycle ${n}`);
      const made = await stage.agent.call(
        'createMany',
        ['first', 'second', 'third'].map((name) => ({
          instructions: `${name} of ${n}`,
          displayName: `${name} of ${n}`,
          wakeMode: 'next_autonomy_cycle',
          schedule: onceIn(200),
          originRoomId: chat.roomId,
          creatorEntityId: chat.entityId,
          deliverTo: targetOf(chat),
        })),
      );
      expect(made.rejected).toEqual([]);
      await until('all wait for the cycle', async () =>
        (await stage.agent.call('health')).deferred === 3 ? true : null,
      );
      await stage.agent.call('arm', death);
      stage.agent.call('cycle').catch(() => {});
      await deathOf(stage, `cycle ${n}: ${JSON.stringify(death)}`);
      await restart(stage);
      await stage.agent.ready;
      await settled(stage, 'cycle');

      const runs = await stage.agent.call(
        'rows',
        `select metadata->>'status' as status, metadata->>'answer' as answer,
            metadata->'delivery'->>'state' as delivery
          from memories where type = 'cue_trigger_run' order by created_at desc limit 3`,
      );
      expect(runs.map((run) => run.status)).toEqual(['success', 'success', 'success']);
      const said = await stage.agent.call(
        'rows',
        `select content from central_messages where channel_id = '${chat.channelId}'`,
      );
      const answers = [...new Set(runs.map((run) => run.answer))].toSorted();
      expect(answers.length, JSON.stringify(death)).toBeLessThanOrEqual(most);
      expect(said.map((row) => row.content).toSorted()).toEqual(answers);
    }
    await stage.agent.call('exit');
    await stage.agent.ended;
  });
});

describe('an import', () => {
  const COUNT = 300;

  it(`is all or nothing per trigger, and can be repeated (CUE_CRASH_SEED=${seed})`, async () => {
    const stage = await openStage('bare');
    const exported = Array.from({ length: COUNT }, (_, n) => ({
      version: 1,
      triggerId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
      displayName: `imported ${n}`,
      instructions: `imported ${n}`,
      triggerType: 'interval',
      intervalMs: 3_600_000,
      enabled: true,
      wakeMode: 'inject_now',
      createdBy: 'user',
      runCount: n % 7,
    }));
    for (let death = 0; death < 5; death += 1) {
      const batch = exported.slice(0, (COUNT * (death + 1)) / 5);
      stage.agent.call('import', batch).catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, 10 + below(250)));
      await stage.agent.kill();
      await restart(stage);
      await stage.agent.ready;
      const half = await stage.agent.call('list');
      for (const trigger of half.triggers) {
        const { runCount } = await stage.agent.call('get', trigger.id);
        const given = exported.find((one) => one.displayName === trigger.displayName);
        expect({ name: trigger.displayName, runCount }).toEqual({
          name: trigger.displayName,
          runCount: given?.runCount,
        });
      }
    }
    const again = await stage.agent.call('import', exported);
    expect(again.rejected).toEqual([]);
    expect(again.created.length + again.duplicates.length).toBe(COUNT);
    const rows = await stage.agent.call(
      'rows',
      `select metadata->'trigger'->>'displayName' as name, (metadata->'trigger'->>'runCount')::int as runs,
          (select (metadata->>'pruned')::int from memories where type = 'cue_trigger_counter'
            and metadata->>'triggerId' = tasks.metadata->'trigger'->>'triggerId') as counted
        from tasks where name = 'TRIGGER_DISPATCH'`,
    );
    expect(rows).toHaveLength(COUNT);
    expect(new Set(rows.map((row) => row.name)).size).toBe(COUNT);
    for (const row of rows) {
      const n = Number(String(row.name).replace('imported ', ''));
      expect({ name: row.name, runs: row.runs, counted: row.counted ?? 0 }).toEqual({
        name: `imported ${n}`,
        runs: n % 7,
        counted: n % 7,
      });
    }
    await stage.agent.call('exit');
    await stage.agent.ended;
  });
});
