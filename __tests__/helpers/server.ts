/** A real Eliza server with one agent on a free loopback port, as ELIZA_GUIDE §9 starts it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { IAgentRuntime, Plugin, ServiceTypeName, UUID } from '@elizaos/core';
import bootstrapPlugin from '@elizaos/plugin-bootstrap';
import { AgentServer } from '@elizaos/server';
import {
  AutonomyService,
  type CueOptions,
  createCuePlugin,
  TriggerService,
} from '../../src/index.js';
import { PATIENT, startedServices } from './boot.js';
import { forgetPglite } from './pglite.js';
import { type Brain, scriptedModel } from './scripted-model.js';
import { fromTemplate } from './template.js';

export interface TestServer {
  baseUrl: string;
  agentId: UUID;
  runtime: IAgentRuntime;
  triggers: TriggerService;
  autonomy: AutonomyService;
  brain: Brain;
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Environment of the server; the one of the process is restored at `stop`. */
  env?: Record<string, string>;
  settings?: Record<string, string>;
  brain?: Brain;
  cue?: CueOptions;
  plugins?: Plugin[];
  name?: string;
  /** Kept at `stop`; absent: a temporary one that is removed. */
  dataDir?: string;
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  forgetPglite();
  const home = mkdtempSync(join(tmpdir(), 'cue-server-'));
  const dataDir = options.dataDir ?? join(home, 'db');
  await fromTemplate(dataDir);
  const port = await freePort();
  const restore = setEnvironment({
    // The host answers errors to a third party by default.
    SENTRY_DSN: 'http://key@127.0.0.1:9/1',
    SERVER_HOST: '127.0.0.1',
    SERVER_PORT: String(port),
    PGLITE_DATA_DIR: dataDir,
    ELIZA_DATA_DIR: home,
    NUDGE_PID_DIR: join(home, 'pid'),
    ELIZA_UI_ENABLE: 'false',
    ...options.env,
  });
  const brain = options.brain ?? scriptedModel();
  const listeners = processListeners();
  const server = new AgentServer();
  await server.start({
    port,
    dataDir,
    agents: [
      {
        character: {
          name: options.name ?? 'Cue Server Test',
          bio: ['tests'],
          settings: { CUE_TIMEZONE: 'UTC', ...options.settings },
        },
        plugins: [
          bootstrapPlugin,
          brain.plugin,
          createCuePlugin({ ...PATIENT, ...options.cue }),
          ...(options.plugins ?? []),
        ],
      },
    ],
  });
  const [runtime] = server.getAllAgents();
  if (!runtime) throw new Error('the server has no agent');
  const load = (type: string) => runtime.getServiceLoadPromise(type as ServiceTypeName);
  await load('task');
  const autonomy = (await load(AutonomyService.serviceType)) as AutonomyService;
  const triggers = (await load(TriggerService.serviceType)) as TriggerService;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    agentId: runtime.agentId,
    runtime,
    triggers,
    autonomy,
    brain,
    async stop() {
      await startedServices(runtime);
      await runtime.stop();
      await new Promise((resolve) => {
        void server.socketIO.close();
        server.server.close(resolve);
        server.server.closeAllConnections();
      });
      await runtime.close();
      forgetPglite();
      listeners.restore();
      restore();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : 0;
      probe.close(() => resolve(port));
    });
  });
}

/** A server listens to its process for ever, and so keeps itself in the memory of the worker. */
function processListeners(): { restore(): void } {
  const events = ['SIGINT', 'SIGTERM', 'uncaughtException', 'unhandledRejection', 'exit'];
  const before = new Map(
    events.map((event) => [event, new Set(process.listeners(event as 'exit'))]),
  );
  return {
    restore() {
      for (const [event, known] of before) {
        for (const listener of process.listeners(event as 'exit')) {
          if (!known.has(listener)) process.off(event, listener);
        }
      }
    },
  };
}

function setEnvironment(values: Record<string, string>): () => void {
  const before = Object.keys(values).map((key) => [key, process.env[key]] as const);
  Object.assign(process.env, values);
  return () => {
    for (const [key, value] of before) {
      if (value === undefined) delete process.env[key];
      else process.env[key] = value;
    }
  };
}
