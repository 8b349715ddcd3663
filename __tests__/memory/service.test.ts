import type { IAgentRuntime } from '@elizaos/core';
import { type SQL, sql } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import {
  createLexicalEmbedder,
  type Embedder,
  type Embeddings,
} from '../../src/embeddings/index.js';
import { type Caller, WorkMemoryService } from '../../src/memory/index.js';
import { rowsOf } from '../../src/records/index.js';
import { randomIds } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { draft, START_MS } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };

let database: OpenRecordDatabase;
/** Whether the model answers; it is the lexical one otherwise. */
let broken = false;
let service: WorkMemoryService;

/** A service that may still be filling its catalog. */
async function open(runtime: IAgentRuntime): Promise<WorkMemoryService> {
  const lexical = createLexicalEmbedder();
  const embedder: Embedder = {
    ...lexical,
    embed: (texts) => (broken ? Promise.reject(new Error('model gone')) : lexical.embed(texts)),
  };
  const embeddings: Embeddings = {
    current: () => embedder,
    status: () => ({
      setting: 'lexical',
      serving: { id: embedder.id, dimension: 384, reason: 'test' },
    }),
    onChange: () => () => {},
    stop: async () => {},
  };
  WorkMemoryService.provide(runtime, {
    clock: { now: () => START_MS },
    ids: randomIds,
    settings: { storeDiffs: false, capture: true, timezone: 'UTC' },
    embeddings: async () => embeddings,
    build: 'test',
  });
  return WorkMemoryService.start(runtime);
}

async function start(): Promise<WorkMemoryService> {
  const started = await open(database.runtime);
  await started.settle();
  return started;
}

beforeAll(async () => {
  database = await openRecordDatabase();
  service = await start();
});
afterAll(async () => {
  await service.stop();
  await database.close();
});

it('finds after a restart what was stored before, links included', async () => {
  const cause = await service.store(draft('Polish the brass lamp'), OPERATOR);
  const effect = await service.store(
    draft('Shine', { links: { caused_by: cause.memory_id } }),
    OPERATOR,
  );
  await service.stop();
  service = await start();
  const found = await service.recall({ query: 'brass lamp', limit: 1 }, OPERATOR);
  expect(found.memories.map(({ memory_id }) => memory_id)).toEqual([cause.memory_id]);
  const { trace } = await service.trace({ memory_id: effect.memory_id }, OPERATOR);
  expect(trace.map(({ memory_id }) => memory_id)).toEqual([effect.memory_id, cause.memory_id]);
});

it('gives a memory its vector once the model answers again', async () => {
  const vectors = async (memoryId: string) => {
    const rows = await rowsOf<{ n: number }>(
      database.db,
      sql`select count(*)::int as n from embeddings where memory_id = ${memoryId}`,
    );
    return rows[0]?.n;
  };
  broken = true;
  const { memory, degraded } = await service.store(draft('Unheard of'), OPERATOR);
  broken = false;
  expect([degraded?.includes('model gone'), await vectors(memory.id)]).toEqual([true, 0]);
  await service.stop();
  service = await start();
  await expect.poll(() => vectors(memory.id)).toBe(1);
});

it('keeps a memory when the chat it was made in is deleted', async () => {
  const chat = await database.makeChat('ada');
  const ada: Caller = { kind: 'entity', ...chat, private: true };
  const { memory } = await service.store(draft('Ada likes tea'), ada);
  await database.deleteChat(chat);
  expect((await service.get(memory.id, OPERATOR)).intent.goal).toBe('Ada likes tea');
});

it('refuses work after its end', async () => {
  const ended = await start();
  await ended.stop();
  expect(() => ended.store).toThrow('the work memory service is not running');
});

/** The runtime on a database that fails the statements chosen. */
function runtimeFailing(fails: (statement: string) => boolean): IAgentRuntime {
  const dialect = new PgDialect();
  const over = <T extends object>(target: T, own: Record<PropertyKey, unknown>): T =>
    new Proxy(target, {
      get(from, key) {
        if (key in own) return own[key];
        const value: unknown = Reflect.get(from, key);
        return typeof value === 'function' ? value.bind(from) : value;
      },
    });
  const db = over(database.db, {
    execute: (statement: SQL) =>
      fails(dialect.sqlToQuery(statement).sql)
        ? Promise.reject(new Error('connection lost'))
        : database.db.execute(statement),
  });
  return over(database.runtime, { db });
}

it('fills its catalog later when the database fails at the start', async () => {
  let failures = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const started = await open(
      runtimeFailing((statement) => / as now$/.test(statement.trim()) && failures++ < 2),
    );
    await started.settle();
    const state = () => started.health().then(({ catalog }) => catalog.state);
    expect(await state()).toBe('failed');
    await vi.advanceTimersByTimeAsync(5_000);
    expect([failures, await state()]).toEqual([2, 'failed']);
    await vi.advanceTimersByTimeAsync(10_000);
    vi.useRealTimers();
    await expect.poll(state).toBe('ready');
    await started.stop();
  } finally {
    vi.useRealTimers();
  }
});

it('says so when the database has no halfvec, before anything is made in it', async () => {
  const { db, runtime } = database;
  await db.execute(sql`alter type halfvec rename to halfvec_away`);
  try {
    await expect(open(runtime)).rejects.toThrow(
      'pgvector 0.7 or newer is needed (ALTER EXTENSION vector UPDATE)',
    );
  } finally {
    await db.execute(sql`alter type halfvec_away rename to halfvec`);
  }
});
