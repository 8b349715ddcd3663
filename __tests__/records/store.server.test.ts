/** The same promises through the host's `pg` driver: PGlite behind a socket, and a real server. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { recordCatalogContract } from '../contract/record-catalog.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { recordStoreContract } from '../contract/record-store.js';
import { openSharedDatabase, type SharedDatabase } from '../helpers/shared-database.js';

describe('the wire protocol of PostgreSQL', () => {
  let shared: SharedDatabase;
  let database: OpenRecordDatabase;
  beforeAll(async () => {
    shared = await openSharedDatabase();
    database = await openRecordDatabase(shared.url);
  });
  afterAll(async () => {
    await database.close();
    await shared.close();
  });
  recordStoreContract('the wire protocol', () => database);
  recordCatalogContract('the wire protocol', () => database);
});

const serverUrl = process.env.POSTGRES_URL;

describe('a PostgreSQL server', () => {
  if (serverUrl === undefined || serverUrl === '') {
    it('runs the contract where POSTGRES_URL names a server', ({ skip }) => {
      skip('POSTGRES_URL is not set');
    });
    return;
  }
  let database: OpenRecordDatabase;
  beforeAll(async () => {
    database = await openRecordDatabase(serverUrl, `Records Test ${randomUUID()}`);
  });
  afterAll(() => database.close());
  recordStoreContract('a PostgreSQL server', () => database);
  recordCatalogContract('a PostgreSQL server', () => database);
});
