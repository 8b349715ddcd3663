/** The host's own way to the same texts: a memory each, found by the likeness of their vectors. */
import { embedLexical } from '../../src/embeddings/index.js';
import { bootPlain } from '../agent.js';
import { delay, nextTurn, series } from '../clockwork.js';
import { timed } from '../memory/watched.js';
import { placeIn } from '../place.js';
import type { PartReport, PartRequest } from './protocol.js';
import { asked, folderOf } from './workload.js';

const TABLE = 'bench_knowledge';
const LIMIT = 5;

export async function hostAlone({ size, quick, directory }: PartRequest): Promise<PartReport> {
  const folder = folderOf(size);
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const place = await placeIn(runtime, 'when');
  let stored = 0;
  for (const { entry, body } of folder.items) {
    const text = [entry.header, entry.phrase, entry.description, body].join('\n');
    stored += await timed(() =>
      runtime.createMemory(
        {
          ...place,
          agentId: runtime.agentId,
          content: { text },
          embedding: [...embedLexical(text)],
        },
        TABLE,
        // Given, so that the host does not search for a similar one first.
        true,
      ),
    );
    await nextTurn();
  }
  const searched = (question: () => string) =>
    series(
      async () => {
        const found = await runtime.searchMemories({
          tableName: TABLE,
          embedding: [...embedLexical(question())],
          count: LIMIT,
          unique: false,
        });
        if (found.length === 0) throw new Error('the host found nothing');
      },
      { times: quick ? 10 : 100, forMs: 30_000, warmUp: 5 },
    );
  const ask = asked(folder, 'questions');
  const exact = await searched(ask.exact);
  const hybrid = await searched(ask.hybrid);
  await delay(50);
  await agent.stop();
  return {
    samples: { 'resolve.exact': exact, 'resolve.hybrid': hybrid, 'sync.first': [stored] },
  };
}
