/** Insert once, compare-and-set, list: the contract the ledger stands on. */
import { eq, sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createRecords,
  databaseOf,
  ensureHome,
  field,
  memoriesTable,
  type RecordCursor,
  type Records,
  withoutNul,
} from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { type Agent, boot } from '../helpers/boot.js';

let agent: Agent;
let records: Records;
beforeAll(async () => {
  agent = await boot();
  records = createRecords({ db: databaseOf(agent.runtime), home: await ensureHome(agent.runtime) });
});
afterAll(() => agent.stop());

const TYPE = 'cue_test_record';
const row = (name: string, data: Record<string, unknown> = {}, createdAtMs = 1_000) => ({
  id: derivedId('test', name),
  text: `row ${name}`,
  createdAtMs,
  data: { version: 1, name, ...data },
});

it('inserts a row once, however often and by however many it is tried', async () => {
  const results = await Promise.all(
    Array.from({ length: 8 }, () => records.insertOnce(TYPE, [row('once')])),
  );
  expect(results.filter((inserted) => inserted.size === 1)).toHaveLength(1);
  expect(await records.count(TYPE, sql`${field('name')} = 'once'`)).toBe(1);
  const mixed = await records.insertOnce(TYPE, [row('once'), row('new one')]);
  expect([...mixed]).toEqual([derivedId('test', 'new one')]);
});

it('changes a record only while the condition holds, and says so', async () => {
  await records.insertOnce(TYPE, [row('cas', { state: 'free', keep: 1, drop: 2 })]);
  const id = derivedId('test', 'cas');
  const take = (who: string) =>
    records.compareAndSet(TYPE, id, sql`${field('state')} = 'free'`, { state: who, drop: null });
  const results = await Promise.all([take('ann'), take('bob'), take('cid')]);
  expect(results.filter((result) => result !== null)).toHaveLength(1);
  const [stored] = await records.get(TYPE, [id]);
  expect(stored?.data).toMatchObject({ keep: 1 });
  expect(stored?.data).not.toHaveProperty('drop');
  expect(
    await records.compareAndSet(TYPE, derivedId('test', 'nobody'), sql`true`, { a: 1 }),
  ).toBeNull();
});

it('does not touch a record of another type under the same id', async () => {
  await records.insertOnce(TYPE, [row('typed')]);
  const id = derivedId('test', 'typed');
  expect(await records.compareAndSet('cue_other', id, sql`true`, { stolen: true })).toBeNull();
  expect(await records.delete('cue_other', [id])).toBe(0);
  expect(await records.get('cue_other', [id])).toEqual([]);
});

it('lists in a total order, page by page, without losing or repeating a row', async () => {
  const type = 'cue_test_page';
  // Many rows share a time: the id decides.
  const rows = Array.from({ length: 25 }, (_, n) =>
    row(`page ${n}`, {}, 1_000 + Math.floor(n / 10)),
  );
  await records.insertOnce(type, rows);
  const seen: string[] = [];
  let after: { createdAtMs: number; id: never } | undefined;
  for (;;) {
    const page = await records.list(type, { limit: 7, ...(after ? { after } : {}) });
    seen.push(...page.map((one) => one.id));
    const last = page.at(-1);
    if (!last || page.length < 7) break;
    after = { createdAtMs: last.createdAtMs, id: last.id as never };
  }
  expect(new Set(seen).size).toBe(25);
  expect(seen).toHaveLength(25);
});

it('pages from the oldest on in the same order', async () => {
  const type = 'cue_test_page';
  const all = await records.list(type, { limit: 100 });
  const seen: string[] = [];
  let after: RecordCursor | undefined;
  for (;;) {
    const page = await records.list(type, {
      limit: 7,
      oldestFirst: true,
      ...(after ? { after } : {}),
    });
    seen.push(...page.map((one) => one.id));
    after = page.at(-1);
    if (page.length < 7) break;
  }
  expect(seen).toEqual(all.map((one) => one.id).reverse());
  expect(seen).toHaveLength(25);
});

it('a transaction that fails leaves nothing', async () => {
  await expect(
    records.transaction(async (tx) => {
      await records.insertOnce(TYPE, [row('undone')], tx);
      throw new Error('stop');
    }),
  ).rejects.toThrow('stop');
  expect(await records.get(TYPE, [derivedId('test', 'undone')])).toEqual([]);
});

it('takes text with NUL characters, which PostgreSQL refuses, without them', async () => {
  await records.insertOnce(TYPE, [
    { ...row('nul'), text: 'a\u0000b', data: { deep: [{ x: 'c\u0000d' }] } },
  ]);
  const [stored] = await records.get(TYPE, [derivedId('test', 'nul')]);
  expect([stored?.text, stored?.data.deep]).toEqual(['ab', [{ x: 'cd' }]]);
  expect(withoutNul({ n: 1, a: ['\u0000'] })).toEqual({ n: 1, a: [''] });
});

it('lives in a world, room and entity of its own', async () => {
  await records.insertOnce(TYPE, [row('home')]);
  const [stored] = await databaseOf(agent.runtime)
    .select()
    .from(memoriesTable)
    .where(eq(memoriesTable.id, derivedId('test', 'home')));
  expect(stored).toMatchObject({
    type: TYPE,
    agentId: agent.runtime.agentId,
    roomId: records.home.roomId,
    worldId: records.home.worldId,
    entityId: records.home.entityId,
  });
  expect(records.home.entityId).not.toBe(agent.runtime.agentId);
});
