/** Writes a million memories straight into the tables, as `store` would leave them. */
import { createLexicalEmbedder } from '../../src/embeddings/index.js';
import { workMemoryType } from '../../src/memory/index.js';
import {
  databaseOf,
  ensureHome,
  ensureIndexes,
  projectIdOf,
  projectScope,
  RECORD_INDEXES,
} from '../../src/records/index.js';
import { encodeRecord } from '../../src/records/record-codec.js';
import { insertStatement } from '../../src/records/record-sql.js';
import { bootPlain } from '../agent.js';
import { dataAt, idAt, timeAt } from '../memory/workload.js';
import type { ScaleReport, ScaleRequest } from './protocol.js';

const ROWS = 200;
const AT_ONCE = 3;
/** As many digits as half precision has; more would only be sent. */
const DIGITS = 4;

export async function fill({ size, directory }: ScaleRequest): Promise<ScaleReport> {
  const agent = await bootPlain(directory);
  const { runtime } = agent;
  const db = databaseOf(runtime);
  const home = await ensureHome(runtime);
  await ensureIndexes(db, RECORD_INDEXES);
  const agentId = runtime.agentId;
  const projectId = projectIdOf(agentId);
  const scope = projectScope(projectId, agentId);
  const embedder = createLexicalEmbedder();
  const from = performance.now();
  let next = 0;

  async function batch(start: number): Promise<void> {
    const indexes = Array.from({ length: Math.min(ROWS, size - start) }, (_, at) => start + at);
    const records = indexes.map((index) => ({
      ...{ id: idAt(index), createdAtMs: timeAt(index, size), scope },
      data: dataAt(index, agentId),
    }));
    const texts = records.map(({ data }) => workMemoryType.embeddingText?.(data) ?? '');
    const vectors = await embedder.embed(texts);
    const rows = records.map((record, at) => {
      const draft = encodeRecord(workMemoryType, record);
      const vector = Array.from(vectors[at] ?? [], (value) => Number(value.toFixed(DIGITS)));
      const metadata = { ...draft.metadata, embeddingModel: embedder.id };
      return { ...draft, metadata, vector: JSON.stringify(vector) };
    });
    await db.execute(insertStatement({ typeName: workMemoryType.name, projectId, home, rows }));
  }

  async function work(): Promise<void> {
    for (let start = next; start < size; start = next) {
      next = start + ROWS;
      await batch(start);
      if (start % 50_000 === 0) console.error(`${start} of ${size} memories`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const filled = performance.now() - from;
  await db.execute('analyze');
  await agent.stop();
  return { samples: { filled: [filled / 1_000] } };
}
