/** What waits for clients of their own, as time goes by and things change. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClients } from '../../src/proactive/clients.js';
import type { ClientCaller } from '../../src/proactive/index.js';
import type { StoredOffer } from '../../src/proactive/offers/offer.js';
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

describe('an answer that reaches nobody', () => {
  const gone = { answered: async () => false };

  it('counts as shown for none, and the next hook shows what it said', () =>
    withProactive(database, async ({ proactive, store }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const lost = await proactive.happen(touched(AUTH), undefined, gone);
      const again = await proactive.happen(touched(AUTH), undefined, { answered: () => true });
      expect([...lost.offers, ...again.offers].map(({ id, state }) => [id, state])).toEqual([
        [lost.offers[0]?.id, 'pending'],
        [lost.offers[0]?.id, 'shown'],
      ]);
      expect(again.text).toContain('Fix JWT expiry');
    }));

  it('leaves what a tool of the client would have told to the next one', () =>
    withProactive(database, async ({ proactive, store }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const { clients } = proactive;
      const lost = await clients.happen('file_touch', { filePath: AUTH }, CLIENT, gone.answered);
      expect(lost.offers.map(({ state }) => state)).toEqual(['pending']);
      expect((await clients.take(CLIENT, LONG_MS)).text).toContain('Fix JWT expiry');
    }));
});

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
        remaining: (offers: readonly StoredOffer[]) => [...offers],
        get: async () => waits,
      },
      clock: { now: () => NOW_MS },
      log: silentLog,
      enabled: () => true,
      loaded: Promise.resolve(),
      react: () => Promise.reject(new Error('not asked')),
      answer: () => Promise.reject(new Error('not asked')),
      standing: async (offers) => [...offers],
      revalidated: (offers) => new Promise((resolve) => lookUps.push(() => resolve([...offers]))),
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

  it('hold one warning for one identity, also when its next session plans the same', () =>
    withProactive(database, async ({ proactive, store }) => {
      await store('Add caching to auth.ts', { ...edits(AUTH), ...failed('race condition') });
      const identityId = derivedId('clients test', 'identity');
      const before: ClientCaller = { kind: 'agent', sessionId: 'before', identityId };
      const resumed: ClientCaller = { kind: 'agent', sessionId: 'resumed', identityId };
      const plan = { action: 'add caching to src/auth.ts' };
      const first = (await proactive.clients.happen('action_planned', plan, before)).warning;
      const again = await proactive.clients.happen('action_planned', plan, resumed);
      expect(first).not.toBeNull();
      expect(again.warning?.id).toBe(first?.id);
      expect(again.text).toContain('race condition');
      const { offers } = await proactive.clients.waiting({}, resumed);
      expect(offers.map(({ id }) => id)).toEqual([first?.id]);
      await proactive.clients.acknowledge({ offerId: first?.id }, resumed);
      expect((await proactive.clients.waiting({}, resumed)).total).toBe(0);
      expect((await proactive.clients.happen('action_planned', plan, before)).warning).toBeNull();
    }));

  it('are answered for the session and the name of who answers, by the operator for all', () =>
    withProactive(database, async ({ proactive, store }) => {
      const plan = { action: 'add caching to src/auth.ts' };
      const named = (name: string) => derivedId('clients test', name);
      const client = (sessionId: string, more = {}): ClientCaller => ({
        kind: 'agent',
        sessionId,
        ...more,
      });
      const warned = async (caller: ClientCaller) =>
        (await proactive.clients.happen('action_planned', plan, caller)).warning;
      const hooked = async (sessionId: string) =>
        (await proactive.happen({ ...plan, type: 'action_planned', sessionId })).warning;

      await store('Add caching to auth.ts', { ...edits(AUTH), ...failed('race condition') });
      const nameless = client('s1', { clientSession: 'hooks of s1' });
      const first = await warned(nameless);
      await proactive.clients.acknowledge({ offerId: first?.id }, nameless);
      expect([await warned(nameless), await hooked('hooks of s1')]).toEqual([null, null]);

      const ann = client('s2', { identityId: named('ann'), clientSession: 'hooks of s2' });
      const hers = await warned(ann);
      expect([hers, await warned(client('s3')), await hooked('hooks of s4')]).not.toContain(null);
      await proactive.clients.acknowledge({ offerId: hers?.id }, ann);
      expect([
        await warned(client('s5', { identityId: named('ann') })),
        await hooked('hooks of s2'),
      ]).toEqual([null, null]);

      const others = [client('s6'), client('s7', { identityId: named('bob') })];
      const open = await Promise.all(others.map(warned));
      expect(open).not.toContain(null);
      const nobody = (await proactive.happen({ ...plan, type: 'action_planned' })).warning;
      await proactive.acknowledge(nobody?.id ?? '', OPERATOR);
      expect(await hooked('hooks of s8')).toBeNull();
      expect(await warned(client('s9', { identityId: named('cid') }))).toBeNull();
    }));

  it('bring a warning that nobody has read to the next session of its identity', () =>
    withProactive(database, async ({ proactive, store }) => {
      await store('Add caching to auth.ts', { ...edits(AUTH), ...failed('race condition') });
      const agentId = derivedId('clients test', 'identity');
      const plan = { type: 'action_planned', action: 'add caching to src/auth.ts', agentId };
      const { offers } = await proactive.happen(
        { ...plan, sessionId: 'before' },
        undefined,
        unread,
      );
      const next: ClientCaller = { kind: 'agent', sessionId: 'resumed', identityId: agentId };
      const taken = await proactive.clients.take(next, LONG_MS);
      expect(taken.offers.map(({ id }) => id)).toEqual(offers.map(({ id }) => id));
    }));

  it.each([
    ['whose memory succeeded after all', 'its memory is no failure any more'],
    ['whose memory another supersedes', 'succeeded later: mem_'],
  ])('let go of a warning %s', (how, reason) =>
    withProactive(database, async ({ proactive, store, memory, clock }) => {
      const memory_id = await store('Add caching to auth.ts', {
        ...edits(AUTH),
        ...failed('race condition'),
      });
      const action = 'add caching to src/auth.ts';
      const { warning } = await proactive.clients.happen('action_planned', { action }, CLIENT);
      clock.nowMs += 60_000;
      expect((await proactive.clients.waiting({}, CLIENT)).total).toBe(1);
      if (how.endsWith('supersedes')) {
        const later = await store('Rework the login page', edits('src/login.ts'));
        const edge = { source: later, target: memory_id, link_type: 'supersedes' };
        await memory.link(edge, OPERATOR);
      } else {
        const outcome = { success: true, summary: 'Cached behind a lock' };
        await memory.updateMemory({ memory_id, outcome }, OPERATOR);
      }
      expect((await proactive.clients.waiting({}, CLIENT)).total).toBe(0);
      const offer = await proactive.get(warning?.id ?? '', OPERATOR);
      expect(offer.state).toBe('expired');
      expect(offer.reason).toContain(reason);
    }),
  );
});
