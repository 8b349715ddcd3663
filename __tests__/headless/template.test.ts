/** A new database that is unpacked from a template, and what happens where the template is of no use. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { forgetEmbedded } from '../../src/server/headless/database.js';
import { startHeadless } from '../../src/server/headless/index.js';
import { cacheOf, templateIn } from '../../src/server/headless/template.js';
import type { PrimaryAgent } from '../../src/server/own-server.js';
import { startHeadlessProcess } from '../helpers/headless.js';

const home = mkdtempSync(join(tmpdir(), 'cue-template-'));
const at = (...names: string[]) => join(home, ...names);
/** Of the template that the first start has made. */
const env = { XDG_CACHE_HOME: at('cache') };
const file = at('cache', 'cue', 'empty-database');
let agent: PrimaryAgent | null = null;
let bytes: Buffer;
/** What was migrated, without a template. */
let migrated: Made;

// A database that was given up may still write: its folder goes when nothing runs any more.
process.once('exit', () => rmSync(home, { recursive: true, force: true }));

interface Made {
  id: unknown;
  schema: Record<string, unknown>[];
  agents: unknown[];
}

async function made(name: string, cache: Record<string, string> = env): Promise<Made> {
  const named = { PGLITE_DATA_DIR: at(name), CUE_AGENT: name, LOG_LEVEL: 'fatal' };
  agent = await startHeadless({ cwd: home, env: { ...cache, ...named }, log: () => {} });
  const db = databaseOf(agent.runtime);
  const [system] = await rowsOf(
    db,
    sql`select system_identifier::text as id from pg_control_system()`,
  );
  const schema = await rowsOf(
    db,
    sql`select 'column' as kind, table_schema || '.' || table_name || '.' || column_name as name,
        concat_ws(' ', data_type, udt_name, is_nullable, column_default) as what
        from information_schema.columns where table_schema not in ('pg_catalog', 'information_schema')
      union all select 'index', schemaname || '.' || indexname, indexdef from pg_indexes
        where schemaname not in ('pg_catalog', 'information_schema')
      union all select 'constraint', conrelid::regclass || '.' || conname, pg_get_constraintdef(oid)
        from pg_constraint where conrelid <> 0
      union all select 'extension', extname, extversion from pg_extension
      union all select 'migration', plugin_name, hash from migrations._migrations
      order by 1, 2, 3`,
  );
  const agents = await rowsOf(db, sql`select name from agents`);
  await stop();
  return { id: system?.id, schema, agents: agents.map((row) => row.name) };
}

async function stop(): Promise<void> {
  await agent?.close();
  agent = null;
  forgetEmbedded();
}

const unpacked = (name: string, ...versions: (() => string)[]) =>
  templateIn(env, ...versions)?.unpack(at(name));

beforeAll(async () => {
  migrated = await made('migrated', {});
  await made('first');
  bytes = readFileSync(file);
});
afterEach(async () => {
  await stop();
  writeFileSync(file, bytes);
});
afterAll(stop);

it('has the tables of one that was migrated, and nothing of what another start has stored', async () => {
  const second = await made('second');
  expect(second.schema).toEqual(migrated.schema);
  expect(second.schema.length).toBeGreaterThan(200);
  expect(second.agents).toEqual(['second']);
  expect(second.id).not.toBe(migrated.id);
  expect((await made('third')).id).toBe(second.id);
  expect(readFileSync(file).equals(bytes)).toBe(true);
  // Opened again, it is the one that it was.
  expect(await made('second')).toEqual(second);
});

it.each([
  ['is cut off', (whole: Buffer) => whole.subarray(0, whole.length / 2)],
  ['has a wrong byte', (whole: Buffer) => Buffer.from(whole).fill(7, 1_000_000, 1_000_001)],
  ['is something else', () => Buffer.from('something else')],
  ['is empty', () => Buffer.alloc(0)],
])('is left aside where the template %s', (_, broken) => {
  writeFileSync(file, broken(bytes));
  expect(unpacked('aside')).toBe(false);
  expect(existsSync(at('aside'))).toBe(false);
});

it('makes a database anew where the template is damaged, and packs that', async () => {
  writeFileSync(file, bytes.subarray(0, 1_000));
  const anew = await made('anew');
  expect(anew.schema).toEqual(migrated.schema);
  expect((await made('after')).id).toBe(anew.id);
});

it('makes one anew, too, where no database opens with what was unpacked', async () => {
  cpSync(at('first'), at('odd'), { recursive: true });
  rmSync(at('odd', 'global'), { recursive: true });
  templateIn(env)?.pack(at('odd'));
  const anew = await made('opened');
  expect(anew.schema).toEqual(migrated.schema);
  expect((await made('after that')).id).toBe(anew.id);
});

it('counts only for the versions that it was made with', () => {
  expect(unpacked('versions', () => 'others')).toBe(false);
  templateIn(env, () => 'others')?.pack(at('first'));
  expect(unpacked('versions')).toBe(false);
  expect(unpacked('versions', () => 'others')).toBe(true);
});

it('clears away what a start has left that was killed while it unpacked', async () => {
  mkdirSync(at('killed', 'base', '1'), { recursive: true });
  for (const name of ['.cue-filling', 'base/1/1', 'PG_VERSION'])
    writeFileSync(at('killed', name), 'x');
  expect((await made('killed')).schema).toEqual(migrated.schema);
  expect(readdirSync(at('killed'))).not.toContain('.cue-filling');
});

it('touches no folder that holds something', () => {
  mkdirSync(at('held'));
  writeFileSync(at('held', 'notes.txt'), 'mine');
  expect(unpacked('held')).toBe(false);
  expect(readdirSync(at('held'))).toEqual(['notes.txt']);
});

it('is whole when two make it at once', async () => {
  const cache = { XDG_CACHE_HOME: at('cache of two') };
  const children = ['one', 'other'].map((name) =>
    startHeadlessProcess({ ...cache, PGLITE_DATA_DIR: at(name), LOG_LEVEL: 'fatal' }),
  );
  for (const child of children) await child.next('ready');
  for (const child of children) child.send({ kind: 'close' });
  await Promise.all(children.map(({ ended }) => ended));
  expect(readdirSync(at('cache of two', 'cue'))).toEqual(['empty-database']);
  expect((await made('of two', cache)).schema).toEqual(migrated.schema);
});

it('is packed where it cannot be kept, without a word', async () => {
  writeFileSync(at('no folder'), '');
  expect((await made('unkept', { XDG_CACHE_HOME: at('no folder') })).schema).toEqual(
    migrated.schema,
  );
});

it('lies in the cache of the user, and is not made where the environment names none', () => {
  expect(cacheOf({ HOME: '/h' }, 'linux')).toBe('/h/.cache');
  expect(cacheOf({ HOME: '/h', XDG_CACHE_HOME: '/c' }, 'linux')).toBe('/c');
  expect(cacheOf({ HOME: '/h' }, 'darwin')).toBe('/h/Library/Caches');
  expect(cacheOf({ LOCALAPPDATA: 'C:\\l' }, 'win32')).toBe('C:\\l');
  expect(templateIn({})).toBeNull();
});
