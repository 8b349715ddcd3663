/** The embedded database of a stopped agent, opened as the agent opens it. */
import { createDatabaseAdapter } from '@elizaos/plugin-sql';
import { sql } from 'drizzle-orm';
import { createReembedder, type Embeddings, type Reembedder } from '../../src/embeddings/index.js';
import { workMemoryType } from '../../src/memory/index.js';
import {
  createCatalog,
  createRecordStore,
  databaseOf,
  ensureIndexes,
  RECORD_INDEXES,
  rowsOf,
} from '../../src/records/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { SILENT } from './place.js';

/** How many records of a project have a vector of a model; `null`: none. */
export interface ModelCount {
  projectId: Uuid;
  model: string | null;
  records: number;
}

export interface AgentDatabase {
  counts(): Promise<ModelCount[]>;
  /** For the records of one project; `onDone` is told how many it has embedded in a pass. */
  reembedder(projectId: Uuid, embeddings: Embeddings, onDone: (done: number) => void): Reembedder;
  close(): Promise<void>;
}

/** The caller holds the lock of the directory. */
export async function openAgentDatabase(directory: string): Promise<AgentDatabase> {
  const adapter = createDatabaseAdapter({ dataDir: directory }, derivedId('embeddings command'));
  await adapter.init();
  const db = databaseOf(adapter);
  await ensureIndexes(db, RECORD_INDEXES);
  return {
    async counts() {
      const rows = await rowsOf<{ project: Uuid; model: string | null; records: string | number }>(
        db,
        sql`select world_id::text as project, metadata->>'embeddingModel' as model,
            count(*) as records
          from memories where type = ${workMemoryType.name}
          group by 1, 2 order by 1, 2`,
      );
      return rows.map(({ project, model, records }) => ({
        projectId: project,
        model,
        records: Number(records),
      }));
    },
    reembedder(projectId, embeddings, onDone) {
      // Nothing is inserted, so that nothing needs the home of an agent.
      const home = {
        agentId: projectId,
        worldId: projectId,
        roomId: projectId,
        entityId: projectId,
      };
      const catalog = createCatalog({ analyze: () => [], project: projectId });
      return createReembedder({
        store: createRecordStore({ db, home, projectId, catalog, log: SILENT }),
        types: [workMemoryType],
        embeddings,
        log: SILENT,
        onProgress: ({ done }) => onDone(done),
      });
    },
    close: () => adapter.close(),
  };
}
