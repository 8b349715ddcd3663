/** The write-ahead log of a headless server's embedded database, whose engine makes no checkpoint by itself. */
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, expect, it, vi } from 'vitest';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { forgetEmbedded } from '../../src/server/headless/database.js';
import { startHeadless } from '../../src/server/headless/index.js';
import type { PrimaryAgent } from '../../src/server/own-server.js';

const home = mkdtempSync(join(tmpdir(), 'cue-log-'));
const MB = 1_024 * 1_024;
let agent: PrimaryAgent | null = null;
afterEach(async () => {
  await agent?.close();
  forgetEmbedded();
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

function logBytes(): number {
  const folder = join(home, 'db', 'pg_wal');
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)));
  return sizes.reduce((sum, found) => sum + (found.isFile() ? found.size : 0), 0);
}

it('stays bounded after many writes', { timeout: 300_000 }, async () => {
  agent = await startHeadless({
    ...{ cwd: home, env: { PGLITE_DATA_DIR: join(home, 'db'), LOG_LEVEL: 'fatal' } },
    log: () => {},
  });
  const db = databaseOf(agent.runtime);
  const notYetKept = async () => {
    const [row] = await rowsOf(
      db,
      sql`select pg_wal_lsn_diff(pg_current_wal_lsn(), redo_lsn)::float8 as bytes from pg_control_checkpoint()`,
    );
    return Number(row?.bytes);
  };
  await db.execute(sql`create table filler (text text)`);
  for (let round = 0; round < 4; round += 1) {
    await db.execute(
      sql`insert into filler select repeat(md5(random()::text), 60) from generate_series(1, 30000)`,
    );
    await db.execute(sql`truncate filler`);
    const wait = { timeout: 60_000, interval: 500 };
    await vi.waitFor(async () => expect(await notYetKept()).toBeLessThan(16 * MB), wait);
  }
  // 230 MB were written. Of old files PostgreSQL keeps 80 MB to use them again.
  expect(logBytes()).toBeLessThan(160 * MB);
});
