/** A database that is loaded ahead beside the server whose place it may take. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterEach, expect, it } from 'vitest';
import { databaseOf, pgliteDirectory, rowsOf } from '../../src/records/index.js';
import { forgetEmbedded } from '../../src/server/headless/database.js';
import { startHeadless } from '../../src/server/headless/index.js';
import { openerOf } from '../../src/server/headless/lock-handover.js';
import type { PrimaryAgent } from '../../src/server/own-server.js';

const home = mkdtempSync(join(tmpdir(), 'cue-held-'));
let agent: PrimaryAgent | null = null;
afterEach(async () => {
  await agent?.close();
  agent = null;
  forgetEmbedded();
});
// A database that was given up may still write: its folder goes when nothing runs any more.
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

const given = (name: string) => ({
  ...{ cwd: home, env: { PGLITE_DATA_DIR: join(home, name), LOG_LEVEL: 'fatal' } },
  log: () => {},
});
const preload = (name: string) => startHeadless.preload?.(given(name));

async function start(name: string): Promise<PrimaryAgent> {
  agent = await startHeadless(given(name));
  return agent;
}

it('touches nothing of its directory until it is opened, and is the one that is opened', async () => {
  await preload('db');
  // It is as far as it gets by itself.
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(readdirSync(join(home, 'db'))).toEqual([]);
  expect(existsSync(join(home, 'db.cue-lock'))).toBe(false);
  expect(openerOf(join(home, 'db'))).toBeNull();

  const { runtime } = await start('db');
  expect(pgliteDirectory(databaseOf(runtime))).toBe(join(home, 'db'));
});

it('opens no file in vain, and takes a quarter of the memory', async () => {
  const { runtime } = await start('db');
  const settings = await rowsOf(
    databaseOf(runtime),
    sql`select name, current_setting(name) as value from pg_settings
      where name in ('fsync', 'shared_buffers', 'full_page_writes', 'synchronous_commit') order by name`,
  );
  expect(settings).toEqual([
    { name: 'fsync', value: 'off' },
    { name: 'full_page_writes', value: 'on' },
    { name: 'shared_buffers', value: '16MB' },
    { name: 'synchronous_commit', value: 'on' },
  ]);
});

it('holds up nobody who starts meanwhile', async () => {
  const [{ runtime }] = await Promise.all([start('db'), preload('db')]);
  await preload('db');
  expect(pgliteDirectory(databaseOf(runtime))).toBe(join(home, 'db'));
});

it('is given up for another directory', async () => {
  await preload('other');
  const { runtime } = await start('db');
  expect(pgliteDirectory(databaseOf(runtime))).toBe(join(home, 'db'));
  expect(readdirSync(join(home, 'other'))).toEqual([]);
});
