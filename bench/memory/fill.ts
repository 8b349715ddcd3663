/** Fills an empty database by `import`; the vectors come from the re-embedder, as for any import. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/records/index.js';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { bootPlain } from '../agent.js';
import { delay, loopGaps } from '../clockwork.js';
import { OPERATOR, type OpenMemory, openMemory } from './opened.js';
import type { PartReport, PartRequest } from './protocol.js';
import { timed, watched } from './watched.js';
import { lineAt, linksAt } from './workload.js';

/** Records of one `import`. */
const PER_IMPORT = 5_000;
const GIVE_UP_MS = 600_000;

export async function fill({ size, directory }: PartRequest): Promise<PartReport> {
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const db = databaseOf(runtime);
  const seen = watched(runtime);
  const memory = await openMemory(runtime, directory);
  const { service } = memory;
  await service.settle();

  for (let start = 0; start < size; start += PER_IMPORT) {
    const end = Math.min(size, start + PER_IMPORT);
    const indexes = Array.from({ length: end - start }, (_, offset) => start + offset);
    // Made before the clock runs: what the bench invents is not ours.
    const memories = indexes.map((index) => lineAt(index, size, runtime.agentId));
    const links = indexes.flatMap((index) => linksAt(index, size, runtime.agentId));
    await seen.phase('import', async () => {
      const gaps = await loopGaps(async () => {
        const took = await timed(() => imported(memory, memories));
        seen.add('import.memory', [took / memories.length]);
      });
      seen.add('import.gaps', gaps);
    });
    await seen.phase('embedding in the background', async () => {
      const gaps = await loopGaps(async () => {
        const took = await timed(() => allEmbedded(db, memory, end));
        seen.add('embed.memory', [took / memories.length]);
      });
      seen.add('embed.gaps', gaps);
    });
    if (links.length === 0) continue;
    await seen.phase('import of links', async () => {
      const gaps = await loopGaps(async () => {
        const took = await timed(() => imported(memory, links));
        seen.add('import.link', [took / links.length]);
      });
      seen.add('import.gaps', gaps);
    });
  }
  await service.stop();
  await agent.stop();
  return seen.report();
}

async function imported({ service }: OpenMemory, records: readonly object[]) {
  const result = await service.import(records, OPERATOR);
  if (result.imported === records.length) return;
  throw new Error(
    `${result.imported} of ${records.length} came in: ${JSON.stringify(result.rejected.slice(0, 3))}`,
  );
}

/** Asks the database only when the embedder has had as many texts: asking takes time too. */
async function allEmbedded(db: Database, { embedded }: OpenMemory, count: number): Promise<void> {
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (Date.now() < giveUpAt) {
    if (embedded() >= count && (await vectorsIn(db)) >= count) return;
    await delay(10);
  }
  throw new Error(`${await vectorsIn(db)} of ${count} memories were embedded`);
}

async function vectorsIn(db: Database): Promise<number> {
  const [row] = await rowsOf<{ n: string | number }>(db, sql`select count(*) as n from embeddings`);
  return Number(row?.n);
}
