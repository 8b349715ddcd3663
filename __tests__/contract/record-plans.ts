/** PGlite keeps no statistics: that our statements read only what they need is not a given. */
import { type SQL, sql } from 'drizzle-orm';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Database, openProjectRecords, rowsOf } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { EDGE, NOTE, OPERATOR, type Opened, openProject, quiet, words } from './record-fixtures.js';
import type { RecordDatabase } from './record-store.js';

/** The indexes that each statement uses, in turn; `sort` where it sorts. */
let plans: string[] = [];

/** The same database; explains what goes through it. */
function explained(db: Database): Database {
  return new Proxy(db, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      if (key !== 'execute') return value.bind(target);
      return async (statement: SQL) => {
        const rows = await rowsOf<Record<string, unknown>>(target, sql`explain ${statement}`);
        const plan = rows.map((row) => String(row['QUERY PLAN'])).join('\n');
        const used = [...plan.matchAll(/(?:using|Index Scan on|Seq Scan on|Sort {2}\() ?(\w+)?/g)];
        plans.push(
          [...new Set(used.map(([what, name]) => (what.startsWith('Sort') ? 'sort' : name)))].join(
            '+',
          ),
        );
        return value.call(target, statement);
      };
    },
  });
}

async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  plans = [];
  await work();
  return plans;
}

export function recordPlansContract(database: () => RecordDatabase): void {
  describe('plans of the record store', () => {
    let project: Opened;
    beforeAll(async () => {
      const { db, home } = database();
      const plain = openProject(db, home, 'plans');
      await plain.store.insert(
        NOTE,
        Array.from({ length: 1_000 }, (_, n) => plain.note(`note ${n}`, { createdAtMs: n })),
      );
      project = openProject(explained(db), home, 'plans');
    });

    it('lists and counts by an index that has the order, and fetches by primary key', async () => {
      const { store } = project;
      expect(await plansOf(() => store.list(NOTE, OPERATOR, { limit: 5 }))).toEqual([
        'cue_records_by_time',
        'cue_records_by_audience',
        'memories_pkey',
      ]);
      const reader = { kind: 'entity', entityId: derivedId('test', 'ann') } as const;
      expect(await plansOf(() => store.list(NOTE, reader, { limit: 5 }))).toEqual([
        'cue_records_by_audience',
        'cue_records_by_audience',
        'memories_pkey',
      ]);
    });

    it('walks in the order of time without sorting, in pages', async () => {
      const { store } = project;
      const page = { limit: 5, where: sql`true`, orderBy: 'weight' };
      expect(await plansOf(() => store.list(NOTE, OPERATOR, page))).toEqual([
        ...Array.from({ length: 11 }, () => 'cue_records_by_time'),
        'memories_pkey',
      ]);
    });

    it('changes and removes by primary key', async () => {
      const { store, note } = project;
      const [one, two] = [note('note 1').id, note('note 2').id];
      const data = { title: 'x', weight: 1 };
      expect(await plansOf(() => store.replace(NOTE, one, 1, { data }))).toEqual([
        'memories_pkey+embeddings_pkey',
      ]);
      expect(await plansOf(() => store.touch(NOTE, [one], { add: { seen: 1 } }))).toEqual([
        'memories_pkey',
      ]);
      const removal = await plansOf(() => store.remove(NOTE, [one, two]));
      expect(removal).toEqual([expect.stringMatching(/^memories_pkey\+/)]);
      expect(await plansOf(() => store.purgeTombstones(0))).toEqual([
        expect.stringContaining('cue_tombstones'),
      ]);
    });

    it('follows changes by an index that has their order', async () => {
      const { log } = quiet();
      const records = openProjectRecords({
        db: explained(database().db),
        home: database().home,
        projectId: project.projectId,
        types: [NOTE, EDGE],
        analyze: words,
        clock: { now: () => 0 },
        log,
        build: 'test',
        followMs: null,
      });
      await records.start();
      const followed = await plansOf(() => records.follow());
      expect(new Set(followed.slice(1))).toEqual(
        new Set(['cue_records_by_change+embeddings_pkey']),
      );
      await records.stop();
    });
  });
}
