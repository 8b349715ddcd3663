/** An agent opens what the version before it wrote: every kind of record, in the form of that version. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PGlite } from '@electric-sql/pglite';
import { fuzzystrmatch } from '@electric-sql/pglite/contrib/fuzzystrmatch';
import { vector } from '@electric-sql/pglite/vector';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { call } from '../helpers/http.js';
import { memoryOf } from '../helpers/memory.js';
import { startServer, type TestServer } from '../helpers/server.js';
import { fromTemplate } from '../helpers/template.js';

/** Rows by table, as the last commit of the package `elizaos-plugin-cue` left them. */
const BEFORE = new URL('../fixtures/data-before.json', import.meta.url);
const WRITTEN_MS = Date.parse('2026-11-27T21:10:00Z');

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'cue-before-'));
  const dataDir = join(folder, 'db');
  await fromTemplate(dataDir);
  await fill(dataDir);
  const clock = { now: () => WRITTEN_MS };
  server = await startServer({ name: 'Old Agent', dataDir, cue: { clock } });
  await memoryOf(server.runtime);
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function fill(dataDir: string): Promise<void> {
  const database = new PGlite({ dataDir, extensions: { vector, fuzzystrmatch } });
  // The tables refer to each other.
  await database.exec(`set session_replication_role = 'replica'`);
  const tables: Record<string, object[]> = JSON.parse(readFileSync(BEFORE, 'utf8'));
  for (const [table, rows] of Object.entries(tables)) {
    const [{ columns }] = (
      await database.query<{ columns: string }>(
        `select string_agg(distinct format('%I', key), ', ') as columns
          from jsonb_array_elements($1::jsonb) as one, jsonb_object_keys(one) as key`,
        [JSON.stringify(rows)],
      )
    ).rows as [{ columns: string }];
    await database.query(
      `insert into "${table}" (${columns})
        select ${columns} from jsonb_populate_recordset(null::"${table}", $1::jsonb)`,
      [JSON.stringify(rows)],
    );
  }
  await database.close();
}

async function asked(method: string, path: string, body?: object) {
  const answer = await call(method, `${server.baseUrl}/cue${path}`, body ? { body } : {});
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.body as Record<string, Record<string, unknown>[]>;
}

it('its triggers keep their schedules, and one its history', async () => {
  const { triggers = [] } = await asked('GET', '/triggers');
  const bySchedule = triggers.map(({ displayName, scheduleText, nextRunAtMs, runCount }) => [
    displayName,
    scheduleText,
    new Date(nextRunAtMs as number).toISOString(),
    runCount,
  ]);
  expect(bySchedule.toSorted()).toMatchInlineSnapshot(`
    [
      [
        "Look at the queue",
        "every day",
        "2026-11-28T21:09:06.260Z",
        1,
      ],
      [
        "Renew the passport",
        "once on Sun 4 May 2031 at 08:00 (UTC)",
        "2031-05-04T08:00:00.000Z",
        0,
      ],
      [
        "Water the plants",
        "every Friday at 09:00 (Europe/Berlin)",
        "2026-12-04T08:00:00.000Z",
        0,
      ],
    ]
  `);
  const ran = triggers.find(({ runCount }) => runCount === 1);
  const { runs = [] } = await asked('GET', `/triggers/${ran?.triggerId}/runs`);
  expect(runs.map(({ status, answer }) => [status, answer])).toEqual([['success', 'done']]);
});

it('its memories are found by file and by words, with their link and chapter', async () => {
  const { memories = [] } = await asked('POST', '/recall', { file: 'src/api/auth.ts' });
  expect(memories.map(({ success }) => success).toSorted()).toEqual([false, true]);
  const fixed = memories.find(({ success }) => success);
  const worded = await asked('POST', '/recall', { query: 'where do sessions belong' });
  expect(worded.memories?.[0]?.memory_id).toBe(fixed?.memory_id);
  const traced = await asked('GET', `/memories/${fixed?.memory_id}/trace?direction=causes`);
  expect(JSON.stringify(traced)).toContain('Cache verified sessions in the process memory');
  const { chapters = [] } = await asked('GET', '/chapters');
  expect(chapters.map(({ title }) => title)).toEqual(['Sessions']);
});

it('its hint is given', async () => {
  const params = { component: 'api', key: 'test' };
  const body = { jsonrpc: '2.0', id: 1, method: 'nudge.get_hint', params };
  const answer = await asked('POST', '/rpc', body);
  expect(JSON.stringify(answer)).toContain('npm test -- --runInBand');
});

it('its offer is listed and can be answered, and its memories are offered again', async () => {
  const { offers = [] } = await asked('GET', '/offers');
  expect(offers.map(({ kind, state }) => [kind, state])).toEqual([['fileTouch', 'shown']]);
  const { offer } = await asked('POST', `/offers/${offers[0]?.id}/used`, {});
  expect(offer).toMatchObject({ state: 'used' });
  const body = { type: 'file_touch', filePath: 'src/api/auth.ts', sessionId: 'new-session' };
  const answer = await call('POST', `${server.baseUrl}/cue/events`, { body });
  expect(JSON.stringify(answer.body)).toContain('auth.ts has history (2 memories, 1 failed)');
});
