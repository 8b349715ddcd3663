/** The work memory of a bench agent, opened by the service that agents have. */
import { join } from 'node:path';
import type { IAgentRuntime } from '@elizaos/core';
import { createLexicalEmbedder, DIMENSION, type Embeddings } from '../../src/embeddings/index.js';
import { type WorkMemory, WorkMemoryService } from '../../src/memory/index.js';
import { systemClock } from '../../src/shared/clock.js';
import { randomIds } from '../../src/shared/ids.js';
import { delay } from '../clockwork.js';

export const OPERATOR = { kind: 'operator' } as const;

export interface OpenMemory {
  service: WorkMemoryService;
  /** Texts that were embedded since it was opened. */
  embedded(): number;
}

export function snapshotIn(directory: string): string {
  return join(directory, 'catalog.snapshot');
}

/** Resolves when the service runs; its catalog loads in the background. */
export async function openMemory(
  runtime: IAgentRuntime,
  directory: string,
  { most }: { most?: number } = {},
): Promise<OpenMemory> {
  let embedded = 0;
  const lexical = createLexicalEmbedder();
  const embedder: typeof lexical = {
    ...lexical,
    async embed(texts) {
      const vectors = await lexical.embed(texts);
      embedded += texts.length;
      return vectors;
    },
  };
  const embeddings: Embeddings = {
    current: () => embedder,
    status: () => ({
      setting: 'lexical',
      serving: { id: embedder.id, dimension: DIMENSION, reason: 'measured' },
    }),
    onChange: () => () => {},
    stop: async () => {},
  };
  WorkMemoryService.provide(runtime, {
    clock: systemClock,
    ids: randomIds,
    settings: {
      ...{ storeDiffs: false, capture: false, timezone: 'UTC' },
      ...(most !== undefined && { catalogMax: most }),
    },
    embeddings: async () => embeddings,
    snapshotPath: () => snapshotIn(directory),
    build: 'bench',
  });
  return { service: await WorkMemoryService.start(runtime), embedded: () => embedded };
}

/** Ready, or the reason why not. @throws Error when the catalog could not be loaded */
export async function readyCatalog(
  service: WorkMemoryService,
): Promise<Extract<Awaited<ReturnType<WorkMemory['health']>>['catalog'], { state: 'ready' }>> {
  await service.settle();
  const { catalog } = await service.health();
  if (catalog.state !== 'ready') throw new Error(`the catalog is ${JSON.stringify(catalog)}`);
  return catalog;
}

export interface Held {
  /** JavaScript heap and buffers in use, MB. */
  heap: number;
  /** Resident memory of the process, MB. */
  rss: number;
}

const COLLECTIONS = 4;

/** After full collections, with time to give pages back. @throws Error without `--expose-gc` */
export async function heldNow(): Promise<Held> {
  const { gc } = globalThis;
  if (!gc) throw new Error('memory is measured with --expose-gc');
  for (let round = 0; round < COLLECTIONS; round += 1) {
    gc();
    await delay(100);
  }
  const { heapUsed, arrayBuffers, rss } = process.memoryUsage();
  return { heap: (heapUsed + arrayBuffers) / 2 ** 20, rss: rss / 2 ** 20 };
}
