/**
 * What only shows with thousands of triggers and no statistics in the database (PGlite never runs
 * ANALYZE): a statement that takes the wrong index reads the whole table. No clock is asked here.
 */
import { type SQL, sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRecords, databaseOf, homeOf, rowsOf } from '../../src/records/index.js';
import { createTaskStore, type TaskStore } from '../../src/triggers/store.js';
import { type Agent, boot } from '../helpers/boot.js';

const OPERATOR = { kind: 'operator' } as const;
/** More than one window of a search, and enough for the planner to care. */
const COUNT = 2_100;
const PAUSED = 3;

let agent: Agent;
let ids: string[];

beforeAll(async () => {
  agent = await boot();
  const { created } = await agent.triggers.createMany(
    Array.from({ length: COUNT }, (_, index) => ({
      instructions: `Water plant number ${index}${index % 1_000 === 7 ? ' with the blue can' : ''}`,
      schedule: { triggerType: 'interval' as const, intervalMs: 86_400_000 },
    })),
    { requester: OPERATOR },
  );
  ids = created.map((one) => one.id);
  for (const id of ids.slice(0, PAUSED)) await agent.triggers.pause(id, OPERATOR, 'too wet');
});
afterAll(() => agent.stop());

/** Names of the indexes a call of the store reads, and whether any part of it reads the table. */
async function plansOf(call: (store: TaskStore) => Promise<unknown>): Promise<string> {
  const db = databaseOf(agent.runtime);
  const statements: SQL[] = [];
  const execute = (statement: SQL) => {
    statements.push(statement);
    return db.execute(statement);
  };
  const watched = new Proxy(db, {
    get: (target, key) => (key === 'execute' ? execute : Reflect.get(target, key)),
  });
  await call(createTaskStore(createRecords({ db: watched, home: homeOf(agent.runtime) })));
  const plans = await Promise.all(
    statements.map((statement) => rowsOf(db, sql`explain (costs off) ${statement}`)),
  );
  return plans.flatMap((rows) => rows.flatMap((row) => Object.values(row))).join('\n');
}

describe('with thousands of triggers', () => {
  it('finds a trigger, equal ones and due ones by their own index', async () => {
    expect(await plansOf((store) => store.byId(ids[0]!))).toContain('cue_tasks_trigger');
    const keys = Array.from({ length: 50 }, (_, index) => `key ${index}`);
    expect(await plansOf((store) => store.byDedupeKeys(keys))).toContain('cue_tasks_dedupe');
    expect(await plansOf((store) => store.dueOrNamed(Date.now(), []))).toContain('cue_tasks_queue');
    expect(await plansOf((store) => store.promote(0, 0))).toContain('cue_tasks_resting');
  });

  it('never reads the whole table for a dispatch, a beat, a creation or the health', async () => {
    const all = await plansOf(async (store) => {
      await store.byId(ids[0]!);
      await store.byDedupeKeys(['a', 'b']);
      await store.dueOrNamed(Date.now(), [ids[0]!]);
      await store.promote(0, 0);
      await store.unscheduledTasks();
      await store.desyncedTasks(10);
      await store.invalid();
      await store.countEnabled();
      await store.countEnabled({ creatorEntityId: ids[0]! });
      await store.countChildren(ids[0]!);
      await store.census(Date.now());
    });
    expect(all).not.toContain('Seq Scan');
    expect(all).not.toMatch(/cue_tasks_(tags|created|home_room)/);
  });

  it('searches all texts, window by window, and pages through the hits', async () => {
    const blue = await agent.triggers.list({ text: 'BLUE can' }, { limit: 2 }, OPERATOR);
    expect(blue.total).toBe(3);
    const rest = await agent.triggers.list(
      { text: 'BLUE can' },
      { limit: 2, cursor: blue.nextCursor! },
      OPERATOR,
    );
    expect(rest).toMatchObject({ total: 3, nextCursor: null });
    const found = [...blue.triggers, ...rest.triggers].map((one) => one.id);
    expect(new Set(found)).toEqual(new Set([ids[7], ids[1_007], ids[2_007]]));
  });

  it.each([
    ['newest', {}],
    ['newest', { text: 'water' }],
    ['soonest', {}],
    ['soonest', { text: 'water' }],
  ] as const)('pages through the %s with %j without a gap or a repeat', async (order, filter) => {
    const times: number[] = [];
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof agent.triggers.list>> = await agent.triggers.list(
        filter,
        { limit: 500, order, ...(cursor === null ? {} : { cursor }) },
        OPERATOR,
      );
      expect(page.total).toBe(COUNT);
      seen.push(...page.triggers.map((one) => one.id));
      times.push(...page.triggers.map((one) => one.nextRunAtMs ?? Number.POSITIVE_INFINITY));
      cursor = page.nextCursor;
    } while (cursor !== null);
    expect(seen).toHaveLength(COUNT);
    expect(new Set(seen)).toEqual(new Set(ids));
    // Those that are paused come last.
    if (order === 'soonest') expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('counts the same in health as in the lists of each state', async () => {
    const health = await agent.triggers.health();
    expect(health).toMatchObject({
      active: 0,
      resting: COUNT - PAUSED,
      paused: PAUSED,
      disabled: 0,
      invalid: 0,
    });
    for (const state of ['active', 'resting', 'paused', 'disabled', 'invalid'] as const) {
      const { triggers, total } = await agent.triggers.list({ state }, { limit: 5 }, OPERATOR);
      expect([state, total]).toEqual([state, health[state]]);
      expect(triggers).toHaveLength(Math.min(5, total));
      expect(triggers.every((one) => one.state === state)).toBe(true);
    }
  });
});
