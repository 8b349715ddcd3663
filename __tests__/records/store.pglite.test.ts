import { afterAll, beforeAll } from 'vitest';
import { recordCatalogContract } from '../contract/record-catalog.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { recordPlansContract } from '../contract/record-plans.js';
import { recordStoreContract } from '../contract/record-store.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(() => database.close());

recordStoreContract('PGlite', () => database);
recordCatalogContract('PGlite', () => database);
recordPlansContract(() => database);
