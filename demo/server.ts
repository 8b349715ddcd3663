/**
 * One real Eliza server with the character Cue and the built plugin. Import this only after
 * `prepareEnvironment`: the host reads its environment while it is being imported.
 */
import { existsSync, readFileSync } from 'node:fs';
import {
  type Character,
  type IAgentRuntime,
  ModelType,
  type Plugin,
  setAllowedEnvVars,
} from '@elizaos/core';
import { AgentServer } from '@elizaos/server';
import type * as Cue from '../src/index.js';
import type * as DirectoryLock from '../src/shared/dir-lock.js';
import { type Place, StartError, urlOf } from './environment.js';
import { embeddingOf, knowledgeOf } from './knowledge.js';
import type { ModelChoice } from './models.js';
import { OFFLINE_MODEL, offlineEmbeddings, offlineModel } from './offline-model.js';

const ROOT = new URL('../', import.meta.url);
const manifest = readJson<Manifest>('package.json');

interface Manifest {
  name: string;
  agentConfig: { pluginParameters: Record<string, { default?: unknown }> };
}

export interface RunningServer {
  agentId: string;
  url: string;
  /** What really answers, asked from the running agent. */
  model: string;
  /** The `/when` index, and what is in it. */
  knowledge: string;
  /** The embedding model that serves, and how to get a better one. */
  embedding: string;
  /** Lets go of open connections, so that the host's own shutdown does not wait for them. */
  closeConnections(): void;
}

/** Variables the host and its plugins ask the agent for, besides ours and the model's. */
const HOST_VARIABLES = [
  'POSTGRES_URL',
  'PGLITE_DATA_DIR',
  'EMBEDDING_DIMENSION',
  'ALWAYS_RESPOND_CHANNELS',
  'ALWAYS_RESPOND_SOURCES',
];

/**
 * The page of the web UI would ask GitHub for the newest version and for a list of plugins. The
 * browser is told to talk to this server only.
 */
const PAGE_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' 'unsafe-eval'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self' ws://localhost:* ws://127.0.0.1:*",
  "frame-src 'self' data:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
].join('; ');

/** @throws StartError, or what the host throws when it cannot start. */
export async function startServer(
  place: Place,
  model: ModelChoice,
  tell: (step: string, what: string) => void,
): Promise<RunningServer> {
  const cue = await builtModule<typeof Cue>('index.js');
  if (place.postgresUrl === undefined) await lockDatabase(place);
  keepSecretsOut(model);
  const character = readJson<Character>('characters/cue.json');
  const server = new AgentServer();
  tell('Database', databaseStep(place));
  // The host opens the database before it starts an agent, and says nothing in between.
  const herald: Plugin = {
    name: 'start-herald',
    description: 'Says that the agent starts',
    init: async () => tell('Agent', `starting ${character.name}`),
  };
  await server.start({
    dataDir: place.databaseDir,
    ...(place.postgresUrl === undefined ? {} : { postgresUrl: place.postgresUrl }),
    middlewares: [
      (_request, response, next) => {
        response.setHeader('Content-Security-Policy', PAGE_POLICY);
        next();
      },
    ],
    agents: [
      {
        // By its own name a package does not resolve inside its own repository.
        character: {
          ...character,
          plugins: (character.plugins ?? []).filter((name) => name !== manifest.name),
        },
        plugins: [herald, cue.default, ...modelPlugins(model, cue)],
      },
    ],
  });
  const runtime = server.getAllAgents()[0];
  if (!runtime) throw new StartError('the agent did not start; the messages above say why');
  const answering = answeringModel(runtime);
  return {
    agentId: runtime.agentId,
    // Somebody may have taken the port since it was tried; the host then goes to the next.
    url: urlOf(place.host, Number(process.env.SERVER_PORT)),
    model:
      answering === undefined || model.plugin !== null || answering === OFFLINE_MODEL
        ? model.description
        : `${answering} (named in characters/cue.json)`,
    knowledge: await knowledgeOf(runtime, cue),
    embedding: await embeddingOf(runtime, cue),
    closeConnections() {
      void server.socketIO.close();
      server.server.closeAllConnections();
    },
  };
}

function databaseStep(place: Place): string {
  if (place.postgresUrl !== undefined) return 'connecting to PostgreSQL';
  return existsSync(place.databaseDir)
    ? `opening ${place.databaseDir}`
    : `making ${place.databaseDir}, which takes some seconds once`;
}

/** The runtime keeps its models in a map that its interface does not declare. */
function answeringModel(runtime: IAgentRuntime): string | undefined {
  const models: unknown = 'models' in runtime ? runtime.models : undefined;
  if (!(models instanceof Map)) return undefined;
  const first: unknown = models.get(ModelType.TEXT_LARGE)?.[0];
  const named = typeof first === 'object' && first !== null && 'provider' in first;
  return named && typeof first.provider === 'string' ? first.provider : undefined;
}

function modelPlugins(model: ModelChoice, cue: typeof Cue): Plugin[] {
  if (model.plugin === null) {
    const timezone = process.env.CUE_TIMEZONE;
    return [offlineModel({ parse: cue.parseScheduleText, ...(timezone ? { timezone } : {}) })];
  }
  return model.hasEmbeddings ? [model.plugin] : [model.plugin, offlineEmbeddings()];
}

/**
 * The plugin takes this lock too, but the host has opened the database by then, and two processes
 * in one directory destroy it.
 */
async function lockDatabase(place: Place): Promise<void> {
  const { lockDirectory } = await builtModule<typeof DirectoryLock>('chunks/dir-lock.js');
  try {
    // A headless agent of the command line makes room.
    const lock = await lockDirectory(place.databaseDir, place.port, { ask: { opened: false } });
    process.once('exit', () => lock.release());
  } catch (error) {
    throw new StartError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

/**
 * The host copies the whole environment into the agent's stored secrets unless it is given a list.
 * What was stored once comes back at the next start, so our settings are always given, also those
 * that are no longer set.
 */
function keepSecretsOut(model: ModelChoice): void {
  const settings = manifest.agentConfig.pluginParameters;
  for (const [name, { default: value }] of Object.entries(settings)) {
    if (value !== undefined) process.env[name] ||= String(value);
  }
  setAllowedEnvVars(new Set([...Object.keys(settings), ...HOST_VARIABLES, ...model.variables]));
}

/** The built plugin, as somebody who installs the package gets it. */
async function builtModule<Module>(path: string): Promise<Module> {
  const url = new URL(`dist/${path}`, ROOT);
  if (!existsSync(url)) throw new StartError('dist/ is missing: run npm run build first.');
  return (await import(url.href)) as Module;
}

function readJson<Shape>(path: string): Shape {
  return JSON.parse(readFileSync(new URL(path, ROOT), 'utf8')) as Shape;
}
