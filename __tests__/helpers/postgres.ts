/**
 * Databases on the PostgreSQL server of `npm run test:postgres`. Each test has one of its own, with the
 * host's tables, and in another time zone than any process.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { stringToUuid } from '@elizaos/core';
import { createDatabaseAdapter } from '@elizaos/plugin-sql';
import { sql } from 'drizzle-orm';
import { type Database, rowsOf } from '../../src/records/index.js';

export const TEMPLATE = 'cue_template';
/** Fourteen hours ahead of UTC: on most of a day it has another date. */
export const SERVER_ZONE = 'Pacific/Kiritimati';
export const postgresScript = fileURLToPath(new URL('../../scripts/postgres.sh', import.meta.url));

const SINGLETONS = Symbol.for('@elizaos/plugin-sql/global-singletons');

/** Whether the tests run on that server. */
export function isOnPostgres(): boolean {
  return process.env.CUE_TEST_POSTGRES_URL !== undefined;
}

export function urlOf(database: string): string {
  const url = new URL(process.env.CUE_TEST_POSTGRES_URL ?? '');
  url.pathname = `/${database}`;
  return url.href;
}

/** A new database, or the one that stands for this directory in a test that opens it again. */
export async function postgresDatabase(dataDir?: string): Promise<string> {
  const name = nameOf(dataDir ?? randomUUID());
  const found = await administer(`select 1 from pg_database where datname = '${name}'`);
  if (found.length === 0) {
    await administer(`create database ${name} template ${TEMPLATE}`);
    await administer(`alter database ${name} set timezone to '${SERVER_ZONE}'`);
  }
  return urlOf(name);
}

export async function dropDatabase(url: string): Promise<void> {
  await administer(`drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

/** Ends every connection to the database, as a server that is set up anew does. */
export async function cutConnections(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1);
  const cut = await administer(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
  );
  return cut.length;
}

/** Stops the server without a checkpoint, and starts it again: it recovers from its log. */
export function crashServer(): void {
  const { CUE_TEST_POSTGRES_DIR: folder = '', CUE_TEST_POSTGRES_PORT: port = '' } = process.env;
  for (const args of [
    ['crash', folder],
    ['start', folder, port],
  ]) {
    execFileSync(postgresScript, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  }
}

/** Runs one statement over a connection of its own, beside that of an agent of this process. */
export async function administer(statement: string): Promise<Record<string, unknown>[]> {
  const held: unknown = Reflect.get(globalThis, SINGLETONS);
  const pools = forgetPostgres();
  const adapter = createDatabaseAdapter(
    { postgresUrl: process.env.CUE_TEST_POSTGRES_URL ?? '' },
    stringToUuid('administrator'),
  );
  try {
    return await rowsOf(adapter.db as Database, sql.raw(statement));
  } finally {
    await adapter.close();
    if (typeof held === 'object' && held !== null) {
      Reflect.set(held, 'postgresConnectionManagers', pools);
    }
  }
}

/** The host keeps one pool per process, whatever database is asked for; returns what it had. */
export function forgetPostgres(): unknown {
  const held: unknown = Reflect.get(globalThis, SINGLETONS);
  if (typeof held !== 'object' || held === null) return undefined;
  const pools: unknown = Reflect.get(held, 'postgresConnectionManagers');
  Reflect.set(held, 'postgresConnectionManagers', undefined);
  return pools;
}

function nameOf(seed: string): string {
  return `cue_${createHash('sha256').update(seed).digest('hex').slice(0, 20)}`;
}
