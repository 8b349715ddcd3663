import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureIndexes, RECORD_INDEXES, rowsOf } from '../../src/records/index.js';
import { recordCatalogContract } from '../contract/record-catalog.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { recordPlansContract } from '../contract/record-plans.js';
import { recordStoreContract } from '../contract/record-store.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(() => database.close());

it('has its indexes made again where one is missing, and the others left alone', async () => {
  const { db } = database;
  const indexes = () =>
    rowsOf(
      db,
      sql`select relname, oid from pg_class where relname like 'cue\\_%' and relkind = 'i' order by 1`,
    );
  const before = await indexes();
  await db.execute(sql`drop index cue_tombstones`);
  await ensureIndexes(db, RECORD_INDEXES);
  const after = await indexes();
  expect(after.map(({ relname }) => relname)).toEqual(before.map(({ relname }) => relname));
  const isOther = ({ oid }: Record<string, unknown>) => !before.some((one) => one.oid === oid);
  expect(after.filter(isOther)).toMatchObject([{ relname: 'cue_tombstones' }]);
});

recordStoreContract('PGlite', () => database);
recordCatalogContract('PGlite', () => database);
recordPlansContract(() => database);
