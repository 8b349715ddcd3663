/** Re-embedding on a real database; what embeds is in the hands of the test. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createReembedder,
  type Embedder,
  type Embeddings,
  type Reembedder,
  type ReembedderDeps,
  withWaiting,
} from '../../src/embeddings/index.js';
import { workMemoryType } from '../../src/memory/index.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import {
  axis,
  MODEL,
  NOTE,
  OPERATOR,
  type Opened,
  openProject,
} from '../contract/record-fixtures.js';
import { draft, openRoom } from '../memory/room.js';
import { keepingLog, until } from './helpers/log.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(() => database.close());

type Answer = (text: string) => Float32Array;

/** `note 7` is the axis 7. */
const byNumber: Answer = (text) => axis(Number(/\d+/.exec(text)?.[0] ?? 0)).vector;

interface Model extends Embedder {
  /** Texts of each call, failed ones too. */
  asked: string[][];
  /** Comes before the answer of a call. */
  before: ((texts: readonly string[], call: number) => unknown) | null;
}

function modelOf(id: string, answer: Answer = byNumber): Model {
  const model: Model = {
    id,
    thresholds: { candidate: 0.5, strong: 0.8 },
    asked: [],
    before: null,
    async embed(texts) {
      model.asked.push([...texts]);
      await model.before?.(texts, model.asked.length);
      return texts.map(answer);
    },
  };
  return model;
}

/** The chain as the re-embedder sees it, switched by hand. */
function chainOf(first: Embedder, wanted?: string): Embeddings & { serve(next: Embedder): void } {
  const listeners = new Set<(embedder: Embedder) => void>();
  let current = first;
  return {
    current: () => current,
    status: () => ({
      setting: 'auto',
      serving: { id: current.id, dimension: 384, reason: 'test' },
      ...(wanted !== undefined && wanted !== current.id && { wanted }),
    }),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    stop: async () => undefined,
    serve(next) {
      current = next;
      for (const listener of listeners) listener(next);
    },
  };
}

let projects = 0;
/** @param withVector how many of the notes have a vector of MODEL */
async function notes(count: number, withVector: number): Promise<Opened> {
  const project = openProject(database.db, database.home, `reembed ${projects++}`);
  await project.store.insert(
    NOTE,
    Array.from({ length: count }, (_, at) =>
      project.note(`note ${at}`, {
        createdAtMs: 1_000 + at,
        vector: at < withVector ? axis(at) : null,
      }),
    ),
  );
  return project;
}

function reembedderOf(
  project: Opened,
  embeddings: Embeddings,
  more: Partial<ReembedderDeps> = {},
): Reembedder {
  return createReembedder({
    store: project.store,
    types: [NOTE],
    embeddings,
    log: keepingLog(),
    ...more,
  });
}

const titles = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `note ${from + at}`);

async function modelsOf({ store }: Opened): Promise<(string | null)[]> {
  const { records } = await store.list(NOTE, OPERATOR, { limit: 100 });
  return records.map(({ embeddingModel }) => embeddingModel).reverse();
}

async function lacking({ store }: Opened): Promise<string[]> {
  const found: string[] = [];
  for await (const chunk of store.withoutVector(NOTE, MODEL, 10)) {
    found.push(...chunk.map(({ data }) => data.title));
  }
  return found;
}

/** Titles with a cosine of about 1 to the axis. */
async function near({ store, catalog }: Opened, index: number): Promise<string[]> {
  const shelf = catalog.shelf(NOTE.name);
  const { scores, touched } = shelf.nearest(axis(index).vector, { reader: OPERATOR });
  const ids = [...touched].filter((slot) => (scores[slot] ?? 0) > 0.9).map((s) => shelf.idOf(s));
  return (await store.get(NOTE, ids, OPERATOR)).map(({ data }) => data.title);
}

describe('a pass', () => {
  it('embeds the records without a vector and leaves the others alone', async () => {
    const project = await notes(5, 3);
    const model = modelOf(MODEL);
    expect(await reembedderOf(project, chainOf(model)).run()).toEqual({
      model: MODEL,
      done: 2,
      skipped: 0,
      ended: 'complete',
    });
    expect(model.asked).toEqual([['note 3', 'note 4']]);
    expect(await near(project, 4)).toEqual(['note 4']);
    expect(await lacking(project)).toEqual([]);
  });

  it('of another model embeds all again, in batches of 16, and says how far it is', async () => {
    const project = await notes(40, 40);
    const model = modelOf('next');
    const progress: [number, number][] = [];
    const reembedder = reembedderOf(project, chainOf(model), {
      onProgress: ({ model: id, type, done, seen }) => {
        expect([id, type]).toEqual(['next', NOTE.name]);
        progress.push([done, seen]);
      },
    });
    expect(await reembedder.run()).toMatchObject({ done: 40, ended: 'complete' });
    expect(model.asked).toEqual([titles(0, 16), titles(16, 32), titles(32, 40)]);
    expect(progress).toEqual([
      [16, 16],
      [32, 32],
      [40, 40],
    ]);
    expect(await modelsOf(project)).toEqual(Array(40).fill('next'));
    expect(await near(project, 39)).toEqual(['note 39']);
  });

  it('drops the vectors of the other model before it embeds the first record', async () => {
    const project = await notes(2, 2);
    const model = modelOf('next');
    const seen: unknown[] = [];
    model.before = async () => {
      seen.push(project.catalog.shelf(NOTE.name).model, await near(project, 1));
    };
    expect(await near(project, 1)).toEqual(['note 1']);
    await reembedderOf(project, chainOf(model)).run();
    expect(seen).toEqual(['next', []]);
  });

  it('stopped in the middle ends after its batch; another instance does the rest, once', async () => {
    const project = await notes(40, 40);
    const first = modelOf('next');
    const stopped = reembedderOf(project, chainOf(first));
    first.before = (_texts, call) => {
      if (call === 2) void stopped.stop();
    };
    expect(await stopped.run()).toMatchObject({ done: 32, skipped: 0, ended: 'stopped' });
    const second = modelOf('next');
    expect(await reembedderOf(project, chainOf(second)).run()).toMatchObject({
      done: 8,
      ended: 'complete',
    });
    expect(second.asked).toEqual([titles(32, 40)]);
    expect(await modelsOf(project)).toEqual(Array(40).fill('next'));
  });

  it('never gives a record that was changed meanwhile the vector of its old text', async () => {
    const project = await notes(3, 0);
    const model = modelOf(MODEL);
    const { id } = project.note('note 1');
    model.before = (_texts, call) =>
      call === 1 &&
      project.store.replace(NOTE, id, 1, {
        data: { title: 'note 200', weight: 1 },
        vector: null,
      });
    const reembedder = reembedderOf(project, chainOf(model));
    expect(await reembedder.run()).toMatchObject({ done: 2, skipped: 1, ended: 'complete' });
    expect(await modelsOf(project)).toEqual([MODEL, null, MODEL]);
    expect(await near(project, 1)).toEqual([]);
    expect(reembedder.waiting()).toBe(
      `some records have no vector of ${MODEL} yet; only words find them`,
    );
    expect(await reembedder.run()).toMatchObject({ done: 1, skipped: 0 });
    expect(model.asked[1]).toEqual(['note 200']);
    expect(await near(project, 200)).toEqual(['note 200']);
    expect(reembedder.waiting()).toBeUndefined();
  });

  it('ends when another model begins to serve, which starts over', async () => {
    const project = await notes(20, 0);
    const [first, second] = [modelOf('first'), modelOf('second')];
    const chain = chainOf(first);
    first.before = () => chain.serve(second);
    const reembedder = reembedderOf(project, chain);
    expect(await reembedder.run()).toMatchObject({ model: 'first', ended: 'superseded' });
    expect(await reembedder.run()).toMatchObject({ model: 'second', done: 20, ended: 'complete' });
    expect(await modelsOf(project)).toEqual(Array(20).fill('second'));
  });

  it('asked for during a pass comes once more after it', async () => {
    const project = await notes(1, 0);
    const model = modelOf(MODEL);
    const reembedder = reembedderOf(project, chainOf(model));
    const [first, second, third] = [reembedder.run(), reembedder.run(), reembedder.run()];
    expect(second).toBe(third);
    expect([(await first).done, (await second).done]).toEqual([1, 0]);
  });
});

describe('a model that fails', () => {
  it('once costs nothing: the texts of the batch are asked for one by one', async () => {
    const project = await notes(4, 0);
    const model = modelOf(MODEL);
    model.before = (_texts, call) => {
      if (call === 1) throw new Error('out of memory');
    };
    expect(await reembedderOf(project, chainOf(model)).run()).toMatchObject({
      done: 4,
      skipped: 0,
      ended: 'complete',
    });
    expect(model.asked.slice(1)).toEqual([['note 0'], ['note 1'], ['note 2'], ['note 3']]);
  });

  it('at one text leaves that one and embeds those behind it', async () => {
    const project = await notes(20, 0);
    const model = modelOf(MODEL);
    model.before = (texts) => {
      if (texts.includes('note 2')) throw new Error('cannot be read');
    };
    expect(await reembedderOf(project, chainOf(model)).run()).toMatchObject({
      done: 19,
      skipped: 1,
      ended: 'complete',
    });
    expect(await lacking(project)).toEqual(['note 2']);
  });

  it('with vectors of a wrong size or without direction stores none of them', async () => {
    const bad = [
      new Float32Array(5),
      new Float32Array(384),
      new Float32Array(384).fill(Number.NaN),
    ];
    const project = await notes(4, 0);
    const model = modelOf(MODEL, (text) => bad[Number(text.at(-1))] ?? byNumber(text));
    const log = keepingLog();
    expect(await reembedderOf(project, chainOf(model), { log }).run()).toMatchObject({
      done: 1,
      skipped: 3,
    });
    expect(await modelsOf(project)).toEqual([null, null, null, MODEL]);
    expect(log.said).toEqual(['warn: records without a usable vector']);
  });

  it('for good ends the pass with its reason and loses nothing', async () => {
    const project = await notes(20, 20);
    const model = modelOf('next');
    model.before = () => {
      throw new Error('the graphics card is gone');
    };
    const log = keepingLog();
    const reembedder = reembedderOf(project, chainOf(model), { log });
    expect(await reembedder.run()).toEqual({
      model: 'next',
      done: 0,
      skipped: 0,
      ended: 'failed',
      reason: 'the graphics card is gone',
    });
    // The batch, then three texts alone: enough to know.
    expect(model.asked).toHaveLength(4);
    expect(log.said).toEqual(['warn: re-embedding interrupted']);
    expect(await modelsOf(project)).toEqual(Array(20).fill(MODEL));
    expect(reembedder.waiting()).toMatch(/no vector of next yet/);
    model.before = null;
    expect(await reembedder.run()).toMatchObject({ done: 20, ended: 'complete' });
  });
});

describe('once started', () => {
  it('tries again by itself after a failure, and says until then that records wait', async () => {
    const project = await notes(3, 0);
    const model = modelOf(MODEL);
    model.before = () => {
      throw new Error('busy');
    };
    const reembedder = reembedderOf(project, chainOf(model), { retryMs: [1, 2] });
    reembedder.start();
    await until(() => model.asked.length > 1);
    expect(reembedder.waiting()).toBeDefined();
    model.before = null;
    await until(() => reembedder.waiting() === undefined);
    expect(await modelsOf(project)).toEqual([MODEL, MODEL, MODEL]);
    await reembedder.stop();
  });

  it('follows every change of the model until it is stopped', async () => {
    const project = await notes(3, 3);
    const chain = chainOf(modelOf(MODEL));
    const reembedder = reembedderOf(project, chain);
    reembedder.start();
    const next = modelOf('next');
    chain.serve(next);
    expect(reembedder.waiting()).toMatch(/no vector of next yet/);
    await until(() => reembedder.waiting() === undefined);
    expect(await modelsOf(project)).toEqual(Array(3).fill('next'));
    await reembedder.stop();
    const last = modelOf('last');
    chain.serve(last);
    expect(reembedder.waiting()).toBeUndefined();
    expect((await reembedder.run()).ended).toBe('stopped');
    expect(last.asked).toEqual([]);
  });

  it('the status of the embeddings says that records wait, beside what it says itself', async () => {
    const chain = chainOf(modelOf('next'));
    const words = (waiting: string | undefined, degraded?: string) =>
      withWaiting(
        { ...chain, status: () => ({ ...chain.status(), ...(degraded && { degraded }) }) },
        { waiting: () => waiting },
      ).status();
    expect(words(undefined)).toEqual(chain.status());
    expect(words('some wait').degraded).toBe('some wait');
    expect(words('some wait', 'no model').degraded).toBe('no model; some wait');
  });
});

describe('recall while the model changes', () => {
  it('compares no vectors of two models, and finds by the new ones after the pass', async () => {
    const room = await openRoom(database, 'reembed recall');
    const axes =
      (backup: number, login: number): Answer =>
      (text) =>
        axis(text.includes('backup') ? backup : text.includes('login') ? login : 1).vector;
    room.embedder.current = modelOf('old', axes(1, 2));
    room.project.catalog.shelf(workMemoryType.name).setModel('old');
    const operator = { kind: 'operator' } as const;
    for (const goal of ['the backup is broken', 'the login is slow']) {
      await room.memory.store(draft(goal), operator);
    }
    const ask = async () => {
      const { memories, degraded } = await room.memory.recall('quarterly figures', operator);
      return { found: memories.map(({ content }) => /backup|login/.exec(content)?.[0]), degraded };
    };
    expect(await ask()).toEqual({ found: ['backup'], degraded: undefined });

    const next = modelOf('next', axes(2, 1));
    room.embedder.current = next;
    expect(await ask()).toEqual({
      found: [],
      degraded: expect.stringMatching(/^the vectors are of another model than next/),
    });
    const reembedder = createReembedder({
      store: room.project.store,
      types: [workMemoryType],
      embeddings: chainOf(next),
      log: keepingLog(),
    });
    expect(await reembedder.run()).toMatchObject({ done: 2 });
    expect(await ask()).toEqual({ found: ['login'], degraded: undefined });
    await room.stop();
  });
});

it('a stand-in embeds what has no vector and keeps what the wanted model has made', async () => {
  const project = await notes(40, 20);
  const standIn = modelOf('stand-in');
  const chain = chainOf(standIn, MODEL);
  const reembedder = reembedderOf(project, chain);
  expect(await reembedder.run()).toMatchObject({ done: 20, ended: 'complete' });
  expect(standIn.asked.flat()).toEqual(titles(20, 40));
  const wanted = modelOf(MODEL);
  chain.serve(wanted);
  expect(await reembedder.run()).toMatchObject({ done: 20, ended: 'complete' });
  expect(wanted.asked.flat()).toEqual(titles(20, 40));
  await reembedder.stop();
});
