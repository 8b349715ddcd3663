/**
 * A real agent on PGlite in memory, and the work memory of a project as its service opens it, with
 * an embedder and a clock that the evaluation holds.
 */
import { AgentRuntime, type Character, type IAgentRuntime, stringToUuid } from '@elizaos/core';
import sqlPlugin, { createDatabaseAdapter, DatabaseMigrationService } from '@elizaos/plugin-sql';
import { DIMENSION, type Embedder, type Embeddings } from '../../src/embeddings/index.js';
import { WorkMemoryService } from '../../src/memory/service.js';
import { derivedId } from '../../src/shared/ids.js';

export interface EvalAgent {
  /** An empty project of that name; stop it before the next one is opened. */
  open(project: string, embedder: Embedder): Promise<OpenProject>;
  stop(): Promise<void>;
}

export interface OpenProject {
  service: WorkMemoryService;
  /** The service's time, epoch ms. */
  clock: { nowMs: number };
  stop(): Promise<void>;
}

export async function bootAgent(): Promise<EvalAgent> {
  const character: Character = { name: 'Cue Evaluation', bio: ['is asked'] };
  const agentId = stringToUuid(character.name);
  const adapter = createDatabaseAdapter({ dataDir: 'memory://' }, agentId);
  await adapter.init();
  const migrations = new DatabaseMigrationService();
  await migrations.initializeWithDatabase(adapter.db);
  migrations.discoverAndRegisterPluginSchemas([sqlPlugin]);
  await migrations.runAllPluginMigrations();
  const runtime = new AgentRuntime({ character, agentId, adapter, plugins: [sqlPlugin] });
  await runtime.initialize();
  return {
    open: (project, embedder) => openProject(runtime, project, embedder),
    async stop() {
      await runtime.stop();
      await runtime.close();
    },
  };
}

async function openProject(
  runtime: IAgentRuntime,
  project: string,
  embedder: Embedder,
): Promise<OpenProject> {
  const clock = { nowMs: 0 };
  let made = 0;
  WorkMemoryService.provide(runtime, {
    clock: { now: () => clock.nowMs },
    ids: { next: () => derivedId('evaluation', project, embedder.id, made++) },
    settings: {
      project: `${project} ${embedder.id}`,
      storeDiffs: false,
      capture: false,
      timezone: 'UTC',
    },
    embeddings: async () => fixed(embedder),
    build: 'evaluation',
  });
  const service = await WorkMemoryService.start(runtime);
  await service.settle();
  return { service, clock, stop: () => service.stop() };
}

/** One embedder that serves from the first moment and never changes. */
function fixed(embedder: Embedder): Embeddings {
  return {
    current: () => embedder,
    status: () => ({
      setting: 'auto',
      serving: { id: embedder.id, dimension: DIMENSION, reason: 'evaluated' },
    }),
    ...(embedder.beside && { beside: embedder.beside }),
    onChange: () => () => {},
    stop: async () => {},
  };
}
