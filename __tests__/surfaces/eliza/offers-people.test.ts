/** Offers and the people they are about: whose words they are, who may read them, and what outlives a chat. */
import { stringToUuid } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import type { ProactiveService, Reaction } from '../../../src/proactive/index.js';
import { databaseOf, rowsOf } from '../../../src/records/index.js';
import { DAY_MS, HOUR_MS } from '../../../src/shared/clock.js';
import { createOffersProvider } from '../../../src/surfaces/eliza/index.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { FRIDAY_9, type Seat, startTalk, type Talk } from './talk.js';

const OPERATOR = { kind: 'operator' } as const;
const NO_STATE = { values: {}, data: {}, text: '' };
const PATIENT_MS = 10_000;

let talk: Talk;
let memory: WorkMemoryService;
let service: ProactiveService;
let round = 0;
let ada: Seat;

beforeAll(async () => {
  talk = await startTalk({ slim: true });
  memory = await memoryOf(talk.runtime);
  service = await offersOf(talk.runtime);
});
afterAll(() => talk.agent.stop());
beforeEach(async () => {
  round += 1;
  talk.clock.ms = FRIDAY_9 + round * 400 * DAY_MS;
  ada = await talk.alone(`named-${round}`);
});

/** Failed work on a file that is known to the whole project. */
async function failed(goal: string, path: string): Promise<void> {
  await memory.store(
    {
      intent: goal,
      actions: [{ file: path, operation: 'edit' }],
      outcome: { success: false, failure_reason: 'the build got slower' },
    },
    OPERATOR,
  );
  talk.clock.ms += HOUR_MS;
}
const messageFrom = (seat: Seat, text: string) => ({
  id: stringToUuid(`named-${round}-${text}`),
  ...seat,
  content: { text, source: 'test' },
});
async function ask(budgetMs: number, message: ReturnType<typeof messageFrom>): Promise<string> {
  const provider = createOffersProvider(budgetMs);
  return (await provider.get(talk.runtime, message, NO_STATE)).text ?? '';
}
async function emit(name: string, fields: object): Promise<void> {
  await talk.runtime.emitEvent(name, { runtime: talk.runtime, source: 'test', ...fields } as never);
  await service.settled();
}
/** Offers in the database that are about these very words. */
async function rowsAbout(words: string): Promise<number> {
  const [row] = await rowsOf(
    databaseOf(talk.runtime),
    sql`select count(*) as n from memories where metadata->'data'->>'subject' = ${words}`,
  );
  return Number(row?.n);
}

describe('what somebody said in company', () => {
  it('is removed with the offer that was made of it, when they are forgotten', async () => {
    const path = `src/company${round}.ts`;
    await failed(`Inline the tables of ${path}`, path);
    const group = await talk.inGroup(`named-${round}`, `club-${round}`);
    const words = `inline the tables of ${path}`;
    const bob = await talk.inGroup(`listener-${round}`, `club-${round}`);
    await ask(PATIENT_MS, messageFrom(group, words));
    await service.settled();
    expect(await rowsAbout(words)).toBe(1);
    await memory.forget({ entity_id: bob.entityId }, OPERATOR);
    expect(await rowsAbout(words)).toBe(1);
    await memory.forget({ entity_id: ada.entityId }, OPERATOR);
    expect(await rowsAbout(words)).toBe(0);
  });

  it('is theirs too when an event tells it', async () => {
    const path = `src/told${round}.ts`;
    await failed(`Inline the tables of ${path}`, path);
    const group = await talk.inGroup(`named-${round}`, `guild-${round}`);
    const words = `inline the tables of ${path}`;
    await emit('CUE_ACTION_PLANNED', { ...group, action: words, filePath: path });
    expect(await rowsAbout(words)).toBe(1);
    await memory.forget({ entity_id: ada.entityId }, OPERATOR);
    expect(await rowsAbout(words)).toBe(0);
  });
});

describe('an event that names the agent itself', () => {
  it('names nobody: whoever sits in the room can read what comes of it', async () => {
    const path = `src/itself${round}.ts`;
    await failed(`Inline the tables of ${path}`, path);
    const { agentId } = talk.runtime;
    await emit('CUE_FILE_TOUCH', { filePath: path, roomId: ada.roomId, entityId: agentId });
    const reader = { kind: 'entity', ...ada, private: true } as const;
    expect((await service.openOffers(ada.roomId, reader)).map(({ kind }) => kind)).toEqual([
      'fileTouch',
    ]);
  });
});

describe('deleting the chat', () => {
  it('deletes no offer that was made in it', async () => {
    const path = `src/deleted${round}.ts`;
    await failed(`Inline the tables of ${path}`, path);
    await emit('CUE_FILE_TOUCH', { filePath: path, ...ada });
    await talk.runtime.deleteRoom(ada.roomId);
    await rowsOf(databaseOf(talk.runtime), sql`delete from entities where id = ${ada.entityId}`);
    const { offers } = await service.list({ roomId: ada.roomId }, OPERATOR);
    expect(offers.map(({ kind, subject }) => [kind, subject])).toEqual([['fileTouch', path]]);
  });
});

describe('a provider that cannot find out in time who asks', () => {
  it('says nothing, and the next call for the message has the whole answer', async () => {
    const path = `src/slow${round}.ts`;
    await failed(`Inline the tables of ${path}`, path);
    const message = messageFrom(ada, `open ${path}`);
    let release: () => void = () => undefined;
    const held = new Promise<null>((resolve) => {
      release = () => resolve(null);
    });
    const getRoom = vi.spyOn(talk.runtime, 'getRoom').mockReturnValueOnce(held);
    expect(await ask(10, message)).toBe('');
    release();
    expect(await ask(PATIENT_MS, message)).toContain(`slow${round}.ts has history`);
    expect(await ask(PATIENT_MS, message)).toContain(`slow${round}.ts has history`);
    // Who asks is found out once, whoever comes too late.
    expect(getRoom.mock.calls.filter(([roomId]) => roomId === ada.roomId)).toHaveLength(1);
    getRoom.mockRestore();
  });

  it('is rare: it is looked up when the run begins, for the person who wrote', async () => {
    const path = `src/early${round}.ts`;
    await failed(`Inline the tables of ${path}`, path);
    const message = messageFrom(ada, `open ${path}`);
    const getRoom = vi.spyOn(talk.runtime, 'getRoom');
    const asked = () => getRoom.mock.calls.filter(([roomId]) => roomId === ada.roomId).length;
    await emit('RUN_STARTED', { messageId: message.id, ...ada });
    expect(asked()).toBe(1);
    expect(await ask(PATIENT_MS, message)).toContain(`early${round}.ts has history`);
    expect(asked()).toBe(1);
    const stranger = await talk.alone(`stranger-${round}`);
    expect(await ask(PATIENT_MS, { ...message, entityId: stranger.entityId })).toBe('');
    // What the room is holds for a minute; who is in it was looked up anew.
    expect(asked()).toBe(1);
    getRoom.mockRestore();
  });
});

describe('what goes wrong with an event', () => {
  it('is logged as a warning that says what it was', async () => {
    const warn = vi.spyOn(talk.runtime.logger, 'warn');
    const told = () => warn.mock.calls.map(([data, text]) => [Object(data).error, text]);
    try {
      await emit('CUE_FILE_TOUCH', { filePath: 7 });
      await emit('CUE_ACTION_PLANNED', { action: '' });
      await emit('RUN_ENDED', {
        messageId: stringToUuid('x'),
        roomId: ada.roomId,
        status: 'completed',
        startTime: Number.NaN,
      });
      await expect.poll(told).toEqual([
        ['filePath: must be a path', 'an event could not be looked into'],
        ['action: must not be empty', 'an event could not be looked into'],
        ['Invalid time value', 'the answer of the agent could not be looked into'],
      ]);
    } finally {
      warn.mockRestore();
    }
  });
});

describe('CUE_OFFERS_ENABLED=false', () => {
  it('answers whoever waits for it, and says why there is nothing', async () => {
    talk.runtime.setSetting('CUE_OFFERS_ENABLED', 'false');
    const heard: Reaction[] = [];
    try {
      await emit('CUE_FILE_TOUCH', {
        filePath: 'src/off.ts',
        respond: (reaction: Reaction) => heard.push(reaction),
      });
    } finally {
      talk.runtime.setSetting('CUE_OFFERS_ENABLED', 'true');
    }
    expect(heard).toMatchObject([
      { offers: [], warning: null, degraded: ['offers are switched off (CUE_OFFERS_ENABLED)'] },
    ]);
  });
});
