/**
 * 100,000 memories without a database of them: a real catalog, real detectors and offers, and rows
 * that are read from memory. What the database would add is in the rows at the smaller sizes.
 */
import { rmSync } from 'node:fs';
import { createLexicalEmbedder } from '../../src/embeddings/index.js';
import { type MemoryChecks, workMemoryType } from '../../src/memory/index.js';
import { createProactive, parseConfig } from '../../src/proactive/index.js';
import {
  audienceOf,
  createCatalog,
  type Scope,
  type StoredRecord,
} from '../../src/records/index.js';
import { randomIds, type Uuid } from '../../src/shared/ids.js';
import { hostLog } from '../../src/shared/log.js';
import { analyze } from '../../src/shared/text.js';
import { benchDirectory, bootPlain } from '../agent.js';
import { nextTurn } from '../clockwork.js';
import { openMemory } from '../memory/opened.js';
import { dataAt, idAt, linksAt, timeAt } from '../memory/workload.js';
import { clockAfter } from './happenings.js';
import { measure } from './measured.js';
import type { PartReport, PartRequest, SampleName } from './protocol.js';

const NOTE = 'rows read from memory, not from a database';
const ON_THE_CATALOG: readonly SampleName[] = ['check.file', 'check.conflict', 'check.intent'];

export async function catalogAlone({ size, quick }: PartRequest): Promise<PartReport> {
  const directory = benchDirectory();
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const { service } = await openMemory(runtime, directory);
  await service.settle();
  const clock = clockAfter(size);
  const checks = await checksOn(service.checks, size);
  const proactive = createProactive({
    checks,
    clock,
    ids: randomIds,
    log: hostLog(runtime, 'proactive'),
    config: () => parseConfig(undefined),
    enabled: () => true,
    prefix: 'RUM',
    turnCounts: { read: async () => ({}), add: async () => {} },
    slots: {},
  });
  const { samples, notes } = await measure({ checks, proactive, clock, size, quick });
  const names = Object.keys(samples) as SampleName[];
  await proactive.stop();
  await service.stop();
  await agent.stop();
  rmSync(directory, { recursive: true, force: true });
  return {
    samples,
    notes: Object.fromEntries(
      names.map((name) => [
        name,
        ON_THE_CATALOG.includes(name) ? notes[name] : `${notes[name]}; ${NOTE}`,
      ]),
    ),
  };
}

/** The checks of a store that is empty, over a catalog that is not. */
async function checksOn(real: MemoryChecks, size: number): Promise<MemoryChecks> {
  const { agentId, projectId } = real;
  const embedder = createLexicalEmbedder();
  const catalog = createCatalog({ analyze, project: projectId });
  const shelf = catalog.shelf(workMemoryType.name);
  shelf.setModel(embedder.id);
  const scope: Scope = {
    projectId,
    visibility: 'project',
    entityId: null,
    roomId: null,
    authorId: agentId,
  };
  const audience = audienceOf(scope);
  const places = new Map<Uuid, number>();
  for (let index = 0; index < size; index += 1) {
    const id = idAt(index);
    const data = dataAt(index, agentId);
    const [vector] = await embedder.embed([workMemoryType.embeddingText?.(data) ?? '']);
    const entry = workMemoryType.index?.(data, timeAt(index, size));
    if (!entry || !vector) throw new Error('work memories are not indexed');
    shelf.put({ id, audience, vector, ...entry });
    places.set(id, index);
    for (const link of linksAt(index, size, agentId)) {
      const { source_id: source, target_id: target, link_type: type } = link.data;
      catalog.links.put({ id: link.id, source, target, type });
    }
    if (index % 50 === 49) await nextTurn();
  }
  return {
    ...real,
    lookUp: async () => ({ shelf }),
    rows: async (ids) =>
      ids.flatMap((id) => {
        const index = places.get(id);
        return index === undefined ? [] : [rowAt(index, size, scope)];
      }),
    links: async (ids) => {
      const edges = ids.flatMap((id) => [...catalog.links.out(id), ...catalog.links.in(id)]);
      return [...new Map(edges.map((edge) => [edge.id, edge])).values()];
    },
    embed: async (text) => {
      const [vector] = await embedder.embed([text]);
      return vector ? { vector, embedder } : null;
    },
    print: (id) => `mem_${id.slice(0, 8)}`,
  };
}

function rowAt(index: number, size: number, scope: Scope): StoredRecord<ReturnType<typeof dataAt>> {
  const data = dataAt(index, scope.authorId);
  return {
    id: idAt(index),
    text: workMemoryType.text(data),
    createdAtMs: timeAt(index, size),
    revision: 1,
    scope,
    data,
    embeddingModel: null,
  };
}
