/** The host's own way on the same database: no service of ours, the same rows and vectors. */
import { ModelType } from '@elizaos/core';
import { embedLexical } from '../../src/embeddings/index.js';
import { workMemoryType } from '../../src/memory/index.js';
import { homeOf } from '../../src/records/index.js';
import { bootPlain } from '../agent.js';
import { delay, series } from '../clockwork.js';
import { heldNow } from './opened.js';
import type { PartReport, PartRequest } from './protocol.js';
import { inOtherWords, questions } from './questions.js';
import { dataAt } from './workload.js';

const TABLE = 'bench_memories';
const LIMIT = 5;
const WARM_UP = 10;

export async function hostAlone({ size, quick, directory }: PartRequest): Promise<PartReport> {
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  if (!runtime.getModel(ModelType.TEXT_EMBEDDING)) throw new Error('the host has no embeddings');
  const held = await heldNow();
  const searches = quick ? 20 : 100;
  const drawn = { size, count: searches + WARM_UP };
  // The same as ours are asked.
  const questionAt = questions('semantic', drawn, inOtherWords);
  const search = await series(
    async (index) => {
      const found = await runtime.searchMemories({
        tableName: workMemoryType.name,
        embedding: [...embedLexical(questionAt(index))],
        count: LIMIT,
        unique: false,
      });
      if (found.length === 0) throw new Error('the host found nothing');
    },
    { times: searches, forMs: 30_000, warmUp: WARM_UP },
  );
  const home = homeOf(runtime);
  const stores = quick ? 20 : 200;
  const made = Array.from({ length: stores + WARM_UP }, (_, index) =>
    dataAt(size + index, runtime.agentId),
  );
  const store = await series(
    async (index) => {
      const data = made[index];
      if (!data) throw new Error('more memories than were made');
      await runtime.createMemory(
        {
          entityId: home.entityId,
          roomId: home.roomId,
          worldId: home.worldId,
          agentId: runtime.agentId,
          content: { text: workMemoryType.text(data) },
          embedding: [...embedLexical(workMemoryType.embeddingText?.(data) ?? '')],
          metadata: { type: 'custom', data },
        },
        TABLE,
        // Given, so that the host does not search for a similar one first.
        true,
      );
    },
    { times: stores, warmUp: WARM_UP },
  );
  await delay(50);
  await agent.stop();
  return {
    samples: {
      'recall.semantic': search,
      store,
      'held.heap': [held.heap],
      'held.rss': [held.rss],
    },
    blocks: [],
  };
}
