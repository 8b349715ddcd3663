/** The same promises through the host's `pg` driver: PGlite behind a socket, or a real server (`npm run test:postgres`). */
import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rowsOf } from '../../src/records/index.js';
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

  it('loses a connection within a transaction: that fails, and the process and the pool go on', async () => {
    const { db } = database;
    const pool: unknown = '$client' in db ? db.$client : undefined;
    if (!(pool instanceof EventEmitter)) throw new Error('the host uses another driver now');
    const acquired = once(pool, 'acquire');
    const failing = db.transaction(async (tx) => {
      const [client] = (await acquired) as [{ connection: { stream: Socket } }];
      const { stream } = client.connection;
      const closed = once(stream, 'close');
      stream.destroy();
      await closed;
      await tx.execute(sql`select 1`);
    });
    await expect(failing).rejects.toThrow(/connection/i);
    expect(await rowsOf(db, sql`select 1 as one`)).toEqual([{ one: 1 }]);
  });
});
