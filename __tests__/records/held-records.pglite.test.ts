import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createCatalogSync } from '../../src/records/catalog-sync.js';
import { createHeldRecords } from '../../src/records/held-records.js';
import { createCatalog, createRecordStore, type Database } from '../../src/records/index.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { NOTE, OPERATOR, openProject, quiet, words } from '../contract/record-fixtures.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(() => database.close());

let projects = 0;
/** A store that holds what it reads, and how often it asked the database. */
async function withNote() {
  projects += 1;
  const { db, home } = database;
  const { projectId, note, scope } = openProject(db, home, `held ${projects}`);
  const { log } = quiet();
  const catalog = createCatalog({ analyze: words, project: projectId });
  const held = createHeldRecords();
  const sync = createCatalogSync({ catalog, log, held });
  const asked = { times: 0, after: async () => {} };
  const counting: Database = Object.create(db, {
    execute: {
      value: async (statement: Parameters<Database['execute']>[0]) => {
        asked.times += 1;
        const found = await db.execute(statement);
        await asked.after();
        return found;
      },
    },
  });
  const store = createRecordStore({ db: counting, home, projectId, catalog, log, sync, held });
  const { id } = note('first');
  await store.insert(NOTE, [note('first')]);
  const ask = () => store.get(NOTE, [id], OPERATOR, Number.POSITIVE_INFINITY);
  return { store, id, asked, scope, title: async () => (await ask())[0]?.data.title };
}

it('are read once, and anew when the catalog hears of a change', async () => {
  const { store, id, asked, title } = await withNote();
  expect(await title()).toBe('first');
  asked.times = 0;
  expect(await title()).toBe('first');
  expect(asked.times).toBe(0);
  await store.replace(NOTE, id, 1, { data: { title: 'second', weight: 1 } });
  expect(await title()).toBe('second');
  await store.remove(NOTE, [id]);
  expect(await title()).toBeUndefined();
});

it('are read at every question that asks for what is stored, which holds them anew', async () => {
  const { store, id, asked, title } = await withNote();
  await title();
  await database.db.execute(sql`update memories
    set metadata = jsonb_set(metadata, '{data,title}', '"behind our back"') where id = ${id}`);
  expect(await title()).toBe('first');
  asked.times = 0;
  expect(await store.get(NOTE, [id], OPERATOR)).toMatchObject([
    { data: { title: 'behind our back' } },
  ]);
  expect(asked.times).toBe(1);
  expect(await title()).toBe('behind our back');
});

it('are not held where they changed while they were read', async () => {
  const { store, id, asked, title } = await withNote();
  asked.after = async () => {
    asked.after = async () => {};
    await store.replace(NOTE, id, 1, { data: { title: 'second', weight: 1 } });
  };
  expect(await title()).toBe('first');
  expect(await title()).toBe('second');
});

it('are shown only to those who may read them', async () => {
  const { store, id, scope } = await withNote();
  const [entityId, roomId] = [scope().authorId, scope().authorId];
  const change = {
    data: { title: 'mine', weight: 1 },
    scope: scope({ visibility: 'user', entityId }),
  };
  await store.replace(NOTE, id, 1, change);
  const ask = (reader: Parameters<typeof store.get>[2]) =>
    store.get(NOTE, [id], reader, Number.POSITIVE_INFINITY);
  expect(await ask(OPERATOR)).toHaveLength(1);
  expect(await ask({ kind: 'agent' })).toEqual([]);
  expect(await ask({ kind: 'entity', entityId, roomId })).toHaveLength(1);
});

it('of a transaction that fails are not held', async () => {
  const { store, id, title } = await withNote();
  const failing = store.atomically(async (inside) => {
    await inside.replace(NOTE, id, 1, { data: { title: 'never', weight: 1 } });
    await inside.get(NOTE, [id], OPERATOR);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  expect(await title()).toBe('first');
});
