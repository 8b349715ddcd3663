import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OfferData, offerType, viewOf } from '../../src/proactive/offers/offer.js';
import {
  createOfferBook,
  type NewOffer,
  type OfferBookDeps,
  RETENTION_MS,
} from '../../src/proactive/offers/offer-book.js';
import type { OfferFilter } from '../../src/proactive/offers/offer-queries.js';
import { type Reader, type RecordStore, rowsOf } from '../../src/records/index.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import { AppError, messageOf } from '../../src/shared/errors.js';
import { derivedId, randomIds, type Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { type MemoryRoom, openRoom, START_MS } from '../memory/room.js';
import { offerData, sourceOf } from './offer-fixtures.js';

const OPERATOR: Reader = { kind: 'operator' };
const ANN = { kind: 'entity', entityId: derivedId('book test', 'ann') } as const;
const BOB = { kind: 'entity', entityId: derivedId('book test', 'bob') } as const;
const ROOM = derivedId('book test', 'room');
const OPEN = { visibility: 'project', entityId: null, roomId: null } as const;

let database: OpenRecordDatabase;
let rooms: MemoryRoom[] = [];
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  for (const room of rooms) await room.stop();
  rooms = [];
  await database.close();
});

const memory = (name: string) => derivedId('book test', 'memory', name);

/** A project of its own, and books on it as several starts or processes have them. */
async function project(name: string) {
  const room = await openRoom(database, name);
  rooms.push(room);
  const { store } = room.project;
  const { clock } = room;
  const logged: string[] = [];
  const log = {
    debug() {},
    info() {},
    warn: () => {},
    error: (fields: Record<string, unknown>, message: string) =>
      void logged.push(`${message}: ${String(fields.reason)}`),
  };
  const book = (deps: Partial<OfferBookDeps> = {}) =>
    createOfferBook({
      store,
      clock: { now: () => clock.nowMs },
      ids: randomIds,
      log,
      retryMs: [1, 1, 1],
      ...deps,
    });
  const offer = (text: string, change: Partial<OfferData> = {}, entity?: Reader): NewOffer => {
    const entityId = entity?.kind === 'entity' ? entity.entityId : null;
    const visibility = entityId === null ? 'project' : 'user';
    const { state: _state, ...data } = offerData({ text, createdAtMs: clock.nowMs, ...change });
    return {
      scope: {
        projectId: store.projectId,
        visibility,
        entityId,
        roomId: null,
        authorId: room.agentId,
      },
      data,
    };
  };
  const stored = async (id: Uuid) => (await store.get(offerType, [id], OPERATOR))[0];
  return { room, store, clock, logged, book, offer, stored };
}

async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<AppError> {
  try {
    await (typeof work === 'function' ? work() : work);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
  throw new Error('expected an AppError');
}

/** Only the first of several: what a test has just made. */
function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('expected one at least');
  return item;
}

const at = (atMs: number, more: { by?: string; reason?: string; how?: string } = {}) => ({
  atMs,
  ...more,
});

describe('the book of offers', () => {
  it('answers from memory at once, and the database has the same when it is settled', async () => {
    const { book, offer, stored, clock } = await project('memory first');
    const mine = book();
    const made = first(mine.add([offer('first'), offer('second')]));
    expect(mine.change(made.id, 'shown', at(clock.nowMs + 1, { how: 'turn' }))).toMatchObject({
      from: 'pending',
    });
    expect(mine.change(made.id, 'used', at(clock.nowMs + 2, { how: 'recalled' }))?.from).toBe(
      'shown',
    );
    expect(mine.open().map(({ data }) => data.text)).toEqual(['second']);
    expect(await stored(made.id)).toBeUndefined();
    await mine.settled();
    const record = await stored(made.id);
    expect([record?.revision, record?.text, record?.data]).toEqual([
      1,
      'first',
      {
        ...offer('first').data,
        state: 'used',
        shownAtMs: START_MS + 1,
        shownBy: 'turn',
        usedAtMs: START_MS + 2,
        usedHow: 'recalled',
      },
    ]);
    expect(record && viewOf(record)).toMatchObject({
      id: made.id,
      createdAt: '2026-03-02T09:00:00.000Z',
      usedAt: '2026-03-02T09:00:00.002Z',
    });
    expect(mine.counts()).toEqual({ pending: 1, shown: 0 });
  });

  it('knows after a restart what is open, what was answered and what the last days brought', async () => {
    const { book, offer, clock } = await project('restart');
    const before = book();
    const warned = { kind: 'conflictWarning', target: { agentId: 'one' } } as const;
    const changed = memory('changed');
    const [open, warning] = before.add([
      offer('still open', { target: { roomId: ROOM } }),
      offer('answered', {
        ...warned,
        createdAtMs: clock.nowMs + 1,
        sources: [sourceOf(changed, 4)],
      }),
      offer('over', { createdAtMs: clock.nowMs - DAY_MS }),
    ]);
    clock.nowMs += 1;
    if (!open || !warning) throw new Error('expected offers');
    before.change(open.id, 'shown', at(clock.nowMs));
    await before.answer(warning.id, 'acknowledged', at(clock.nowMs), OPERATOR);
    await before.stop();

    const found: string[][] = [];
    const after = book({ onFound: ({ data }) => found.push([data.kind, data.state]) });
    expect(after.problems()).toEqual(['offers of before are being read']);
    await after.load();
    expect(after.problems()).toEqual([]);
    expect(after.open({ roomId: ROOM }).map(({ id, data }) => [id, data.state])).toEqual([
      [open.id, 'shown'],
    ]);
    expect(after.open({ clients: true })).toEqual([]);
    expect(found).toEqual([
      ['fileTouch', 'expired'],
      ['fileTouch', 'shown'],
      ['conflictWarning', 'acknowledged'],
    ]);
    const revision = (target: OfferData['target']) => after.answeredRevision(changed, target, OPEN);
    expect([revision({ agentId: 'one' }), revision({}), revision({ agentId: 'two' })]).toEqual([
      4,
      4,
      null,
    ]);
    clock.nowMs += 90 * DAY_MS;
    expect(revision({ agentId: 'one' })).toBeNull();
    clock.nowMs -= 90 * DAY_MS;
    await after.stop();
    const states = await after.list({}, OPERATOR);
    expect(states.offers.map(({ data }) => data.state).sort()).toEqual([
      'acknowledged',
      'expired',
      'shown',
    ]);
  });

  it('lets offers expire after their day, which is no answer to a warning', async () => {
    const { book, offer, stored, clock } = await project('expiry');
    const told: string[] = [];
    const mine = book({ onChange: ({ data }, from) => told.push(`${from} → ${data.state}`) });
    const source = memory('expired');
    const warning = first(
      mine.add([offer('warned', { kind: 'conflictWarning', sources: [sourceOf(source)] })]),
    );
    clock.nowMs += DAY_MS - 1;
    expect(mine.expire(clock.nowMs)).toBe(0);
    clock.nowMs += 1;
    expect(mine.expire(clock.nowMs)).toBe(1);
    expect([mine.open(), mine.answeredRevision(source, {}, OPEN), told]).toEqual([
      [],
      null,
      ['pending → expired'],
    ]);
    await mine.settled();
    expect((await stored(warning.id))?.data).toMatchObject({
      state: 'expired',
      closedAtMs: START_MS + DAY_MS,
    });
    const late = await mine.answer(warning.id, 'acknowledged', at(clock.nowMs), OPERATOR);
    expect([late.from, late.offer.data.state, mine.answeredRevision(source, {}, OPEN)]).toEqual([
      'expired',
      'acknowledged',
      1,
    ]);
  });

  it('says CONFLICT with the state of an offer that ended otherwise, and not twice', async () => {
    const { book, offer, clock } = await project('conflict');
    const mine = book();
    const { id } = first(mine.add([offer('unwanted')]));
    const dismissed = await mine.answer(
      id,
      'dismissed',
      at(clock.nowMs, { by: 'ann', reason: 'not now' }),
      OPERATOR,
    );
    expect(dismissed.offer.data).toMatchObject({ closedBy: 'ann', reason: 'not now' });
    const again = await mine.answer(id, 'dismissed', at(clock.nowMs), OPERATOR);
    expect([again.from, again.offer.data.reason]).toEqual(['dismissed', 'not now']);
    const error = await errorOf(mine.answer(id, 'acknowledged', at(clock.nowMs), OPERATOR));
    expect([error.code, error.details]).toEqual(['CONFLICT', { state: 'dismissed' }]);
    expect(mine.change(id, 'shown', at(clock.nowMs))).toBeNull();
  });

  it('lets the first answer stand when two processes give one, and tells the other', async () => {
    const { book, offer, stored, clock } = await project('two processes');
    const told: string[] = [];
    const one = book();
    const other = book({ onChange: ({ data }, from) => told.push(`${from} → ${data.state}`) });
    const { id } = first(one.add([offer('for both')]));
    await one.settled();
    await other.load();
    await one.answer(id, 'dismissed', at(clock.nowMs), OPERATOR);
    // From memory, where it is still open; the database knows better.
    expect(other.change(id, 'used', at(clock.nowMs))?.offer.data.state).toBe('used');
    await other.settled();
    expect([(await stored(id))?.data.state, told]).toEqual([
      'dismissed',
      ['pending → used', 'used → dismissed'],
    ]);
    expect((await errorOf(other.answer(id, 'used', at(clock.nowMs), OPERATOR))).details).toEqual({
      state: 'dismissed',
    });
  });

  it('adds to what another process has noted when both can be true', async () => {
    const { book, offer, stored, clock } = await project('merge');
    const [one, other] = [book(), book()];
    const { id } = first(one.add([offer('for both')]));
    await one.settled();
    await other.load();
    await one.answer(id, 'acknowledged', at(clock.nowMs, { by: 'one' }), OPERATOR);
    other.change(id, 'shown', at(clock.nowMs, { how: 'list' }));
    other.change(id, 'used', at(clock.nowMs + 5));
    await other.settled();
    expect((await stored(id))?.data).toMatchObject({
      state: 'used',
      closedBy: 'one',
      usedAtMs: START_MS + 5,
    });
  });

  it('keeps a change that is made while it reads what another process did', async () => {
    const { store, book, offer, stored, clock } = await project('meanwhile');
    const one = book();
    const { id } = first(one.add([offer('for both')]));
    await one.settled();
    let reads = 0;
    const other = book({
      store: {
        ...store,
        get: async (...args) => {
          reads += 1;
          if (reads === 1) other.change(id, 'used', at(clock.nowMs + 7));
          return store.get(...args);
        },
      },
    });
    await other.load();
    await one.answer(id, 'acknowledged', at(clock.nowMs, { by: 'one' }), OPERATOR);
    other.change(id, 'shown', at(clock.nowMs));
    await other.settled();
    expect((await stored(id))?.data).toMatchObject({
      state: 'used',
      closedBy: 'one',
      usedAtMs: START_MS + 7,
    });
    expect(reads).toBe(1);
  });

  it('learns by a refresh what other processes did, also that an offer is gone', async () => {
    const { book, offer, clock } = await project('refresh');
    const removed: Uuid[] = [];
    const [one, other] = [book(), book({ onRemoved: (ids) => removed.push(...ids) })];
    const source = memory('forgotten elsewhere');
    const [answered, gone] = one.add([
      offer('answered', { kind: 'conflictWarning', sources: [sourceOf(memory('answered'), 2)] }),
      offer('gone', { sources: [sourceOf(source)] }),
    ]);
    if (!answered || !gone) throw new Error('expected offers');
    await one.settled();
    await other.load();
    await one.answer(answered.id, 'acknowledged', at(clock.nowMs), OPERATOR);
    await one.forgetSources([source]);
    one.add([offer('new')]);
    await one.settled();
    await other.refresh();
    expect(other.open().map(({ data }) => data.text)).toEqual(['new']);
    expect([removed, other.answeredRevision(memory('answered'), {}, OPEN)]).toEqual([[gone.id], 2]);
  });
});

describe('several processes', () => {
  it('tell each other of offers and dismissals, in the order in which they happened', async () => {
    const { book, offer, clock } = await project('found');
    const one = book();
    const made = one.add([
      offer('dismissed first', { createdAtMs: clock.nowMs - 3 }),
      offer('used then', { createdAtMs: clock.nowMs - 2 }),
      offer('open', { createdAtMs: clock.nowMs - 1 }),
    ]);
    const [dismissed, used, open] = made;
    if (!dismissed || !used || !open) throw new Error('expected offers');
    one.change(dismissed.id, 'dismissed', at(clock.nowMs + 1));
    one.change(used.id, 'used', at(clock.nowMs + 2));
    await one.settled();

    const told: string[] = [];
    const other = book({
      onFound: ({ data }) => told.push(`${data.text}: ${data.state}`),
      onChange: ({ data }, from) => told.push(`${data.text}: ${from} → ${data.state}`),
    });
    await other.load();
    expect(told.splice(0)).toEqual([
      'open: pending',
      'dismissed first: dismissed',
      'used then: used',
    ]);

    clock.nowMs += MINUTE_MS;
    const [brief, lasting] = one.add([offer('brief'), offer('lasting')]);
    if (!brief || !lasting) throw new Error('expected offers');
    one.change(brief.id, 'dismissed', at(clock.nowMs + 2));
    one.change(open.id, 'shown', at(clock.nowMs + 1));
    await one.settled();
    await other.refresh();
    expect(told.splice(0)).toEqual([
      'lasting: pending',
      'open: pending → shown',
      'brief: dismissed',
    ]);
    await other.refresh();
    expect(told.splice(0)).toEqual([]);

    const [asked] = one.add([offer('asked for')]);
    if (!asked) throw new Error('expected an offer');
    await one.settled();
    await other.get(asked.id, OPERATOR);
    expect(told).toEqual(['asked for: pending']);
  });

  it('hear of an answer to an offer that had ended here', async () => {
    const { book, offer, clock } = await project('ended here');
    const told: string[] = [];
    const one = book();
    const { id } = first(one.add([offer('late')]));
    await one.settled();
    const other = book({ onChange: ({ data }, from) => told.push(`${from} → ${data.state}`) });
    await other.load();
    clock.nowMs += DAY_MS;
    expect([other.expire(clock.nowMs), told.splice(0)]).toEqual([1, ['pending → expired']]);
    await other.settled();
    await one.answer(id, 'dismissed', at(clock.nowMs), OPERATOR);
    await other.refresh();
    expect(told).toEqual(['expired → dismissed']);
  });

  it('leave alone at a refresh what was answered late', async () => {
    const { book, offer, clock } = await project('late answer');
    const removed: Uuid[] = [];
    const mine = book({ onRemoved: (ids) => removed.push(...ids) });
    const { id } = first(mine.add([offer('late', { kind: 'conflictWarning' })]));
    clock.nowMs += 2 * DAY_MS;
    await mine.answer(id, 'used', at(clock.nowMs), OPERATOR);
    await mine.refresh();
    expect([removed, (await mine.get(id, OPERATOR)).data.state]).toEqual([[], 'used']);
  });
});

describe('time that passes while nothing happens', () => {
  it('ends offers for whoever looks, also those of other processes', async () => {
    const { book, offer, clock } = await project('nobody came by');
    const [mine, other] = [book(), book()];
    await other.load();
    const { id } = first(mine.add([offer('left alone')]));
    await mine.settled();
    clock.nowMs += DAY_MS;
    const total = async (state: OfferData['state']) =>
      (await other.list({ state }, OPERATOR)).offers.map(({ data }) => data.state);
    expect([await total('pending'), await total('expired')]).toEqual([[], ['expired']]);
    for await (const [only] of other.since(0)) expect(only?.data.state).toBe('expired');
    expect((await other.get(id, OPERATOR)).data).toMatchObject({
      state: 'expired',
      closedAtMs: START_MS + DAY_MS,
    });
    clock.nowMs += HOUR_MS;
    expect([mine.change(id, 'shown', at(clock.nowMs)), mine.open()]).toEqual([null, []]);
    expect(mine.counts()).toEqual({ pending: 0, shown: 0 });
  });

  it('ends those that a clock ahead of time has made a day after it was set right', async () => {
    const { book, offer, clock } = await project('clock ahead');
    const before = book();
    before.add([offer('from the future', { createdAtMs: clock.nowMs + 300 * DAY_MS })]);
    await before.settled();
    const mine = book();
    await mine.load();
    for (const one of [before, mine]) {
      expect(one.open().map(({ data }) => data.createdAtMs)).toEqual([START_MS]);
    }
    clock.nowMs += DAY_MS - 1;
    expect(mine.counts()).toEqual({ pending: 1, shown: 0 });
    clock.nowMs += 1;
    expect([mine.open(), before.open()]).toEqual([[], []]);
  });
});

describe('reading', () => {
  it('shows each reader their own, by id, by its first digits, and in pages', async () => {
    const { book, offer, clock } = await project('reading');
    const mine = book();
    const [anns] = mine.add([offer('for Ann', {}, ANN)]);
    if (!anns) throw new Error('expected an offer');
    clock.nowMs += MINUTE_MS;
    mine.add([
      offer('for a room', { target: { roomId: ROOM } }),
      offer('for a client', { kind: 'intentMatch', target: { sessionId: 's', agentId: 'a' } }),
    ]);
    expect((await mine.get(anns.id.toUpperCase(), ANN)).data.text).toBe('for Ann');
    const short = `offer_${anns.id.slice(0, 8)}`;
    expect((await mine.get(short, ANN)).id).toBe(anns.id);
    for (const id of [anns.id, short, 'offer_1', 'nonsense', randomIds.next()]) {
      expect((await errorOf(mine.get(id, BOB))).code).toBe('NOT_FOUND');
    }
    const denied = await errorOf(mine.answer(anns.id, 'dismissed', at(clock.nowMs), BOB));
    expect([denied.code, mine.open({}, BOB).length, mine.open({}, ANN).length]).toEqual([
      'NOT_FOUND',
      2,
      3,
    ]);
    const texts = async (filter: OfferFilter, reader: Reader = OPERATOR) => {
      const { offers, total } = await mine.list(filter, reader);
      return [total, ...offers.map(({ data }) => data.text).sort()];
    };
    expect(await texts({})).toEqual([3, 'for Ann', 'for a client', 'for a room']);
    expect(await texts({}, BOB)).toEqual([2, 'for a client', 'for a room']);
    expect(await texts({ roomId: ROOM })).toEqual([1, 'for a room']);
    expect(await texts({ sessionId: 's', agentId: 'a' })).toEqual([1, 'for a client']);
    expect(await texts({ kind: 'intentMatch', state: 'shown' })).toEqual([0]);
    mine.change(anns.id, 'shown', at(clock.nowMs));
    expect(await texts({ state: 'shown' })).toEqual([1, 'for Ann']);
    const page = await mine.list({ limit: 2 }, OPERATOR);
    const rest = await mine.list({ limit: 2, cursor: page.nextCursor ?? '' }, OPERATOR);
    expect([page.offers.length, rest.offers.map(({ id }) => id), rest.nextCursor]).toEqual([
      2,
      [anns.id],
      null,
    ]);
  });

  it('gives everything since a time, newest first, and drops what is older than 180 days', async () => {
    const { book, offer, clock } = await project('retention');
    const mine = book();
    const ages = [RETENTION_MS + 1, RETENTION_MS, 2 * DAY_MS, 0];
    for (const age of ages) {
      mine.add([offer(`${age}`, { createdAtMs: clock.nowMs - age })]);
    }
    const texts = async (sinceMs: number) => {
      const found: string[] = [];
      for await (const page of mine.since(sinceMs)) found.push(...page.map((one) => one.data.text));
      return found;
    };
    expect(await texts(0)).toEqual([
      `0`,
      `${2 * DAY_MS}`,
      `${RETENTION_MS}`,
      `${RETENTION_MS + 1}`,
    ]);
    expect(await texts(clock.nowMs - 3 * DAY_MS)).toEqual([`0`, `${2 * DAY_MS}`]);
    expect(await mine.prune(clock.nowMs)).toBe(1);
    expect(await texts(0)).toEqual([`0`, `${2 * DAY_MS}`, `${RETENTION_MS}`]);
  });
});

describe('a database that fails', () => {
  /** The store, with its writes failing so many times. */
  function failing(store: RecordStore, times: number): RecordStore {
    let left = times;
    const fail = () => {
      left -= 1;
      if (left >= 0) throw new Error('the database is away');
    };
    return {
      ...store,
      insert: async (...args) => {
        fail();
        return store.insert(...args);
      },
      replace: async (...args) => {
        fail();
        return store.replace(...args);
      },
    };
  }

  it('is tried again, and nothing is lost', async () => {
    const { store, book, offer, stored, clock, logged } = await project('retried');
    const mine = book({ store: failing(store, 3) });
    const { id } = first(mine.add([offer('kept')]));
    await mine.settled();
    expect((await stored(id))?.data.state).toBe('pending');
    const shaky = book({ store: failing(store, 3) });
    await shaky.load();
    await shaky.answer(id, 'dismissed', at(clock.nowMs), OPERATOR);
    expect([(await stored(id))?.data.state, logged, shaky.problems()]).toEqual([
      'dismissed',
      [],
      [],
    ]);
  });

  it('is read again in the background when the first read fails, until it is stopped', async () => {
    const { store, book, offer } = await project('read again');
    const before = book();
    before.add([offer('of before')]);
    await before.settled();
    let reads = 0;
    const broken = (failures: number): RecordStore => ({
      ...store,
      async *scan(...args) {
        reads += 1;
        if (reads <= failures) throw new Error('the database is away');
        yield* store.scan(...args);
      },
    });
    let found: (text: string) => void = () => {};
    const read = new Promise<string>((resolve) => {
      found = resolve;
    });
    const mine = book({
      store: broken(3),
      reloadMs: [1, 2],
      onFound: ({ data }) => found(data.text),
    });
    await mine.load();
    expect([reads, mine.problems(), mine.open()]).toEqual([
      1,
      ['offers of before could not be read: the database is away'],
      [],
    ]);
    expect(await read).toBe('of before');
    await mine.load();
    expect([reads, mine.problems(), mine.open().length]).toEqual([4, [], 1]);

    reads = 0;
    const idle = book({ store: broken(Infinity), reloadMs: [1] });
    await idle.load();
    await idle.stop();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await idle.load();
    expect(reads).toBe(1);
  });

  it('does not keep whoever stops waiting for all that was to be read', async () => {
    const { store, book, offer } = await project('stopped early');
    const before = book();
    before.add([offer('of before')]);
    await before.settled();
    let go = () => {};
    const held = new Promise<void>((resolve) => {
      go = resolve;
    });
    const found: string[] = [];
    const mine = book({
      store: {
        ...store,
        async *scan(...args) {
          await held;
          yield* store.scan(...args);
        },
      },
      onFound: ({ data }) => found.push(data.text),
    });
    const loading = mine.load();
    const stopping = mine.stop();
    go();
    await Promise.all([loading, stopping]);
    expect([found, mine.open(), mine.problems()]).toEqual([
      [],
      [],
      ['offers of before are being read'],
    ]);
    const hung = book({
      store: {
        ...store,
        async *scan() {
          await new Promise(() => {});
        },
      },
    });
    void hung.load();
    await hung.stop();
  });

  it('is given up after the fourth try, and what is lost is said; the next change writes all', async () => {
    const { store, book, offer, stored, clock, logged } = await project('given up');
    const mine = book({ store: failing(store, 4) });
    await mine.load();
    const { id } = first(mine.add([offer('late')]));
    await mine.settled();
    expect(logged).toEqual(['an offer could not be stored: the database is away']);
    expect(mine.problems()).toEqual([
      '1 changes of offers could not be stored, the last: the database is away',
    ]);
    expect((await mine.get(id, OPERATOR)).data.text).toBe('late');
    mine.change(id, 'shown', at(clock.nowMs));
    await mine.settled();
    expect((await stored(id))?.data.state).toBe('shown');
  });

  it('does not take for answered what could not be written', async () => {
    const { store, book, offer, stored, clock } = await project('answer lost');
    const before = book();
    const { id } = first(before.add([offer('asked')]));
    await before.settled();
    const mine = book({ store: failing(store, 4) });
    await mine.load();
    const lost = await mine.answer(id, 'acknowledged', at(clock.nowMs), OPERATOR).catch(messageOf);
    expect(lost).toBe('the database is away');
    const again = await mine.answer(id, 'acknowledged', at(clock.nowMs), OPERATOR);
    expect([again.offer.data.state, (await stored(id))?.data.state]).toEqual([
      'acknowledged',
      'acknowledged',
    ]);
  });

  it('writes the others when one offer cannot be written at all', async () => {
    const { book, offer, stored, logged } = await project('one bad');
    const mine = book();
    const bad = offer('bad');
    const [, good] = mine.add([
      { ...bad, scope: { ...bad.scope, projectId: derivedId('book test', 'elsewhere') } },
      offer('good'),
    ]);
    await mine.settled();
    expect(good && (await stored(good.id))?.text).toBe('good');
    expect(logged).toEqual([
      'an offer could not be stored: scope.projectId: is not the project of this store',
    ]);
  });
});

describe('privacy', () => {
  const SECRET_WORDS = 'the unicorn is called Ferdinand';

  async function quoted(projectId: Uuid): Promise<number> {
    const rows = await rowsOf<{ n: string | number }>(
      database.db,
      sql`select count(*) as n from memories where world_id = ${projectId}
        and (content::text like ${`%${SECRET_WORDS}%`} or metadata::text like ${`%${SECRET_WORDS}%`})`,
    );
    return Number(rows[0]?.n);
  }

  it('leaves no word of a forgotten memory: open, closed, damaged or about to be written', async () => {
    const { store, book, offer, clock } = await project('forgotten');
    const removed = new Set<Uuid>();
    const mine = book({ onRemoved: (ids) => ids.forEach((id) => void removed.add(id)) });
    const source = memory('unicorn');
    const quotes = (change: Partial<OfferData> = {}) =>
      offer(SECRET_WORDS, { sources: [sourceOf(memory('other')), sourceOf(source)], ...change });
    const [open, closed, damaged, late] = mine.add([quotes(), quotes(), quotes(), quotes()]);
    if (!open || !closed || !damaged || !late) throw new Error('expected offers');
    const kept = first(mine.add([offer('kept', { sources: [sourceOf(memory('other'))] })]));
    await mine.answer(closed.id, 'dismissed', at(clock.nowMs), OPERATOR);
    await mine.settled();
    await database.db.execute(
      sql`update memories set metadata = jsonb_set(metadata, '{data,state}', '7') where id = ${damaged.id}`,
    );
    expect(await quoted(store.projectId)).toBe(4);
    const unwritten = first(mine.add([quotes()]));
    mine.change(unwritten.id, 'dismissed', at(clock.nowMs));
    mine.change(late.id, 'shown', at(clock.nowMs));
    const forgetting = mine.forgetSources([source]);
    expect(mine.open().map(({ id }) => id)).toEqual([kept.id]);
    // A look-up that began before may still want to offer it.
    expect(mine.add([quotes()])).toEqual([]);
    const all = [open, closed, damaged, late, unwritten].map(({ id }) => id).sort();
    expect([...(await forgetting)].sort()).toEqual(all);
    await mine.settled();
    expect([...removed].sort()).toEqual(all);
    expect(await quoted(store.projectId)).toBe(0);
    const restarted: Uuid[] = [];
    await book({ onFound: ({ id }) => restarted.push(id) }).load();
    expect(restarted).toEqual([kept.id]);
    expect((await errorOf(mine.get(open.id, OPERATOR))).code).toBe('NOT_FOUND');
    expect((await mine.list({}, OPERATOR)).total).toBe(1);
  });

  it('does not take up again, while it starts, what is being forgotten', async () => {
    const { store, book, offer } = await project('forgotten at start');
    const before = book();
    const source = memory('forgotten at start');
    before.add([offer(SECRET_WORDS, { sources: [sourceOf(source)] }), offer('kept')]);
    await before.settled();
    let go = () => {};
    const gone = new Promise<void>((resolve) => {
      go = resolve;
    });
    let scans = 0;
    const after = book({
      store: {
        ...store,
        // What the start has read comes in when the rows are gone.
        async *scan(...args) {
          scans += 1;
          const isStart = scans === 1;
          for await (const page of store.scan(...args)) {
            if (isStart) await gone;
            yield page;
          }
        },
      },
    });
    const loading = after.load();
    expect((await after.forgetSources([source])).size).toBe(1);
    go();
    await loading;
    expect(after.open().map(({ data }) => data.text)).toEqual(['kept']);
  });

  it('removes what only one person may read, and takes secrets out of what is said', async () => {
    const { store, book, offer, clock } = await project('person');
    const mine = book();
    mine.add([offer(SECRET_WORDS, {}, ANN), offer('for Bob', {}, BOB)]);
    await mine.settled();
    expect((await mine.forgetEntity(ANN.entityId)).size).toBe(1);
    expect([await quoted(store.projectId), mine.open().length]).toEqual([0, 1]);
    const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const { id } = first(mine.add([offer(`use ${token}`, { subject: `push with ${token}` })]));
    const answered = await mine.answer(
      id,
      'dismissed',
      at(clock.nowMs, { reason: `has ${token}` }),
      OPERATOR,
    );
    expect(JSON.stringify(answered.offer)).not.toContain('a1B2c3D4');
    const { offers } = await mine.list({ state: 'dismissed' }, OPERATOR);
    expect([offers.length, JSON.stringify(offers).includes('a1B2c3D4')]).toEqual([1, false]);
  });

  it('removes what is made of the words of a person, though others may read it', async () => {
    const { store, book, offer } = await project('speaker');
    const mine = book();
    mine.add([
      offer(SECRET_WORDS, { speakerId: ANN.entityId }),
      offer(SECRET_WORDS, { speakerId: ANN.entityId }, BOB),
      offer('of Bob', { speakerId: BOB.entityId }),
    ]);
    await mine.settled();
    const other = book();
    const files = ['src/a.ts'];
    const { id } = first(
      mine.add([offer('with files', { sources: [{ ...sourceOf(memory('f')), files }] })]),
    );
    expect((await other.forgetEntity(ANN.entityId)).size).toBe(2);
    expect(await quoted(store.projectId)).toBe(0);
    expect((await mine.forgetEntity(ANN.entityId)).size).toBe(2);
    expect(
      mine
        .open()
        .map(({ data }) => data.text)
        .sort(),
    ).toEqual(['of Bob', 'with files']);
    expect((await other.get(id, OPERATOR)).data.sources[0]?.files).toEqual(files);
  });

  it('lets an answer hold for those who may know of it', async () => {
    const { book, offer, clock } = await project('answers');
    const mine = book();
    const source = memory('answered by Ann');
    const warning = (revision: number, target: OfferData['target']) => ({
      kind: 'conflictWarning' as const,
      sources: [sourceOf(source, revision)],
      target,
    });
    const [hers] = mine.add([offer('hers', warning(2, { agentId: 'one' }), ANN)]);
    if (!hers) throw new Error('expected an offer');
    await mine.answer(hers.id, 'acknowledged', at(clock.nowMs), ANN);
    const scopeOf = (entityId: Uuid) => ({ visibility: 'user', entityId, roomId: null }) as const;
    const revisions = () =>
      [scopeOf(ANN.entityId), scopeOf(BOB.entityId), OPEN].map((scope) =>
        mine.answeredRevision(source, { agentId: 'two' }, scope),
      );
    expect(revisions()).toEqual([2, null, null]);
    const [everybodys] = mine.add([offer('for all', warning(3, {}))]);
    if (!everybodys) throw new Error('expected an offer');
    await mine.answer(everybodys.id, 'dismissed', at(clock.nowMs), BOB);
    expect(revisions()).toEqual([2, null, 3]);
  });

  it('does not stop for a listener that throws', async () => {
    const { book, offer, clock } = await project('listener');
    const mine = book({
      onChange: () => {
        throw new Error('listener');
      },
    });
    const { id } = first(mine.add([offer('fine')]));
    clock.nowMs += HOUR_MS;
    expect(mine.change(id, 'shown', at(clock.nowMs))?.offer.data.state).toBe('shown');
  });
});
