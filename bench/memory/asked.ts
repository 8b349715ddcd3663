/** Everything that is asked of a work memory that stands, through the service. */
import type { WorkMemoryService } from '../../src/memory/index.js';
import { bootPlain } from '../agent.js';
import { delay, nextTurn, series } from '../clockwork.js';
import { heldNow, OPERATOR } from './opened.js';
import type { PartReport, PartRequest, SampleName } from './protocol.js';
import { chained, fileOf, inOtherWords, questions, structural } from './questions.js';
import { started } from './starts.js';
import { timed, watched } from './watched.js';
import { draftAt } from './workload.js';

const WARM_UP = 10;

export async function warmService(request: PartRequest): Promise<PartReport> {
  const { size, quick, directory } = request;
  const agent = await bootPlain(directory);
  const seen = watched(agent.runtime);
  let service = await started(agent, directory, seen, true);
  const held = await heldNow();
  seen.add('held.heap', [held.heap]);
  seen.add('held.rss', [held.rss]);
  for (let round = 1; round < (quick ? 2 : 5); round += 1) {
    await service.stop();
    service = await started(agent, directory, seen, true);
  }
  const times = quick ? 20 : 300;
  const drawn = { size, count: times + WARM_UP };
  const causes = chained(size, drawn.count);
  const causeAt = (index: number) => causes[index % causes.length] ?? '';

  /** Each question waits until the accesses of the one before are counted, as in a conversation. */
  const ask = async (name: SampleName, questionAt: (index: number) => unknown, atLeast = 1) => {
    const values = await series(
      async (index) => {
        const { memories } = await service.recall(questionAt(index), OPERATOR);
        if (memories.length < atLeast) throw new Error(`${name} found nothing`);
      },
      { times, warmUp: WARM_UP, after: () => service.settle() },
    );
    seen.add(name, values);
  };

  await seen.phase('recall', async () => {
    await ask('recall.structural', questions('structural', drawn, structural));
    await ask(
      'recall.causal',
      (index) => ({ memory_id: causeAt(index), include_links: true, limit: 20 }),
      2,
    );
    await ask(
      'recall.semantic',
      questions('semantic', drawn, (one) => ({ query: inOtherWords(one) })),
    );
    await ask(
      'recall.cascade',
      questions('cascade', drawn, (one) => ({
        file: fileOf(one.draft),
        intent: inOtherWords(one),
        limit: 20,
      })),
    );
    seen.add(
      'recall.count',
      await counting(service, questions('counting', drawn, structural), times),
    );
    seen.add(
      'trace',
      await series(
        (index) => service.trace({ memory_id: causeAt(index), direction: 'both' }, OPERATOR),
        { times, warmUp: WARM_UP },
      ),
    );
  });
  await seen.phase('store', async () => {
    const stores = quick ? 20 : 200;
    const drafts = Array.from({ length: stores + WARM_UP }, (_, index) => draftAt(size + index));
    seen.add(
      'store',
      await series((index) => service.store(drafts[index], OPERATOR), {
        times: stores,
        warmUp: WARM_UP,
      }),
    );
  });
  await service.stop();
  await delay(50);
  await agent.stop();
  return seen.report();
}

/** What an answer leaves to do: its accesses are counted after it was given. */
async function counting(
  service: WorkMemoryService,
  questionAt: (index: number) => unknown,
  times: number,
): Promise<number[]> {
  const values: number[] = [];
  for (let index = 0; index < times; index += 1) {
    await service.recall(questionAt(index), OPERATOR);
    values.push(await timed(() => service.settle()));
    await nextTurn();
  }
  return values;
}
