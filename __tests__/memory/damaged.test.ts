/** Rows that somebody has damaged: set aside, counted, told, and never in the way of the others. */
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../src/memory/index.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

/** Ten memories, the newest of them damaged in these ways. */
async function damaged(name: string, ways: readonly SQL[]): Promise<MemoryRoom> {
  const room = await openRoom(database, name);
  const ids: string[] = [];
  for (let n = 0; n < 10; n += 1) {
    room.clock.nowMs += 1_000;
    ids.push((await room.memory.store(draft(`Task ${n}`, { tags: ['x'] }), OPERATOR)).memory.id);
  }
  for (const [index, metadata] of ways.entries()) {
    const id = ids.at(-1 - index);
    await database.db.execute(sql`update memories set metadata = ${metadata} where id = ${id}`);
  }
  return room;
}

const field = (path: string, value: string) =>
  sql`jsonb_set(metadata, ${sql.raw(`'{data,${path}}'`)}, ${sql.raw(`'${value}'`)})`;

const SEEN_BY_THE_INDEX = [
  sql`'null'::jsonb`,
  sql`'{}'::jsonb`,
  field('outcome', 'null'),
  field('tags', '[1, null]'),
];
/** What the index does not look at: met when the row is read. */
const SEEN_BY_A_READ = [field('importance', '"high"'), field('intent,task_type', '"other things"')];

it.each([
  ['before the start', SEEN_BY_THE_INDEX],
  ['and only seen when they are read', SEEN_BY_A_READ],
])('rows damaged %s fill no page, and health and exports tell of them', async (name, ways) => {
  const written = await damaged(name, ways);
  await written.stop();
  const room = await openRoom(database, name);
  try {
    const whole = 10 - ways.length;
    const page = await room.memory.list({ limit: 5 }, OPERATOR);
    expect([page.memories.length, page.total]).toEqual([5, whole]);
    const rest = await room.memory.list({ limit: 5, cursor: page.next_cursor ?? '' }, OPERATOR);
    expect([rest.memories.length, rest.next_cursor]).toEqual([whole - 5, null]);
    const byImportance = await room.memory.list({ limit: 5, sort: 'importance' }, OPERATOR);
    expect([byImportance.memories.length, byImportance.total]).toEqual([5, whole]);

    const { counts, left_out, content } = await room.memory.export({}, OPERATOR);
    expect(counts.memory).toBe(whole);
    expect(left_out).toHaveLength(ways.length);
    expect(left_out[0]).toMatchObject({ kind: 'memory', reason: expect.stringMatching(/\w/) });
    expect(content).toMatchObject({ left_out });
    const lines = await room.memory.export({ format: 'jsonl' }, OPERATOR);
    expect(String(lines.content).trimEnd().split('\n').at(-1)).toContain('"left_out"');
    expect(await room.memory.import(lines.content, OPERATOR)).toMatchObject({
      ...{ imported: 0, skipped: whole, rejected: [] },
    });

    const health = await room.memory.health();
    expect([health.memories, health.set_aside]).toEqual([whole, ways.length]);
    expect(health.degraded).toEqual([
      expect.stringContaining(`${ways.length} memories are damaged and set aside`),
    ]);
    const found = await room.memory.recall({ query: 'task', limit: whole }, OPERATOR);
    expect(found.memories).toHaveLength(whole);
  } finally {
    await room.stop();
  }
});
