/** What keeps the catalog in line with the database, on every database that it runs on. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Worker } from 'node:worker_threads';
import { sql } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import {
  type Catalog,
  openProjectRecords,
  type ProjectRecordsDeps,
} from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { workerOf } from '../../src/shared/thread.js';
import {
  AUTHOR,
  axis,
  EDGE,
  MODEL,
  NOTE,
  OPERATOR,
  openProject,
  quiet,
  words,
} from './record-fixtures.js';
import type { RecordDatabase } from './record-store.js';

/** What a catalog answers about notes, to compare two of them. */
function answersOf(catalog: Catalog) {
  const shelf = catalog.shelf(NOTE.name);
  const filter = { reader: OPERATOR };
  const keyword = shelf.keyword(new Map([['shared', 1]]), filter);
  const near = shelf.nearest(axis(2).vector, filter);
  return {
    newest: shelf.newest(filter, 1_000).hits.map(({ id }) => id),
    keyed: shelf.byKeys(['weight:2'], filter, 1_000).hits.map(({ id }) => id),
    forNobody: shelf.newest({ reader: { kind: 'agent' } }, 1_000).total,
    keyword: [...keyword.touched].map((slot) => [shelf.idOf(slot), keyword.scores[slot]]).sort(),
    near: [...near.touched].map((slot) => [shelf.idOf(slot), near.scores[slot]]).sort(),
  };
}

export function recordCatalogContract(name: string, database: () => RecordDatabase): void {
  const project = (title: string) => openProject(database().db, database().home, title);
  const openRecords = (
    projectId: ProjectRecordsDeps['projectId'],
    more: Partial<ProjectRecordsDeps> = {},
  ) => {
    const { log, warnings } = quiet();
    let nowMs = 0;
    const records = openProjectRecords({
      db: database().db,
      home: database().home,
      projectId,
      types: [NOTE, EDGE],
      analyze: words,
      clock: { now: () => (nowMs += 5) },
      log,
      build: 'test',
      followMs: null,
      ...more,
    });
    records.catalog.shelf(NOTE.name).setModel(MODEL);
    return { ...records, warnings };
  };

  describe(`catalog on ${name}`, () => {
    it('loads from the database what direct writes would have put', async () => {
      const { store, catalog, note, scope, projectId } = openProject(
        database().db,
        database().home,
        'load',
      );
      const secret = scope({ visibility: 'user', entityId: AUTHOR });
      await store.insert(
        NOTE,
        Array.from({ length: 450 }, (_, n) =>
          note(n % 4 ? `note ${n}` : `shared note ${n}`, {
            createdAtMs: 1_000 + n,
            weight: n % 3,
            scope: n % 5 ? scope() : secret,
            vector: n % 2 ? axis(n % 7, n % 11 ? MODEL : 'older-model') : null,
          }),
        ),
      );
      const link = {
        id: derivedId(projectId, 'loaded edge'),
        createdAtMs: 1,
        scope: scope(),
        data: { source_id: note('note 1').id, target_id: note('note 2').id, link_type: 'led_to' },
      };
      await store.insert(EDGE, [link]);
      await store.remove(NOTE, [note('note 3').id]);
      await store.replace(NOTE, note('note 5').id, 1, {
        data: { title: 'shared late', weight: 2 },
      });
      const loaded = openRecords(projectId);
      expect(loaded.catalog.status()).toEqual({ state: 'loading', loaded: 0, total: null });
      const starting = loaded.start();
      expect(await loaded.catalog.loaded()).toEqual({
        state: 'ready',
        fromSnapshot: false,
        tookMs: 5,
      });
      await starting;
      const answers = answersOf(loaded.catalog);
      expect(answers).toEqual(answersOf(catalog));
      expect([answers.newest.length, answers.forNobody]).toEqual([449, 359]);
      expect(answers.near.length).toBeGreaterThan(20);
      expect(loaded.catalog.links.out(note('note 1').id)).toEqual(
        catalog.links.out(note('note 1').id),
      );
      await loaded.stop();
    });

    it('indexes in a thread of its own what it would itself, and what is written meanwhile', async () => {
      const { store, note, projectId } = project('thread');
      await store.insert(
        NOTE,
        Array.from({ length: 450 }, (_, n) =>
          note(n % 4 ? `old ${n}` : `shared old ${n}`, {
            createdAtMs: n,
            weight: n % 3,
            vector: n % 2 ? axis(n % 7, n % 11 ? MODEL : 'older-model') : null,
          }),
        ),
      );
      const link = {
        source_id: note('old 1').id,
        target_id: note('old 2').id,
        link_type: 'led_to',
      };
      const edge = { id: derivedId(projectId, 'edge'), createdAtMs: 1, scope: note('old 1').scope };
      await store.insert(EDGE, [{ ...edge, data: link }]);
      const damaged = note('old 7').id;
      await database().db.execute(sql`update memories
        set metadata = metadata - 'data' where id = ${damaged}`);
      const threads: Worker[] = [];
      const open = (indexerFrom: number) => {
        const indexer: ProjectRecordsDeps['indexer'] = (order) => {
          const thread = workerOf('../__tests__/contract/note-indexer-child', order);
          threads.push(thread);
          return thread;
        };
        return openRecords(projectId, { indexer, indexerFrom });
      };
      const records = open(449);
      const starting = records.start();
      await new Promise((resolve) => setImmediate(resolve));
      await records.store.insert(NOTE, [note('new', { createdAtMs: 5 })]);
      await records.store.remove(NOTE, [note('old 5').id]);
      expect(records.catalog.status().state).toBe('loading');
      expect(await starting).toMatchObject({ state: 'ready', fromSnapshot: false });
      const here = open(450);
      await here.start();
      expect([threads.length, threads[0]?.threadId]).toEqual([1, -1]);
      const answers = answersOf(records.catalog);
      expect(answers).toEqual(answersOf(here.catalog));
      expect(answers.newest.length).toBe(449);
      expect(answers.newest).toContain(note('new').id);
      expect(records.catalog.links.out(note('old 1').id)).toMatchObject([{ id: edge.id }]);
      expect(records.warnings.map(({ id }) => id)).toEqual([damaged]);
      await records.stop();
      await here.stop();

      const stopped = open(0);
      const ended = stopped.start();
      while (threads.length < 2) await new Promise((resolve) => setImmediate(resolve));
      await stopped.stop();
      expect((await ended).state).toBe('failed');
      expect(threads[1]?.threadId).toBe(-1);
    });

    it.each([
      ['cannot be started', () => new Worker(new URL('./none.mjs', import.meta.url)), /none\.mjs/],
      [
        'is not allowed',
        () => {
          throw new Error('no threads here');
        },
        /no threads here/,
      ],
      ['ends', () => new Worker('process.exit(3)', { eval: true }), /code 3/],
      [
        'gives something else',
        () =>
          new Worker(
            `const { parentPort } = require('node:worker_threads');
            parentPort.on('message', ({ kind }) =>
              parentPort.postMessage(kind === 'end' ? { kind, outside: {} } : { kind: 'taken' }));`,
            { eval: true },
          ),
        /unusable snapshot/,
      ],
    ])('indexes itself where a thread %s, and says so once', async (title, indexer, reason) => {
      const { store, note, projectId } = project(`thread that ${title}`);
      await store.insert(
        NOTE,
        Array.from({ length: 60 }, (_, n) => note(`note ${n}`, { createdAtMs: n })),
      );
      const records = openRecords(projectId, { indexer, indexerFrom: 10 });
      expect(await records.start()).toMatchObject({ state: 'ready', fromSnapshot: false });
      expect(records.catalog.shelf(NOTE.name).size).toBe(60);
      expect(records.warnings).toEqual([{ reason: expect.stringMatching(reason) }]);
      await records.stop();
    });

    it('keeps what is written while it loads, and loads the rest around a damaged row', async () => {
      const { store, note, projectId } = project('meanwhile');
      await store.insert(
        NOTE,
        Array.from({ length: 2_020 }, (_, n) => note(`old ${n}`, { createdAtMs: n })),
      );
      await database().db.execute(sql`update memories
        set metadata = metadata - 'data' where id = ${note('old 7').id}`);
      const loading = openRecords(projectId);
      const starting = loading.start();
      await new Promise((resolve) => setImmediate(resolve));
      // Together, so that a server which answers fast has not read every page before the last of them.
      await Promise.all([
        loading.store.insert(NOTE, [note('new', { createdAtMs: 5 })]),
        loading.store.remove(NOTE, [note('old 2000').id, note('old 1').id]),
        loading.store.replace(NOTE, note('old 2').id, 1, { data: { title: 'renamed', weight: 9 } }),
      ]);
      expect(loading.catalog.status().state).toBe('loading');
      await starting;
      const shelf = loading.catalog.shelf(NOTE.name);
      expect(shelf.size).toBe(2_020 + 1 - 2 - 1);
      expect(shelf.slotOf(note('new').id)).toBeDefined();
      expect(shelf.slotOf(note('old 1').id)).toBeUndefined();
      expect(shelf.slotOf(note('old 2000').id)).toBeUndefined();
      expect([shelf.documentFrequency('renamed'), shelf.documentFrequency('old')]).toEqual([
        1, 2_016,
      ]);
      expect(loading.warnings.map(({ id }) => id)).toEqual([note('old 7').id]);
      await loading.stop();
    });

    it('sees what another process inserted, replaced, embedded and removed', async () => {
      const { store, note, projectId } = project('follow');
      await store.insert(NOTE, [note('one'), note('two'), note('three')]);
      const other = openRecords(projectId);
      await other.start();
      const shelf = () => other.catalog.shelf(NOTE.name);
      await store.insert(NOTE, [note('four')]);
      await store.replace(NOTE, note('one').id, 1, { data: { title: 'changed', weight: 1 } });
      await store.setVectors(NOTE, [{ id: note('two').id, revision: 1, vector: axis(9) }]);
      await store.remove(NOTE, [note('three').id]);
      expect([shelf().size, shelf().documentFrequency('changed')]).toEqual([3, 0]);
      await other.follow();
      expect([shelf().size, shelf().documentFrequency('changed')]).toEqual([3, 1]);
      expect(shelf().slotOf(note('three').id)).toBeUndefined();
      expect(shelf().hasVector(shelf().slotOf(note('two').id) ?? -1)).toBe(true);
      // Many changes are read statement by statement, in the order they were made.
      await store.insert(
        NOTE,
        Array.from({ length: 230 }, (_, n) => note(`many ${n}`)),
      );
      await store.remove(NOTE, [note('many 0').id]);
      await other.follow();
      expect(shelf().size).toBe(3 + 229);
      await other.stop();
    });

    it('follows on a timer until it is stopped', async () => {
      const { store, note, projectId } = project('timer');
      const other = openRecords(projectId, { followMs: 5 });
      await other.start();
      await store.insert(NOTE, [note('seen')]);
      const shelf = other.catalog.shelf(NOTE.name);
      for (let turn = 0; turn < 12_000 && shelf.size === 0; turn += 1) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      expect(shelf.size).toBe(1);
      await other.stop();
    });

    it('finds the stored vectors of a model that begins to serve later', async () => {
      const { store, note, projectId } = project('models');
      await store.insert(NOTE, [
        note('of one', { vector: axis(1, 'one') }),
        note('of two', { vector: axis(2, 'two') }),
        note('of neither'),
      ]);
      const records = openRecords(projectId);
      const shelf = () => records.catalog.shelf(NOTE.name);
      shelf().setModel('one');
      await records.start();
      const withVector = () =>
        ['of one', 'of two', 'of neither'].map((title) =>
          shelf().hasVector(shelf().slotOf(note(title).id) ?? -1),
        );
      expect(withVector()).toEqual([true, false, false]);
      shelf().setModel('two');
      expect(await records.loadVectors(NOTE)).toBe(1);
      expect(withVector()).toEqual([false, true, false]);
      await records.stop();
    });

    it('tries a failing page again, gives up with the reason, and goes on when it is started again', async () => {
      const { store, note, projectId } = project('failing');
      await store.insert(
        NOTE,
        Array.from({ length: 410 }, (_, n) => note(`note ${n}`, { createdAtMs: n })),
      );
      const { db } = database();
      /** Statements that still work, then those that do not. */
      let good = 5;
      let bad = 1;
      const flaky: typeof db = new Proxy(db, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          if (key !== 'execute') return value.bind(target);
          return (...args: unknown[]) => {
            good -= 1;
            if (good < 0 && bad > 0) {
              bad -= 1;
              return Promise.reject(new Error('connection lost'));
            }
            return value.apply(target, args);
          };
        },
      });
      const open = () => openRecords(projectId, { db: flaky, retryMs: [1] });
      const patient = open();
      expect((await patient.start()).state).toBe('ready');
      expect(patient.catalog.shelf(NOTE.name).size).toBe(410);
      expect(patient.warnings.map(({ reason }) => reason)).toEqual(['connection lost']);
      await patient.stop();

      [good, bad] = [4, 2];
      const records = open();
      expect(await records.start()).toEqual({ state: 'failed', reason: 'connection lost' });
      const { size } = records.catalog.shelf(NOTE.name);
      expect([size > 50, size < 410]).toEqual([true, true]);
      expect((await records.start()).state).toBe('ready');
      expect(records.catalog.shelf(NOTE.name).size).toBe(410);
      await records.stop();
    });

    it('starts from the snapshot and what changed since, and keeps the model that was asked for', async () => {
      const { store, note, projectId } = project('snapshot');
      await store.insert(NOTE, [
        note('one', { vector: axis(1) }),
        note('two', { vector: axis(2, 'other-model') }),
        note('three', { vector: axis(3) }),
      ]);
      const directory = mkdtempSync(join(tmpdir(), 'cue-catalog-'));
      const snapshotPath = join(directory, 'made', 'catalog');
      const open = (model: string) => {
        const records = openRecords(projectId, { snapshotPath });
        records.catalog.shelf(NOTE.name).setModel(model);
        const withVector = () => {
          const shelf = records.catalog.shelf(NOTE.name);
          const { hits } = shelf.newest({ reader: OPERATOR }, 10);
          const titles = new Map(
            ['one', 'two', 'three', 'four'].map((title) => [note(title).id, title]),
          );
          return hits
            .map(({ id, slot }) => `${titles.get(id)}${shelf.hasVector(slot) ? ' vector' : ''}`)
            .sort();
        };
        return { ...records, withVector };
      };
      const first = open(MODEL);
      expect(await first.start()).toMatchObject({ state: 'ready', fromSnapshot: false });
      await first.stop();

      await store.remove(NOTE, [note('one').id]);
      await store.insert(NOTE, [note('four', { vector: axis(4) })]);
      const second = open(MODEL);
      const starting = second.start();
      expect(second.catalog.status().state).toBe('loading');
      expect(await starting).toMatchObject({ state: 'ready', fromSnapshot: true });
      expect(second.withVector()).toEqual(['four vector', 'three vector', 'two']);
      await second.stop();

      const third = open('other-model');
      expect(await third.start()).toMatchObject({ state: 'ready', fromSnapshot: true });
      expect(third.withVector()).toEqual(['four', 'three', 'two vector']);
      // What is written goes to the catalog that came from the file.
      await third.store.remove(NOTE, [note('two').id]);
      expect(third.withVector()).toEqual(['four', 'three']);
      await third.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    it('is not left unchecked by a database that failed while its records were counted', async () => {
      const { db } = database();
      const { store, note, projectId } = project('unchecked snapshot');
      await store.insert(NOTE, [note('one', { createdAtMs: 1 }), note('two', { createdAtMs: 2 })]);
      const directory = mkdtempSync(join(tmpdir(), 'cue-catalog-'));
      const snapshotPath = join(directory, 'catalog');
      const first = openRecords(projectId, { snapshotPath });
      await first.start();
      await first.stop();
      await db.execute(sql`delete from memories where id = ${note('one').id}`);
      let isDown = true;
      const flaky: typeof db = new Proxy(db, {
        get(target, key) {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) =>
            key === 'execute' && isDown && inspect(args, { depth: 9 }).includes('row_number')
              ? Promise.reject(new Error('connection lost'))
              : value.apply(target, args);
        },
      });
      const second = openRecords(projectId, { db: flaky, snapshotPath });
      expect(await second.start()).toEqual({ state: 'failed', reason: 'connection lost' });
      isDown = false;
      expect((await second.start()).state).toBe('ready');
      expect(second.catalog.shelf(NOTE.name).slotOf(note('one').id)).toBeUndefined();
      await second.stop();
      rmSync(directory, { recursive: true, force: true });
    });

    it('takes no snapshot of another database, or of other records than there are', async () => {
      const { db, home } = database();
      const { store, note, projectId } = project('bound snapshot');
      const link = (from: string, to: string) => ({
        id: derivedId(projectId, from, to),
        createdAtMs: 1,
        scope: note(from).scope,
        data: { source_id: note(from).id, target_id: note(to).id, link_type: 'led_to' },
      });
      await store.insert(
        NOTE,
        Array.from({ length: 2_003 }, (_, n) => note(`note ${n}`, { createdAtMs: n })),
      );
      await store.insert(EDGE, [link('note 1', 'note 2')]);
      await db.execute(sql`update memories
        set metadata = metadata - 'data' where id = ${note('note 7').id}`);
      const directory = mkdtempSync(join(tmpdir(), 'cue-catalog-'));
      const open = async () => {
        const records = openRecords(projectId, { snapshotPath: join(directory, 'catalog') });
        const state = await records.start();
        const { size } = records.catalog.shelf(NOTE.name);
        const links = records.catalog.links.size;
        await records.stop();
        return [state.state === 'ready' && state.fromSnapshot, size, links];
      };
      expect(await open()).toEqual([false, 2_002, 1]);
      // A damaged row, which the catalog lacks, is no difference; not at the second time either.
      expect(await open()).toEqual([true, 2_002, 1]);
      expect(await open()).toEqual([true, 2_002, 1]);

      // Gone and added without a trace in the times of change, as in a dump that was restored.
      await db.execute(sql`delete from memories where id = ${note('note 5').id}`);
      expect(await open()).toEqual([false, 2_001, 1]);
      await db.execute(sql`delete from memories
        where id = ${derivedId(projectId, 'note 1', 'note 2')}`);
      expect(await open()).toEqual([false, 2_001, 0]);

      // As many records as before, in a database that was made at another time.
      expect(await open()).toEqual([true, 2_001, 0]);
      await db.execute(sql`update rooms
        set created_at = created_at - interval '1 minute' where id = ${home.roomId}`);
      expect(await open()).toEqual([false, 2_001, 0]);
      rmSync(directory, { recursive: true, force: true });
    });
  });
}
