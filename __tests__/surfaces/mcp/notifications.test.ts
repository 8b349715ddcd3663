/** What a connected client is told of offers: once each, to whom it is for, until it goes. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import {
  LoggingMessageNotificationSchema,
  ResourceUpdatedNotificationSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, WorkMemoryService } from '../../../src/memory/index.js';
import type { ProactiveService } from '../../../src/proactive/index.js';
import { derivedId } from '../../../src/shared/ids.js';
import { createMcpServer, createSession } from '../../../src/surfaces/mcp/index.js';
import type { McpSession } from '../../../src/surfaces/mcp/session.js';
import { type Agent, boot, makeChat } from '../../helpers/boot.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';

const OPERATOR: Caller = { kind: 'operator' };

let agent: Agent;
let memory: WorkMemoryService;
let offers: ProactiveService;
const open: Told[] = [];
beforeAll(async () => {
  // The window of a moment ends only when the test says so.
  const windows = { cooldown: { batch_window_ms: 60_000 } };
  agent = await boot({ slim: true, settings: { CUE_DETECTORS: JSON.stringify(windows) } });
  memory = await memoryOf(agent.runtime);
  offers = await offersOf(agent.runtime);
});
afterAll(async () => {
  for (const { client } of open) await client.close();
  await agent.stop();
});

interface Told {
  client: Client;
  session: McpSession;
  /** Level, ids and first line of each message. */
  messages: unknown[];
  updates: string[];
}

let made = 0;

async function connect({
  transportId,
  clientSession,
}: {
  transportId?: string;
  clientSession?: string;
} = {}): Promise<Told> {
  made += 1;
  const session = createSession({ id: `told-${made}`, isLocal: false, clientSession });
  const server = createMcpServer({ runtime: agent.runtime, session });
  const client = new Client({ name: 'listener', version: '1.0.0' });
  const told: Told = { client, session, messages: [], updates: [] };
  client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => {
    const { level, logger, data, _meta } = params;
    told.messages.push([level, logger, String(data).split('\n')[0], _meta?.['cue/offers']]);
  });
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    told.updates.push(params.uri);
  });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  if (transportId !== undefined) ours.sessionId = transportId;
  await Promise.all([server.connect(ours), client.connect(theirs)]);
  // The client has said that it is ready; this comes after it.
  await client.ping();
  open.push(told);
  return told;
}

let files = 0;

/** An offer of a file that was touched where nobody reads the answer. */
async function offered(target: object, { answered = false, as = OPERATOR } = {}): Promise<string> {
  files += 1;
  const file = `src/told-${files}.ts`;
  const outcome = { success: true, summary: `part ${files} runs` };
  const actions = [{ file, operation: 'edit' }];
  await memory.store({ intent: `Rework part ${files} of the mill`, actions, outcome }, as);
  const happening = { type: 'file_touch', filePath: file, ...target };
  const { offers: all } = await offers.happen(happening, OPERATOR, { answered });
  expect(all).toHaveLength(1);
  return all[0]?.id ?? '';
}

/** To try it again is warned of. @returns the goal */
async function failed(intent: string, file: string, failure_reason: string): Promise<string> {
  const outcome = { success: false, failure_reason };
  await memory.store({ intent, actions: [{ file, operation: 'edit' }], outcome }, OPERATOR);
  return intent;
}

const notice = (id: string) => [
  ...['notice', 'cue', expect.stringMatching(/^\[RUM\] told-\d+\.ts has history/), [id]],
];

/** The window ends, and whatever is said of it has been said. */
async function windowEnds(): Promise<void> {
  await offers.settled();
  for (const { client, session } of open) {
    await offers.clients.peek(session.caller());
    await client.ping().catch(() => {});
  }
}

describe('an offer for a session', () => {
  it('is told once, when the window ends, and rides along all the same', async () => {
    const mine = await connect();
    const other = await connect();
    const id = await offered({ sessionId: mine.session.id });
    expect(mine.messages).toEqual([]);
    await windowEnds();
    await windowEnds();
    expect([mine.messages, other.messages]).toEqual([[notice(id)], []]);
    expect((await offers.get(id, OPERATOR)).state).toBe('pending');
    const answer = await mine.client.callTool({ name: 'list', arguments: {} });
    expect(answer._meta?.['cue/offers']).toEqual([id]);
    await windowEnds();
    expect(mine.messages).toHaveLength(1);
  });

  it('updates the resources that the client has subscribed to, until it wants no more', async () => {
    const mine = await connect();
    const uri = 'rum://memory_available';
    await mine.client.subscribeResource({ uri });
    await mine.client.subscribeResource({ uri });
    await mine.client.subscribeResource({ uri: 'rum://conflict_warning' });
    await offered({ sessionId: mine.session.id });
    await offered({ sessionId: mine.session.id });
    await windowEnds();
    expect([mine.updates, mine.messages.length]).toEqual([[uri], 2]);
    const { contents } = await mine.client.readResource({ uri });
    expect(JSON.stringify(contents)).toContain('has history (1 memory)');
    await mine.client.unsubscribeResource({ uri });
    await mine.client.subscribeResource({ uri: 'cue://offers' });
    await offered({ sessionId: mine.session.id });
    await windowEnds();
    expect(mine.updates).toEqual([uri, 'cue://offers']);
  });

  it('is told as a warning when it is one', async () => {
    const mine = await connect();
    await mine.client.subscribeResource({ uri: 'rum://conflict_warning' });
    const goal = await failed(
      'Add caching to the session store',
      'src/session.ts',
      'race condition',
    );
    const planned = { action: goal, filePath: 'src/session.ts', sessionId: mine.session.id };
    await offers.happen({ type: 'action_planned', ...planned }, OPERATOR, { answered: false });
    await windowEnds();
    expect(mine.messages[0]).toEqual([
      ...['warning', 'cue', expect.stringContaining('⚠️'), [expect.any(String)]],
    ]);
    expect(mine.updates).toEqual(['rum://conflict_warning']);
    const { contents } = await mine.client.readResource({ uri: 'rum://conflict_warning' });
    expect(JSON.stringify(contents)).toContain('race condition');
  });

  it('is told to who has subscribed to warnings when its own call brought it, until answered', async () => {
    const [mine, other, silent] = [
      await connect({ clientSession: 'hooks of a coding agent' }),
      await connect(),
      await connect(),
    ];
    for (const { client } of [mine, other]) {
      await client.subscribeResource({ uri: 'rum://conflict_warning' });
      await client.subscribeResource({ uri: 'rum://memory_available' });
    }
    const invoices = 'src/invoices.ts';
    const goal = await failed('Replace the parser by hand', invoices, 'rounding was wrong');
    const planned = { action: goal, file_path: invoices };
    const warn = async ({ client }: Told) => {
      const answer = await client.callTool({ name: 'on_action_planned', arguments: planned });
      return Object(Object(answer.structuredContent).offers)[0];
    };
    const warning = await warn(mine);
    expect([warning.kind, warning.state]).toEqual(['conflictWarning', 'shown']);
    await windowEnds();
    const heard = [['warning', 'cue', expect.stringContaining('⚠️'), [warning.id]]];
    expect([mine.messages, mine.updates]).toEqual([heard, ['rum://conflict_warning']]);
    expect([other.messages, other.updates]).toEqual([[], []]);
    // Shown once: it rides in no other answer.
    const next = await mine.client.callTool({ name: 'list', arguments: {} });
    expect(next._meta?.['cue/offers']).toBeUndefined();
    // One who has not subscribed has it in the answer, and nowhere else.
    expect((await warn(silent)).kind).toBe('conflictWarning');
    await windowEnds();
    expect([silent.messages, mine.messages.length]).toEqual([[], 1]);
    // One of a hook of the client comes as its own.
    const hook = { type: 'action_planned', action: goal, filePath: invoices };
    const said = { ...hook, sessionId: 'hooks of a coding agent' };
    await offers.happen(said, OPERATOR);
    await windowEnds();
    expect([mine.updates.length, mine.messages.length, other.messages]).toEqual([2, 2, []]);
  });

  it('is told when it was made for the session of the hooks of the client', async () => {
    const mine = await connect({ clientSession: 'hooks of another' });
    const other = await connect();
    const id = await offered({ sessionId: 'hooks of another' });
    await windowEnds();
    expect([mine.messages, other.messages]).toEqual([[notice(id)], []]);
    const answer = await mine.client.callTool({ name: 'list', arguments: {} });
    expect(answer._meta?.['cue/offers']).toEqual([id]);
  });

  it('is not told when a hook has answered with it', async () => {
    const mine = await connect();
    await offered({ sessionId: mine.session.id }, { answered: true });
    await windowEnds();
    expect(mine.messages).toEqual([]);
  });

  it('is not told when it was shown before the window ended', async () => {
    const mine = await connect();
    const id = await offered({ sessionId: mine.session.id });
    const answer = await mine.client.callTool({ name: 'list', arguments: {} });
    expect(answer._meta?.['cue/offers']).toEqual([id]);
    await windowEnds();
    expect(mine.messages).toEqual([]);
  });
});

describe('an offer for others', () => {
  it('is told to everyone when it is for anyone, and to none when it is for a chat', async () => {
    const one = await connect();
    const two = await connect();
    const { roomId } = await makeChat(agent.runtime, 'told');
    await offered({ roomId });
    const id = await offered({});
    await windowEnds();
    expect([one.messages, two.messages]).toEqual([[notice(id)], [notice(id)]]);
  });

  it('is told to who has the identity it is for', async () => {
    const mine = await connect();
    const other = await connect();
    const { structuredContent } = await mine.client.callTool({
      ...{ name: 'identity', arguments: { action: 'register', name: 'told' } },
    });
    const id = await offered({ agentId: Object(structuredContent).agent_id });
    await windowEnds();
    expect([mine.messages, other.messages]).toEqual([[notice(id)], []]);
  });

  it('is not told when it quotes what the client may not read', async () => {
    const mine = await connect();
    const ada: Caller = {
      ...{ kind: 'entity', private: true },
      ...{ entityId: derivedId('person', 'ada'), roomId: derivedId('room', 'ada') },
    };
    await offered({ sessionId: mine.session.id }, { as: ada });
    await windowEnds();
    expect(mine.messages).toEqual([]);
  });
});

describe('the level that a client asks for', () => {
  it.each([
    ['of a client without a session of its own', undefined],
    ['of a session over HTTP', 'transport-1'],
  ])('is kept: %s', async (_name, transportId) => {
    const mine = await connect(transportId === undefined ? {} : { transportId });
    await mine.client.setLoggingLevel('warning');
    await offered({ sessionId: mine.session.id });
    await windowEnds();
    expect(mine.messages).toEqual([]);
    await mine.client.setLoggingLevel('debug');
    const id = await offered({ sessionId: mine.session.id });
    await windowEnds();
    expect(mine.messages).toEqual([notice(id)]);
  });
});

describe('a client that goes', () => {
  it('leaves nothing behind, however many come and go', async () => {
    for (const { client } of open.splice(0)) await client.close();
    expect(offers.health().subscribers).toBe(0);
    for (let at = 0; at < 50; at++) {
      const { client } = await connect();
      await client.subscribeResource({ uri: 'rum://memory_available' });
      await client.close();
    }
    open.length = 0;
    expect(offers.health().subscribers).toBe(0);
  });

  it('takes no place of the streams of others while it is there', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => connect()));
    expect(offers.health().subscribers).toBe(1);
    await all[0]?.client.close();
    expect(offers.health().subscribers).toBe(1);
  });

  it('is told nothing more, and disturbs nobody', async () => {
    const gone = await connect();
    const stays = await connect();
    const id = await offered({});
    await gone.client.close();
    await windowEnds();
    expect([gone.messages, stays.messages]).toEqual([[], [notice(id)]]);
  });

  it('is told once though it says twice that it is ready', async () => {
    const mine = await connect();
    await mine.client.notification({ method: 'notifications/initialized' });
    await mine.client.ping();
    const id = await offered({ sessionId: mine.session.id });
    await windowEnds();
    expect(mine.messages).toEqual([notice(id)]);
  });
});
