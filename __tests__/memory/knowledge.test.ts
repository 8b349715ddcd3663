import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/memory/index.js';
import { chapterType, memoryLinkType, workMemoryType } from '../../src/memory/index.js';
import { AppError, InvalidInputError } from '../../src/shared/errors.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const DAY_MS = 86_400_000;

let database: OpenRecordDatabase;
const rooms: MemoryRoom[] = [];
async function fresh(name: string, options: Parameters<typeof openRoom>[2] = {}) {
  const room = await openRoom(database, name, options);
  rooms.push(room);
  return room;
}
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  for (const room of rooms) await room.stop();
  await database.close();
});

/** Three memories about auth, a day apart; the second failed. */
async function tellAuth(room: MemoryRoom): Promise<string[]> {
  const told = [
    { goal: 'Retry on 401', success: true, learning: 'Tokens expire early' },
    { goal: 'Cache tokens', success: false, failure_reason: 'clock skew' },
    { goal: 'Use refresh tokens', success: true, learning: 'Tokens expire early.' },
  ];
  const ids: string[] = [];
  for (const { goal, ...outcome } of told) {
    const { memory } = await room.memory.store(
      { intent: goal, outcome, tags: ['auth'], actions: [{ file: 'auth.ts', operation: 'edit' }] },
      OPERATOR,
    );
    ids.push(memory.id);
    room.clock.nowMs += DAY_MS;
  }
  return ids;
}

describe('chapters', () => {
  it('are found by tags, say what their members say, and are not made twice', async () => {
    const room = await fresh('chapters');
    const ids = await tellAuth(room);
    await room.memory.store(draft('Alone', { tags: ['solo'] }), OPERATOR);
    const { created, chapters } = await room.memory.createChapter({}, OPERATOR);
    const [chapter] = chapters;
    expect(created).toBe(1);
    expect(chapter).toEqual({
      chapter_id: `chap_${chapter?.id.slice(0, 8)}`,
      id: chapter?.id,
      created_at: '2026-03-05T09:00:00.000Z',
      visibility: 'project',
      title: 'auth',
      titled: false,
      summary:
        '3 memories from 2026-03-02 to 2026-03-04: 2 succeeded, 1 failed.\n' +
        'Learned: Tokens expire early (2×).\nFailed because: clock skew.\nFiles: auth.ts (3×).',
      summary_by: 'extractive',
      learnings: [{ text: 'Tokens expire early', count: 2 }],
      practices: [{ text: 'Tokens expire early', count: 2 }],
      failures: [{ text: 'clock skew', count: 1 }],
      failure_categories: [],
      files: [{ text: 'auth.ts', count: 3 }],
      task_types: [{ text: 'other', count: 3 }],
      tags: ['auth'],
      memory_ids: ids.map((id) => `mem_${id.slice(0, 8)}`),
      memory_count: 3,
      counts: { memories: 3, succeeded: 2, failed: 1, forgotten: 0 },
      time_range: { from: '2026-03-02T09:00:00.000Z', to: '2026-03-04T09:00:00.000Z' },
      agent_id: room.agentId,
    });
    expect(await room.memory.createChapter({}, OPERATOR)).toEqual({ created: 0, chapters: [] });
    const listed = await room.memory.listChapters({}, OPERATOR);
    expect([listed.total, listed.chapters[0]?.chapter_id]).toEqual([1, chapter?.chapter_id]);
  });

  it('take the members that are named, and refuse one that is not there', async () => {
    const room = await fresh('named chapters');
    const [first] = await tellAuth(room);
    const { chapters } = await room.memory.createChapter(
      { title: 'Tokens', memory_ids: [`mem_${first?.slice(0, 8)}`] },
      OPERATOR,
    );
    expect(chapters.map(({ title, counts }) => [title, counts.memories])).toEqual([['Tokens', 1]]);
    await expect(
      room.memory.createChapter({ memory_ids: [derivedId('none')] }, OPERATOR),
    ).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  it('let a model rewrite the summary, keep the extract when it fails, and redact what it says', async () => {
    const secret = `ghp_${'m1N2b3V4c5X6'.repeat(3)}`;
    let answer = async () => `Short. ${secret}`;
    const room = await fresh('rewritten', { rewrite: () => answer() });
    const ids = await tellAuth(room);
    const make = async () =>
      (await room.memory.createChapter({ memory_ids: [ids.pop()] }, OPERATOR)).chapters[0];
    const rewritten = await make();
    expect([rewritten?.summary_by, rewritten?.summary.startsWith('Short. [redacted')]).toEqual([
      'model',
      true,
    ]);
    answer = () => Promise.reject(new Error('no model'));
    expect((await make())?.summary_by).toBe('extractive');
    answer = async () => '  ';
    expect((await make())?.summary_by).toBe('extractive');
  });
});

describe('wisdom', () => {
  it('says what chapters say together and is found by its words', async () => {
    const room = await fresh('wisdom');
    await expect(room.memory.synthesize({}, OPERATOR)).rejects.toThrow('there is no chapter yet');
    await tellAuth(room);
    await room.memory.createChapter({}, OPERATOR);
    const { wisdom } = await room.memory.synthesize({}, OPERATOR);
    const [entry] = wisdom;
    expect([entry?.title, entry?.insights, entry?.patterns, entry?.best_practices]).toEqual([
      'Wisdom: auth',
      [{ text: 'Tokens expire early', count: 2 }],
      [
        { text: 'Work comes back to auth.ts', count: 3 },
        { text: 'Tasks of the kind other', count: 3 },
      ],
      [{ text: 'Tokens expire early', count: 2 }],
    ]);
    const found = async (input: unknown) =>
      (await room.memory.recallWisdom(input, OPERATOR)).wisdom.map(({ title }) => title);
    expect(await found({ query: 'why does my token expire?' })).toEqual(['Wisdom: auth']);
    expect(await found({ query: 'kubernetes' })).toEqual([]);
    expect(await found({ tags: ['AUTH'] })).toEqual(['Wisdom: auth']);
    expect(await found({ tags: ['css'] })).toEqual([]);
    expect(await found(undefined)).toEqual(['Wisdom: auth']);
  });
});

describe('forgetting', () => {
  it('shows first, then takes memories and links and leaves none of their words behind', async () => {
    const room = await fresh('forget');
    const ids = await tellAuth(room);
    await room.memory.link({ source: ids[1], target: ids[0], link_type: 'caused_by' }, OPERATOR);
    await room.memory.createChapter({}, OPERATOR);
    await room.memory.synthesize({}, OPERATOR);
    const shown = await room.memory.forget({ query: 'cached token', dry_run: true }, OPERATOR);
    expect(shown).toEqual({
      dry_run: true,
      total: 1,
      elsewhere: 0,
      memories: [
        {
          memory_id: `mem_${ids[1]?.slice(0, 8)}`,
          content: '✗ Cache tokens',
          created_at: '2026-03-03T09:00:00.000Z',
        },
      ],
      memory_ids: [ids[1]],
      links: 1,
      chapters: 1,
      wisdom: 1,
      kept: 0,
    });
    expect((await room.memory.list({}, OPERATOR)).total).toBe(3);
    const gone = await room.memory.forget({ memory_ids: shown.memory_ids }, OPERATOR);
    expect([gone.dry_run, gone.total]).toEqual([false, 1]);
    expect((await room.memory.list({}, OPERATOR)).total).toBe(2);
    expect(await room.project.store.count(memoryLinkType, { kind: 'operator' })).toBe(0);
    const [chapter] = (await room.memory.listChapters({}, OPERATOR)).chapters;
    expect(chapter?.counts).toEqual({ memories: 3, succeeded: 2, failed: 1, forgotten: 1 });
    expect(chapter?.memory_ids).toHaveLength(2);
    const kept = JSON.stringify([chapter, await room.memory.recallWisdom({}, OPERATOR)]);
    expect(kept).not.toContain('clock skew');
    const recalled = await room.memory.recall({ query: 'cache' }, OPERATOR);
    expect(recalled.memories.map(({ content }) => content)).not.toContain('✗ Cache tokens');
  });

  it('forgets by file, tag and time, and everything only when that is said', async () => {
    const room = await fresh('forget by filter');
    await tellAuth(room);
    const total = async (input: Record<string, unknown>) =>
      (await room.memory.forget({ ...input, dry_run: true }, OPERATOR)).total;
    expect(await total({ file: 'auth.ts' })).toBe(3);
    expect(await total({ file: 'oauth.ts' })).toBe(0);
    expect(await total({ tags: ['auth'], failures_only: true })).toBe(1);
    expect(await total({ before: '2026-03-03T09:00:00Z' })).toBe(1);
    await expect(room.memory.forget({}, OPERATOR)).rejects.toBeInstanceOf(InvalidInputError);
    await expect(room.memory.forget({ query: 'the' }, OPERATOR)).rejects.toThrow(
      'query: has no word to look for',
    );
    expect((await room.memory.forget({ all: true }, OPERATOR)).total).toBe(3);
    expect((await room.memory.list({}, OPERATOR)).total).toBe(0);
  });
});

describe('export and import', () => {
  const noPlace = ({ content }: { content: unknown }) => {
    const { exported_at: _at, ...rest } = content as Record<string, unknown>;
    return rest;
  };

  it('come back the same, as a document and as lines, and twice changes nothing', async () => {
    const room = await fresh('export');
    const ids = await tellAuth(room);
    await room.memory.link({ source: ids[1], target: ids[0], link_type: 'led_to' }, OPERATOR);
    await room.memory.createChapter({}, OPERATOR);
    await room.memory.synthesize({}, OPERATOR);
    const document = await room.memory.export({}, OPERATOR);
    const lines = await room.memory.export({ format: 'jsonl' }, OPERATOR);
    expect(document.counts).toEqual({ memory: 3, link: 1, chapter: 1, wisdom: 1 });
    const again = await room.memory.import(document, OPERATOR);
    expect([again.imported, again.skipped, again.rejected]).toEqual([0, 6, []]);
    await room.memory.forget({ all: true }, OPERATOR);
    await room.project.store.remove(
      chapterType,
      (await room.memory.listChapters({}, OPERATOR)).chapters.map(({ id }) => id),
    );
    const back = await room.memory.import(lines, OPERATOR);
    expect([back.imported, back.rejected]).toEqual([6, []]);
    const restored = noPlace(await room.memory.export({}, OPERATOR));
    expect({ ...restored, wisdom: [] }).toEqual({ ...noPlace(document), wisdom: [] });
  });

  it('gives what another project has an id of its own here, links included, and that once', async () => {
    const from = await fresh('one project');
    const to = await fresh('the other project');
    const ids = await tellAuth(from);
    await from.memory.link({ source: ids[1], target: ids[0], link_type: 'caused_by' }, OPERATOR);
    await from.memory.createChapter({}, OPERATOR);
    const exported = await from.memory.export({}, OPERATOR);
    to.clock.nowMs = from.clock.nowMs;
    expect((await to.memory.import(exported, OPERATOR)).imported).toBe(5);
    expect((await to.memory.import(exported, OPERATOR)).skipped).toBe(5);
    const { memories } = await to.memory.list({ failures_only: true }, OPERATOR);
    const { trace } = await to.memory.trace({ memory_id: memories[0]?.id }, OPERATOR);
    expect(trace.map(({ content }) => content.split('\n')[0])).toEqual([
      '✗ Cache tokens',
      '✓ Retry on 401',
    ]);
    const [chapter] = (await to.memory.listChapters({}, OPERATOR)).chapters;
    expect(chapter?.memory_ids).toContain(memories[0]?.memory_id);
    expect((await from.memory.list({}, OPERATOR)).total).toBe(3);
  });

  it('takes a file in parts: what a part names of an earlier one is found under its id here', async () => {
    const from = await fresh('in one piece');
    const ids = await tellAuth(from);
    await from.memory.link({ source: ids[1], target: ids[0], link_type: 'caused_by' }, OPERATOR);
    await from.memory.createChapter({}, OPERATOR);
    await from.memory.synthesize({}, OPERATOR);
    const { content } = await from.memory.export({ format: 'jsonl' }, OPERATOR);
    const lines = String(content).trimEnd().split('\n');
    const whole = await fresh('taken whole');
    const parts = await fresh('taken in parts');
    for (const { clock } of [whole, parts]) clock.nowMs = from.clock.nowMs;
    await whole.memory.import(content, OPERATOR);
    for (const line of lines) {
      expect(await parts.memory.import(line, OPERATOR)).toMatchObject({
        imported: 1,
        rejected: [],
      });
      expect(await parts.memory.import(line, OPERATOR)).toMatchObject({ imported: 0, skipped: 1 });
    }
    const shapeOf = async ({ memory }: MemoryRoom) => {
      const { memories } = await memory.list({}, OPERATOR);
      const goalOf = (id: string) => memories.find((one) => one.memory_id === id)?.intent.goal;
      const { chapters } = await memory.listChapters({}, OPERATOR);
      const { wisdom } = await memory.recallWisdom({}, OPERATOR);
      const { trace } = await memory.trace(
        { memory_id: memories[1]?.id, direction: 'both' },
        OPERATOR,
      );
      return {
        members: chapters.map((one) => one.memory_ids.map(goalOf)),
        learnedFrom: wisdom.map((one) =>
          one.chapter_ids.map((id) => chapters.some((c) => c.chapter_id === id)),
        ),
        trace: trace.map((one) => goalOf(one.memory_id)),
      };
    };
    const shape = await shapeOf(parts);
    expect(shape).toEqual(await shapeOf(whole));
    expect(shape).toEqual(await shapeOf(from));
    expect(shape.members.flat()).toHaveLength(3);
    expect(shape.learnedFrom).toEqual([[true]]);
    expect(shape.trace).toHaveLength(2);
  });

  it('takes 999 of 1,000 with one bad record, says which and why, and turns the loop', async () => {
    const room = await fresh('import');
    const lines = Array.from({ length: 1_000 }, (_, index) =>
      JSON.stringify(draft(`Task ${index}`, index === 416 ? { importance: 7 } : {})),
    );
    let turns = 0;
    let running = true;
    const tick = () => {
      turns += 1;
      if (running) setImmediate(tick);
    };
    setImmediate(tick);
    const steps: number[] = [];
    const result = await room.memory.import({ content: lines.join('\n') }, OPERATOR, ({ done }) => {
      steps.push(done);
    });
    running = false;
    expect(result).toEqual({
      imported: 999,
      skipped: 0,
      rejected: [{ line: 417, reason: 'importance: must be at most 1' }],
      degraded: '999 memories are embedded in the background; words find them now',
    });
    expect(room.unembedded.count).toBe(1);
    expect(steps.at(-1)).toBe(1_000);
    // 20 batches are read and 20 are written.
    expect(turns).toBeGreaterThanOrEqual(40);
    const again = await room.memory.import({ content: lines.join('\n') }, OPERATOR);
    expect([again.imported, again.skipped]).toEqual([0, 999]);
  });

  it('reports each kind of bad line and redacts the good ones', async () => {
    const room = await fresh('bad import');
    const secret = `ghp_${'k1J2h3G4f5D6'.repeat(3)}`;
    const id = derivedId('good');
    const link = (source_id: string, target_id: string) => ({
      kind: 'link',
      id: derivedId('link', source_id, target_id),
      created_at: '2026-01-01T00:00:00Z',
      data: { source_id, target_id, link_type: 'caused_by', agent_id: room.agentId },
    });
    const content = [
      '{ not json',
      '',
      JSON.stringify({ id, ...draft(`Keep ${secret}`) }),
      JSON.stringify({ kind: 'memory', id: 'x', data: {} }),
      JSON.stringify({ kind: 'planet' }),
      JSON.stringify(link(id, derivedId('gone'))),
      JSON.stringify(link(id, id)),
      JSON.stringify(draft('Big', { reasoning: 'x'.repeat(300_000) })),
    ].join('\n');
    const { imported, rejected } = await room.memory.import(content, OPERATOR);
    expect([imported, rejected.map(({ line }) => line)]).toEqual([1, [1, 4, 5, 6, 7, 8]]);
    expect(rejected[3]?.reason).toBe(`links a memory that is not there: ${derivedId('gone')}`);
    expect(rejected[4]?.reason).toBe('data.target_id: is the memory itself');
    const [record] = await room.project.store.get(workMemoryType, [id], { kind: 'operator' });
    expect(record?.data.intent.goal.startsWith('Keep [redacted:')).toBe(true);
    await expect(room.memory.import(7, OPERATOR)).rejects.toBeInstanceOf(InvalidInputError);
    await expect(room.memory.import({ version: 2 }, OPERATOR)).rejects.toBeInstanceOf(AppError);
  });
});
