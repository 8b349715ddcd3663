/** What is asked of a work memory of a million: by a catalog of everything, and by one within its bound. */
import { join } from 'node:path';
import { FLAGS, fileKeys, type WorkMemoryService } from '../../src/memory/index.js';
import { analyze } from '../../src/shared/text.js';
import { bootPlain } from '../agent.js';
import { delay, series } from '../clockwork.js';
import { heldNow, OPERATOR, openMemory } from '../memory/opened.js';
import { fileOf, inOtherWords, questions } from '../memory/questions.js';
import { draftAt, idAt } from '../memory/workload.js';
import { openOther } from './other.js';
import type { ScaleReport, ScaleRequest } from './protocol.js';

const WARM_UP = 10;
const STORES = 50;
const GIVE_UP_MS = 3_600_000;
const READER = { kind: 'agent' } as const;
const LIMIT = 10;

/**
 * Asks for memories drawn from all by half of their goal in another order and two other words. The ten
 * that answer each question, how long each took, and of how many questions in 100 the memory that is
 * asked for is among them.
 */
async function answersOf(service: WorkMemoryService, { size, questions: count }: ScaleRequest) {
  const question = questions('scale', { size, count }, (one) => ({
    ...{ query: inOtherWords(one), id: idAt(one.index).replaceAll('-', '') },
  }));
  const answers: string[][] = [];
  let found = 0;
  const took = await series(
    async (index) => {
      const { query, id } = question(index);
      const request = { query, limit: LIMIT };
      const { memories } = await service.recall(request, OPERATOR, { counted: false });
      answers[index] = memories.map(({ memory_id }) => memory_id);
      if (memories.some(({ memory_id }) => id.startsWith(memory_id.slice('mem_'.length))))
        found += 1;
    },
    { times: count, warmUp: 0, forMs: GIVE_UP_MS },
  );
  return { answers, took, found: (100 * found) / count };
}

/** Every memory in the catalog: what the others are compared with. */
export async function exact(request: ScaleRequest): Promise<ScaleReport> {
  const agent = await bootPlain(request.directory);
  const from = performance.now();
  const { service } = await openMemory(agent.runtime, join(request.directory, 'exact'));
  await service.settle();
  const ready = (performance.now() - from) / 1_000;
  const { answers, took, found } = await answersOf(service, request);
  const { rss } = await heldNow();
  console.error(`the exact catalog: ready in ${Math.round(ready)} s, ${Math.round(rss)} MB`);
  await service.stop();
  await agent.stop();
  return { samples: { 'recall.exact': took, 'found.exact': [found] }, answers };
}

export async function bounded(request: ScaleRequest): Promise<ScaleReport> {
  const { size, most, directory, answers: expected = [] } = request;
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const samples: ScaleReport['samples'] = {};
  const since = performance.now();
  const seconds = () => (performance.now() - since) / 1_000;
  let { service } = await openMemory(runtime, directory, { most });
  await service.settle();
  samples.ready = [seconds()];
  const complete = async () => {
    const { degraded } = await service.recall({ query: 'anything' }, OPERATOR);
    if (degraded !== undefined) console.error(degraded);
    return degraded === undefined;
  };
  for (const end = Date.now() + GIVE_UP_MS; !(await complete()); await delay(1_000)) {
    if (Date.now() > end) throw new Error('the search table was not filled');
  }
  samples.table = [seconds()];

  const { answers, took, found } = await answersOf(service, request);
  samples['recall.words'] = took;
  samples.found = [found];
  const wanted = expected.flatMap((ids, index) => ids.map((id) => ({ id, index })));
  const same = wanted.filter(({ id, index }) => answers[index]?.includes(id));
  samples.same = [(100 * same.length) / Math.max(1, wanted.length)];
  const counted = { times: request.questions, warmUp: WARM_UP };
  const drawn = { size, count: request.questions + WARM_UP };
  const file = questions('scale files', drawn, ({ draft }) => fileOf(draft));
  samples['recall.file'] = await series(
    (index) => service.recall({ strategy: 'exact', file: file(index) }, OPERATOR),
    { ...counted, after: () => service.settle() },
  );

  const { checks } = service;
  const look = (flagsAll: number) => async (index: number) => {
    const path = file(index);
    const keys = fileKeys(path).map((key) => [key]);
    await checks.bringOlder({ reader: READER, keys, flagsAll, limit: 8 });
    const { shelf } = await checks.lookUp();
    const filter = { reader: READER, flagsAll };
    const key = checks.fileKey(shelf, path, filter);
    if (key === undefined || shelf.byKeys([key], filter, 3).total === 0) {
      if (flagsAll === 0) throw new Error(`no memory of ${path}`);
    }
  };
  samples['check.file'] = await series(look(0), counted);
  samples['check.conflict'] = await series(look(FLAGS.failure), counted);
  const intent = questions('scale intents', drawn, inOtherWords);
  samples['check.intent'] = await series(async (index) => {
    const text = intent(index);
    const made = await checks.embed(text);
    if (made === null) throw new Error('no vector');
    const terms = new Map(analyze(text).map((term) => [term, 1]));
    await checks.bringOlder({ reader: READER, terms, vector: made.vector, limit: 8 });
    const { shelf } = await checks.lookUp();
    shelf.nearest(made.vector, { reader: READER });
  }, counted);

  samples.resident = [(await heldNow()).rss];
  const others = [await openOther(request), await openOther(request)];
  const seen: number[] = [];
  samples.store = await series(
    async (index) => {
      await service.store(draftAt(size + index), OPERATOR);
    },
    { times: STORES, warmUp: WARM_UP },
  );
  for (let round = 0; round < 5; round += 1) {
    const { memory_id } = await service.store(draftAt(size + 1_000 + round), OPERATOR);
    seen.push(...(await Promise.all(others.map((one) => one.sees(memory_id)))));
  }
  samples.seen = seen;
  for (const one of others) await one.stop();
  await service.stop();
  const again = performance.now();
  ({ service } = await openMemory(runtime, directory, { most }));
  await service.settle();
  samples.restart = [(performance.now() - again) / 1_000];
  await service.stop();
  await agent.stop();
  return { samples };
}
