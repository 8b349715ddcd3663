/** `GET /cue/runs` across triggers, one run, and what is coming, on a real server with thousands of runs. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { databaseOf, homeOf, rowsOf } from '../../../src/records/index.js';
import { errorOf } from '../../helpers/http.js';
import { restClient } from '../../helpers/rest.js';
import { plan } from '../../helpers/scripted-model.js';
import { startServer, type TestServer } from '../../helpers/server.js';

const COUNT = 10_000;
const OLD = 'aaaaaaaa-0000-4000-8000-00000000000';
const HOUR = 3_600_000;

type Run = Record<string, unknown> & { triggerRunId: string; displayName: string };
type Occurrence = { triggerId: string; displayName: string; atMs: number; scheduleText: string };

let server: TestServer;
const rest = restClient(() => server);

beforeAll(async () => {
  server = await startServer();
  const { entityId, agentId, roomId, worldId } = homeOf(server.runtime);
  // A second apart, ten days ago and before; every tenth has failed. Of ten triggers that are gone.
  await databaseOf(server.runtime).execute(sql`
    insert into memories (id, type, created_at, content, entity_id, agent_id, room_id, world_id, "unique", metadata)
    select gen_random_uuid(), 'cue_trigger_run', at.time, '{"text":"a run"}'::jsonb,
      ${entityId}::uuid, ${agentId}::uuid, ${roomId}::uuid, ${worldId}::uuid, true,
      jsonb_build_object('type', 'cue_trigger_run', 'version', 1, 'triggerId', ${OLD} || (n % 10),
        'triggerRunId', gen_random_uuid(), 'taskId', gen_random_uuid(), 'scheduledForMs', 1000,
        'cause', 'schedule', 'status', case when n % 10 = 0 then 'failed' else 'success' end,
        'open', false, 'attempt', 1, 'startedAt', 1000, 'displayName', 'Old ' || (n % 10))
    from generate_series(1, ${COUNT}::int) n,
      lateral (select now() at time zone 'UTC' - interval '10 days' - n * interval '1 second' as time) at`);
  // The id of a run is that of its row.
  await databaseOf(
    server.runtime,
  ).execute(sql`update memories set metadata = metadata || jsonb_build_object('triggerRunId', id)
      where type = 'cue_trigger_run'`);
});
afterAll(() => server.stop());
beforeEach(() => {
  server.brain.onLarge = () => plan('watered');
});

async function pages(query: string): Promise<{ runs: Run[]; total: number }> {
  const runs: Run[] = [];
  let cursor: unknown = null;
  let total = 0;
  do {
    const { body } = await rest(
      'GET',
      `/runs?limit=500${query}${cursor === null ? '' : `&cursor=${cursor}`}`,
    );
    runs.push(...(body.runs as Run[]));
    total = body.total as number;
    cursor = body.nextCursor;
  } while (cursor !== null);
  return { runs, total };
}

describe('GET /cue/runs', () => {
  it('pages through thousands without a gap or a repeat', async () => {
    const { runs, total } = await pages('');
    expect([runs.length, total]).toEqual([COUNT, COUNT]);
    expect(new Set(runs.map((run) => run.triggerRunId)).size).toBe(COUNT);
    expect(runs[0]).toMatchObject({ displayName: 'Old 1', status: 'success' });
    expect(runs.at(-1)).toMatchObject({ displayName: 'Old 0', status: 'failed' });
  });

  it('reads a page by the index of times', async () => {
    const plans = await databaseOf(server.runtime).transaction(async (tx) => {
      await tx.execute(sql`set local enable_sort = off`);
      return rowsOf(
        tx as never,
        sql`explain select * from memories where type = 'cue_trigger_run'
          and agent_id = ${server.agentId} order by created_at desc, id desc limit 51`,
      );
    });
    expect(JSON.stringify(plans)).toContain('cue_runs_by_time');
  });

  it('filters by status, trigger and time', async () => {
    const failed = await pages('&status=failed');
    expect([failed.total, failed.runs.length]).toEqual([COUNT / 10, COUNT / 10]);
    expect(new Set(failed.runs.map(({ status }) => status))).toEqual(new Set(['failed']));
    const third = await pages(`&triggerId=${OLD}3`);
    expect([third.total, new Set(third.runs.map(({ displayName }) => displayName))]).toEqual([
      COUNT / 10,
      new Set(['Old 3']),
    ]);
    const since = new Date(Date.now() - 240 * HOUR - 100_000).toISOString();
    const recent = await rest('GET', `/runs?since=${since}`);
    expect(recent.body.total).toBeGreaterThan(80);
    expect(recent.body.total).toBeLessThan(101);
    const earlier = await rest('GET', `/runs?before=${since}`);
    expect(Number(earlier.body.total) + Number(recent.body.total)).toBe(COUNT);
  });

  it('has what has just run first, and one run with its trigger', async () => {
    const { id } = await rest.made({ instructions: 'water the ferns' });
    await rest('POST', `/triggers/${id}/execute?waitMs=15000`);
    const { body } = await rest('GET', '/runs?limit=1');
    const [run] = body.runs as Run[];
    expect(run).toMatchObject({
      ...{ triggerId: id, displayName: 'water the ferns', status: 'success', answer: 'watered' },
      ...{ actions: [], cause: 'manual' },
    });
    expect(JSON.stringify(body)).not.toMatch(/lease/i);
    const one = await rest('GET', `/runs/${run?.triggerRunId}`);
    expect(one.body).toMatchObject({ run, trigger: { id, instructions: 'water the ferns' } });
    expect(one.body.run).toMatchObject({
      modelCalls: expect.arrayContaining([
        { model: 'TEXT_LARGE', provider: 'scripted-model', calls: 1, ms: expect.any(Number) },
      ]),
    });
    // Nothing is said of a run whose calls are not known.
    const [old] = (await pages('&status=failed')).runs;
    expect((await rest('GET', `/runs/${old?.triggerRunId}`)).body.run).not.toHaveProperty(
      'modelCalls',
    );
    await rest('DELETE', `/triggers/${id}`);
    expect((await rest('GET', `/runs/${run?.triggerRunId}`)).body).toMatchObject({
      run: { displayName: 'water the ferns' },
      trigger: null,
    });
  });

  it('says what is wrong with a request', async () => {
    for (const [query, field] of [
      ['status=lost', 'status'],
      ['since=yesterday', 'since'],
      ['triggerId=7', 'triggerId'],
      ['cursor=x', 'cursor'],
    ]) {
      const answer = await rest('GET', `/runs?${query}`);
      expect([query, answer.status, errorOf(answer).fields]).toEqual([query, 400, [field]]);
    }
    expect((await rest('GET', '/runs/nothing')).status).toBe(404);
  });
});

describe('GET /cue/triggers/upcoming', () => {
  it('has every occurrence of the hours to come, soonest first, and few of what runs often', async () => {
    const schedule = { triggerType: 'interval', intervalMs: 6 * HOUR };
    const six = await rest.made({ displayName: 'Six', schedule });
    await rest.made({ displayName: 'Twice', instructions: 'b', schedule, maxRuns: 2 });
    const minute = { triggerType: 'interval', intervalMs: 60_000 };
    await rest.made({ displayName: 'Minute', instructions: 'c', schedule: minute });
    await rest.made({ displayName: 'Off', instructions: 'd', schedule, enabled: false });
    const { body } = await rest('GET', '/triggers/upcoming?hours=25');
    const occurrences = body.occurrences as Occurrence[];
    const times = occurrences.map(({ atMs }) => atMs);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    const of = (name: string) => occurrences.filter((one) => one.displayName === name);
    expect(['Six', 'Twice', 'Minute', 'Off'].map((name) => of(name).length)).toEqual([4, 2, 24, 0]);
    expect(of('Six')[1]).toEqual({
      ...{ triggerId: six.id, displayName: 'Six', scheduleText: 'every 6 hours' },
      atMs: (of('Six')[0]?.atMs ?? 0) + 6 * HOUR,
    });
    expect(body.truncated).toBe(true);
    const first = await rest('GET', '/triggers/upcoming?limit=1');
    expect((first.body.occurrences as Occurrence[]).map((one) => one.displayName)).toEqual([
      'Minute',
    ]);
    await rest.clear();
    expect((await rest('GET', '/triggers/upcoming')).body).toEqual({
      occurrences: [],
      truncated: false,
    });
  });
});

describe('memories captured by themselves', () => {
  it('are listed apart, and forgotten together', async () => {
    const store = (text: string) => rest('POST', '/memories', { text });
    await store('The staging key lies in the vault.');
    const noise = (await store('Ran the tests once more.')).body.memory_id;
    await databaseOf(server.runtime).execute(sql`update memories
      set metadata = jsonb_set(metadata, '{data,origin}', '"captured"')
      where type = 'cue_work_memory' and content->>'text' like '%once more%'`);
    const listed = await rest('GET', '/memories?origin=captured');
    expect(listed.body).toMatchObject({ total: 1, memories: [{ memory_id: noise }] });
    expect((await rest('GET', '/memories?origin=told')).body.total).toBe(1);
    const shown = await rest('POST', '/forget', { origin: 'captured', dry_run: true });
    expect(shown.body).toMatchObject({ total: 1, dry_run: true });
    await rest('POST', '/forget', { origin: 'captured' });
    expect((await rest('GET', '/memories')).body.total).toBe(1);
  });
});
