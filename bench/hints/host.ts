/**
 * The host's own way to the same hints, a memory each: words are found by the likeness of their
 * vectors, tags by reading all memories and picking, because the host looks up nothing else.
 */
import type { Memory } from '@elizaos/core';
import { embedLexical } from '../../src/embeddings/index.js';
import { bootPlain } from '../agent.js';
import { delay, nextTurn, series } from '../clockwork.js';
import { timed } from '../memory/watched.js';
import { placeIn } from '../place.js';
import type { PartReport, PartRequest } from './protocol.js';
import { asked, type Item, itemAt } from './workload.js';

const TABLE = 'bench_hints';
const LIMIT = 10;

export async function hostAlone({ size, quick }: PartRequest): Promise<PartReport> {
  const agent = await bootPlain();
  const { runtime } = agent;
  const place = await placeIn(runtime, 'hints');
  const create = (item: Item) =>
    // Told that it is unique, the host does not search for a similar one first.
    runtime.createMemory(memoryOf(item, { ...place, agentId: runtime.agentId }), TABLE, true);
  let stored = 0;
  for (let index = 0; index < size; index += 1) {
    stored += await timed(() => create(itemAt(index)));
    await nextTurn();
  }
  const ask = asked(size, 'asked');
  const often = { times: quick ? 10 : 100, forMs: 20_000, warmUp: 3 };
  /** @param words made before the clock runs */
  const search = (words: () => string, count: number) => {
    const questions = Array.from({ length: often.times + often.warmUp }, words);
    return series(async (index) => {
      const embedding = [...embedLexical(questions[index] ?? '')];
      const found = await runtime.searchMemories({
        ...{ tableName: TABLE, embedding, count },
        unique: false,
      });
      if (found.length === 0) throw new Error('the host found nothing');
    }, often);
  };
  const scan = (pick: (item: Item) => boolean) =>
    series(
      async () => {
        const all = await runtime.getMemories({ tableName: TABLE, count: size });
        if (all.length < size) throw new Error(`the host read ${all.length} of ${size} memories`);
        all.map(({ metadata }) => itemOf(metadata)).filter(pick);
      },
      { ...often, times: quick ? 3 : 15, warmUp: 1 },
    );
  const get = await search(() => wordsOf(ask.named()), 1);
  const byComponent = await search(() => ask.byComponent().component, LIMIT);
  const [tag = ''] = ask.byTag().tags;
  const byTag = await scan(({ meta }) => meta.tags?.includes(tag) ?? false);
  const everything = await scan(() => true);
  const set = await series((index) => create(itemAt(size + index)), often);
  const ids = (await runtime.getMemories({ tableName: TABLE, count: 200 })).flatMap(
    ({ id }) => id ?? [],
  );
  const bump = await series(async (index) => {
    const id = ids[index % ids.length];
    if (!id) throw new Error('a memory without id');
    await runtime.updateMemory({ id, metadata: { type: 'custom', used: index } });
  }, often);
  await delay(50);
  await agent.stop();
  return {
    samples: {
      'import.hint': [stored / size],
      ...{ get, set, bump },
      'query.component': byComponent,
      'query.tag': byTag,
      'query.everything': everything,
      list: everything,
    },
  };
}

function memoryOf(item: Item, place: Pick<Memory, 'entityId' | 'roomId' | 'worldId' | 'agentId'>) {
  const text = `${wordsOf(item)} ${JSON.stringify(item.value)}`;
  return {
    ...place,
    content: { text },
    embedding: [...embedLexical(wordsOf(item))],
    metadata: { type: 'custom' as const, item },
  };
}

function itemOf(metadata: Memory['metadata']): Item {
  if (metadata && 'item' in metadata) return metadata.item as Item;
  throw new Error('a memory without its hint');
}

const wordsOf = ({ component, key }: Pick<Item, 'component' | 'key'>) => `${component} ${key}`;
