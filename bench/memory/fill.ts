/** Fills an empty database by `import`; the vectors come from the re-embedder, as for any import. */
import { sql } from 'drizzle-orm';
import type { Database } from '../../src/records/index.js';
import { databaseOf, rowsOf, sqlList } from '../../src/records/index.js';
import type { Uuid } from '../../src/shared/ids.js';
import { bootPlain } from '../agent.js';
import { delay, loopGaps } from '../clockwork.js';
import { OPERATOR, type OpenMemory, openMemory } from './opened.js';
import type { PartReport, PartRequest } from './protocol.js';
import { timed, watched } from './watched.js';
import { idAt, lineAt, linksAt } from './workload.js';

/** Records of one `import`. */
const PER_IMPORT = 5_000;
const GIVE_UP_MS = 600_000;
const NEWEST = 100;

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

/**
 * Asks the database only when the embedder has had as many texts, and for the newest alone, which are
 * embedded last: counting all vectors would hold the process longer than anything that is measured.
 */
async function allEmbedded(db: Database, { embedded }: OpenMemory, count: number): Promise<void> {
  const newest = Array.from({ length: Math.min(count, NEWEST) }, (_, back) =>
    idAt(count - 1 - back),
  );
  const giveUpAt = Date.now() + GIVE_UP_MS;
  while (Date.now() < giveUpAt) {
    if (embedded() >= count && (await vectorsOf(db, newest)) === newest.length) return;
    await delay(10);
  }
  throw new Error(`${embedded()} of ${count} memories were embedded`);
}

async function vectorsOf(db: Database, ids: readonly Uuid[]): Promise<number> {
  const rows = await rowsOf(db, sql`select id from embeddings where id in (${sqlList(ids)})`);
  return rows.length;
}
