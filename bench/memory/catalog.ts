/** The catalog without a database: what a check costs, and what the memories weigh. */
import { createLexicalEmbedder, type Embedder } from '../../src/embeddings/index.js';
import { FLAGS, keyOf, workMemoryType } from '../../src/memory/index.js';
import { audienceOf, createCatalog, type Shelf } from '../../src/records/index.js';
import { derivedId } from '../../src/shared/ids.js';
import { pathKeys } from '../../src/shared/paths.js';
import { analyze, analyzeQuery } from '../../src/shared/text.js';
import { nextTurn, series } from '../clockwork.js';
import { heldNow } from './opened.js';
import type { PartReport, PartRequest, Samples } from './protocol.js';
import { fileOf, inOtherWords, questions } from './questions.js';
import { dataAt, idAt, linksAt, timeAt } from './workload.js';

const AGENT = derivedId('bench agent');
const PROJECT = derivedId('bench project');
/** An agent's check sees what is open to the project. */
const FILTER = { reader: { kind: 'agent' } } as const;
/** A check shows so many at most. */
const SHOWN = 3;

export async function catalogAlone({ size, quick }: PartRequest): Promise<PartReport> {
  const embedder = createLexicalEmbedder();
  const samples: Samples = {};
  dataAt(0, AGENT);
  const before = await heldNow();
  const catalog = createCatalog({ analyze, project: PROJECT });
  const shelf = catalog.shelf(workMemoryType.name);
  shelf.setModel(embedder.id);
  samples['catalog.put'] = await putAll(shelf, embedder, size);
  for (let index = 0; index < size; index += 1) {
    for (const { id, data } of linksAt(index, size, AGENT)) {
      const { source_id: source, target_id: target, link_type: type } = data;
      catalog.links.put({ id, source, target, type });
    }
  }
  const after = await heldNow();
  samples['catalog.heap'] = [after.heap - before.heap];
  samples['catalog.rss'] = [after.rss - before.rss];

  const times = quick ? 200 : 2_000;
  const files = questions('files', { size, count: 500 }, ({ draft }) =>
    keyOf.file(pathKeys(fileOf(draft))[0] ?? ''),
  );
  const intents = questions('intents', { size, count: 500 }, inOtherWords);
  samples['catalog.file'] = await series(
    async (index) => shelf.byKeys([files(index)], FILTER, SHOWN),
    { times, warmUp: 100 },
  );
  const failed = { ...FILTER, flagsAll: FLAGS.failure };
  samples['catalog.conflict'] = await series(
    async (index) => shelf.byKeys([files(index)], failed, SHOWN),
    { times, warmUp: 100 },
  );
  samples['catalog.intent'] = await series((index) => similar(shelf, embedder, intents(index)), {
    times: quick ? 20 : 500,
    warmUp: 10,
  });
  samples['catalog.keyword'] = await series(
    async (index) =>
      shelf.keyword(new Map(analyzeQuery(intents(index)).map((term) => [term, 1])), FILTER),
    { times: quick ? 20 : 500, warmUp: 10 },
  );
  const parts = Object.entries(catalog.memory())
    .map(([part, bytes]) => `${part} ${(bytes / 2 ** 20).toFixed(1)}`)
    .join(', ');
  return { samples, blocks: [], notes: { 'catalog.heap': `counted by the catalog, MB: ${parts}` } };
}

/** Milliseconds of each document: its words and keys read, its place found, its vector kept. */
async function putAll(shelf: Shelf, embedder: Embedder, size: number): Promise<number[]> {
  const values: number[] = [];
  const audience = audienceOf({ visibility: 'project', entityId: null, roomId: null });
  for (let index = 0; index < size; index += 1) {
    const data = dataAt(index, AGENT);
    const [vector] = await embedder.embed([workMemoryType.embeddingText?.(data) ?? '']);
    const from = performance.now();
    const entry = workMemoryType.index?.(data, timeAt(index, size));
    if (!entry || !vector) throw new Error('work memories are not indexed');
    shelf.put({ id: idAt(index), audience, vector, ...entry });
    values.push(performance.now() - from);
    if (index % 50 === 49) await nextTurn();
  }
  return values;
}

/** The most similar memories to an intent that are similar enough, from its text on. */
async function similar(shelf: Shelf, { embed, thresholds }: Embedder, intent: string) {
  const [vector] = await embed([intent]);
  if (!vector) throw new Error('no vector');
  const { scores, touched } = shelf.nearest(vector, FILTER);
  const near: { slot: number; score: number }[] = [];
  for (const slot of touched) {
    const score = scores[slot] ?? 0;
    if (score >= thresholds.candidate) near.push({ slot, score });
  }
  near.sort((a, b) => b.score - a.score);
  return near.slice(0, SHOWN).map(({ slot }) => shelf.idOf(slot));
}
