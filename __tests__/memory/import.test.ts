/** Imports that are not as they should be: what comes in, what does not, and why. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Caller } from '../../src/memory/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const SECRET = `ghp_${'k1J2h3G4f5D6'.repeat(3)}`;

let database: OpenRecordDatabase;
let room: MemoryRoom;
beforeAll(async () => {
  database = await openRecordDatabase();
  room = await openRoom(database, 'imports');
});
afterAll(async () => {
  await room.stop();
  await database.close();
});

const take = (content: unknown) => room.memory.import({ content }, OPERATOR);
const lines = (...records: unknown[]) => records.map((one) => JSON.stringify(one)).join('\n');

/** A chapter as exported, of these members. */
async function exportedChapter(memory_ids: unknown, id = derivedId('chapter', 'imported')) {
  const { memory_id } = (await room.memory.store(draft(`For ${String(id)}`), OPERATOR)).memory;
  await room.memory.createChapter({ memory_ids: [memory_id] }, OPERATOR);
  const { content } = await room.memory.export({ format: 'jsonl' }, OPERATOR);
  const chapter = String(content)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
    .find(({ kind }) => kind === 'chapter');
  return { ...chapter, id, data: { ...chapter.data, memory_ids } };
}

it('refuses a record whose id another kind of record has', async () => {
  const { memory } = await room.memory.store(draft('Held'), OPERATOR);
  const { chapters } = await room.memory.createChapter({ memory_ids: [memory.id] }, OPERATOR);
  const id = chapters[0]?.id;
  const good = { id: derivedId('good one'), ...draft('Good one') };
  expect(await take(lines(good, { id, ...draft('Clash') }))).toMatchObject({
    imported: 1,
    skipped: 0,
    rejected: [{ line: 2, reason: `id: ${id} is that of a chapter here` }],
  });
});

it('skips a byte order mark, and reports what it redacted', async () => {
  const text = `\ufeff${lines(draft(`Marked ${SECRET}`), draft(`Again ${SECRET}`))}`;
  expect(await take(text)).toEqual({
    imported: 2,
    skipped: 0,
    rejected: [],
    redacted: [{ kind: 'github', count: 2 }],
    degraded: '2 memories are embedded in the background; words find them now',
  });
  expect((await take(`\ufeff${JSON.stringify([draft('Alone in a list')])}`)).degraded).toBe(
    '1 memory is embedded in the background; words find it now',
  );
});

it.each([
  [{}, 'content: must be an export ({ "version": 1, "memories": […] }), a list of records or JSON'],
  [
    '{}',
    'content: must be an export ({ "version": 1, "memories": […] }), a list of records or JSON',
  ],
  [{ version: 'x', memories: {} }, 'version: must be 1; memories: must be a list'],
  ['{"version":"x","memories":{}}', 'version: must be 1; memories: must be a list'],
  [{ version: 1, memories: [], links: 7 }, 'links: must be a list'],
  [{ version: 0, memories: [] }, 'version: must be 1'],
])('refuses %j and says what it takes', async (content, message) => {
  await expect(take(content)).rejects.toMatchObject({
    code: 'INVALID_INPUT',
    message: expect.stringContaining(message),
  });
});

it('refuses chapters and wisdom of what is not there', async () => {
  const gone = derivedId('gone');
  const none = await exportedChapter(undefined, derivedId('none'));
  const dangling = await exportedChapter([gone], derivedId('dangling'));
  const wisdom = {
    ...dangling,
    kind: 'wisdom',
    id: derivedId('wisdom'),
    data: { title: 'x', summary: 'y', chapter_ids: [gone], agent_id: room.agentId },
  };
  expect(await take(lines(none, dangling, wisdom))).toEqual({
    imported: 0,
    skipped: 0,
    rejected: [
      { line: 1, reason: 'data.memory_ids: names no memory' },
      { line: 2, reason: `data.memory_ids: names what is not there: ${gone}` },
      { line: 3, reason: `data.chapter_ids: names what is not there: ${gone}` },
    ],
  });
});

it('refuses what was made later than tomorrow', async () => {
  const at = (created_at: string) => ({ created_at, ...draft(`Made ${created_at}`) });
  expect(await take(lines(at('2026-03-03T08:00:00Z'), at('2026-03-03T10:00:00Z')))).toMatchObject({
    imported: 1,
    rejected: [{ line: 2, reason: 'created_at: must not be more than a day from now' }],
  });
});

it('takes drafts that differ only in their time for different ones, and each of them once', async () => {
  const at = (created_at: string) => ({ ...draft('Water the plants'), created_at });
  const days = [at('2026-01-05T09:00:00Z'), at('2026-01-06T09:00:00Z')];
  expect(await take(days)).toMatchObject({ imported: 2, skipped: 0, rejected: [] });
  expect(await take(days)).toMatchObject({ imported: 0, skipped: 2 });
});

it('knows a draft with a time that an earlier version imported without it in the id', async () => {
  const timed = { ...draft('Feed the cat'), created_at: '2026-01-07T09:00:00Z' };
  await take([timed]);
  const { memories } = await room.memory.list({ limit: 100 }, OPERATOR);
  const made = memories.find(({ intent }) => intent.goal === 'Feed the cat');
  if (!made) throw new Error('it was not imported');
  // As the earlier version had it: its id was made of the draft alone.
  await take([draft('Feed the cat')]);
  const again = await room.memory.list({ limit: 100 }, OPERATOR);
  const earlier = again.memories.find(
    ({ intent, id }) => intent.goal === 'Feed the cat' && id !== made.id,
  );
  await room.memory.forget({ memory_ids: [made.id], dry_run: false }, OPERATOR);
  const { db } = database;
  await db.execute(
    sql`update memories set created_at = '2026-01-07T09:00:00' where id = ${earlier?.id}`,
  );
  expect(await take([timed])).toMatchObject({ imported: 0, skipped: 1 });
});
