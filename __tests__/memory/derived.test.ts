/** What is made from memories: its bounds, its printed ids, and forgetting while it is made. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clusterByTags } from '../../src/memory/chapter-extract.js';
import { createChapter, newestChapters } from '../../src/memory/chapters.js';
import type { MemoryContext } from '../../src/memory/context.js';
import { forget } from '../../src/memory/forget.js';
import { createSharedPrefixes } from '../../src/memory/id-prefixes.js';
import type { Caller } from '../../src/memory/index.js';
import { memoryLinkType, workMemoryType } from '../../src/memory/index.js';
import { recallWisdom, synthesize } from '../../src/memory/wisdom.js';
import type { RecordStore } from '../../src/records/index.js';
import { derivedId, randomIds, type Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };

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

function contextOf(room: MemoryRoom, records: RecordStore = room.project.store): MemoryContext {
  const quiet = () => {};
  return {
    records,
    embeddings: {
      current: () => room.embedder.current,
      status: () => ({
        setting: 'lexical',
        serving: { id: room.embedder.current.id, dimension: 384, reason: 'test' },
      }),
      onChange: () => quiet,
      stop: async () => {},
    },
    clock: { now: () => room.clock.nowMs },
    ids: randomIds,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    agentId: room.agentId,
    storeDiffs: false,
    rule: {
      agentId: room.agentId,
      parentOf: async () => null,
      ofSession: () => derivedId('session'),
    },
  };
}

/** One memory a minute, so that the order is certain. */
async function tell(room: MemoryRoom, goal: string, tag: string, learning = 'x'): Promise<Uuid> {
  room.clock.nowMs += 60_000;
  const { memory } = await room.memory.store(
    { intent: goal, outcome: { success: true, learning }, tags: [tag] },
    OPERATOR,
  );
  return memory.id;
}

describe('bounds', () => {
  it('keep the newest, do not count what is in a chapter, and are told', async () => {
    const room = await fresh('bounds');
    const context = contextOf(room);
    for (const tag of ['old', 'mid', 'new']) {
      await tell(room, `First of ${tag}`, tag);
      await tell(room, `Second of ${tag}`, tag);
    }
    const find = async () => {
      room.clock.nowMs += 60_000;
      const found = await createChapter(context, { min_memories: 2 }, OPERATOR, {
        maxClustered: 2,
      });
      return [found.created, found.chapters.map(({ title }) => title), found.truncated];
    };
    expect(await find()).toEqual([1, ['new'], true]);
    expect(await find()).toEqual([1, ['mid'], true]);
    expect(await find()).toEqual([1, ['old'], undefined]);
    expect(await find()).toEqual([0, [], undefined]);
    const newest = async (most: number) => {
      const found = await newestChapters(context, { kind: 'operator' }, () => true, most);
      return [found.chapters.map(({ data }) => data.title), found.truncated];
    };
    expect(await newest(2)).toEqual([['old', 'mid'], true]);
    expect(await newest(3)).toEqual([['old', 'mid', 'new'], false]);
    const learn = async (input: unknown, most?: number) => {
      room.clock.nowMs += 60_000;
      const made = await synthesize(context, input, OPERATOR, { maxChapters: most });
      return [made.wisdom.map(({ title }) => title), made.truncated];
    };
    expect(await learn({}, 1)).toEqual([['Wisdom: old'], true]);
    expect(await learn({ tags: ['new'] }, 1)).toEqual([['Wisdom: new'], undefined]);
    const recalled = async (most: number) => {
      const found = await recallWisdom(context, {}, OPERATOR, most);
      return [found.wisdom.map(({ title }) => title), found.total, found.truncated];
    };
    expect(await recalled(1)).toEqual([['Wisdom: new'], 1, true]);
    expect(await recalled(2)).toEqual([['Wisdom: new', 'Wisdom: old'], 2, undefined]);
  });

  it('of a scan from the newest hold across chunks', async () => {
    const room = await fresh('scan');
    for (let n = 1; n <= 5; n += 1) await tell(room, `Task ${n}`, 't');
    const chunks: string[][] = [];
    const options = { newestFirst: true, chunk: 2 };
    for await (const chunk of room.project.store.scan(
      workMemoryType,
      { kind: 'operator' },
      options,
    )) {
      chunks.push(chunk.map(({ data }) => data.intent.goal));
    }
    expect(chunks).toEqual([['Task 5', 'Task 4'], ['Task 3', 'Task 2'], ['Task 1']]);
  });

  it('show 100 members and 100 links, and say how many there are', async () => {
    const room = await fresh('shown');
    const lines = Array.from({ length: 103 }, (_, n) => ({
      id: derivedId('shown', String(n)),
      ...draft(`Task ${n}`, { tags: ['many'] }),
    }));
    await room.memory.import(lines.map((line) => JSON.stringify(line)).join('\n'), OPERATOR);
    const [first, ...others] = lines.map(({ id }) => id);
    await room.project.store.insert(
      memoryLinkType,
      others.map((target_id) => ({
        id: randomIds.next(),
        createdAtMs: room.clock.nowMs,
        scope: {
          visibility: 'project' as const,
          projectId: room.project.store.projectId,
          entityId: null,
          roomId: null,
          authorId: room.agentId,
        },
        data: {
          source_id: first as Uuid,
          target_id,
          link_type: 'caused_by' as const,
          agent_id: room.agentId,
        },
      })),
    );
    const one = await room.memory.get(first as Uuid, OPERATOR);
    expect([one.links.caused_by?.length, one.links_total]).toEqual([100, 102]);
    const { chapters } = await room.memory.createChapter({}, OPERATOR);
    expect(chapters.map((chapter) => [chapter.memory_ids.length, chapter.memory_count])).toEqual([
      [100, 103],
    ]);
  });
});

describe('groups by tag', () => {
  const tagged = (...lists: string[][]) =>
    lists.map((tags, n) => ({ id: derivedId('tagged', String(n)), data: { tags }, n }));

  it('take the largest first, then by name, each memory once', () => {
    const memories = tagged(
      ['b', 'B'],
      ['a', 'b'],
      ['a', 'b'],
      ['a', 'c'],
      ['c', 'd'],
      ['d'],
      ['d', 'a'],
    );
    const found = clusterByTags(memories, 2).map(({ tag, members }) => [
      tag,
      members.map(({ n }) => n),
    ]);
    // c lost a member to a: it stays alone.
    expect(found).toEqual([
      ['a', [1, 2, 3, 6]],
      ['d', [4, 5]],
    ]);
  });

  it('of 10,000 memories with 2,500 tags are found in one pass', () => {
    let reads = 0;
    const memories = Array.from({ length: 10_000 }, (_, n) => {
      const tags = [`t${n % 2_500}`, `u${n % 1_250}`];
      const data = {
        get tags() {
          reads += 1;
          return tags;
        },
      };
      return { id: derivedId('pass', String(n)), data };
    });
    const clusters = clusterByTags(memories, 3);
    expect([clusters.length, clusters[0]?.tag, clusters[0]?.members.length]).toEqual([
      1_250,
      'u0',
      8,
    ]);
    expect(reads).toBe(10_000);
  });
});

describe('forgetting while something is made of it', () => {
  it('leaves no word behind when the memory goes during the making', async () => {
    let during = async () => {};
    const room = await fresh('during', {
      rewrite: async (text) => {
        await during();
        return text;
      },
    });
    await tell(room, 'Keep one', 'plan', 'gold standard');
    const secret = await tell(room, 'Lose one', 'plan', 'zebra crossing');
    const other = await tell(room, 'Lose another', 'plan', 'quokka habitat');
    during = async () => {
      during = async () => {};
      await room.memory.forget({ memory_ids: [secret] }, OPERATOR);
    };
    const { chapters } = await room.memory.createChapter({}, OPERATOR);
    expect(chapters[0]?.counts).toEqual({ memories: 3, succeeded: 3, failed: 0, forgotten: 1 });
    expect(chapters[0]?.learnings.map(({ text }) => text)).toEqual([
      'gold standard',
      'quokka habitat',
    ]);
    during = async () => {
      during = async () => {};
      await room.memory.forget({ memory_ids: [other] }, OPERATOR);
    };
    const { wisdom } = await room.memory.synthesize({}, OPERATOR);
    expect(wisdom[0]?.insights.map(({ text }) => text)).toEqual(['gold standard']);
    const stored = JSON.stringify([
      await room.memory.listChapters({}, OPERATOR),
      await room.memory.recallWisdom({}, OPERATOR),
    ]);
    expect(stored).not.toMatch(/zebra|quokka/);
  });

  it('finds what was written after it had looked', async () => {
    const room = await fresh('after');
    await tell(room, 'Keep one', 'plan', 'gold standard');
    await tell(room, 'Keep two', 'plan', 'gold standard');
    const secret = await tell(room, 'Lose one', 'plan', 'zebra crossing');
    const { store } = room.project;
    const late: RecordStore = {
      ...store,
      catalog: store.catalog,
      projectId: store.projectId,
      remove: async (type, ids) => {
        if (type.name === workMemoryType.name) {
          await room.memory.createChapter({}, OPERATOR);
          await room.memory.synthesize({}, OPERATOR);
        }
        return store.remove(type, ids);
      },
    };
    await forget(contextOf(room, late), { memory_ids: [secret] }, OPERATOR);
    const { chapters } = await room.memory.listChapters({}, OPERATOR);
    const { wisdom } = await room.memory.recallWisdom({}, OPERATOR);
    expect([chapters[0]?.counts.forgotten, wisdom[0]?.memory_count]).toEqual([1, 2]);
    expect(JSON.stringify([chapters, wisdom])).not.toContain('zebra');
  });
});

describe('shared prefixes', () => {
  it('look at each slot once, follow what comes, and know a changed document from another', () => {
    const id = (digits: string, last: number): Uuid =>
      `${digits}-0000-4000-8000-${String(last).padStart(12, '0')}`;
    const ids: Uuid[] = Array.from({ length: 5_000 }, (_, n) =>
      id((n * 2_654_435).toString(16).padStart(8, '0').slice(-8), n),
    );
    let looked = 0;
    const prefixes = createSharedPrefixes({
      get slots() {
        return ids.length;
      },
      prefixOf: (slot) => Number.parseInt((ids[slot] as Uuid).slice(0, 8), 16),
      idOf: (slot) => {
        looked += 1;
        return ids[slot] as Uuid;
      },
    });
    const first = ids[7] as Uuid;
    expect(prefixes.has(first)).toBe(false);
    // One of the shelf, and a stranger that begins like it.
    expect(prefixes.has(id(first.slice(0, 8), 9_999))).toBe(true);
    ids.push(first);
    expect(prefixes.has(first)).toBe(false);
    ids.push(id(first.slice(0, 8), 9_999));
    expect(prefixes.has(first)).toBe(true);
    looked = 0;
    for (const one of ids.slice(100, 200)) expect(prefixes.has(one)).toBe(false);
    expect(looked).toBe(100);
  });
});

describe('a chapter all of whose memories are forgotten', () => {
  it('goes with them, and the wisdom that was made of it alone', async () => {
    const room = await fresh('forget all');
    const ids = [await tell(room, 'one', 'sky'), await tell(room, 'two', 'sky')];
    const { chapters } = await room.memory.createChapter({ memory_ids: ids }, OPERATOR);
    await room.memory.synthesize({ chapter_ids: [chapters[0]?.id] }, OPERATOR);
    await room.memory.forget({ all: true, dry_run: false }, OPERATOR);
    expect((await room.memory.listChapters({}, OPERATOR)).total).toBe(0);
    expect((await room.memory.recallWisdom({}, OPERATOR)).wisdom).toEqual([]);
    expect((await room.memory.export({}, OPERATOR)).counts).toEqual({
      ...{ memory: 0, link: 0, chapter: 0, wisdom: 0 },
    });
  });

  it('is not listed where an earlier version left it, and goes with the next forgetting', async () => {
    const room = await fresh('empty chapter');
    const id = await tell(room, 'one', 'sky');
    await room.memory.createChapter({ memory_ids: [id] }, OPERATOR);
    await database.db.execute(sql`update memories
      set metadata = jsonb_set(metadata, '{data,memory_ids}', '[]')
      where type = 'cue_chapter' and world_id = ${room.project.store.projectId}`);
    expect((await room.memory.listChapters({}, OPERATOR)).total).toBe(0);
    await room.memory.forget({ all: true, dry_run: false }, OPERATOR);
    expect((await room.memory.export({}, OPERATOR)).counts.chapter).toBe(0);
  });
});
