import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, MemoryView } from '../../src/memory/index.js';
import { memoryLinkType, workMemoryType } from '../../src/memory/index.js';
import { AppError, InvalidInputError } from '../../src/shared/errors.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };

let database: OpenRecordDatabase;
let room: MemoryRoom;
let other: MemoryRoom;
beforeAll(async () => {
  database = await openRecordDatabase();
  room = await openRoom(database, 'store');
  other = await openRoom(database, 'another project');
});
afterAll(async () => {
  await room.stop();
  await other.stop();
  await database.close();
});

async function errorOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (error instanceof AppError) return error;
  throw new Error(`expected an AppError, got ${String(error)}`);
}

async function findingsOf(work: Promise<unknown>): Promise<string[]> {
  const error = await errorOf(work);
  if (!(error instanceof InvalidInputError)) throw error;
  return error.findings.map(({ field, message }) => `${field}: ${message}`);
}

const countAll = () => room.project.store.count(workMemoryType, { kind: 'operator' });

describe('storing', () => {
  it('gives back the memory with its printed id, its author and its links', async () => {
    const cause = await room.memory.store(draft('Add a cache'), OPERATOR);
    const stored = await room.memory.store(
      draft('Fix the stale cache', {
        tags: ['cache'],
        links: { caused_by: cause.memory_id },
        session_id: 's1',
      }),
      OPERATOR,
    );
    expect(stored).toEqual({
      memory_id: `mem_${stored.memory.id.slice(0, 8)}`,
      created: true,
      links: 1,
      memory: {
        memory_id: stored.memory_id,
        id: stored.memory.id,
        created_at: '2026-03-02T09:00:00.000Z',
        revision: 1,
        visibility: 'project',
        intent: { goal: 'Fix the stale cache', task_type: 'other', constraints: [] },
        perception: {
          observations: [],
          relevant_files: [],
          patterns_noticed: [],
          anomalies: [],
        },
        reasoning: { alternatives_considered: [], assumptions: [], risks_identified: [] },
        actions: [],
        outcome: { success: true, summary: 'Succeeded', learnings: [], follow_up_needed: [] },
        tags: ['cache'],
        importance: 0.5,
        session_id: 's1',
        remind_when: [],
        access_count: 0,
        last_accessed: null,
        files: [],
        agent_id: room.agentId,
        origin: 'told',
        links: { caused_by: [cause.memory_id] },
        links_total: 1,
      },
    });
    const seen = await room.memory.get(cause.memory_id, OPERATOR);
    expect(seen.links).toEqual({ led_to: [stored.memory_id] });
  });

  it('drops NULs and half characters', async () => {
    const { memory } = await room.memory.store(draft('a\u0000b \ud800 c'), OPERATOR);
    expect((await room.memory.get(memory.id, OPERATOR)).intent.goal).toBe('ab \ufffd c');
  });

  it('redacts a secret before anything is stored and says what kind it was', async () => {
    const secret = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
    const { memory, redacted } = await room.memory.store(
      draft(`Rotate ${secret}`, { reasoning: `It was ${secret}` }),
      OPERATOR,
    );
    expect(redacted).toEqual([{ kind: expect.any(String), count: 2 }]);
    const [record] = await room.project.store.get(workMemoryType, [memory.id], {
      kind: 'operator',
    });
    expect(JSON.stringify(record)).not.toContain('a1B2c3D4e5F6');
  });

  it('refuses 1 MB of reasoning as too large and stores nothing', async () => {
    const before = await countAll();
    const error = await errorOf(
      room.memory.store(draft('Big', { reasoning: 'x'.repeat(1_000_000) }), OPERATOR),
    );
    expect([error.code, error.details.limit]).toEqual(['TOO_LARGE', 262_144]);
    expect(await countAll()).toBe(before);
  });

  it('refuses what is no plain data', async () => {
    const circular: Record<string, unknown> = draft('Round');
    circular.context = circular;
    expect(await findingsOf(room.memory.store(circular, OPERATOR))).toEqual([
      '(body): must be plain data (JSON)',
    ]);
  });

  it('stores nothing when a link leads nowhere, into another project or is no reference', async () => {
    const foreign = await other.memory.store(draft('Elsewhere'), OPERATOR);
    const before = await countAll();
    const links = {
      caused_by: foreign.memory.id,
      led_to: 'mem_00000000',
      related_to: 'the last one',
    };
    expect(await findingsOf(room.memory.store(draft('Linked', { links }), OPERATOR))).toEqual([
      `links.caused_by: no memory with id "${foreign.memory.id}"`,
      'links.led_to: no memory with id "mem_00000000"',
      'links.related_to: must be mem_ and at least 8 hex digits, or a UUID',
    ]);
    expect(await countAll()).toBe(before);
  });

  it.each<[string, () => Promise<Float32Array[]>, string]>([
    ['throws', () => Promise.reject(new Error('model gone')), 'model gone'],
    [
      'gives a vector of the wrong size',
      async () => [new Float32Array(3).fill(1)],
      'the vector has 3 numbers, not 384',
    ],
    ['gives NaN', async () => [new Float32Array(384).fill(Number.NaN)], 'the vector is not finite'],
    ['gives zeros', async () => [new Float32Array(384)], 'the vector is all zeros'],
    ['gives nothing', async () => [], 'the model gave no vector'],
  ])('stores without a vector when the model %s, and says so', async (_how, embed, reason) => {
    const good = room.embedder.current;
    const waiting = room.unembedded.count;
    room.embedder.current = { ...good, embed };
    const stored = await room.memory.store(draft('Quartz crystal resonance'), OPERATOR);
    room.embedder.current = good;
    expect(stored.degraded).toBe(
      `stored without a vector (${reason}); it is found by its words and embedded later`,
    );
    expect(room.unembedded.count).toBe(waiting + 1);
    const found = await room.memory.recall({ query: 'quartz resonance', limit: 100 }, OPERATOR);
    expect(found.memories.map(({ memory_id }) => memory_id)).toContain(stored.memory_id);
    await room.memory.forget({ memory_id: stored.memory_id }, OPERATOR);
  });
});

describe('capturing', () => {
  const run = (messageId: string, text: string) => ({
    messageId,
    text,
    actions: [{ name: 'DEPLOY', success: true, text: 'deployed' }],
  });

  it('keeps one memory of a run however often it is told, and none of its repetition', async () => {
    const first = await room.memory.capture(run('m1', 'Deploy the shop'), OPERATOR);
    expect([first.created, first.memory_id !== null]).toEqual([true, true]);
    const again = await room.memory.capture(run('m1', 'Deploy the shop'), OPERATOR);
    const same = await room.memory.capture(run('m2', 'deploy the SHOP'), OPERATOR);
    for (const result of [again, same]) {
      expect(result).toEqual({ memory_id: null, created: false, reason: 'captured before' });
    }
    room.clock.nowMs += 3_600_001;
    const later = await room.memory.capture(run('m3', 'Deploy the shop'), OPERATOR);
    expect(later.created).toBe(true);
    const retold = await room.memory.capture(run('m1', 'Deploy the shop, now'), OPERATOR);
    expect([retold.created, retold.memory_id]).toEqual([false, first.memory_id]);
  });

  it('redacts what a result gave away, also where the text is cut', async () => {
    const secret = `ghp_${'z9Y8x7W6v5U4'.repeat(3)}`;
    const kept = await room.memory.capture(
      {
        messageId: 'm4',
        text: 'Print the environment',
        actions: [
          { name: 'SHELL', success: true, text: `${'x '.repeat(490)}${secret}`, data: { secret } },
        ],
      },
      OPERATOR,
    );
    expect(JSON.stringify(kept)).not.toContain('z9Y8');
    expect(kept.created).toBe(true);
  });

  it('says when there was nothing to keep', async () => {
    const chat = { messageId: 'm5', text: 'hello', actions: [{ name: 'REPLY', success: true }] };
    expect(await room.memory.capture(chat, OPERATOR)).toEqual({
      memory_id: null,
      created: false,
      reason: 'nothing worth keeping',
    });
  });
});

describe('changing', () => {
  it('lets one of two writers win and gives the other CONFLICT with the current revision', async () => {
    const { memory } = await room.memory.store(draft('Contested'), OPERATOR);
    const writes = ['one', 'two'].map((context) =>
      room.memory.updateMemory(
        { memory_id: memory.id, revision: 1, intent: { context } },
        OPERATOR,
      ),
    );
    const settled = await Promise.allSettled(writes);
    const lost = settled.flatMap((result) =>
      result.status === 'rejected' && result.reason instanceof AppError ? [result.reason] : [],
    );
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(lost.map(({ code, details }) => [code, details.revision])).toEqual([['CONFLICT', 2]]);
  });

  it('makes a new vector when the meaning changed and only then', async () => {
    const { memory } = await room.memory.store(draft('Tune the garbage collector'), OPERATOR);
    const texts: string[] = [];
    const good = room.embedder.current;
    room.embedder.current = {
      ...good,
      embed: (batch) => {
        texts.push(...batch);
        return good.embed(batch);
      },
    };
    await room.memory.updateMemory({ memory_id: memory.id, tags: ['gc'] }, OPERATOR);
    expect(texts).toEqual([]);
    const changed = await room.memory.updateMemory(
      { memory_id: memory.id, outcome: { learnings: ['Bigger nursery'] } },
      OPERATOR,
    );
    room.embedder.current = good;
    expect(texts).toEqual(['Tune the garbage collector\nBigger nursery']);
    expect([changed.revision, changed.memory.tags]).toEqual([3, ['gc']]);
  });

  it('redacts a secret in a change', async () => {
    const { memory } = await room.memory.store(draft('Leak'), OPERATOR);
    const secret = `ghp_${'q1W2e3R4t5Y6'.repeat(3)}`;
    const { memory: changed } = await room.memory.updateMemory(
      { memory_id: memory.id, intent: { context: secret } },
      OPERATOR,
    );
    expect(changed.intent.context).not.toContain('q1W2');
  });

  it('refuses what is no memory', async () => {
    const error = await errorOf(
      room.memory.updateMemory({ memory_id: 'mem_00000000', importance: 1 }, OPERATOR),
    );
    expect(error.code).toBe('NOT_FOUND');
  });
});

describe('linking', () => {
  it('is idempotent, also when said from the other end', async () => {
    const { memory: a } = await room.memory.store(draft('A'), OPERATOR);
    const { memory: b } = await room.memory.store(draft('B'), OPERATOR);
    const link = (source: string, target: string, link_type: string) =>
      room.memory.link({ source, target, link_type }, OPERATOR);
    const first = await link(a.id, b.id, 'caused_by');
    const same = await link(b.id, a.id, 'led_to');
    expect([first.created, same.created, same.link_id]).toEqual([true, false, first.link_id]);
    const related = await link(a.id, b.id, 'related_to');
    expect((await link(b.id, a.id, 'related_to')).link_id).toBe(related.link_id);
    const back = await link(a.id, b.id, 'led_to');
    expect(back.created).toBe(true);
  });

  it('refuses a link to itself, an unknown memory, another project and an unknown type', async () => {
    const { memory } = await room.memory.store(draft('Alone'), OPERATOR);
    const { memory: foreign } = await other.memory.store(draft('Foreign'), OPERATOR);
    const link = (target: string, link_type = 'caused_by') =>
      room.memory.link({ source: memory.id, target, link_type }, OPERATOR);
    expect(await findingsOf(link(memory.memory_id))).toEqual([
      'target: is the memory itself; a memory cannot be linked to itself',
    ]);
    expect((await errorOf(link('mem_00000000'))).code).toBe('NOT_FOUND');
    expect((await errorOf(link(foreign.id))).code).toBe('NOT_FOUND');
    expect(await findingsOf(link(memory.id, 'likes'))).toEqual([
      'link_type: must be one of caused_by, led_to, related_to, supersedes, blocked_by',
    ]);
  });

  it('lists the candidates of an ambiguous reference', async () => {
    const ids = ['abcdef01-0000-4000-8000-000000000001', 'abcdef01-0000-4000-8000-000000000002'];
    const content = ids.map((id) => ({ id, ...draft(`Twin ${id.slice(-1)}`) }));
    await room.memory.import({ content }, OPERATOR);
    const error = await errorOf(room.memory.get('mem_abcdef01', OPERATOR));
    expect(error.code).toBe('INVALID_INPUT');
    expect(error.details.candidates).toEqual(ids.map((id) => `mem_${id.replaceAll('-', '')}`));
    const exact = await room.memory.get('mem_abcdef01000040008000000000000002', OPERATOR);
    expect(exact.intent.goal).toBe('Twin 2');
  });
});

describe('tracing', () => {
  it('ends after five hops of a chain of 10,000 and says that more lies behind', async () => {
    const ids = Array.from({ length: 8 }, (_, index) => derivedId('chain', index));
    await room.memory.import(
      { content: ids.map((id, index) => ({ id, ...draft(`Step ${index}`) })) },
      OPERATOR,
    );
    // The rest of the chain is links alone: what a walk must not follow needs no memory.
    const place = (index: number) => ids[index] ?? derivedId('chain', index);
    for (let index = 0; index < 10_000; index += 1) {
      room.project.catalog.links.put({
        id: derivedId('edge', index),
        source: place(index),
        target: place(index + 1),
        type: 'caused_by',
      });
    }
    const { trace, truncated } = await room.memory.trace({ memory_id: ids[0] }, OPERATOR);
    expect(trace.map(({ hops, link_type, content }) => [hops, link_type, content])).toEqual([
      [0, null, '✓ Step 0'],
      [1, 'caused_by', '✓ Step 1'],
      [2, 'caused_by', '✓ Step 2'],
      [3, 'caused_by', '✓ Step 3'],
      [4, 'caused_by', '✓ Step 4'],
      [5, 'caused_by', '✓ Step 5'],
    ]);
    expect(truncated).toBe(true);
  });

  it('walks a circle once, in either direction', async () => {
    const stored: MemoryView[] = [];
    for (const goal of ['Egg', 'Hen', 'Farm']) {
      stored.push((await room.memory.store(draft(goal), OPERATOR)).memory);
    }
    for (const [index, { id }] of stored.entries()) {
      const target = stored[(index + 1) % 3]?.id;
      await room.memory.link({ source: id, target, link_type: 'caused_by' }, OPERATOR);
    }
    const goals = async (direction: string) => {
      const input = { memory_id: stored[0]?.id, direction };
      const { trace, truncated } = await room.memory.trace(input, OPERATOR);
      expect(truncated).toBe(false);
      return trace.map(({ content }) => content);
    };
    expect(await goals('causes')).toEqual(['✓ Egg', '✓ Hen', '✓ Farm']);
    expect(await goals('effects')).toEqual(['✓ Egg', '✓ Farm', '✓ Hen']);
  });

  it('takes no more than five hops', async () => {
    const { memory } = await room.memory.store(draft('Far'), OPERATOR);
    expect(
      await findingsOf(room.memory.trace({ memory_id: memory.id, max_hops: 6 }, OPERATOR)),
    ).toEqual(['max_hops: must be at most 5']);
  });

  it('reads the links from the database while the catalog is not loaded', async () => {
    const early = await openRoom(database, 'early', { loaded: false });
    const a = await early.memory.store(draft('Early cause'), OPERATOR);
    const b = await early.memory.store(
      draft('Early effect', { links: { caused_by: a.memory_id } }),
      OPERATOR,
    );
    const { trace } = await early.memory.trace({ memory_id: b.memory_id }, OPERATOR);
    expect(trace.map(({ content }) => content)).toEqual(['✓ Early effect', '✓ Early cause']);
    const kept = { messageId: 'e', text: 'Ship it', actions: [{ name: 'SHIP', success: true }] };
    expect((await early.memory.capture(kept, OPERATOR)).created).toBe(true);
    expect((await early.memory.capture({ ...kept, messageId: 'f' }, OPERATOR)).created).toBe(false);
    await early.stop();
  });
});

describe('listing', () => {
  let listed: MemoryRoom;
  beforeAll(async () => {
    listed = await openRoom(database, 'list');
    const rows = [
      { goal: 'One', importance: 0.2, tags: ['auth'], file: 'src/auth.ts', success: true },
      { goal: 'Two', importance: 0.9, tags: ['Auth', 'jwt'], file: 'lib/oauth.ts', success: false },
      { goal: 'Three', importance: 0.5, tags: [], file: 'src/a_th.ts', success: true },
    ];
    for (const { goal, file, success, ...more } of rows) {
      await listed.memory.store(
        { intent: goal, actions: [{ file, operation: 'edit' }], outcome: { success }, ...more },
        { kind: 'operator', sessionId: `session ${goal}` },
      );
      listed.clock.nowMs += 60_000;
    }
    const [two] = (await listed.memory.list({ failures_only: true }, OPERATOR)).memories;
    await listed.memory.get(two?.id ?? '', OPERATOR);
  });
  afterAll(() => listed.stop());

  const goals = async (input: unknown) =>
    (await listed.memory.list(input, OPERATOR)).memories.map(({ intent }) => intent.goal);

  it.each<[unknown, string[]]>([
    [{}, ['Three', 'Two', 'One']],
    [{ sort: 'importance' }, ['Two', 'Three', 'One']],
    [{ sort: 'access_count', limit: 1 }, ['Two']],
    [{ file: 'auth.ts' }, ['One']],
    [{ file: 'SRC\\Auth.ts' }, ['One']],
    [{ file: 'th.ts' }, []],
    [{ tags: ['AUTH'] }, ['Two', 'One']],
    [{ tags: ['auth', 'jwt'] }, ['Two']],
    [{ success_only: true }, ['Three', 'One']],
    [{ session_id: 'session Two' }, ['Two']],
    [{ task_type: 'bug_fix' }, []],
    [{ since: '2026-03-02T09:01:00Z' }, ['Three', 'Two']],
    [{ before: '2026-03-02T09:01:00Z' }, ['One']],
    [{ agent_id: derivedId('nobody') }, []],
    [{ own: true, limit: 2 }, ['Three', 'Two']],
  ])('%j gives %j', async (input, expected) => {
    expect(await goals(input)).toEqual(expected);
  });

  it('pages without loss or repetition', async () => {
    const first = await listed.memory.list({ limit: 2 }, OPERATOR);
    const rest = await listed.memory.list({ limit: 2, cursor: first.next_cursor }, OPERATOR);
    expect([first.total, rest.next_cursor]).toEqual([3, null]);
    expect([...first.memories, ...rest.memories].map(({ intent }) => intent.goal)).toEqual([
      'Three',
      'Two',
      'One',
    ]);
  });

  it('counts an access when a memory is read', async () => {
    const [two] = (await listed.memory.list({ failures_only: true }, OPERATOR)).memories;
    expect([two?.access_count, two?.last_accessed]).toEqual([1, '2026-03-02T09:03:00.000Z']);
  });

  it.each<[unknown, string]>([
    [{ limit: 0 }, 'limit: must be at least 1'],
    [
      { since: 'yesterday' },
      'since: must be an ISO 8601 date or time, such as 2026-11-22 or 2026-11-22T09:30:00Z',
    ],
    [{ colour: 'red' }, 'colour: unknown field'],
  ])('refuses %j', async (input, finding) => {
    expect(await findingsOf(listed.memory.list(input, OPERATOR))).toEqual([finding]);
  });
});

describe('health', () => {
  it('counts the memories of this project alone and says how search stands', async () => {
    const health = await other.memory.health();
    expect([health.memories, health.catalog.state, health.degraded]).toEqual([2, 'ready', []]);
    const links = await other.project.store.count(memoryLinkType, { kind: 'operator' });
    expect(links).toBe(0);
  });
});
