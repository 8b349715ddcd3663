/** What an offer prints is given back verbatim and finds what the offer showed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Offer } from '../../src/proactive/index.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { DAY_MS, edits, failed, OPERATOR } from './detector-room.js';
import { type ProactiveRoom, withProactive } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

/** The printed line of an offer, and what recall makes of it. */
async function recalled({ memory }: ProactiveRoom, offer: Offer | undefined): Promise<string[]> {
  const [line = ''] = /recall\("[^\n]*?\)/.exec(offer?.text ?? '') ?? [];
  expect(line).not.toBe('');
  const { memories } = await memory.recall(line, OPERATOR);
  return memories.map(({ memory_id }) => memory_id);
}

const sourcesOf = (offer: Offer | undefined) =>
  offer?.sources.map(({ memoryId }) => memoryId) ?? [];

it.each([
  ['src/auth.ts', 'fileTouch'],
  ['src/users/index.ts', 'fileTouch'],
  ['C:\\work\\my notes\\plan.md', 'fileTouch'],
  ['src/a"quoted".ts', 'fileTouch'],
])('of a touched file: %s', (filePath, kind) =>
  withProactive(database, async (room) => {
    await room.store('Fix the clock drift', edits(filePath));
    room.clock.nowMs += DAY_MS;
    const [offer] = (await room.proactive.onFileTouch({ filePath })).offers;
    expect(offer?.kind).toBe(kind);
    expect(await recalled(room, offer)).toEqual(sourcesOf(offer));
  }),
);

it('of a warning, a similar task, a pattern and the last session', () =>
  withProactive(database, async (room) => {
    const { proactive, store, clock } = room;
    await store('Add caching to auth.ts', { ...edits('src/auth.ts'), ...failed('race condition') });
    await store('Fix the login timeout', {
      outcome: { success: true, learning: 'mind the proxy' },
    });
    for (const name of ['users', 'orders', 'invoices']) {
      await store(`Add GET /${name} endpoint`, {
        ...edits(`src/routes/${name}.ts`),
        tags: ['api'],
        outcome: { success: true, learning: `validate ${name}` },
        session_id: 'earlier',
      });
    }
    clock.nowMs += DAY_MS;
    const { warning } = await proactive.onActionPlanned({ action: 'add caching to src/auth.ts' });
    expect(await recalled(room, warning ?? undefined)).toEqual(sourcesOf(warning ?? undefined));

    const { offers: similar } = await proactive.onIntentStated('Fix the login timeout');
    const match = similar.find(({ kind }) => kind === 'intentMatch');
    expect(sourcesOf(match)).toEqual(expect.arrayContaining(await recalled(room, match)));

    const { offers: started } = await proactive.onTaskStart('Add GET /coupons endpoint');
    const pattern = started.find(({ kind }) => kind === 'patternRecognition');
    expect(await recalled(room, pattern)).toEqual(expect.arrayContaining(sourcesOf(pattern)));

    const { offers: context } = await proactive.onSessionStart({
      sessionId: 'now',
      agentId: 'new',
    });
    const session = context.find(({ kind }) => kind === 'sessionStart');
    expect((await recalled(room, session)).length).toBeGreaterThan(0);
  }));
