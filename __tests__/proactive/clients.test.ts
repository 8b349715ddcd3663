/** What waits for clients of their own, as time goes by and things change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClients } from '../../src/proactive/clients.js';
import type { ClientCaller } from '../../src/proactive/index.js';
import type { StoredOffer } from '../../src/proactive/offers/offer-record.js';
import { derivedId } from '../../src/shared/ids.js';
import { countTokens } from '../../src/shared/tokens.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { edits, failed, OPERATOR } from './detector-room.js';
import { offerData } from './offer-fixtures.js';
import { withProactive } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const AUTH = 'src/auth.ts';
const CLIENT: ClientCaller = { kind: 'agent', sessionId: 'one' };
const LONG_MS = 10_000;
const NOW_MS = Date.parse('2026-03-02T09:00:00Z');
const silentLog = { debug() {}, info() {}, warn() {}, error() {} };
const PROJECT = {
  projectId: derivedId('clients test', 'project'),
  visibility: 'project',
  entityId: null,
  roomId: null,
  authorId: derivedId('clients test', 'author'),
} as const;
const unread = { answered: false };
const touched = (filePath: string) => ({ type: 'file_touch', filePath, sessionId: 'one' });

describe('what rides along', () => {
  it('has to be fresh: half an hour later it has lost its moment, but is still listed', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const { offers } = await proactive.happen(touched(AUTH), undefined, unread);
      clock.nowMs += 30 * 60_000;
      expect((await proactive.clients.take(CLIENT, LONG_MS)).offers).toEqual([]);
      const { offers: listed, total } = await proactive.clients.waiting({}, CLIENT);
      expect([listed.map(({ id }) => id), total]).toEqual([[offers[0]?.id], 1]);
    }));

  it('has to hold: what its memory has unsaid is not shown', () =>
    withProactive(database, async ({ proactive, store, clock, memory }) => {
      const memory_id = await store('Fix JWT expiry', { ...edits(AUTH), ...failed('clock skew') });
      await proactive.happen(touched(AUTH), undefined, unread);
      clock.nowMs += 60_000;
      const outcome = { success: true, summary: 'Works with leeway now' };
      await memory.updateMemory({ memory_id, outcome }, OPERATOR);
      expect((await proactive.clients.take(CLIENT, LONG_MS)).text).toBe('');
    }));

  it('stays below the limit, and the rest comes with the next call', () =>
    withProactive(database, async ({ proactive, store, set }) => {
      set('cooldown', { rate_limit_per_minute: 100 });
      const made = new Set<string>();
      for (let index = 0; index < 8; index += 1) {
        const file = `src/gear${index}.ts`;
        await store(`Repair gear number ${index} of the clockwork`, edits(file));
        const { offers } = await proactive.happen(touched(file), undefined, unread);
        for (const { id } of offers) made.add(id);
      }
      const taken: string[] = [];
      for (let call = 0; call < 8; call += 1) {
        const { offers, text } = await proactive.clients.take(CLIENT, LONG_MS);
        expect(countTokens(text)).toBeLessThan(200);
        taken.push(...offers.map(({ id }) => id));
      }
      expect(made.size).toBe(8);
      expect(taken.toSorted()).toEqual([...made].toSorted());
    }));

  it('is left for the next call when there is no time for it', async () => {
    const waits: StoredOffer = {
      id: derivedId('clients test', 'offer'),
      scope: PROJECT,
      data: offerData({ target: {}, createdAtMs: NOW_MS }),
    };
    const lookUps: (() => void)[] = [];
    const told: string[] = [];
    const clients = createClients({
      book: {
        open: () => (told.length === 0 ? [waits] : []),
        get: async () => waits,
      },
      clock: { now: () => NOW_MS },
      log: silentLog,
      enabled: () => true,
      loaded: Promise.resolve(),
      react: () => Promise.reject(new Error('not asked')),
      answer: () => Promise.reject(new Error('not asked')),
      stillTrue: (offers) => new Promise((resolve) => lookUps.push(() => resolve([...offers]))),
      shown: (id, how) => {
        told.push(`${id} ${how}`);
        return waits;
      },
    });
    expect(await clients.take(CLIENT, 1)).toEqual({ offers: [], text: '', tokens: 0 });
    // Too late: nobody is answered with it any more.
    lookUps[0]?.();
    await new Promise((resolve) => setTimeout(resolve, 1));
    expect(told).toEqual([]);
    const next = clients.take(CLIENT, LONG_MS);
    await new Promise((resolve) => setTimeout(resolve, 1));
    lookUps[1]?.();
    expect((await next).offers.map(({ id }) => id)).toEqual([waits.id]);
    expect(told).toEqual([`${waits.id} mcp`]);
  });
});

describe('pending offers', () => {
  it('hold the warnings that nobody has answered, most urgent first and at most so many', () =>
    withProactive(database, async ({ proactive, store, clock, set }) => {
      set('cooldown', { rate_limit_per_minute: 100 });
      await store('Add caching to auth.ts', { ...edits(AUTH), ...failed('race condition') });
      await store('Rename the helper', edits('src/help.ts'));
      const action = 'add caching to src/auth.ts';
      const { warning } = await proactive.clients.happen('action_planned', { action }, CLIENT);
      clock.nowMs += 60_000;
      await proactive.happen(touched('src/help.ts'), undefined, unread);
      const first = await proactive.clients.waiting({ limit: 1 }, CLIENT);
      expect([first.offers.map(({ id }) => id), first.total]).toEqual([[warning?.id], 2]);
      const all = await proactive.clients.waiting({}, CLIENT);
      expect(all.offers.map(({ kind, state }) => [kind, state])).toEqual([
        ['conflictWarning', 'shown'],
        ['fileTouch', 'shown'],
      ]);
      expect((await proactive.clients.waiting({}, CLIENT)).total).toBe(1);
    }));
});
