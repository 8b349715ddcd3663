/** A real agent runtime on a real PGlite, as ELIZA_GUIDE §1 boots it. */
import {
  AgentRuntime,
  ChannelType,
  type Character,
  type IAgentRuntime,
  type Plugin,
  type ServiceTypeName,
  stringToUuid,
  type UUID,
} from '@elizaos/core';
import bootstrapPlugin from '@elizaos/plugin-bootstrap';
import sqlPlugin, { createDatabaseAdapter } from '@elizaos/plugin-sql';
import {
  AutonomyService,
  type CueOptions,
  createCuePlugin,
  HINTS,
  PROACTIVE,
  TriggerService,
  WHEN,
  WORK_MEMORY,
} from '../../src/index.js';
import { forgetPglite } from './pglite.js';
import { forgetPostgres, isOnPostgres, postgresDatabase } from './postgres.js';
import { type Brain, scriptedModel } from './scripted-model.js';
import { fromTemplate, migrate } from './template.js';

export interface Agent {
  runtime: IAgentRuntime;
  triggers: TriggerService;
  autonomy: AutonomyService;
  brain: Brain;
  stop(): Promise<void>;
}

/** A slow machine must not decide what is offered. */
export const PATIENT = { turnBudgetMs: 10_000, detectorTimeoutMs: 60_000 } as const;

export interface BootOptions {
  cue?: CueOptions;
  dataDir?: string;
  postgresUrl?: string;
  /** The schema is there already: another process has migrated. */
  migrated?: boolean;
  settings?: Record<string, string>;
  plugins?: Plugin[];
  /** Only what a prompt needs of the host's providers, and no evaluators: a third of the queries. */
  slim?: boolean;
  name?: string;
  brain?: Brain;
}

const slimBootstrap: Plugin = {
  ...bootstrapPlugin,
  providers: bootstrapPlugin.providers?.filter(({ name }) =>
    ['ACTIONS', 'RECENT_MESSAGES'].includes(name),
  ),
  evaluators: [],
};

/**
 * Services start side by side, and the host stops only those that have started: one that comes after
 * the stop would keep the whole agent, database and all, in the memory of the worker.
 */
export async function startedServices(runtime: IAgentRuntime): Promise<void> {
  const types = [WORK_MEMORY, PROACTIVE, WHEN, HINTS];
  await Promise.allSettled(
    types.map((type) => runtime.getServiceLoadPromise(type as ServiceTypeName)),
  );
}

export async function boot(options: BootOptions = {}): Promise<Agent> {
  forgetPglite();
  forgetPostgres();
  const character: Character = { name: options.name ?? 'Cue Test', bio: ['tests'] };
  const agentId = stringToUuid(character.name);
  const ofTest = options.postgresUrl === undefined && isOnPostgres();
  const postgresUrl = ofTest ? await postgresDatabase(options.dataDir) : options.postgresUrl;
  if (postgresUrl === undefined) await fromTemplate(options.dataDir);
  const adapter = createDatabaseAdapter(
    postgresUrl === undefined ? { dataDir: options.dataDir ?? 'memory://' } : { postgresUrl },
    agentId,
  );
  await adapter.init();
  const cue = createCuePlugin({ ...PATIENT, ...options.cue });
  const brain = options.brain ?? scriptedModel();
  const plugins = [
    sqlPlugin,
    options.slim ? slimBootstrap : bootstrapPlugin,
    brain.plugin,
    cue,
    ...(options.plugins ?? []),
  ];
  if (!options.migrated && !ofTest) await migrate(adapter);
  const runtime = new AgentRuntime({
    character,
    agentId,
    adapter,
    plugins,
    settings: {
      ...(options.dataDir === undefined ? {} : { PGLITE_DATA_DIR: options.dataDir }),
      ...(postgresUrl === undefined ? {} : { POSTGRES_URL: postgresUrl }),
      CUE_TIMEZONE: 'UTC',
      ...options.settings,
    },
  });
  await runtime.initialize();
  const load = (type: string) => runtime.getServiceLoadPromise(type as ServiceTypeName);
  await load('task');
  const autonomy = (await load(AutonomyService.serviceType)) as AutonomyService;
  const triggers = (await load(TriggerService.serviceType)) as TriggerService;
  // A test that takes the time into its hands must not share a beat of before.
  await triggers.recovered();
  return {
    runtime,
    triggers,
    autonomy,
    brain,
    async stop() {
      await startedServices(runtime);
      await runtime.stop();
      await runtime.close();
      forgetPglite();
    },
  };
}

/** A conversation of one person with the agent, as a chat client makes it. */
export async function makeChat(
  runtime: IAgentRuntime,
  seed: string,
): Promise<{ roomId: UUID; entityId: UUID; worldId: UUID }> {
  const roomId = stringToUuid(`room-${seed}`);
  const entityId = stringToUuid(`user-${seed}`);
  const worldId = stringToUuid(`world-${seed}`);
  await runtime.ensureConnection({
    entityId,
    roomId,
    worldId,
    userName: `user-${seed}`,
    name: seed,
    source: 'test',
    type: ChannelType.DM,
    channelId: roomId,
    messageServerId: worldId,
  });
  return { roomId, entityId, worldId };
}
