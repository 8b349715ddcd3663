/** Phrases that the agent's own model adds to memories stored without them (CUE_SUMMARIES=model). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/memory/index.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { boot } from '../helpers/boot.js';
import { memoryOf } from '../helpers/memory.js';
import { draft, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };

describe('a model that writes phrases', () => {
  let database: OpenRecordDatabase;
  beforeAll(async () => {
    database = await openRecordDatabase();
  });
  afterAll(() => database.close());

  it('is asked once per memory, and only where nobody gave any', async () => {
    const asked: string[] = [];
    const room = await openRoom(database, 'written phrases', {
      phrases: async (text) => {
        asked.push(text);
        return '1. the page stays blank\n- "nothing is drawn"\n\n';
      },
    });
    const bare = await room.memory.store(draft('Load the chart later'), OPERATOR);
    await room.memory.store(draft('Told', { remind_when: ['someone asks'] }), OPERATOR);
    await room.memory.settled();
    expect(asked).toEqual([expect.stringContaining('Load the chart later')]);
    const { remind_when } = await room.memory.get(bare.memory_id, OPERATOR);
    expect(remind_when).toEqual(['the page stays blank', 'nothing is drawn']);
    const { memories } = await room.memory.recall({ query: 'the page is blank' }, OPERATOR);
    expect(memories[0]?.memory_id).toBe(bare.memory_id);
    await room.stop();
  });

  it('leaves the memory as it is when it fails or says nothing of use', async () => {
    let answer = async () => '\n \n';
    const room = await openRoom(database, 'no phrases', { phrases: () => answer() });
    const { memory_id } = await room.memory.store(draft('Bake bread'), OPERATOR);
    answer = () => Promise.reject(new Error('no model'));
    await room.memory.store(draft('Bake cake'), OPERATOR);
    await room.memory.settled();
    expect((await room.memory.get(memory_id, OPERATOR)).remind_when).toEqual([]);
    await room.stop();
  });

  it('never touches what changed while it wrote', async () => {
    let id = '';
    const room = await openRoom(database, 'changed meanwhile', {
      phrases: async () => {
        await room.memory.updateMemory({ memory_id: id, remind_when: ['mine'] }, OPERATOR);
        return 'yours';
      },
    });
    id = (await room.memory.store(draft('Sweep the yard'), OPERATOR)).memory_id;
    await room.memory.settled();
    expect((await room.memory.get(id, OPERATOR)).remind_when).toEqual(['mine']);
    await room.stop();
  });
});

it('keeps within the cost guard on the real runtime', async () => {
  const agent = await boot({
    slim: true,
    name: 'Phrases',
    settings: { CUE_SUMMARIES: 'model', CUE_TRIGGER_RUNS_PER_HOUR: '2' },
  });
  try {
    agent.brain.onSmall = () => 'it matters again';
    const memory = await memoryOf(agent.runtime);
    const ids: string[] = [];
    for (const goal of ['One', 'Two', 'Three']) {
      ids.push((await memory.store(draft(goal), OPERATOR)).memory_id);
    }
    await memory.settle();
    const written = await Promise.all(ids.map((id) => memory.get(id, OPERATOR)));
    expect(written.map(({ remind_when }) => remind_when.length)).toEqual([1, 1, 0]);
  } finally {
    await agent.stop();
  }
});
