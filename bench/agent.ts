/**
 * A real agent on PGlite in a directory of its own, or on the PostgreSQL server of `--postgres`, with or
 * without the plugin (ELIZA_GUIDE §1).
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  AgentRuntime,
  type Character,
  type IAgentRuntime,
  type Plugin,
  ServiceType,
  type ServiceTypeName,
  stringToUuid,
} from '@elizaos/core';
import bootstrapPlugin from '@elizaos/plugin-bootstrap';
import sqlPlugin, { createDatabaseAdapter, DatabaseMigrationService } from '@elizaos/plugin-sql';
import { forgetPostgres, isOnPostgres, postgresDatabase } from '../__tests__/helpers/postgres.js';
import { scriptedModel } from '../__tests__/helpers/scripted-model.js';
import { type CueOptions, createCuePlugin, TriggerService } from '../src/index.js';

/** The parts of the host's TaskService that a bench drives. */
export interface HostTaskService {
  checkTasks(): Promise<void>;
  startTimer(): void;
  stop(): Promise<void>;
}

export interface BenchAgent {
  runtime: IAgentRuntime;
  tasks: HostTaskService;
  stop(): Promise<void>;
}

const SETTINGS = {
  CUE_TIMEZONE: 'UTC',
  CUE_TRIGGER_MAX_PER_AGENT: '1000000',
  CUE_TRIGGER_RUNS_PER_HOUR: '1000000',
  CUE_TRIGGER_RUNS_PER_DAY: '1000000',
};

/** A directory for one bench, with room for the database and for what lies beside it. */
export function benchDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'cue-bench-'));
}

async function placeOfDatabase(directory: string) {
  if (!isOnPostgres()) return { dataDir: join(directory, 'db') };
  forgetPostgres();
  return { postgresUrl: await postgresDatabase(directory) };
}

/** @param kept directory of an earlier agent to go on with, left as it is; absent: one of its own */
async function bootWith(plugins: Plugin[], kept?: string): Promise<BenchAgent> {
  const directory = kept ?? benchDirectory();
  const place = await placeOfDatabase(directory);
  const character: Character = { name: 'Cue Bench', bio: ['measures'] };
  const agentId = stringToUuid(character.name);
  const adapter = createDatabaseAdapter(place, agentId);
  await adapter.init();
  const migrations = new DatabaseMigrationService();
  await migrations.initializeWithDatabase(adapter.db);
  migrations.discoverAndRegisterPluginSchemas([sqlPlugin]);
  await migrations.runAllPluginMigrations();
  const runtime = new AgentRuntime({
    character,
    agentId,
    adapter,
    plugins: [sqlPlugin, bootstrapPlugin, scriptedModel().plugin, ...plugins],
    settings: {
      ...('dataDir' in place
        ? { PGLITE_DATA_DIR: place.dataDir }
        : { POSTGRES_URL: place.postgresUrl }),
      ...SETTINGS,
    },
  });
  await runtime.initialize();
  const tasks = await runtime.getServiceLoadPromise(ServiceType.TASK);
  if (!isHostTaskService(tasks)) throw new Error('the host has no TaskService');
  // It ticks when a bench says so.
  await tasks.stop();
  return {
    runtime,
    tasks,
    async stop() {
      await runtime.stop();
      await runtime.close();
      if (kept === undefined) rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** The host alone: what an agent does without the plugin. */
export function bootPlain(kept?: string): Promise<BenchAgent> {
  return bootWith([], kept);
}

export async function bootCue(
  options: CueOptions,
  kept?: string,
): Promise<BenchAgent & { triggers: TriggerService }> {
  const agent = await bootWith([createCuePlugin(options)], kept);
  const service = await agent.runtime.getServiceLoadPromise(
    TriggerService.serviceType as ServiceTypeName,
  );
  if (!(service instanceof TriggerService)) throw new Error('the trigger service did not start');
  return { ...agent, triggers: service };
}

function isHostTaskService(value: unknown): value is HostTaskService {
  return (
    typeof value === 'object' && value !== null && 'checkTasks' in value && 'startTimer' in value
  );
}
