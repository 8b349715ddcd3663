/**
 * Global setup of `npm run test:postgres`: starts a PostgreSQL server in a folder of the user's cache
 * (`CUE_TEST_POSTGRES_DIR` names another), and stops it in the end.
 */
import { execFileSync } from 'node:child_process';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { stringToUuid } from '@elizaos/core';
import { createDatabaseAdapter } from '@elizaos/plugin-sql';
import { freePort } from './free-port.js';
import { administer, postgresScript, TEMPLATE, urlOf } from './postgres.js';
import { migrate } from './template.js';

export async function setup(): Promise<() => void> {
  const why = execFileSync(postgresScript, ['why'], { encoding: 'utf8' }).trim();
  if (why !== '') throw new Error(`this machine cannot have a PostgreSQL server: ${why}`);
  const folder =
    process.env.CUE_TEST_POSTGRES_DIR ??
    join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'cue-postgres');
  const port = String(await freePort());
  const run = (...args: string[]) =>
    execFileSync(postgresScript, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
  const url = run('start', folder, port).trim();
  Object.assign(process.env, {
    CUE_TEST_POSTGRES_DIR: folder,
    CUE_TEST_POSTGRES_PORT: port,
    CUE_TEST_POSTGRES_URL: url,
  });
  try {
    await administer(`drop database if exists ${TEMPLATE}`);
    await administer(`create database ${TEMPLATE}`);
    const adapter = createDatabaseAdapter({ postgresUrl: urlOf(TEMPLATE) }, stringToUuid(TEMPLATE));
    await adapter.init();
    await migrate(adapter);
    await adapter.close();
  } catch (error) {
    run('stop', folder);
    throw error;
  }
  return () => run('stop', folder);
}
