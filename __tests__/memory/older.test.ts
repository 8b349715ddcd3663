/** A project that is larger than its catalog: what the database finds of it, and what the catalog lets go of. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Caller, FLAGS, workMemoryType } from '../../src/memory/index.js';
import { keyOf } from '../../src/memory/records.js';
import { rowsOf } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { isOnPostgres, postgresDatabase } from '../helpers/postgres.js';
import { draft, type MemoryRoom, openRoom, START_MS } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const EVERYBODY = { kind: 'operator' } as const;
const ANNA: Caller = {
  ...{ kind: 'entity', entityId: derivedId('person', 'anna'), private: true },
  roomId: derivedId('room', 'anna'),
};
const BEN: Caller = {
  ...{ kind: 'entity', entityId: derivedId('person', 'ben'), private: true },
  roomId: derivedId('room', 'ben'),
};
const MOST = 40;
const STORED = 130;
const FARM = 'wheat barley oats rye maize sorghum millet quinoa lentils clover'.split(' ');

let database: OpenRecordDatabase;
let room: MemoryRoom;
/** By the name given below. */
const ids: Record<string, string> = {};

async function store(
  name: string,
  goal: string,
  more: Record<string, unknown> = {},
  caller = OPERATOR,
) {
  room.clock.nowMs += 60_000;
  const { memory_id } = await room.memory.store(draft(goal, more), caller);
  ids[name] = memory_id;
}

/** As if so much time had gone by that every change is surely committed. */
async function later(): Promise<void> {
  await database.db.execute(sql`update memories set metadata = jsonb_set(metadata, '{changedAtMs}',
    to_jsonb((metadata->>'changedAtMs')::bigint - 60000)) where starts_with(type, 'cue_')`);
}

async function open(): Promise<MemoryRoom> {
  const opened = await openRoom(database, 'older', { most: MOST });
  opened.clock.nowMs = START_MS + 24 * 3_600_000;
  await opened.project.keepBound();
  return opened;
}

beforeAll(async () => {
  database = await openRecordDatabase(isOnPostgres() ? await postgresDatabase() : undefined);
  room = await openRoom(database, 'older', { most: MOST });
  await store('anvil', 'Forge the anvil bracket for the gate', { files: ['smithy/anvil.ts'] });
  await store('failed', 'Run the furnace without a permit', {
    ...{ files: ['smithy/furnace.ts'], tags: ['heat'] },
    outcome: { success: false, failure_reason: 'the inspector closed it' },
  });
  await store('phrased', 'Round totals per line', {
    remind_when: ['the invoice is one cent off'],
  });
  await store('secret', 'Anna keeps marzipan in the cellar', {}, ANNA);
  for (let at = 0; at < STORED; at += 1) {
    const [one, other] = [FARM[at % FARM.length], FARM[(at * 7 + 3) % FARM.length]];
    const more = { files: ['fields/plan.ts'] };
    await store(`field ${at}`, `Sow ${one} beside ${other} on field ${at}`, more);
  }
  await later();
  await room.project.keepBound();
});
afterAll(async () => {
  await room.stop();
  await database.close();
});

const shelf = () => room.project.catalog.shelf(workMemoryType.name);

describe('a project larger than its catalog', () => {
  it('is held up to the bound, the newest first', () => {
    expect(shelf().size).toBe(MOST);
    expect(shelf().slots).toBe(MOST);
    const newest = shelf().newest({ reader: EVERYBODY }, MOST).hits;
    expect(newest).toHaveLength(MOST);
    expect(room.project.store.older(workMemoryType)).not.toBeNull();
  });

  it.each([
    ['its words', { query: 'anvil bracket' }, 'anvil'],
    ['its file', { file: 'smithy/furnace.ts' }, 'failed'],
    ['a file in the question', { query: 'what happened with smithy/anvil.ts?' }, 'anvil'],
    ['its tag', { tags: ['heat'] }, 'failed'],
    ['how it ended, and its words', { query: 'furnace', failures_only: true }, 'failed'],
    ['a phrase that leads to it', { query: 'why is the invoice one cent off?' }, 'phrased'],
    ['the time it was made', { before: new Date(START_MS + 90_000).toISOString() }, 'anvil'],
    ['likeness', { query: 'forging brackets of gates', strategy: 'semantic' as const }, 'anvil'],
  ])('finds an old memory by %s', async (_by, request, name) => {
    const fresh = await open();
    const answer = await fresh.memory.recall(request, OPERATOR);
    await fresh.stop();
    const [first] = answer.memories;
    expect(first?.memory_id).toBe(ids[name]);
    expect(first?.from_database).toBe(true);
    expect(answer.from_database).toBeGreaterThan(0);
    expect(answer.degraded).toBeUndefined();
  });

  it('says of what the catalog holds that nothing came from the database', async () => {
    const answer = await room.memory.recall({ query: `field ${STORED - 1}`, limit: 1 }, OPERATOR);
    expect(answer.memories[0]?.memory_id).toBe(ids[`field ${STORED - 1}`]);
    expect(answer.memories[0]?.from_database).toBeUndefined();
  });

  it('is not asked for the newest of a file when enough of them are held', async () => {
    const fresh = await open();
    const plan = { file: 'fields/plan.ts', limit: 5 };
    const answer = await fresh.memory.recall(plan, OPERATOR);
    expect(answer.memories[0]?.memory_id).toBe(ids[`field ${STORED - 1}`]);
    expect(answer.from_database).toBe(0);
    const older = fresh.project.store.older(workMemoryType);
    const bring = async (path: string, more: Record<string, number>) => {
      const keys = [[keyOf.file(path)]];
      return (await older?.bring({ reader: EVERYBODY, keys, limit: MOST, ...more }))?.length;
    };
    expect(await bring('fields/plan.ts', {})).toBe(0);
    expect(await bring('fields/plan.ts', { limit: MOST + 1 })).toBe(MOST + 1);
    expect(await bring('smithy/furnace.ts', { flagsNone: FLAGS.failure })).toBe(0);
    expect(await bring('smithy/furnace.ts', { flagsAll: FLAGS.failure })).toBe(1);
    await fresh.stop();
  });

  it('knows which lack a vector without a look at every row', async () => {
    const fresh = await open();
    const { store: records, catalog } = fresh.project;
    const { model } = catalog.shelf(workMemoryType.name);
    const lacking = async () => {
      const found: string[] = [];
      for await (const page of records.withoutVector(workMemoryType, model ?? '', 10)) {
        found.push(...page.map(({ id }) => id));
      }
      return found;
    };
    const idOf = async (name: string) =>
      (
        await rowsOf<{ id: string }>(
          database.db,
          sql`select id from memories where
        replace(id::text, '-', '') like ${`${ids[name]?.slice('mem_'.length)}%`}`,
        )
      )[0]?.id;
    const [old, held] = [await idOf('anvil'), await idOf(`field ${STORED - 1}`)];
    expect(await lacking()).toEqual([]);
    await database.db.execute(sql`update memories set metadata =
      jsonb_set(metadata, '{embeddingModel}', '"another"')
      where id in (${old}::uuid, ${held}::uuid)`);
    await database.db.execute(sql`update cue.search set model = 'another' where id = ${old}::uuid`);
    catalog.shelf(workMemoryType.name).setVector(held as never, null);
    expect(await lacking()).toEqual([old, held]);
    await fresh.stop();
  });

  it("keeps an old memory of one person from another's eyes", async () => {
    const request = { query: 'marzipan in the cellar' };
    const fresh = await open();
    const forAnna = await fresh.memory.recall(request, ANNA);
    expect(forAnna.memories.map(({ memory_id }) => memory_id)).toContain(ids.secret);
    const forBen = await fresh.memory.recall(request, BEN);
    await fresh.stop();
    expect(forBen.memories.map(({ memory_id }) => memory_id)).not.toContain(ids.secret);
  });

  it('names, links, counts and lists memories that it does not hold', async () => {
    const from = ids['field 5'] as string;
    const to = ids['field 6'] as string;
    const link = { source: from, target: to, link_type: 'related_to' };
    await room.memory.link(link, OPERATOR);
    const request = { memory_id: from, include_links: true };
    const { memories } = await room.memory.recall(request, OPERATOR);
    expect(memories[0]?.links?.related_to).toEqual([to]);
    const { total } = await room.memory.list({ limit: 5 }, OPERATOR);
    expect(total).toBe(STORED + 4);
    const registered = await room.memory.identity(
      { action: 'register', name: 'Sower', type: 'main' },
      OPERATOR,
    );
    expect(registered).toMatchObject({ memory_count: 0, success_rate: null });
  });

  it('starts again with the newest, from the database and from what it is', async () => {
    const fresh = await open();
    const held = fresh.project.catalog.shelf(workMemoryType.name);
    expect(held.size).toBeLessThanOrEqual(MOST + 2);
    expect(held.slotOf(held.newest({ reader: EVERYBODY }, 1).hits[0]?.id as never)).toBeDefined();
    await fresh.stop();
  });

  it('never finds again what was forgotten', async () => {
    await room.memory.forget({ memory_id: ids.anvil as string, dry_run: false }, OPERATOR);
    await later();
    await room.project.keepBound();
    const fresh = await open();
    const { memories } = await fresh.memory.recall({ query: 'anvil bracket' }, OPERATOR);
    await fresh.stop();
    expect(memories.map(({ memory_id }) => memory_id)).not.toContain(ids.anvil);
    const left = await rowsOf(
      database.db,
      sql`select id from cue.search where terms @> array['anvil']`,
    );
    expect(left).toEqual([]);
  });

  it('holds a small part of what was asked for last, and lets go of the rest', async () => {
    for (let at = 0; at < 60; at += 1) {
      await room.memory.recall({ query: `Sow on field ${at}`, limit: 3 }, OPERATOR);
    }
    expect(shelf().size).toBeGreaterThan(2 * MOST);
    await room.project.keepBound();
    expect(shelf().size).toBeLessThanOrEqual(MOST + MOST / 20);
  });

  it('is filled by one of two that share it, and goes on where a killed one stopped', async () => {
    await database.db.execute(sql`update cue.search_fill set changed_ms = 0, id = null, done = 0`);
    await database.db.execute(sql`delete from cue.search`);
    await database.db.execute(sql`drop index cue.search_by_vector`);
    const [one, other] = await Promise.all([open(), open()]);
    await Promise.all([one.project.keepBound(), other.project.keepBound()]);
    await Promise.all([one.project.keepBound(), other.project.keepBound()]);
    const rows = await rowsOf(database.db, sql`select id from cue.search`);
    const [fill] = await rowsOf(database.db, sql`select done::int from cue.search_fill`);
    expect(fill?.done).toBe(rows.length);
    for (const room_ of [one, other]) {
      const answer = await room_.memory.recall({ file: 'smithy/furnace.ts' }, OPERATOR);
      expect(answer.memories[0]?.memory_id).toBe(ids.failed);
      expect(answer.degraded).toBeUndefined();
      await room_.stop();
    }
  });

  it('answers from the catalog alone, and says so, when the database fails', async () => {
    await database.db.execute(sql`alter table cue.search rename to search_away`);
    const answer = await room.memory.recall({ query: 'Sow rye' }, OPERATOR);
    // Every pass comes from a timer, where a failure would end the process.
    await expect(room.project.keepBound()).resolves.toBeUndefined();
    await database.db.execute(sql`alter table cue.search_away rename to search`);
    expect(answer.memories.length).toBeGreaterThan(0);
    expect(answer.degraded).toMatch(/older memories were not searched/);
  });
});
