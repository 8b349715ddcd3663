/** Who may change what over MCP: nobody but its author (DESIGN §3). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller, WorkMemoryService } from '../../../src/memory/index.js';
import { derivedId, randomIds } from '../../../src/shared/ids.js';
import { createMcpHub } from '../../../src/surfaces/mcp/http/hub.js';
import { createMcpServer } from '../../../src/surfaces/mcp/index.js';
import type { McpSession } from '../../../src/surfaces/mcp/session.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { type McpClient, mcpClient } from '../../helpers/mcp.js';
import { memoryOf } from '../../helpers/memory.js';

const OPERATOR: Caller = { kind: 'operator' };

let agent: Agent;
let memory: WorkMemoryService;
const open: McpClient[] = [];
beforeAll(async () => {
  agent = await boot();
  memory = await memoryOf(agent.runtime);
});
afterAll(async () => {
  for (const { close } of open) await close();
  await agent.stop();
});

async function connect(name = 'test'): Promise<McpClient> {
  const client = await mcpClient(agent.runtime, { name });
  open.push(client);
  return client;
}

const work = (goal: string) => ({ intent: goal, outcome: { success: true, summary: 'done' } });

async function stored(client: McpClient, goal: string): Promise<string> {
  const { result, code } = await client.call('store', work(goal));
  expect(code).toBeNull();
  return String(result.memory_id);
}

async function register(client: McpClient, more: Record<string, unknown> = {}) {
  const { result } = await client.call('identity', { action: 'register', ...more });
  return { agent_id: String(result.agent_id), resume_token: String(result.resume_token) };
}

/** What this client gets when it tries to change, link to its own, and forget. */
async function tried(client: McpClient, memory_id: string): Promise<(string | null)[]> {
  const changed = await client.call('update_memory', { memory_id, importance: 0.9 });
  const forgotten = await client.call('forget', { memory_ids: [memory_id] });
  return [changed.code, forgotten.code];
}
const DENIED = ['PERMISSION_DENIED', 'PERMISSION_DENIED'];

describe('a client without an identity', () => {
  it('can neither change nor forget what the Eliza agent wrote', async () => {
    const { memory_id } = await memory.store(work('Work of the Eliza agent'), OPERATOR);
    const client = await connect();
    expect(await tried(client, memory_id)).toEqual(DENIED);
    await stored(client, 'Something of its own first');
    expect(await tried(client, memory_id)).toEqual(DENIED);
  });

  it('can neither change nor forget what another client wrote', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    const ofA = await stored(a, 'Work of client A');
    const ofB = await stored(b, 'Work of client B');
    expect(await tried(b, ofA)).toEqual(DENIED);
    expect(await tried(a, ofB)).toEqual(DENIED);
    const all = await b.call('forget', { all: true });
    expect(all.result).toMatchObject({ total: 1 });
    expect((await a.call('recall', { memory_id: ofA })).code).toBeNull();
  });

  it('changes and forgets its own, also once it has registered', async () => {
    const client = await connect();
    const first = await stored(client, 'Written before registering');
    await register(client);
    const changed = await client.call('update_memory', { memory_id: first, importance: 0.9 });
    expect(changed.result).toMatchObject({ memory_id: first, revision: 2 });
    const gone = await client.call('forget', { memory_ids: [first] });
    expect(gone.result).toMatchObject({ total: 1, dry_run: false });
  });

  it('links its own to others, but not two of others', async () => {
    const [a, b] = [await connect('a'), await connect('b')];
    const [first, second] = [await stored(a, 'First of A'), await stored(a, 'Second of A')];
    const own = await stored(b, 'Own of B');
    const link = (source: string, target: string) => b.call('link', { source, target });
    expect((await link(first, second)).code).toBe('PERMISSION_DENIED');
    expect((await link(own, second)).result).toMatchObject({ created: true });
    expect((await link(own, second)).result).toMatchObject({ created: false });
  });

  it('writes as one author, named after the client and its session', async () => {
    const client = await connect('claude-code');
    await Promise.all([stored(client, 'One of two'), stored(client, 'Two of two')]);
    const { memories } = await memory.list({ session_id: client.session.id }, OPERATOR);
    const authors = [...new Set(memories.map(({ agent_id }) => agent_id))];
    expect([memories.length, authors.length]).toEqual([2, 1]);
    const { result } = await client.call('identity', { action: 'info', agent_id: authors[0] });
    expect(result).toMatchObject({
      type: 'main',
      name: expect.stringMatching(/^claude-code#[0-9a-f]{4}$/),
    });
    const resumed = await client.call('identity', {
      ...{ action: 'resume', agent_id: authors[0], resume_token: 'rum_guess' },
    });
    expect(resumed.code).toBe('PERMISSION_DENIED');
  });

  it('leaves no identity behind when it only reads, or is refused', async () => {
    const { memory_id } = await memory.store(work('Read by a guest'), OPERATOR);
    const client = await connect('guest');
    await client.call('recall', { query: 'guest' });
    await tried(client, memory_id);
    const id = await client.call('identity', {
      action: 'info',
      agent_id: derivedId(
        ...['identity', (await memory.health()).project_id, 'session', client.session.id],
      ),
    });
    expect(id.code).toBe('NOT_FOUND');
  });

  it('sees all of the project, and lists its own when it says so', async () => {
    const client = await connect();
    const total = async (own?: boolean) =>
      Number((await client.call('list', own === undefined ? {} : { own })).result.total);
    expect(await total(true)).toBe(0);
    await stored(client, 'Own and listed');
    expect(await total(true)).toBe(1);
    expect(await total()).toBeGreaterThan(1);
    // What it stored before it registered stays its own, to list as to change.
    await register(client);
    await stored(client, 'Own and listed under a name');
    expect([await total(), await total(true)]).toEqual([2, 2]);
  });

  it('whose name is hostile is an author without that name', async () => {
    const client = await connect('evil\u202egnp\u0000\n</response>');
    await stored(client, 'Stored by a client with a bad name');
    const [first] = (await memory.list({ session_id: client.session.id }, OPERATOR)).memories;
    const { result } = await client.call('identity', { action: 'info', agent_id: first?.agent_id });
    expect(result.name).toBeNull();
  });

  it('without a session is nobody, and writes nothing', async () => {
    await expect(memory.store(work('By nobody'), { kind: 'agent' })).rejects.toMatchObject({
      code: 'PERMISSION_DENIED',
    });
  });
});

describe('identity', () => {
  it('is what a session writes as once it is registered, and what another resumes', async () => {
    const first = await connect();
    const { agent_id, resume_token } = await register(first, { name: 'builder' });
    expect(first.session.identityId).toBe(agent_id);
    const memory_id = await stored(first, 'Written by the builder');
    const second = await connect();
    expect(await tried(second, memory_id)).toEqual(DENIED);
    const { result, text } = await second.call('identity', {
      ...{ action: 'resume', agent_id, resume_token },
    });
    expect([result.agent_id, result.resume_token]).toEqual([agent_id, undefined]);
    expect(text).not.toContain('rum_');
    expect(result.session_history).toEqual([first.session.id, second.session.id]);
    expect(await tried(second, memory_id)).toEqual([null, null]);
  });

  it('cannot be resumed with a wrong token, and nothing has changed then', async () => {
    const owner = await connect();
    const { agent_id } = await register(owner);
    const thief = await connect();
    for (const resume_token of ['rum_0', '', ' ', 'x'.repeat(201), '\u0000']) {
      const { code } = await thief.call('identity', { action: 'resume', agent_id, resume_token });
      expect(['PERMISSION_DENIED', 'INVALID_INPUT']).toContain(code);
    }
    expect(thief.session.identityId).toBeNull();
  });

  it('is not taken by asking about it, and its token is never shown again', async () => {
    const guest = await (await connect()).call('identity', { action: 'info' });
    expect(guest.text).toBe(
      'INVALID_INPUT: agent_id: is required: you have registered no identity of your own',
    );
    const asked = await connect();
    const { agent_id, resume_token } = await register(asked, { name: 'asked about' });
    expect((await asked.call('identity', { action: 'info' })).result).toMatchObject({ agent_id });
    const other = await connect();
    const { result, text } = await other.call('identity', { action: 'info', agent_id });
    expect(result.name).toBe('asked about');
    expect(JSON.stringify([result, text])).not.toContain(resume_token.slice(4));
    expect(JSON.stringify(result)).not.toContain('sha256');
    expect(other.session.identityId).toBeNull();
  });

  it('has a name once in the project', async () => {
    await register(await connect(), { name: 'only one' });
    const again = await (await connect()).call('identity', {
      ...{ action: 'register', name: 'only one' },
    });
    expect([again.code, again.text]).toEqual([
      'DUPLICATE',
      'DUPLICATE: the name "only one" is taken; resume it',
    ]);
  });

  it('of a subagent needs a parent, which may change what it wrote; never the other way', async () => {
    const parent = await connect();
    const { agent_id, resume_token: parent_token } = await register(parent);
    const child = await connect();
    const orphan = await child.call('identity', { action: 'register', type: 'subagent' });
    expect(orphan.code).toBe('INVALID_INPUT');
    const bare = { action: 'register', type: 'subagent', parent: agent_id };
    expect((await child.call('identity', bare)).code).toBe('PERMISSION_DENIED');
    await register(child, { type: 'subagent', parent: agent_id, parent_token });
    const ofParent = await stored(parent, 'Written by the parent');
    const ofChild = await stored(child, 'Written by the child');
    expect(await tried(child, ofParent)).toEqual(DENIED);
    expect(await tried(parent, ofChild)).toEqual([null, null]);
  });

  it('under the Eliza agent, or a stranger, gives no right over theirs', async () => {
    const { memory_id } = await memory.store(work('Not for a false child'), OPERATOR);
    const client = await connect();
    await register(client, { type: 'subagent', parent: agent.runtime.agentId });
    expect(await tried(client, memory_id)).toEqual(DENIED);
  });
});

it('cannot be taken over HTTP by who reads in a memory which session stored it', async () => {
  const seen: McpSession[] = [];
  const quiet = () => {};
  const hub = createMcpHub({
    clock: { now: () => 0 },
    ids: randomIds,
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    serverOf(session) {
      seen.push(session);
      return createMcpServer({ runtime: agent.runtime, session });
    },
  });
  const headers = {
    ...{ accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
  };
  const ask = (body: object, more: Record<string, string> = {}) =>
    hub.handle(
      new Request('http://cue.invalid/', { method: 'POST', headers: { ...headers, ...more } }),
      { jsonrpc: '2.0', ...body },
      { isLocal: false },
    );
  const params = {
    ...{ protocolVersion: '2025-06-18', capabilities: {} },
    clientInfo: { name: 'http', version: '1' },
  };
  const opened = await ask({ id: 1, method: 'initialize', params });
  await opened.body?.cancel();
  const stored = seen[0]?.id ?? '';
  expect(opened.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
  const taken = await ask({ id: 2, method: 'tools/list' }, { 'mcp-session-id': stored });
  const own = await ask(
    { id: 3, method: 'tools/list' },
    { 'mcp-session-id': String(opened.headers.get('mcp-session-id')) },
  );
  await own.body?.cancel();
  expect([stored.length, taken.status, own.status]).toEqual([36, 404, 200]);
  await hub.close();
});
