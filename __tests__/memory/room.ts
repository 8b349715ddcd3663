/** Work memory on a real database, with a clock and an embedder in the hands of the test. */
import {
  createLexicalEmbedder,
  type Embedder,
  type Embeddings,
  type StaticModel,
} from '../../src/embeddings/index.js';
import {
  createWorkMemory,
  MEMORY_TYPES,
  remindWhenType,
  type WorkMemory,
  workMemoryType,
} from '../../src/memory/index.js';
import {
  openProjectRecords,
  type ProjectRecords,
  type ProjectRecordsDeps,
  projectIdOf,
} from '../../src/records/index.js';
import { derivedId, randomIds, type Uuid } from '../../src/shared/ids.js';
import type { Log } from '../../src/shared/log.js';
import { analyze } from '../../src/shared/text.js';
import type { OpenRecordDatabase } from '../contract/record-database.js';

export interface MemoryRoom {
  memory: WorkMemory;
  project: ProjectRecords;
  agentId: Uuid;
  /** Epoch ms of the room; tests set it. */
  clock: { nowMs: number };
  /** What embeds; tests replace it. */
  embedder: { current: Embedder };
  /** How often memories came in without vectors. */
  unembedded: { count: number };
  stop(): Promise<void>;
}

export const START_MS = Date.UTC(2026, 2, 2, 9);

/** @param loaded false: the catalog stays as at start, so that answers come from the database */
export async function openRoom(
  database: Pick<OpenRecordDatabase, 'db' | 'home'>,
  name: string,
  options: {
    loaded?: boolean;
    /** Memories that the catalog holds, at most. */
    most?: number;
    beside?: StaticModel;
    /** The thread that indexes what there is at the start. */
    indexer?: ProjectRecordsDeps['indexer'];
    rewrite?: (text: string) => Promise<string>;
    phrases?: (text: string) => Promise<string>;
  } = {},
): Promise<MemoryRoom> {
  const clock = { nowMs: START_MS };
  const { beside } = options;
  const embedder = {
    current: { ...createLexicalEmbedder(), ...(beside && { beside }) } as Embedder,
  };
  const unembedded = { count: 0 };
  const agentId = derivedId('agent', 'memory test');
  const project = openProjectRecords({
    db: database.db,
    home: database.home,
    projectId: projectIdOf(agentId, name),
    types: MEMORY_TYPES,
    analyze,
    ...(beside && { instant: beside }),
    clock: { now: () => clock.nowMs },
    log: SILENT,
    build: 'test',
    followMs: null,
    ...(options.most !== undefined && { most: options.most }),
    ...(options.indexer && { indexer: options.indexer, indexerFrom: 0 }),
  });
  for (const { name: type } of [workMemoryType, remindWhenType]) {
    project.catalog.shelf(type).setModel(embedder.current.id);
  }
  if (options.loaded !== false) await project.start();
  const embeddings: Embeddings = {
    current: () => embedder.current,
    status: () => ({
      setting: 'lexical',
      serving: { id: embedder.current.id, dimension: 384, reason: 'test' },
    }),
    onChange: () => () => {},
    stop: async () => {},
  };
  const memory = createWorkMemory({
    records: project.store,
    embeddings,
    clock: { now: () => clock.nowMs },
    ids: randomIds,
    log: SILENT,
    agentId,
    storeDiffs: false,
    ...(options.rewrite ? { rewrite: options.rewrite } : {}),
    phrases: options.phrases,
    onUnembedded: () => {
      unembedded.count += 1;
    },
  });
  return { memory, project, agentId, clock, embedder, unembedded, stop: () => project.stop() };
}

/** The least that a memory needs, short form. */
export function draft(goal: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { intent: goal, outcome: { success: true }, ...more };
}

const SILENT: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
