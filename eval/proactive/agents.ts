/**
 * Agents for the replay: real runtimes with the host's bootstrap and the plugin, all on one PGlite
 * in memory. Each session gets an agent of its own, and with it a project of its own.
 */
import {
  AgentRuntime,
  type Character,
  type IAgentRuntime,
  type Plugin,
  type ServiceTypeName,
  stringToUuid,
} from '@elizaos/core';
import bootstrapPlugin from '@elizaos/plugin-bootstrap';
import sqlPlugin, { createDatabaseAdapter, DatabaseMigrationService } from '@elizaos/plugin-sql';
import { scriptedModel } from '../../__tests__/helpers/scripted-model.js';
import { type CueOptions, createCuePlugin } from '../../src/index.js';
import { WORK_MEMORY, type WorkMemoryService } from '../../src/memory/index.js';
import { PROACTIVE, type ProactiveService } from '../../src/proactive/index.js';
import type { Clock } from '../../src/shared/clock.js';

export interface ReplayAgent {
  runtime: IAgentRuntime;
  memory: WorkMemoryService;
  proactive: ProactiveService;
  /** How long the provider took each time it was asked, ms; cleared by the reader. */
  providerMs: number[];
  /** The database stays open for the next agent. */
  stop(): Promise<void>;
}

export interface Agents {
  /** @param settings of the agent, beside those every replay has */
  boot(name: string, clock: Clock, settings?: Record<string, string>): Promise<ReplayAgent>;
  close(): Promise<void>;
}

/** Enough of the host's own parts for a turn; its providers and evaluators are not what is measured. */
const slimBootstrap: Plugin = {
  ...bootstrapPlugin,
  providers: bootstrapPlugin.providers?.filter(({ name }) =>
    ['ACTIONS', 'RECENT_MESSAGES'].includes(name),
  ),
  evaluators: [],
};

/**
 * @param options for a machine whose speed must not decide
 * @param common settings of every agent
 */
export function openAgents(
  options: Pick<CueOptions, 'turnBudgetMs' | 'detectorTimeoutMs'> = {},
  common: Record<string, string> = {},
): Agents {
  let booted = 0;
  let last: IAgentRuntime | null = null;
  return {
    async boot(name, clock, settings = {}) {
      const character: Character = { name, bio: ['is replayed'] };
      const agentId = stringToUuid(`${name} ${booted}`);
      // The host keeps one PGlite per process, whatever the agent.
      const adapter = createDatabaseAdapter({ dataDir: 'memory://' }, agentId);
      await adapter.init();
      booted += 1;
      if (booted === 1) {
        const migrations = new DatabaseMigrationService();
        await migrations.initializeWithDatabase(adapter.db);
        migrations.discoverAndRegisterPluginSchemas([sqlPlugin]);
        await migrations.runAllPluginMigrations();
      }
      const runtime = new AgentRuntime({
        character,
        agentId,
        adapter,
        plugins: [
          sqlPlugin,
          slimBootstrap,
          scriptedModel().plugin,
          createCuePlugin({ clock, ...options }),
        ],
        settings: { CUE_TIMEZONE: 'UTC', CUE_EMBEDDINGS: 'auto', ...common, ...settings },
      });
      await runtime.initialize();
      last = runtime;
      try {
        return { ...(await partsOf(runtime)), stop: () => runtime.stop() };
      } catch (error) {
        await runtime.stop();
        throw error;
      }
    },
    async close() {
      await last?.close();
    },
  };
}

async function partsOf(runtime: IAgentRuntime): Promise<Omit<ReplayAgent, 'stop'>> {
  const load = (type: string) => runtime.getServiceLoadPromise(type as ServiceTypeName);
  const memory = (await load(WORK_MEMORY)) as WorkMemoryService;
  const proactive = (await load(PROACTIVE)) as ProactiveService;
  await memory.settle();
  return { runtime, memory, proactive, providerMs: timedProvider(runtime) };
}

/** Notes how long CUE_OFFERS takes, as the host asks it. */
function timedProvider(runtime: IAgentRuntime): number[] {
  const times: number[] = [];
  const index = runtime.providers.findIndex(({ name }) => name === 'CUE_OFFERS');
  const provider = runtime.providers[index];
  if (!provider) throw new Error('the plugin has no provider CUE_OFFERS');
  runtime.providers[index] = {
    ...provider,
    get: async (...asked) => {
      const startedMs = performance.now();
      const result = await provider.get(...asked);
      times.push(performance.now() - startedMs);
      return result;
    },
  };
  return times;
}
