/** What a turn brings along to work memory: its session, its time zone, the run it is part of. */
import { type Action, type Memory, stringToUuid } from '@elizaos/core';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { MemoryView, WorkMemoryService } from '../../../src/memory/index.js';
import { DAY_MS, HOUR_MS, MINUTE_MS as MINUTE } from '../../../src/shared/clock.js';
import { workMemoryProvider } from '../../../src/surfaces/eliza/index.js';
import { memoryOf } from '../../helpers/memory.js';
import { plan } from '../../helpers/scripted-model.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const OPERATOR = { kind: 'operator' } as const;

const deployAction: Action = {
  name: 'RUN_DEPLOY',
  similes: [],
  description: 'deploys',
  examples: [],
  validate: async () => true,
  handler: async () => ({
    success: true,
    text: 'deployed to production',
    data: { command: 'npm run deploy' },
  }),
};

let talk: Talk;
let memory: WorkMemoryService;
let people = 0;
let friday: number;
let ada: Seat;
let bob: Seat;

beforeAll(async () => {
  talk = await startTalk({
    slim: true,
    plugins: [{ name: 'deployer', description: 'test', actions: [deployAction] }],
  });
  memory = await memoryOf(talk.runtime);
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  people += 1;
  // A Friday of its own, later than that of the test before.
  friday = FRIDAY_9 + people * 7 * DAY_MS;
  talk.clock.ms = friday;
  ada = await talk.alone(`ada-${people}`);
  bob = await talk.alone(`bob-${people}`);
});

const remember = async (seat: Seat, text: string): Promise<MemoryView> => {
  const reply = await talk.say(seat, `remember that ${text}`, 'STORE_WORK_MEMORY');
  return memory.get(/mem_[0-9a-f]{8}/.exec(reply)?.[0] ?? reply, OPERATOR);
};
const recall = (seat: Seat, text: string, more?: Partial<Memory>) =>
  talk.say(seat, text, 'RECALL_WORK_MEMORY', more);

describe('the session of a conversation', () => {
  it('is kept with what is told and what is done, and ends with half an hour of silence', async () => {
    const first = await remember(ada, 'the cellar is damp');
    talk.clock.ms += 29 * MINUTE;
    // A message that no memory is asked about keeps the session open too.
    await talk.say(ada, 'hello again', 'REPLY');
    talk.clock.ms += 29 * MINUTE;
    await talk.say(ada, 'please deploy the shop today', 'RUN_DEPLOY');
    const [deployed] = (await memory.list({ limit: 1 }, OPERATOR)).memories;
    talk.clock.ms += 30 * MINUTE;
    const later = await remember(ada, 'the attic is dry');
    expect(first.session_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(deployed).toMatchObject({ origin: 'captured', session_id: first.session_id });
    expect(later.session_id).not.toBe(first.session_id);
  });

  it('is another one in every room', async () => {
    const home = await remember(ada, 'the oven is old');
    const group = await talk.inGroup(`ada-${people}`, `kitchen-${people}`);
    expect((await remember(group, 'the fridge is new')).session_id).not.toBe(home.session_id);
  });

  it('that was last is the one before this one, and of this room', async () => {
    expect(await recall(ada, 'recall session:last')).toBe(
      'I have no such memory, or it is not yours to see.',
    );
    await remember(ada, 'the roof leaks');
    await remember(ada, 'the gutter is full');
    talk.clock.ms += 40 * MINUTE;
    const group = await talk.inGroup(`ada-${people}`, `garden-${people}`);
    await remember(group, 'the hedge is cut');
    talk.clock.ms += MINUTE;
    await remember(ada, 'the roof is repaired');
    const reply = await recall(ada, 'recall session:last');
    expect(reply).toContain('the roof leaks');
    expect(reply).toContain('the gutter is full');
    expect(reply).not.toMatch(/hedge|repaired/);
    // A room that has had none yet: the newest of any other.
    const fresh = await talk.inGroup(`ada-${people}`, `yard-${people}`);
    expect(await recall(fresh, 'recall session:last')).toContain('the roof is repaired');
  });
});

describe('"yesterday"', () => {
  /** Friday 09:00 in Berlin is Friday 17:00 in Tokyo and Thursday 22:00 in Honolulu. */
  it('is read in the zone of who asks, which they or their client have told', async () => {
    talk.clock.ms = friday - 10 * HOUR_MS;
    const evening = await remember(ada, 'the boiler hums'); // Thursday 23:00 in Berlin
    talk.clock.ms = friday;
    const words = 'what did we note yesterday about the boiler?';
    expect(await stageOf(words)).toBe('temporal');
    expect(await stageOf(words, 'Pacific/Honolulu')).toBe('semantic');
    await talk.agent.triggers.rememberTimezone(ada.entityId, 'Asia/Tokyo');
    expect(await stageOf(words)).toBe('semantic');

    /** By which stage the message finds it, in the provider's own recall. */
    async function stageOf(text: string, timezone?: string): Promise<string | undefined> {
      const asked: unknown[] = [];
      const recallOf = memory.recall;
      Object.defineProperty(memory, 'recall', {
        configurable: true,
        value: async (...args: Parameters<typeof recallOf>) => {
          const found = await recallOf(...args);
          asked.push(found.memories.find((one) => one.memory_id === evening.memory_id)?.stage);
          return found;
        },
      });
      const metadata = { type: 'message', timezone } as NonNullable<Memory['metadata']>;
      const more = timezone === undefined ? {} : { metadata };
      await recall(ada, text, more);
      const message: Memory = { ...ada, id: stringToUuid('yesterday'), content: { text }, ...more };
      await workMemoryProvider.get(talk.runtime, message, { values: {}, data: {}, text: '' });
      Reflect.deleteProperty(memory, 'recall');
      expect(new Set(asked).size).toBe(1);
      return asked.length > 1 ? String(asked[0]) : undefined;
    }
  });
});

describe('inside a scheduled run', () => {
  /** Lets a trigger do `instructions` with `action`, and returns how its run ended. */
  async function runOf(seat: Seat | null, instructions: string, action: string) {
    const made = await talk.agent.triggers.create(
      {
        instructions,
        schedule: { triggerType: 'interval', intervalMs: 3_600_000 },
        ...(seat === null
          ? {}
          : {
              creatorEntityId: seat.entityId,
              originRoomId: seat.roomId,
              deliverTo: { roomId: seat.roomId, source: 'test' },
            }),
      },
      { requester: OPERATOR, source: 'operator' },
    );
    if (!('trigger' in made)) throw new Error('not made');
    talk.agent.brain.onLarge = () => plan('', action);
    const { run } = await talk.agent.triggers.run(made.trigger.id, OPERATOR, { waitMs: 10_000 });
    return run;
  }
  const newest = async () => (await memory.list({ limit: 1 }, OPERATOR)).memories[0];

  it('what is stored is its creator’s, as private as the chat the trigger came from', async () => {
    talk.clock.ms += MINUTE;
    const chat = await remember(ada, 'reports are due');
    talk.clock.ms += MINUTE;
    const note = 'remember that the nightly heron report was empty';
    expect(await runOf(ada, note, 'STORE_WORK_MEMORY')).toMatchObject({
      status: 'success',
      answer: expect.stringContaining('I will remember that'),
    });
    const stored = await newest();
    expect(stored).toMatchObject({
      intent: { goal: 'the nightly heron report was empty' },
      visibility: 'user',
      origin: 'told',
    });
    // A run is no part of the conversation: it neither joins nor prolongs its session.
    expect(stored?.session_id).toMatch(/^[0-9a-f-]{36}$/);
    expect(stored?.session_id).not.toBe(chat.session_id);
    const words = 'what do you remember about the heron report?';
    expect(await recall(ada, words)).toContain('the nightly heron report was empty');
    expect(await recall(bob, words)).not.toContain('heron report was');
    expect(await talk.say(bob, `forget ${stored?.memory_id}`, 'FORGET_WORK_MEMORY')).toBe(
      'I have no such memory, or it is not yours to see.',
    );
    expect(await talk.say(ada, `forget ${stored?.memory_id}`, 'FORGET_WORK_MEMORY')).toContain(
      'Shall I?',
    );
  });

  it('what a trigger of a group stores belongs to the group', async () => {
    talk.clock.ms += MINUTE;
    const there = await talk.inGroup(`ada-${people}`, `pier-${people}`);
    const bobThere = await talk.inGroup(`bob-${people}`, `pier-${people}`);
    await runOf(there, 'remember that the cormorant count was nine', 'STORE_WORK_MEMORY');
    expect(await newest()).toMatchObject({ visibility: 'room' });
    const words = 'what do you remember about the cormorant count?';
    expect(await recall(bobThere, words)).toContain('the cormorant count was nine');
    expect(await recall(bob, words)).not.toContain('count was nine');
  });

  it('what an operator’s trigger stores is seen by nobody who happens to ask', async () => {
    talk.clock.ms += MINUTE;
    await runOf(null, 'remember that the pelican audit passed', 'STORE_WORK_MEMORY');
    expect(await newest()).toMatchObject({ intent: { goal: 'the pelican audit passed' } });
    for (const seat of [ada, bob]) {
      expect(await recall(seat, 'what do you remember about the pelican audit?')).not.toContain(
        'audit passed',
      );
    }
  });

  it('only what its creator may see is recalled', async () => {
    const { memory_id: id } = await remember(ada, 'the osprey nest is on pole four');
    expect((await runOf(ada, `recall ${id}`, 'RECALL_WORK_MEMORY'))?.answer).toContain('pole four');
    for (const seat of [bob, null]) {
      const run = await runOf(seat, `recall ${id}`, 'RECALL_WORK_MEMORY');
      expect(JSON.stringify(run)).not.toContain('pole four');
      expect(run?.status).toBe('failed');
    }
  });

  it('nothing is forgotten: nobody is there to say yes', async () => {
    const { memory_id: id } = await remember(ada, 'the gull ate the bread');
    expect((await runOf(ada, `forget ${id}`, 'FORGET_WORK_MEMORY'))?.status).toBe('failed');
    expect(await memory.get(id, OPERATOR)).toMatchObject({ memory_id: id });
    expect(await talk.say(ada, 'yes', 'FORGET_WORK_MEMORY')).toContain('nothing that waits');
  });

  it('what was done is captured once, with its creator as the one it belongs to', async () => {
    talk.clock.ms += MINUTE;
    const before = (await memory.list({ limit: 1 }, OPERATOR)).total;
    const instructions = `deploy the lighthouse ${people} to production`;
    expect(await runOf(ada, instructions, 'RUN_DEPLOY')).toMatchObject({ status: 'success' });
    expect((await memory.list({ limit: 1 }, OPERATOR)).total).toBe(before + 1);
    expect(await newest()).toMatchObject({
      origin: 'captured',
      visibility: 'user',
      intent: { goal: instructions },
      actions: [{ type: 'command_run', details: { command: 'npm run deploy' } }],
    });
    const words = 'what do you remember about the lighthouse?';
    expect(await recall(ada, words)).toContain('lighthouse');
    expect(await recall(bob, words)).toBe('I remember nothing about that.');
  });
});
