/** What callers write in other ways than we do, and what they send twice. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { printIn } from '../../src/memory/ids.js';
import { type Caller, workMemoryType } from '../../src/memory/index.js';
import type { Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, type MemoryRoom, openRoom, START_MS } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const DAY_MS = 86_400_000;
const SECRET = `ghp_${'k1J2h3G4f5D6'.repeat(3)}`;

let database: OpenRecordDatabase;
const rooms: MemoryRoom[] = [];
async function fresh(name: string) {
  const room = await openRoom(database, name);
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

describe('chapters and wisdom', () => {
  it('count a memory once, however many chapters it is in, and are not made twice', async () => {
    const { memory, clock } = await fresh('counted');
    const ids: string[] = [];
    for (const n of [0, 1, 2]) {
      const outcome = { success: true, learnings: [`learned once ${n}`, 'learned by all'] };
      const told = { tags: ['x'], actions: [{ file: `${n}.ts`, operation: 'edit' }] };
      ids.push((await memory.store(draft(`Task ${n}`, { ...told, outcome }), OPERATOR)).memory_id);
      clock.nowMs += DAY_MS;
    }
    const make = async (memory_ids: string[], more: object = {}) =>
      memory.createChapter({ memory_ids, ...more }, OPERATOR);
    const first = await make(ids);
    await make(ids.slice(0, 2));
    await make(ids.slice(0, 1));
    expect([first.created, await make([...ids].reverse(), { title: 'Again' })]).toEqual([
      1,
      { created: 0, chapters: first.chapters },
    ]);
    expect((await memory.listChapters({}, OPERATOR)).total).toBe(3);
    const { created, wisdom } = await memory.synthesize({}, OPERATOR);
    expect(created).toBe(1);
    expect(wisdom[0]?.summary.split('\n')).toEqual([
      'From 3 chapters, 3 memories.',
      'Insights: learned by all (3×); learned once 0; learned once 1.',
      'Patterns: Tasks of the kind other (3×).',
      'Best practices: learned by all (3×); learned once 0; learned once 1.',
    ]);
    expect(await memory.synthesize({ title: 'Again' }, OPERATOR)).toEqual({ created: 0, wisdom });
    expect((await memory.recallWisdom({}, OPERATOR)).total).toBe(1);
    await memory.forget({ memory_ids: ids.slice(1, 2) }, OPERATOR);
    const [left] = (await memory.recallWisdom({}, OPERATOR)).wisdom;
    expect([left?.memory_count, left?.insights]).toEqual([
      2,
      [
        { text: 'learned by all', count: 2 },
        { text: 'learned once 0', count: 1 },
        { text: 'learned once 2', count: 1 },
      ],
    ]);
  });
});

describe('names of identities', () => {
  it('hold no secret and no character that cannot be seen', async () => {
    const { memory } = await fresh('names');
    const named = (name: string) =>
      memory.identity({ action: 'register', name, session_id: `run ${SECRET}` }, OPERATOR);
    expect(await named(`bot ${SECRET}`)).toMatchObject({
      name: 'bot [redacted:github]',
      session_history: ['run [redacted:github]'],
    });
    for (const name of ['a\u0007b', 'a\u202eb', 'a\u200bb', 'a\nb']) {
      await expect(named(name)).rejects.toThrow('name: must not contain control characters');
    }
    expect((await named('Zoë 👩‍💻')).name).toBe('Zoë 👩‍💻');
  });
});

describe('tags', () => {
  it('are the same with and without #, wherever they are written', async () => {
    const { memory, clock } = await fresh('tags');
    const stored = await memory.store(
      draft('One', { tags: [' #Auth ', '##web', 'auth'] }),
      OPERATOR,
    );
    expect(stored.memory.tags).toEqual(['auth', 'web']);
    clock.nowMs += DAY_MS;
    await memory.store(draft('Other', { tags: ['web'] }), OPERATOR);
    const goals = async (tags: string[]) => {
      const { memories } = await memory.list({ tags }, OPERATOR);
      return memories.map(({ intent }) => intent.goal);
    };
    expect(await goals(['#auth'])).toEqual(['One']);
    expect(await goals(['web'])).toEqual(['Other', 'One']);
    expect(await goals(['#web', 'AUTH'])).toEqual(['One']);
    expect(await goals([])).toEqual(['Other', 'One']);
    const recalled = await memory.recall({ tags: [' #auth'] }, OPERATOR);
    expect(recalled.memories.map((one) => one.memory_id)).toEqual([stored.memory_id]);
    const patched = await memory.updateMemory(
      { memory_id: stored.memory_id, tags: ['#new'] },
      OPERATOR,
    );
    expect(patched.memory.tags).toEqual(['new']);
    const bad = memory.store(draft('Bad', { tags: ['a,b', '#'] }), OPERATOR);
    await expect(bad).rejects.toThrow(
      'tags.0: must not contain a comma; write two tags; tags.1: must not be empty',
    );
  });

  it('that are none say nothing', async () => {
    const { memory } = await fresh('no tags');
    await memory.store(draft('Here'), OPERATOR);
    expect((await memory.list({ tags: [] }, OPERATOR)).total).toBe(1);
    expect((await memory.forget({ all: true, tags: [], dry_run: true }, OPERATOR)).total).toBe(1);
    await expect(memory.forget({ tags: [] }, OPERATOR)).rejects.toThrow('say what to forget');
  });
});

describe('filters', () => {
  it('take dates and times of day in UTC, and say what they expect', async () => {
    const { memory, clock } = await fresh('times');
    await memory.store(draft('Early'), OPERATOR);
    clock.nowMs = START_MS + DAY_MS;
    await memory.store(draft('Late'), OPERATOR);
    const goals = async (filter: object) => {
      const { memories } = await memory.list(filter, OPERATOR);
      return memories.map(({ intent }) => intent.goal);
    };
    for (const since of [
      '2026-03-03',
      '2026-03-03T09:00',
      '2026-03-03T09:00:00',
      '2026-03-03 09:00Z',
      '2026-03-03T10:00+01:00',
    ]) {
      expect({ since, goals: await goals({ since }) }).toEqual({ since, goals: ['Late'] });
      const earlier = { before: since, since: '2026-03-02' };
      expect(await goals(earlier)).toEqual(['Early']);
    }
    for (const since of ['yesterday', '2026-02-30', '2026', '03/03/2026', '2026-03-03T25:00', 7]) {
      await expect(goals({ since })).rejects.toThrow(
        'since: must be an ISO 8601 date or time, such as 2026-11-22 or 2026-11-22T09:30:00Z',
      );
    }
  });

  it('refuse to exclude each other', async () => {
    const { memory } = await fresh('excluding');
    const both = { success_only: true, failures_only: true };
    for (const asked of [memory.list, memory.forget, memory.recall]) {
      await expect(asked(both, OPERATOR)).rejects.toThrow(
        'failures_only: excludes success_only: choose one',
      );
    }
  });
});

describe('drafts', () => {
  it('need something to be seen, and say what may be written', async () => {
    const { memory } = await fresh('drafts');
    for (const goal of ['\u200b\u200d', ' \u2060\ufeff ', '\u00ad']) {
      await expect(memory.store(draft(goal), OPERATOR)).rejects.toThrow(
        'intent.goal: must not be empty',
      );
    }
    await expect(memory.store({ intent: 5, outcome: { success: true } }, OPERATOR)).rejects.toThrow(
      'intent: must be text or an object',
    );
  });
});

describe('patches', () => {
  it('make a generated summary again, and keep a told one', async () => {
    const { memory } = await fresh('summaries');
    const made = await memory.store(draft('Made'), OPERATOR);
    const told = await memory.store(
      draft('Told', { outcome: { success: true, summary: 'Done well' } }),
      OPERATOR,
    );
    const fail = async (memory_id: string, more: object = {}) => {
      const outcome = { success: false, ...more };
      return (await memory.updateMemory({ memory_id, outcome }, OPERATOR)).memory.outcome.summary;
    };
    expect(await fail(made.memory_id)).toBe('Failed');
    expect(await fail(told.memory_id)).toBe('Done well');
    expect(await fail(made.memory_id, { failure_reason: 'no disk' })).toBe('no disk');
  });

  it('that change nothing do not raise the revision', async () => {
    const { memory } = await fresh('same again');
    const { memory_id } = await memory.store(draft('Same', { tags: ['a'] }), OPERATOR);
    const patch = async (change: object) =>
      (await memory.updateMemory({ memory_id, ...change }, OPERATOR)).revision;
    expect(await patch({ tags: ['b'], outcome: { learnings: ['x'] } })).toBe(2);
    expect(await patch({ tags: ['b'], outcome: { learnings: ['x'] } })).toBe(2);
    expect(await patch({ tags: ['#b'] })).toBe(2);
    expect(await patch({ tags: ['c'] })).toBe(3);
  });

  it('of a memory that is being forgotten twice: only one of the two forgets it', async () => {
    const { memory } = await fresh('forgotten twice');
    const { memory_id } = await memory.store(draft('Gone'), OPERATOR);
    const both = await Promise.allSettled(
      [1, 2].map(() => memory.forget({ memory_ids: [memory_id] }, OPERATOR)),
    );
    const totals = both.map((one) => (one.status === 'fulfilled' ? one.value.total : 0));
    expect(totals.sort()).toEqual([0, 1]);
  });
});

describe('printed ids', () => {
  it('have as many digits as tell them apart in the project', async () => {
    const { memory, project } = await fresh('ids');
    const at = (digits: string): Uuid => `${digits}-0000-4000-8000-000000000000`;
    const twins = [
      'aaaaaaaa-1234-4000-8000-000000000001',
      'aaaaaaaa-1234-4000-8000-000000000002',
      'aaaaaaaa-5234-4000-8000-000000000000',
      'bbbbbbbb-0000-4000-8000-000000000000',
    ];
    const lines = twins.map((id) => JSON.stringify({ id, ...draft(`Twin ${id}`) }));
    expect(await memory.import(lines.join('\n'), OPERATOR)).toMatchObject({ imported: 4 });
    const shown = (await memory.list({}, OPERATOR)).memories.map((one) => one.memory_id).sort();
    expect(shown).toEqual([
      'mem_aaaaaaaa123440008000000000000001',
      'mem_aaaaaaaa123440008000000000000002',
      'mem_aaaaaaaa5',
      'mem_bbbbbbbb',
    ]);
    for (const name of shown) expect((await memory.get(name, OPERATOR)).memory_id).toBe(name);
    const [, , third, fourth] = shown;
    expect(
      await memory.link({ source: third, target: fourth, link_type: 'caused_by' }, OPERATOR),
    ).toMatchObject({ source: third, target: fourth });
    const { trace } = await memory.trace({ memory_id: fourth, direction: 'effects' }, OPERATOR);
    expect(trace.map((step) => step.memory_id)).toEqual([fourth, third]);
    expect((await memory.get(fourth ?? '', OPERATOR)).links).toEqual({ led_to: [third] });
    const { chapters } = await memory.createChapter({ memory_ids: [third] }, OPERATOR);
    expect(chapters[0]?.memory_ids).toEqual([third]);
    const gone = await memory.forget({ memory_ids: [third] }, OPERATOR);
    expect(gone.memories.map((one) => one.memory_id)).toEqual([third]);
    expect(printIn(project.store, 'memory', at('cccccccc'))).toBe('mem_cccccccc');
    expect(project.catalog.shelf(workMemoryType.name).size).toBe(3);
  });
});
