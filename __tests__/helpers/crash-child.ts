/**
 * An agent in a process of its own, to be killed: a bare runtime or a whole Eliza server, with the
 * plugin made so that it can stop itself at a named step. Started by `children.ts`; takes commands
 * over IPC, ends by itself when its parent is gone.
 */
import { appendFileSync } from 'node:fs';
import {
  ChannelType,
  type Character,
  createUniqueUuid,
  type IAgentRuntime,
  type Plugin,
  type ServiceTypeName,
  stringToUuid,
  type UUID,
} from '@elizaos/core';
import bootstrapPlugin from '@elizaos/plugin-bootstrap';
import { sql } from 'drizzle-orm';
import { HINTS, HintService } from '../../src/hints/index.js';
import {
  type AutonomyService,
  type CueOptions,
  createCuePlugin,
  type TriggerDraft,
  TriggerService,
} from '../../src/index.js';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import type { TriggerPatch } from '../../src/triggers/index.js';
import { boot, makeChat } from './boot.js';
import type { ChildCommand, ChildConfig, ChildReply, DeathPoint } from './children.js';
import { freePort } from './free-port.js';
import { memoryOf } from './memory.js';
import { plan, scriptedModel } from './scripted-model.js';
import { fromTemplate } from './template.js';

const config = JSON.parse(process.env.CUE_CHILD ?? '{}') as ChildConfig;
const OPERATOR = { kind: 'operator' } as const;

process.on('disconnect', () => process.exit(0));

let armed: DeathPoint | null = config.die ?? null;
/** Makers of triggers whose answer is not yet with the parent. */
const unanswered = new Set<Promise<void>>();
const MAKERS: ReadonlySet<ChildCommand['method']> = new Set(['create', 'createMany', 'import']);
let modelDelayMs = config.modelDelayMs ?? 0;
let answers = 0;
/** So many times the platform says no before it takes anything. */
let refusals = 0;

/** SIGKILL cannot be caught: nothing of this process runs after it. */
async function dieAt(step: DeathPoint['step'], about: string): Promise<void> {
  if (armed?.step !== step) return;
  if (armed.about !== undefined && !about.includes(armed.about)) return;
  armed.count = (armed.count ?? 1) - 1;
  if (armed.count > 0) return;
  const how = armed.how ?? 'SIGKILL';
  armed = null;
  if (how === 'throw') throw new Error(`told to fail at ${step}`);
  // A trigger that runs at once can get here before its maker has been answered; the parent needs
  // that answer to know what to look for.
  await Promise.all(unanswered);
  process.kill(process.pid, how);
  // A stopped process goes on from here once it is continued.
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Says the name of the task it was given and a number that no other answer has. */
const brain = scriptedModel();
brain.onLarge = async (prompt) => {
  const names = [...prompt.matchAll(/\[Scheduled task "([^"]+)"/g)].map((match) => match[1]);
  const together = [...prompt.matchAll(/\[(\d+) scheduled tasks\]/g)];
  const last = prompt.lastIndexOf('[Scheduled task "');
  const lastTogether = prompt.lastIndexOf(' scheduled tasks]');
  const name = last > lastTogether ? names.at(-1) : `together ${together.at(-1)?.[1]}`;
  answers += 1;
  const answer = `did ${name} (${process.pid}-${answers})`;
  if (config.modelLog) appendFileSync(config.modelLog, `${answer}\n`);
  if (modelDelayMs > 0) await new Promise((resolve) => setTimeout(resolve, modelDelayMs));
  return plan(answer);
};

/** A chat platform that cannot be asked what has arrived: it only ever takes. */
const sender: Plugin = {
  name: 'fake-platform',
  description: 'appends what it is told to send to a file',
  init: async (_config: Record<string, string>, runtime: IAgentRuntime) => {
    if (!config.outbox) return;
    const path = config.outbox;
    runtime.registerSendHandler('fake', async (_runtime, target, content) => {
      const line = { roomId: target.roomId, text: content.text, pid: process.pid };
      if (refusals > 0) {
        refusals -= 1;
        throw new Error('the platform is away');
      }
      await dieAt('sending', String(content.text));
      appendFileSync(path, `${JSON.stringify(line)}\n`);
      await dieAt('sent', String(content.text));
    });
  },
};

const cue: CueOptions = {
  onStep: (step, triggerRunId) => dieAt(step, triggerRunId),
  ...(config.leaseMs === undefined ? {} : { leaseMs: config.leaseMs }),
};

interface Host {
  runtime: IAgentRuntime;
  triggers: TriggerService;
  autonomy: AutonomyService;
  port: number | null;
  chat(seed: string): Promise<{ roomId: UUID; entityId: UUID; channelId: UUID | null }>;
  stop(): Promise<void>;
}

async function bareHost(): Promise<Host> {
  const agent = await boot({
    cue,
    brain,
    plugins: [sender],
    name: config.name ?? 'Crash',
    settings: { CUE_TRIGGER_MIN_INTERVAL_MS: '1000', ...config.settings },
    ...(config.dataDir === undefined ? {} : { dataDir: config.dataDir }),
    ...(config.postgresUrl === undefined ? {} : { postgresUrl: config.postgresUrl }),
    ...(config.migrated ? { migrated: true } : {}),
    ...(config.slim ? { slim: true } : {}),
  });
  return {
    ...agent,
    port: null,
    async chat(seed) {
      const { roomId, entityId } = await makeChat(agent.runtime, seed);
      return { roomId, entityId, channelId: null };
    },
  };
}

async function serverHost(): Promise<Host> {
  const { dataDir, postgresUrl } = config;
  if (dataDir === undefined) throw new Error('a server needs a directory');
  if (postgresUrl === undefined) await fromTemplate(dataDir);
  else process.env.POSTGRES_URL = postgresUrl;
  const port = await freePort();
  process.env.SERVER_PORT = String(port);
  process.env.SERVER_HOST = '127.0.0.1';
  process.env.PGLITE_DATA_DIR = dataDir;
  process.env.ELIZA_UI_ENABLE = 'false';
  const { AgentServer } = await import('@elizaos/server');
  const server = new AgentServer();
  const character: Character = {
    name: config.name ?? 'Crash',
    bio: ['tests'],
    settings: { CUE_TRIGGER_MIN_INTERVAL_MS: '1000', CUE_TIMEZONE: 'UTC', ...config.settings },
  };
  await server.start({
    port,
    dataDir,
    ...(postgresUrl === undefined ? {} : { postgresUrl }),
    agents: [{ character, plugins: [bootstrapPlugin, brain.plugin, createCuePlugin(cue), sender] }],
  });
  const [runtime] = server.getAllAgents();
  if (!runtime) throw new Error('the server started no agent');
  const load = (type: string) => runtime.getServiceLoadPromise(type as ServiceTypeName);
  const autonomy = (await load('AUTONOMY')) as AutonomyService;
  const triggers = (await load(TriggerService.serviceType)) as TriggerService;
  return {
    runtime,
    triggers,
    autonomy,
    port,
    async chat(seed) {
      const channelId = stringToUuid(`channel-${seed}`);
      const entityId = stringToUuid(`user-${seed}`);
      const { messageServerId } = server;
      if (!(await server.getChannelDetails(channelId))) {
        await server.createChannel(
          { id: channelId, messageServerId, name: seed, type: ChannelType.DM },
          [entityId, runtime.agentId],
        );
      }
      const roomId = createUniqueUuid(runtime, channelId);
      // As the host's message bus connects a chat of its own.
      await runtime.ensureConnection({
        entityId,
        roomId,
        worldId: createUniqueUuid(runtime, messageServerId),
        userName: seed,
        name: seed,
        source: 'client_chat',
        type: ChannelType.DM,
        channelId,
        messageServerId,
      });
      return { roomId, entityId, channelId };
    },
    stop: () => server.stop(),
  };
}

/** A one-shot may say in how many ms; on a busy machine the parent's own times would have passed. */
type Draft = TriggerDraft & { schedule: { inMs?: number } };

function dated(draft: Draft, nowMs: number): TriggerDraft {
  const { inMs, ...schedule } = draft.schedule;
  if (inMs === undefined) return draft;
  return {
    ...draft,
    schedule: { ...schedule, scheduledAtIso: new Date(nowMs + inMs).toISOString() },
  } as TriggerDraft;
}

function allDated(drafts: Draft[]): TriggerDraft[] {
  const nowMs = Date.now();
  return drafts.map((draft) => dated(draft, nowMs));
}

const host = await (config.kind === 'server' ? serverHost() : bareHost());
const { triggers, runtime } = host;

async function obey(command: ChildCommand): Promise<unknown> {
  switch (command.method) {
    case 'arm':
      armed = command.args[0] ?? null;
      return null;
    case 'model':
      modelDelayMs = command.args[0];
      return null;
    case 'refuse':
      refusals = command.args[0];
      return null;
    case 'chat':
      return host.chat(command.args[0]);
    case 'create':
      return triggers.create(dated(command.args[0] as Draft, Date.now()), {
        requester: OPERATOR,
        source: 'operator',
      });
    case 'createMany':
      return triggers.createMany(allDated(command.args[0] as Draft[]), { requester: OPERATOR });
    case 'import':
      return triggers.requests.importAll({ triggers: command.args[0] });
    case 'update':
      return triggers.update(command.args[0], command.args[1] as TriggerPatch, OPERATOR);
    case 'get':
      return triggers.get(command.args[0], OPERATOR);
    case 'list':
      return triggers.list({}, { limit: 200 }, OPERATOR);
    case 'health':
      return triggers.health();
    case 'heartbeat':
      return triggers.heartbeat();
    case 'autonomy':
      return Object.keys(command.args[0]).length === 0
        ? host.autonomy.status()
        : host.autonomy.configure(command.args[0]);
    case 'cycle':
      return host.autonomy.runCycle();
    case 'settle':
      return triggers.settle();
    case 'importMemories':
      return (await memoryOf(runtime)).import({ content: command.args[0] }, OPERATOR);
    case 'importHints': {
      const [payload, mode, dieAfter] = command.args;
      const hints = await runtime.getServiceLoadPromise(HINTS as ServiceTypeName);
      if (!(hints instanceof HintService)) throw new Error('no hint service');
      // Half of the steps are judging; the rows come behind them.
      const onProgress = (done: number, total: number) => {
        if (dieAfter !== null && done >= total / 2 + dieAfter) process.kill(process.pid, 'SIGKILL');
      };
      await hints.import({ payload, mode }, OPERATOR, { onProgress });
      return null;
    }
    case 'recallMemories': {
      const [query, limit] = command.args;
      const memory = await memoryOf(runtime);
      const found = await memory.recall({ query, limit, depth: 'summary' }, OPERATOR);
      return found.memories.map(({ memory_id }) => memory_id);
    }
    case 'rows':
      return rowsOf(databaseOf(runtime), sql.raw(command.args[0]));
    case 'exit':
      await host.stop();
      setImmediate(() => process.exit(0));
      return null;
  }
}

/** The database's own words stand in the cause. */
function inWords(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}: ${inWords(error.cause)}`;
}

/** Resolves when the reply has left this process: what is only queued would die with it. */
function answer(reply: ChildReply): Promise<void> {
  return new Promise((resolve) => {
    if (process.send) process.send(reply, () => resolve());
    else resolve();
  });
}

process.on('message', (command: ChildCommand) => {
  const answered = obey(command)
    .then(
      (value): ChildReply => ({ id: command.id, value: value ?? null }),
      (error: unknown): ChildReply => ({ id: command.id, error: inWords(error) }),
    )
    .then(answer);
  if (!MAKERS.has(command.method)) return;
  unanswered.add(answered);
  void answered.finally(() => unanswered.delete(answered));
});
process.send?.({ id: 0, value: { port: host.port } } satisfies ChildReply);
