/** Work memory over the real HTTP server. */
import { stringToUuid } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseOf } from '../../../src/records/index.js';
import { makeChat } from '../../helpers/boot.js';
import { call, errorOf } from '../../helpers/http.js';
import { memoryOf } from '../../helpers/memory.js';
import { type RestClient, restClient } from '../../helpers/rest.js';
import { startServer, type TestServer } from '../../helpers/server.js';

let server: TestServer;
const rest: RestClient = restClient(() => server);

beforeAll(async () => {
  server = await startServer();
  await memoryOf(server.runtime);
});
afterAll(() => server.stop());

interface Stored {
  memory_id: string;
  memory: { id: string; revision: number } & Record<string, unknown>;
}

async function stored(goal: string, more: Record<string, unknown> = {}): Promise<Stored> {
  const answer = await rest('POST', '/memories', {
    intent: goal,
    outcome: { success: true },
    ...more,
  });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
  return answer.body as unknown as Stored;
}

describe('a look that is no use', () => {
  it('is not counted, and says where a memory comes from', async () => {
    const { memory_id } = await stored('Oil the hinges of the barn door');
    const service = await memoryOf(server.runtime);
    const edited = { name: 'EDIT', success: true, data: { filePath: 'barn.md' }, text: 'edited' };
    const run = { messageId: 'm', text: 'Oil the barn once more', actions: [edited] };
    const { memory_id: captured } = Object(await service.capture(run, { kind: 'operator' }));
    const uses = async () => {
      await service.settle();
      const { body } = await rest('GET', '/memories?sort=recent');
      const all = body.memories as { memory_id: string; access_count: number }[];
      return all.find((one) => one.memory_id === memory_id)?.access_count;
    };
    const query = { query: 'barn', min_confidence: 0 };
    const found = await rest('POST', '/recall?counted=false', query);
    const origins = (found.body.memories as { memory_id: string; origin: string }[]).map((one) => [
      one.memory_id,
      one.origin,
    ]);
    expect(origins.toSorted()).toEqual(
      [
        [memory_id, 'told'],
        [captured, 'captured'],
      ].toSorted(),
    );
    await rest('GET', `/memories/${memory_id}?counted=false`);
    expect(await uses()).toBe(0);
    await rest('GET', `/memories/${memory_id}`);
    await rest('POST', '/recall', query);
    expect(await uses()).toBe(2);
    expect(errorOf(await rest('POST', '/recall?counted=maybe', query)).fields).toEqual(['counted']);
  });

  it('can be for what was captured alone, with words and without', async () => {
    const ids = async (asked: object) => {
      const { body } = await rest('POST', '/recall', { min_confidence: 0, limit: 50, ...asked });
      return (body.memories as { content: string }[]).map(({ content }) => content);
    };
    for (const words of [{}, { query: 'barn' }]) {
      expect(await ids({ ...words, origin: 'captured' })).toEqual([
        expect.stringContaining('once more'),
      ]);
      const told = await ids({ ...words, origin: 'told' });
      expect(told.join()).toContain('hinges');
      expect(told.join()).not.toContain('once more');
    }
  });
});

describe('/cue/memories', () => {
  it('stores the short form, answers with its id, and finds it by id and by its prefix', async () => {
    const { memory_id, memory } = await stored('Fix the login timeout', {
      actions: [{ file: 'src\\auth.ts', operation: 'edit', lines: '4-9' }],
      outcome: { success: true, learning: 'clocks differ' },
      tags: ['auth'],
    });
    expect(memory_id).toBe(`mem_${memory.id.replaceAll('-', '').slice(0, 8)}`);
    for (const name of [memory_id, memory.id]) {
      const { status, body } = await rest('GET', `/memories/${name}`);
      expect(status).toBe(200);
      expect(body.memory).toMatchObject({
        memory_id,
        id: memory.id,
        visibility: 'project',
        intent: { goal: 'Fix the login timeout' },
        outcome: { success: true, summary: 'clocks differ', learnings: ['clocks differ'] },
        files: ['src/auth.ts'],
        revision: 1,
      });
    }
  });

  it('names every field that is wrong and stores nothing', async () => {
    const before = (await rest('GET', '/memories')).body.total;
    const answer = await rest('POST', '/memories', { importance: 7, tags: 'x', wrong: 1 });
    expect(answer.status).toBe(400);
    expect(errorOf(answer).fields.sort()).toEqual([
      'importance',
      'intent',
      'outcome',
      'tags',
      'wrong',
    ]);
    expect((await rest('GET', '/memories')).body.total).toBe(before);
  });

  it('refuses a megabyte of reasoning', async () => {
    const answer = await rest('POST', '/memories', {
      intent: 'x',
      reasoning: 'y'.repeat(1_000_000),
      outcome: { success: true },
    });
    expect({ status: answer.status, code: errorOf(answer).code }).toEqual({
      status: 413,
      code: 'TOO_LARGE',
    });
  });

  it('redacts a secret before it is stored and says so', async () => {
    const secret = `ghp${'_'}Zk3vQ9xT7mLp2RwY8sBn4HcJ6dFg1KaV5uEo`;
    const { memory_id } = await stored(`Rotate ${secret}`);
    const { text } = await rest('GET', `/memories/${memory_id}`);
    expect(text).not.toContain(secret);
    expect(text).toContain('Rotate [redacted:github]');
  });

  it('lists in pages, newest first, with filters', async () => {
    for (const n of [1, 2, 3])
      await stored(`Paged work ${n}`, { tags: ['paged'], importance: n / 10 });
    const first = await rest('GET', '/memories?tags=paged&limit=2');
    const rows = first.body.memories as { intent: { goal: string } }[];
    expect({ total: first.body.total, goals: rows.map((row) => row.intent.goal) }).toEqual({
      total: 3,
      goals: ['Paged work 3', 'Paged work 2'],
    });
    const cursor = encodeURIComponent(String(first.body.nextCursor));
    const next = await rest('GET', `/memories?tags=paged&limit=2&cursor=${cursor}`);
    expect((next.body.memories as typeof rows).map((row) => row.intent.goal)).toEqual([
      'Paged work 1',
    ]);
    expect(next.body.nextCursor).toBeNull();
    const important = await rest('GET', '/memories?tags=paged&sort=importance&limit=1');
    expect((important.body.memories as typeof rows)[0]?.intent.goal).toBe('Paged work 3');
  });

  it('lists what has every one of the tags', async () => {
    await stored('Both tags', { tags: ['#left', 'right'] });
    await stored('One tag', { tags: ['left'] });
    const goals = async (tags: string) => {
      const { body } = await rest('GET', `/memories?tags=${encodeURIComponent(tags)}`);
      return (body.memories as { intent: { goal: string } }[]).map((one) => one.intent.goal);
    };
    expect(await goals('left,#right')).toEqual(['Both tags']);
    expect(await goals(' #left ')).toEqual(['One tag', 'Both tags']);
  });

  it.each([
    'success_only=true&failures_only=true',
    'limit=0',
    'limit=101',
    'sort=loudest',
    'success_only=maybe',
    'since=yesterday',
    'task_type=party',
    'file=../../x',
    'unknown=1',
    'cursor=nonsense',
  ])('refuses ?%s', async (query) => {
    const answer = await rest('GET', `/memories?${query}`);
    expect({ status: answer.status, code: errorOf(answer).code }).toEqual({
      status: 400,
      code: 'INVALID_INPUT',
    });
  });

  it('patches by compare-and-set: one of two writers wins, the other learns the revision', async () => {
    const { memory_id } = await stored('Two writers');
    const path = `/memories/${memory_id}`;
    const [a, b] = await Promise.all([
      rest('PATCH', path, { revision: 1, tags: ['a'] }),
      rest('PATCH', path, { revision: 1, tags: ['b'] }),
    ]);
    expect([a.status, b.status].sort()).toEqual([200, 409]);
    const lost = a.status === 409 ? a : b;
    expect(lost.body.error).toMatchObject({ code: 'CONFLICT', details: { revision: 2 } });
  });

  it('takes the revision from If-Match too', async () => {
    const { memory_id } = await stored('With a header');
    const url = `${server.baseUrl}/cue/memories/${memory_id}`;
    const patch = (ifMatch: string, body: object) =>
      call('PATCH', url, { body, headers: { 'if-match': ifMatch } });
    expect((await patch('"1"', { tags: ['x'] })).body).toMatchObject({ revision: 2 });
    expect((await patch('"1"', { tags: ['y'] })).status).toBe(409);
    expect((await patch('soon', { tags: ['y'] })).status).toBe(400);
    expect((await patch('"2"', { tags: ['y'], revision: 1 })).status).toBe(400);
    expect((await patch('*', { tags: ['y'] })).body).toMatchObject({ revision: 3 });
  });

  it('forgets a memory, and then it is not there', async () => {
    const { memory_id, memory } = await stored('Soon gone');
    expect(await rest('DELETE', `/memories/${memory_id}`)).toMatchObject({
      status: 200,
      body: { deleted: true },
    });
    for (const method of ['GET', 'DELETE']) {
      const answer = await rest(method, `/memories/${memory.id}`);
      expect({ status: answer.status, code: errorOf(answer).code }).toEqual({
        status: 404,
        code: 'NOT_FOUND',
      });
    }
  });

  it('forgets once when two ask at the same time', async () => {
    const { memory_id } = await stored('Gone at once');
    const answers = await Promise.all([1, 2].map(() => rest('DELETE', `/memories/${memory_id}`)));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
  });

  it.each(['mem_12', 'nonsense', 'mem_zzzzzzzz', '%00'])('refuses the id %j', async (id) => {
    expect([400, 404]).toContain((await rest('GET', `/memories/${id}`)).status);
  });
});

describe('/cue/recall, links and trace', () => {
  it('recalls by words, by file and by the printed line', async () => {
    const { memory_id } = await stored('Speed up the invoice export', {
      actions: [{ file: 'src/billing/export.ts', operation: 'edit' }],
      outcome: { success: true, learning: 'stream rows instead of loading them' },
    });
    await stored('Rename the reexport helper', {
      actions: [{ file: 'src/reexport.ts', operation: 'edit' }],
    });
    for (const body of [
      { query: 'invoice export slow' },
      { file: 'export.ts' },
      { ref: 'recall("file:export.ts", depth: "reasoning")' },
      { ref: memory_id },
    ]) {
      const answer = await rest('POST', '/recall', body);
      const memories = answer.body.memories as { memory_id: string }[];
      expect({ body, first: memories[0]?.memory_id }).toEqual({ body, first: memory_id });
    }
    const byFile = await rest('POST', '/recall', { file: 'export.ts' });
    expect(byFile.body.total_matches).toBe(1);
  });

  it('takes the last session to be the one before that of who asks', async () => {
    await stored('Morning work', { session_id: 'morning' });
    await stored('Evening work', { session_id: 'evening' });
    const goals = async (body: object) => {
      const answer = await rest('POST', '/recall', { session: 'last', ...body });
      return (answer.body.memories as { content: string }[]).map(({ content }) => content);
    };
    expect(await goals({})).toEqual([expect.stringContaining('Evening work')]);
    expect(await goals({ session_id: 'evening' })).toEqual([
      expect.stringContaining('Morning work'),
    ]);
    const wrong = await rest('POST', '/recall', { session: 'last', session_id: 7 });
    expect(errorOf(wrong).fields).toEqual(['session_id']);
  });

  it('reads "yesterday" in the zone that is named', async () => {
    const memory = await memoryOf(server.runtime);
    const recalled: (string | undefined)[] = [];
    const recall = memory.recall;
    Object.defineProperty(memory, 'recall', {
      configurable: true,
      value: (...args: Parameters<typeof recall>) => {
        recalled.push(args[2]?.zone);
        return recall(...args);
      },
    });
    const body = { query: 'what happened yesterday' };
    const answers = [];
    for (const query of ['', '?timezone=Asia/Tokyo', '?timezone=EST', '?zone=UTC']) {
      answers.push(await rest('POST', `/recall${query}`, body));
    }
    Reflect.deleteProperty(memory, 'recall');
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 400, 400]);
    expect(recalled).toEqual([undefined, 'Asia/Tokyo']);
    expect(answers.flatMap((one) => (one.status === 200 ? [] : errorOf(one).message))).toEqual([
      'timezone: "EST" is ambiguous; write an IANA name such as America/New_York',
      'zone: unknown field',
    ]);
  });

  it('links two memories once and traces the cause', async () => {
    const cause = await stored('Disk ran full');
    const effect = await stored('Backup failed', { outcome: { success: false } });
    const link = { source: effect.memory_id, target: cause.memory_id, link_type: 'caused_by' };
    expect(await rest('POST', '/links', link)).toMatchObject({
      status: 201,
      body: { link: { created: true, source: effect.memory_id, target: cause.memory_id } },
    });
    expect((await rest('POST', '/links', link)).status).toBe(200);
    const traced = await rest('GET', `/memories/${effect.memory_id}/trace?max_hops=3`);
    expect(
      (traced.body.trace as { memory_id: string; hops: number }[]).map((t) => [
        t.memory_id,
        t.hops,
      ]),
    ).toEqual([
      [effect.memory_id, 0],
      [cause.memory_id, 1],
    ]);
    expect((await rest('GET', `/memories/${effect.memory_id}/trace?max_hops=9`)).status).toBe(400);
  });

  it.each([
    [{ source: 'mem_00000000', target: 'mem_00000001' }, 404],
    [{ source: 'x', target: 'y' }, 400],
    [{}, 400],
  ])('refuses the link %j', async (link, status) => {
    expect((await rest('POST', '/links', link)).status).toBe(status);
  });

  it.each([
    {},
    { query: '' },
    { limit: 0, query: 'x' },
    { depth: 'deep', query: 'x' },
    { wrong: 1 },
  ])('refuses to recall %j', async (body) => {
    expect((await rest('POST', '/recall', body)).status).toBe(400);
  });
});

describe('/cue/identity, chapters and wisdom', () => {
  it('registers an identity whose work carries its name', async () => {
    const made = await rest('POST', '/identity', { action: 'register', name: 'builder' });
    expect(made.status).toBe(201);
    const { agent_id, resume_token } = made.body.identity as Record<string, string>;
    const resumed = await rest('POST', '/identity', { action: 'resume', agent_id, resume_token });
    expect(resumed).toMatchObject({ status: 200, body: { identity: { agent_id } } });
    expect(resumed.text).not.toContain(String(resume_token));
    const wrong = { action: 'resume', agent_id, resume_token: 'rum_wrong' };
    expect((await rest('POST', '/identity', wrong)).status).toBe(403);
    const { memory } = await stored('Built by the builder', { agent_id });
    expect(memory.agent_id).toBe(agent_id);
    const list = await rest('GET', `/memories?agent_id=${agent_id}`);
    expect(list.body.total).toBe(1);
  });

  it('refuses the name of somebody unknown', async () => {
    const body = { intent: 'x', outcome: { success: true } };
    const unknown = stringToUuid('nobody');
    expect((await rest('POST', '/memories', { ...body, agent_id: 'me' })).status).toBe(400);
    expect((await rest('POST', '/memories', { ...body, agent_id: unknown })).status).toBe(404);
  });

  it('makes chapters and wisdom and lists them', async () => {
    for (const n of [1, 2, 3]) {
      await stored(`Cache work ${n}`, {
        tags: ['cache'],
        outcome: { success: true, learning: 'invalidate by key' },
      });
    }
    const chapters = await rest('POST', '/chapters', { tags: ['cache'] });
    expect(chapters.status).toBe(201);
    expect(chapters.body).toMatchObject({ created: 1 });
    const listed = await rest('GET', '/chapters?limit=5');
    expect(listed.body).toMatchObject({ total: 1, nextCursor: null });
    const [chapter] = chapters.body.chapters as { memory_ids: string[] }[];
    const same = await rest('POST', '/chapters', { memory_ids: chapter?.memory_ids });
    expect([same.status, same.body]).toEqual([200, { ...chapters.body, created: 0 }]);
    const wisdom = await rest('POST', '/wisdom', { tags: ['cache'] });
    expect(wisdom.status).toBe(201);
    const again = await rest('POST', '/wisdom', { tags: ['#cache'] });
    expect([again.status, again.body]).toEqual([200, { ...wisdom.body, created: 0 }]);
    const found = await rest('GET', '/wisdom?q=invalidate');
    expect(found.body).toMatchObject({ total: 1, nextCursor: null });
    expect(JSON.stringify(found.body.wisdom)).toContain('invalidate by key');
    expect((await rest('GET', '/wisdom?q=zebra')).body.total).toBe(0);
    expect((await rest('POST', '/chapters', { tags: ['nothing-has-this'] })).body).toMatchObject({
      created: 0,
    });
  });
});

describe('/cue/export and import', () => {
  it('gives everything back to another import, and takes the good of a bad file', async () => {
    const json = await rest('GET', '/export');
    expect(json.body).toMatchObject({ version: 1 });
    const again = await rest('POST', '/import', json.body);
    expect(again.body).toMatchObject({ imported: 0, rejected: [] });
    const lines = await rest('GET', '/export?format=jsonl');
    expect(lines.type).toBe('application/x-ndjson; charset=utf-8');
    const rows = lines.text.trimEnd().split('\n');
    expect(rows.length).toBe((again.body.skipped as number) ?? -1);
    const goal = (n: number) =>
      JSON.stringify({ intent: `Imported ${n}`, outcome: { success: true } });
    const jsonl = [
      goal(1),
      '{broken',
      goal(2),
      '{"intent":"no outcome"}',
      `{"id":"x",${goal(3).slice(1)}`,
      '{"kind":"poem","data":{}}',
    ].join('\n');
    const mixed = await rest('POST', '/import', { jsonl });
    expect(mixed.body).toMatchObject({ imported: 2, skipped: 0 });
    expect((mixed.body.rejected as { line: number; reason: string }[]).slice(1)).toEqual([
      { line: 4, reason: 'outcome: is required' },
      { line: 5, reason: 'id: must be a UUID' },
      { line: 6, reason: 'kind: must be one of memory, link, chapter, wisdom' },
    ]);
    expect((mixed.body.rejected as { line: number }[])[0]?.line).toBe(2);
  });

  it('sends JSON lines while they are read, through the host as well', async () => {
    await stored('Long work', { perception: { observations: Array(10).fill('y'.repeat(8_000)) } });
    const answer = await fetch(`${server.baseUrl}/cue/export?format=jsonl`);
    const text = await answer.text();
    expect([answer.status, answer.headers.get('transfer-encoding')]).toEqual([200, 'chunked']);
    const kinds = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    const { body } = await rest('GET', '/memories');
    expect(kinds.filter((kind) => kind === 'memory')).toHaveLength(Number(body.total));
  });

  it.each([{}, { jsonl: 7 }, { nothing: [] }])('refuses to import %j', async (body) => {
    expect((await rest('POST', '/import', body)).status).toBe(400);
  });
});

describe('rights over REST', () => {
  it('an operator sees what was said in private; the key guards it', async () => {
    const memory = await memoryOf(server.runtime);
    const { roomId, entityId } = await makeChat(server.runtime, 'rest-private');
    const { memory_id } = await memory.store(
      { intent: 'Private zebra', outcome: { success: true } },
      { kind: 'entity', entityId, roomId, private: true },
    );
    expect((await rest('GET', `/memories/${memory_id}`)).status).toBe(200);
    const url = `${server.baseUrl}/cue/memories/${memory_id}`;
    const foreign = await call('GET', url, { headers: { origin: 'https://evil.example' } });
    expect(foreign.status).toBe(403);
    expect(foreign.text).not.toContain('zebra');
  });
});

describe('a disk that is full', () => {
  const db = () => databaseOf(server.runtime);

  it('is said in the answer and in health, until something can be stored again', async () => {
    await db().execute(sql`create function no_space() returns trigger as $$ begin
      raise exception using errcode = '53100',
        message = 'could not extend file "base/5/16413": No space left on device';
      end $$ language plpgsql`);
    await db().execute(sql`create trigger no_space before insert or update on memories
      for each row execute function no_space()`);
    const draft = { intent: 'Note the leak', outcome: { success: true } };
    const refused = await rest('POST', '/memories', draft);
    expect([refused.status, errorOf(refused).code]).toEqual([503, 'UNAVAILABLE']);
    expect(errorOf(refused).message).toContain('the disk of the database is full');
    const health = async () => (await rest('GET', '/memories/health')).body.degraded;
    expect(await health()).toEqual([expect.stringContaining('disk of the database is full')]);
    await db().execute(sql`drop trigger no_space on memories`);
    await stored('Note the leak');
    expect(await health()).toEqual([]);
  });
});
