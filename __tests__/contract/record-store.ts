/** What a record store promises, on every database that it runs on. */
import { inspect } from 'node:util';
import { eq, sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  type Database,
  field,
  type Home,
  memoriesTable,
  type Reader,
  rowsOf,
} from '../../src/records/index.js';
import { messageOf } from '../../src/shared/errors.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import {
  AUTHOR,
  axis,
  EDGE,
  MODEL,
  NOTE,
  type Note,
  OPERATOR,
  openProject,
} from './record-fixtures.js';

export interface RecordDatabase {
  db: Database;
  home: Home;
  /** Makes a chat of this name, with a person in it. */
  makeChat(name: string): Promise<{ roomId: Uuid; entityId: Uuid }>;
  /** Deletes a room and a person as the host does. */
  deleteChat(chat: { roomId: Uuid; entityId: Uuid }): Promise<void>;
}

export function recordStoreContract(name: string, database: () => RecordDatabase): void {
  const project = (title: string) => openProject(database().db, database().home, title);
  const titles = (records: { data: Note }[]) => records.map(({ data }) => data.title);

  describe(`record store on ${name}`, () => {
    it('inserts a record once, however often it is tried, and gives it back as it was', async () => {
      const { store, catalog, note, scope } = project('once');
      const first = note('first', { createdAtMs: 1_700_000_000_123, vector: axis(3) });
      const results = await Promise.all([1, 2, 3].map(() => store.insert(NOTE, [first, first])));
      expect(results.map((inserted) => inserted.size).sort()).toEqual([0, 0, 1]);
      const missing = derivedId('test', 'missing');
      expect(await store.get(NOTE, [missing, first.id], OPERATOR)).toEqual([
        {
          id: first.id,
          text: 'first',
          createdAtMs: 1_700_000_000_123,
          revision: 1,
          scope: scope(),
          data: { title: 'first', weight: 1 },
          embeddingModel: MODEL,
        },
      ]);
      expect([...(await store.insert(NOTE, [first, note('second')]))]).toEqual([note('second').id]);
      expect(catalog.shelf(NOTE.name).size).toBe(2);
    });

    it('changes data at the expected revision, and tells the loser the current one', async () => {
      const { store, note } = project('cas');
      const { id } = note('contested');
      await store.insert(NOTE, [note('contested', { vector: axis(1) })]);
      const write = (title: string) => store.replace(NOTE, id, 1, { data: { title, weight: 2 } });
      const results = await Promise.allSettled([write('ann'), write('bob')]);
      const lost = results.filter((result) => result.status === 'rejected');
      expect(lost.map(({ reason }) => [reason.code, reason.details])).toEqual([
        ['CONFLICT', { revision: 2 }],
      ]);
      const won = results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
      expect(await store.get(NOTE, [id], OPERATOR)).toEqual(won);
      expect(won[0]).toMatchObject({
        revision: 2,
        embeddingModel: MODEL,
        text: won[0]?.data.title,
      });
      await expect(
        store.replace(NOTE, derivedId('test', 'nobody'), 1, { data: { title: '', weight: 0 } }),
      ).rejects.toMatchObject({ code: 'NOT_FOUND' });
    });

    it('writes all that is done atomically, or nothing, and the catalog with it', async () => {
      const { store, catalog, note } = project('atomically');
      const shelf = catalog.shelf(NOTE.name);
      const [kept, gone] = [note('kept'), note('gone')];
      await store.insert(NOTE, [kept, gone]);
      const change = (fails: boolean) =>
        store.atomically(async (within) => {
          await within.insert(NOTE, [note('new')]);
          await within.replace(NOTE, kept.id, 1, { data: { title: 'changed', weight: 2 } });
          await within.remove(NOTE, [gone.id]);
          expect((await within.get(NOTE, [note('new').id], OPERATOR)).length).toBe(1);
          expect(shelf.size).toBe(2);
          if (fails) throw new Error('the end');
        });
      const all = [kept, gone, note('new')].map(({ id }) => id);
      await expect(change(true)).rejects.toThrow('the end');
      expect(titles(await store.get(NOTE, all, OPERATOR))).toEqual(['kept', 'gone']);
      expect(shelf.size).toBe(2);
      await change(false);
      expect(titles(await store.get(NOTE, all, OPERATOR))).toEqual(['changed', 'new']);
      expect([shelf.size, shelf.slotOf(gone.id)]).toEqual([2, undefined]);
    });

    it('keeps, replaces and drops the vector with the data', async () => {
      const { store, catalog, note } = project('vectors');
      const { id } = note('vectored');
      const shelf = catalog.shelf(NOTE.name);
      const score = (index: number) => {
        const { scores } = shelf.nearest(axis(index).vector, { reader: OPERATOR });
        return Math.round((scores[shelf.slotOf(id) ?? -1] ?? -1) * 100) / 100;
      };
      await store.insert(NOTE, [note('vectored', { vector: axis(1) })]);
      const data = { title: 'vectored', weight: 1 };
      await store.replace(NOTE, id, 1, { data: { ...data, weight: 2 } });
      expect([score(1), score(2)]).toEqual([1, 0]);
      await store.replace(NOTE, id, 2, { data, vector: axis(2) });
      expect([score(1), score(2)]).toEqual([0, 1]);
      const dropped = await store.replace(NOTE, id, 3, { data, vector: null });
      expect([score(2), dropped.embeddingModel, await embeddingsOf(id)]).toEqual([0, null, 0]);
      expect(await store.setVectors(NOTE, [{ id, revision: 3, vector: axis(7) }])).toBe(0);
      expect(await store.setVectors(NOTE, [{ id, revision: 4, vector: axis(7) }])).toBe(1);
      expect([score(7), await embeddingsOf(id)]).toEqual([1, 1]);
    });

    it('refuses a vector it cannot store before anything is written', async () => {
      const { store, note } = project('wrong vectors');
      const wrong = [
        new Float32Array(384),
        new Float32Array(100).fill(0.1),
        axis(0).vector.map((value, index) => (index === 5 ? Number.NaN : value)),
        axis(0).vector.map((value, index) => (index === 5 ? Number.POSITIVE_INFINITY : value)),
      ];
      for (const vector of wrong) {
        const bad = note('bad', { vector: { model: MODEL, vector } });
        await expect(store.insert(NOTE, [note('good'), bad])).rejects.toMatchObject({
          code: 'INVALID_INPUT',
        });
        await expect(
          store.setVectors(NOTE, [{ id: bad.id, revision: 1, vector: { model: MODEL, vector } }]),
        ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      }
      expect(await store.count(NOTE, OPERATOR)).toBe(0);
    });

    it('goes through what has no vector of a model, oldest first, in chunks', async () => {
      const { store, catalog, note } = project('without vector');
      await store.insert(NOTE, [
        note('c', { createdAtMs: 3 }),
        note('a', { createdAtMs: 1, vector: axis(1, 'older-model') }),
        note('b', { createdAtMs: 2, vector: axis(1) }),
      ]);
      const chunks = async (most: number) => {
        const found: string[][] = [];
        for await (const chunk of store.withoutVector(NOTE, MODEL, most)) found.push(titles(chunk));
        return found;
      };
      expect(await chunks(10)).toEqual([['a', 'c']]);
      expect(await chunks(1)).toEqual([['a'], ['c']]);
      // A catalog that is complete knows them: no row of the others is looked at.
      catalog.report({ state: 'ready', fromSnapshot: false, tookMs: 0 });
      await database().db.execute(sql`update memories set metadata = jsonb_set(metadata, '{embeddingModel}', '"another"')
        where id = ${note('b').id}`);
      expect(await chunks(10)).toEqual([['a', 'c']]);
      expect(await chunks(1)).toEqual([['a'], ['c']]);
    });

    it('takes NUL characters and halves of surrogate pairs in text, data and keys', async () => {
      const { store, note } = project('characters');
      const odd = note('a\u0000b\ud800c😀');
      const data = { ...odd.data, 'k\u0000ey': ['\udc00'] };
      await store.insert(NOTE, [{ ...odd, data }]);
      const [stored] = await store.get(NOTE, [odd.id], OPERATOR);
      expect([stored?.text, stored?.data]).toEqual([
        'ab\ufffdc😀',
        { title: 'ab\ufffdc😀', weight: 1, key: ['\ufffd'] },
      ]);
    });

    it('shows each reader what is theirs, in every way of reading', async () => {
      const { store, catalog, note, scope } = project('readers');
      const ann = derivedId('test', 'ann');
      const bob = derivedId('test', 'bob');
      const room = derivedId('test', 'room');
      await store.insert(NOTE, [
        note('all', { createdAtMs: 1 }),
        note('ann', { createdAtMs: 2, scope: scope({ visibility: 'user', entityId: ann }) }),
        note('bob', { createdAtMs: 3, scope: scope({ visibility: 'user', entityId: bob }) }),
        note('room', {
          createdAtMs: 4,
          scope: scope({ visibility: 'room', roomId: room, entityId: bob }),
        }),
        note('lost', { createdAtMs: 5, scope: scope({ visibility: 'user', entityId: null }) }),
      ]);
      const everyId = ['all', 'ann', 'bob', 'room', 'lost'].map((title) => note(title).id);
      const cases: [Reader, string[]][] = [
        [OPERATOR, ['lost', 'room', 'bob', 'ann', 'all']],
        [{ kind: 'agent' }, ['all']],
        [{ kind: 'entity', entityId: ann }, ['ann', 'all']],
        [{ kind: 'entity', entityId: ann, roomId: room }, ['room', 'ann', 'all']],
        [{ kind: 'entity', entityId: bob }, ['bob', 'all']],
        [{ kind: 'entity', entityId: room, roomId: ann }, ['all']],
      ];
      for (const [reader, expected] of cases) {
        const oldestFirst = [...expected].reverse();
        const scanned: string[] = [];
        for await (const chunk of store.scan(NOTE, reader, { chunk: 2 })) {
          scanned.push(...titles(chunk));
        }
        expect(scanned).toEqual(oldestFirst);
        const page = await store.list(NOTE, reader, { limit: 10 });
        expect([titles(page.records), page.total]).toEqual([expected, expected.length]);
        const sorted = await store.list(NOTE, reader, { limit: 10, orderBy: 'weight' });
        expect([titles(sorted.records), sorted.total]).toEqual([expected, expected.length]);
        const where = sql`${field('type')} is not null`;
        expect(titles((await store.list(NOTE, reader, { limit: 10, where })).records)).toEqual(
          expected,
        );
        expect(await store.count(NOTE, reader)).toBe(expected.length);
        expect(await store.count(NOTE, reader, where)).toBe(expected.length);
        const got = titles(await store.get(NOTE, everyId, reader));
        expect(got.sort()).toEqual([...expected].sort());
        const { hits } = catalog.shelf(NOTE.name).newest({ reader }, 10);
        expect(hits.map(({ id }) => id)).toEqual(expected.map((title) => note(title).id));
      }
    });

    it('does not let a condition of the caller reach round the reader', async () => {
      const { store, note, scope } = project('condition');
      const secret = scope({ visibility: 'user', entityId: derivedId('test', 'ann') });
      await store.insert(NOTE, [note('secret', { scope: secret })]);
      const where = sql`false or true`;
      const reader: Reader = { kind: 'agent' };
      expect((await store.list(NOTE, reader, { limit: 5, where })).total).toBe(0);
      expect(await store.count(NOTE, reader, where)).toBe(0);
      for await (const chunk of store.scan(NOTE, reader, { where })) expect(chunk).toEqual([]);
    });

    it('sees, changes and removes nothing of another project', async () => {
      const mine = project('mine');
      const theirs = project('theirs');
      const record = theirs.note('private');
      await theirs.store.insert(NOTE, [record]);
      const { store } = mine;
      expect(await store.get(NOTE, [record.id], OPERATOR)).toEqual([]);
      expect((await store.list(NOTE, OPERATOR, { limit: 5 })).total).toBe(0);
      for await (const chunk of store.withoutVector(NOTE, MODEL, 5)) expect(chunk).toEqual([]);
      await expect(store.replace(NOTE, record.id, 1, { data: record.data })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      await store.touch(NOTE, [record.id], { add: { seen: 5 } });
      expect(await store.remove(NOTE, [record.id])).toBe(0);
      expect(await store.setVectors(NOTE, [{ id: record.id, revision: 1, vector: axis(0) }])).toBe(
        0,
      );
      await expect(store.insert(NOTE, [record])).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      const [kept] = await theirs.store.get(NOTE, [record.id], OPERATOR);
      expect(kept).toMatchObject({ revision: 1, data: record.data, embeddingModel: null });
      // The id is theirs: a record of ours under it is not new.
      expect((await store.insert(NOTE, [{ ...record, scope: mine.scope() }])).size).toBe(0);
    });

    it('leaves a tombstone of what is removed, which a new record of the id replaces', async () => {
      const { store, catalog, projectId, note } = project('tombstones');
      const record = note('here and gone', { vector: axis(4) });
      await store.insert(NOTE, [record]);
      expect(await store.remove(NOTE, [record.id, record.id])).toBe(1);
      expect(await store.remove(NOTE, [record.id])).toBe(0);
      const [row] = await rowWith(record.id);
      expect(row).toMatchObject({ type: 'cue_tombstone', content: { text: '' } });
      expect(row?.metadata).toEqual({
        type: 'cue_tombstone',
        was: NOTE.name,
        projectId,
        revision: 1,
        changedAtMs: expect.any(Number),
      });
      expect([await embeddingsOf(record.id), catalog.shelf(NOTE.name).size]).toEqual([0, 0]);
      expect(await store.get(NOTE, [record.id], OPERATOR)).toEqual([]);
      await expect(store.replace(NOTE, record.id, 1, { data: record.data })).rejects.toMatchObject({
        code: 'NOT_FOUND',
      });
      const again = { ...record, createdAtMs: 2_000, vector: axis(5) };
      expect((await store.insert(NOTE, [again])).size).toBe(1);
      const [stored] = await store.get(NOTE, [record.id], OPERATOR);
      expect([stored?.createdAtMs, stored?.revision]).toEqual([2_000, 2]);
      expect([await embeddingsOf(record.id), catalog.shelf(NOTE.name).size]).toEqual([1, 1]);
      await store.insert(NOTE, [note('second')]);
      await store.remove(NOTE, [record.id, note('second').id]);
      const [gone] = await rowWith(record.id);
      const goneAtMs = Number(gone?.metadata.changedAtMs);
      expect(await store.purgeTombstones(goneAtMs)).toBe(0);
      expect(await store.purgeTombstones(goneAtMs + 10_000)).toBe(2);
      expect(await rowWith(record.id)).toEqual([]);
    });

    it('counts revisions on where a record was removed, so that nobody writes over another', async () => {
      const { store, note } = project('made anew');
      const record = note('contested');
      await store.insert(NOTE, [record]);
      await store.replace(NOTE, record.id, 1, { data: record.data });
      await store.remove(NOTE, [record.id]);
      const revisions: [Uuid, number][] = [];
      const onInserted = (id: Uuid, revision: number) => revisions.push([id, revision]);
      await store.insert(NOTE, [record, note('other')], { onInserted });
      expect(new Map(revisions)).toEqual(
        new Map([
          [record.id, 3],
          [note('other').id, 1],
        ]),
      );
      await expect(store.replace(NOTE, record.id, 2, { data: record.data })).rejects.toMatchObject({
        code: 'CONFLICT',
        details: { revision: 3 },
      });
    });

    it('removes only what is at the revision that it is told', async () => {
      const { store, note } = project('removed as known');
      const [kept, gone] = [note('kept'), note('gone')];
      await store.insert(NOTE, [kept, gone]);
      await store.replace(NOTE, kept.id, 1, { data: kept.data });
      const revisions = new Map([kept, gone].map(({ id }) => [id, 1]));
      expect(await store.remove(NOTE, [kept.id, gone.id], { revisions })).toBe(1);
      expect(titles(await store.get(NOTE, [kept.id, gone.id], OPERATOR))).toEqual(['kept']);
    });

    it('keeps fields of the data that are counted where they lie', async () => {
      const { store, note } = project('counted');
      const { id } = note('contested');
      await store.insert(NOTE, [note('contested')]);
      await store.touch(NOTE, [id], { add: { weight: 4 } });
      const change = { data: { title: 'new', weight: 1 } };
      const { data } = await store.replace(NOTE, id, 1, { ...change, keep: ['weight', 'absent'] });
      expect(data).toEqual({ title: 'new', weight: 5 });
      expect((await store.replace(NOTE, id, 2, change)).data).toEqual(change.data);
    });

    it('says what the database says, and nothing of what was to be stored', async () => {
      const { db } = database();
      const secret = 'ghp_wJ3kQ9zR7tY1uI5oP2aS4dF6gH8jK0lZ';
      const attempts = [
        () => db.execute(sql`select ${secret}::int`),
        () => rowsOf(db, sql`select 1/0, ${secret}::text`),
        () => db.transaction((tx) => tx.execute(sql`select ${secret}::int`)),
        () =>
          db.transaction((tx) =>
            tx.transaction((inner) => inner.execute(sql`select ${secret}::int`)),
          ),
        () => db.select().from(memoriesTable).where(sql`${secret}::int = 1`),
        () => db.delete(memoriesTable).where(eq(memoriesTable.id, secret)),
      ];
      for (const attempt of attempts) {
        const error = await attempt().then(
          () => null,
          (thrown: unknown) => thrown,
        );
        expect(error).toBeInstanceOf(Error);
        expect(inspect(error, { depth: 9, showHidden: true })).not.toContain(secret);
        expect(messageOf(error)).toMatch(/^Failed query: (invalid input syntax|division by zero)/);
      }
    });

    it('reads the rows around a damaged one, and says once what is wrong with it', async () => {
      const { store, warnings, note } = project('damaged');
      const damage: Record<string, string> = {
        'no data': `metadata - 'data'`,
        'no scope': `metadata - 'scope'`,
        'wrong field': `jsonb_set(metadata, '{data,weight}', '"heavy"')`,
        'not an object': `'{"type": "x", "data": 5, "changedAtMs": "soon"}'`,
        'unknown age': `jsonb_set(metadata, '{version}', '0')`,
      };
      const names = Object.keys(damage);
      await store.insert(
        NOTE,
        ['before', ...names, 'after'].map((title, n) => note(title, { createdAtMs: n })),
      );
      for (const [title, change] of Object.entries(damage)) {
        await database().db.execute(
          sql`update memories set metadata = (${sql.raw(change)})::jsonb where id = ${note(title).id}`,
        );
      }
      const page = await store.list(NOTE, OPERATOR, { limit: 10 });
      expect(titles(page.records)).toEqual(['after', 'before']);
      const found: Uuid[] = [];
      const scanned: string[] = [];
      for await (const chunk of store.scan(NOTE, OPERATOR, {
        chunk: 3,
        onDamaged: ({ id }) => found.push(id),
      })) {
        scanned.push(...titles(chunk));
      }
      expect(scanned).toEqual(['before', 'after']);
      expect(found).toEqual(names.map((title) => note(title).id));
      await store.list(NOTE, OPERATOR, { limit: 10 });
      expect(warnings.map(({ id }) => id).sort()).toEqual([...found].sort());
      const heavy = warnings.find(({ id }) => id === note('wrong field').id);
      expect(heavy?.reason).toMatch(/^data\.weight: /);
    });

    it('reads older versions step by step and newer ones as far as it understands them', async () => {
      const { store, note } = project('versions');
      await store.insert(
        NOTE,
        ['one', 'two', 'nine'].map((title, n) => note(title, { createdAtMs: n })),
      );
      const age = (title: string, version: number, data: Record<string, unknown>) =>
        database().db.execute(sql`update memories set metadata = metadata ||
          ${JSON.stringify({ version, data })}::jsonb where id = ${note(title).id}`);
      await age('one', 1, { name: 'from one' });
      await age('two', 2, { title: 'from two' });
      await age('nine', 9, { title: 'from nine', weight: 4, hue: 'red' });
      const { records } = await store.list(NOTE, OPERATOR, { limit: 5 });
      expect(records.map(({ data }) => data)).toEqual([
        { title: 'from nine', weight: 4, hue: 'red' },
        { title: 'from two', weight: 0.5 },
        { title: 'from one', weight: 0.5 },
      ]);
      const replaced = await store.replace(NOTE, note('one').id, 1, {
        data: { title: 'new', weight: 1 },
      });
      const [row] = await rowWith(replaced.id);
      expect(row?.metadata.version).toBe(3);
    });

    it('pages through records of equal times and numbers without losing or repeating one', async () => {
      const { store, note } = project('pages');
      const notes = Array.from({ length: 23 }, (_, n) =>
        note(`note ${n}`, { createdAtMs: 1_000 + Math.floor(n / 10), weight: n % 3 }),
      );
      await store.insert(NOTE, notes);
      const readAll = async (orderBy: string | undefined) => {
        const seen: { id: Uuid; createdAtMs: number; data: Note }[] = [];
        let cursor: string | undefined;
        do {
          const query = {
            limit: 5,
            ...(orderBy ? { orderBy } : {}),
            ...(cursor ? { cursor } : {}),
          };
          const page = await store.list(NOTE, OPERATOR, query);
          expect(page.total).toBe(23);
          seen.push(...page.records);
          cursor = page.nextCursor ?? undefined;
        } while (cursor !== undefined);
        return seen;
      };
      const byTime = (one: { id: Uuid; createdAtMs: number }, other: typeof one) =>
        other.createdAtMs - one.createdAtMs || (one.id < other.id ? 1 : -1);
      const ids = (records: { id: Uuid }[]) => records.map(({ id }) => id);
      expect(ids(await readAll(undefined))).toEqual(ids([...notes].sort(byTime)));
      const byWeight = [...notes].sort(
        (one, other) => other.data.weight - one.data.weight || byTime(one, other),
      );
      expect(ids(await readAll('weight'))).toEqual(ids(byWeight));
      const { nextCursor } = await store.list(NOTE, OPERATOR, { limit: 5 });
      for (const cursor of [
        'nonsense',
        '',
        `${nextCursor}x`,
        Buffer.from('[]').toString('base64url'),
      ]) {
        if (cursor === `${nextCursor}x`) continue;
        await expect(store.list(NOTE, OPERATOR, { limit: 5, cursor })).rejects.toMatchObject({
          code: 'INVALID_INPUT',
        });
      }
      await expect(
        store.list(NOTE, OPERATOR, { limit: 5, orderBy: 'weight', cursor: nextCursor ?? '' }),
      ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
      await expect(
        store.list(NOTE, OPERATOR, { limit: 5, orderBy: "weight'; drop" }),
      ).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    });

    it('counts every touch of many at once, without a new revision', async () => {
      const { store, note } = project('touch');
      await store.insert(NOTE, [note('touched'), note('other')]);
      const ids = [note('touched').id, note('other').id];
      await Promise.all(
        Array.from({ length: 10 }, (_, n) =>
          store.touch(NOTE, n % 2 ? ids : [...ids].reverse(), {
            add: { seen: 1 },
            set: { seenAt: 'today\u0000' },
          }),
        ),
      );
      const records = await store.get(NOTE, ids, OPERATOR);
      expect(records.map(({ data, revision }) => [data.seen, data.seenAt, revision])).toEqual([
        [10, 'today', 1],
        [10, 'today', 1],
      ]);
    });

    it('keeps links as edges of the catalog', async () => {
      const { store, catalog, note, scope } = project('edges');
      const [source, target] = [note('source').id, note('target').id];
      const id = derivedId(source, target);
      await store.insert(EDGE, [
        {
          id,
          createdAtMs: 1,
          scope: scope(),
          data: { source_id: source, target_id: target, link_type: 'caused_by' },
        },
      ]);
      expect(catalog.links.out(source)).toEqual([{ id, source, target, type: 'caused_by' }]);
      await store.remove(EDGE, [id]);
      expect(catalog.links.in(target)).toEqual([]);
    });

    it('keeps the records of a chat that is deleted', async () => {
      const { store, note, scope } = project('deleted chat');
      const chat = await database().makeChat(`deleted-${name}`);
      await store.insert(NOTE, [
        note('told in chat', { scope: scope({ visibility: 'user', ...chat, authorId: AUTHOR }) }),
      ]);
      await database().deleteChat(chat);
      const left = await store.get(NOTE, [note('told in chat').id], {
        kind: 'entity',
        entityId: chat.entityId,
      });
      expect(titles(left)).toEqual(['told in chat']);
    });

    it('gives the event loop a turn between the statements of an import, and can be stopped', async () => {
      const { store, note } = project('import');
      const notes = Array.from({ length: 2_000 }, (_, n) =>
        note(`imported ${n}`, { createdAtMs: n }),
      );
      let ticks = 0;
      let running = true;
      const tick = () => {
        ticks += 1;
        if (running) setImmediate(tick);
      };
      setImmediate(tick);
      const progress: number[] = [];
      expect(
        (await store.insert(NOTE, notes, { onProgress: (done) => progress.push(done) })).size,
      ).toBe(2_000);
      running = false;
      expect(progress).toEqual(Array.from({ length: 80 }, (_, n) => 25 * (n + 1)));
      expect(ticks).toBeGreaterThanOrEqual(159);
      expect(await store.count(NOTE, OPERATOR)).toBe(2_000);

      const other = project('stopped import');
      const stopped = new AbortController();
      await expect(
        other.store.insert(
          NOTE,
          notes.map((one) => ({ ...one, id: derivedId('stopped', one.id), scope: other.scope() })),
          {
            signal: stopped.signal,
            onProgress: (done) => done === 100 && stopped.abort(),
          },
        ),
      ).rejects.toMatchObject({ name: 'AbortError' });
      expect(await other.store.count(NOTE, OPERATOR)).toBe(100);
    });
  });

  const rowWith = (id: Uuid) =>
    database().db.select().from(memoriesTable).where(eq(memoriesTable.id, id));

  async function embeddingsOf(id: Uuid): Promise<number> {
    const rows = await rowsOf<{ n: string | number }>(
      database().db,
      sql`select count(*) as n from embeddings where memory_id = ${id}`,
    );
    return Number(rows[0]?.n);
  }
}
