/** Coding agents that start `cue mcp`: real processes, a real database, clients of the SDK. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pidFileOf } from '../../../src/server/client.js';
import { freePort } from '../../helpers/free-port.js';
import { endStdioClients, type StdioClient, stdioClient } from '../../helpers/mcp-stdio.js';

let home: string;
let file: string;
let env: Record<string, string>;
let port: number;
/** Whoever serves first, and two that join it. */
let primary: StdioClient;
let second: StdioClient;
let nudge: StdioClient;
let http: Client;

const pidFile = () => pidFileOf(env, { kind: 'directory', directory: join(home, 'db') });
const named = () => JSON.parse(readFileSync(pidFile(), 'utf8')) as Record<string, unknown>;
const read = async (client: Client, path: string) => {
  const { contents } = await client.readResource({ uri: pathToFileURL(path).href });
  return contents[0];
};
const work = (goal: string) => ({
  intent: { goal },
  outcome: { success: true, summary: `Done: ${goal}` },
});
const overHttp = async (headers: Record<string, string> = {}): Promise<Client> => {
  const client = new Client({ name: 'http', version: '1.0.0' }, { capabilities: { roots: {} } });
  const url = new URL(`http://127.0.0.1:${String(named().port)}/cue/mcp`);
  await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return client;
};

/** A slow machine may take longer to serve again than calls are held: what was not carried out is called again. */
async function carriedOut(
  client: StdioClient,
  tool: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  for (let left = 3; ; left -= 1) {
    const answer = await client.call(tool, args);
    const failed = answer.failed as { details?: { carried_out?: unknown } } | undefined;
    if (left === 0 || failed?.details?.carried_out !== false) return answer;
  }
}

beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), 'cue-stdio-'));
  const project = join(home, 'project');
  mkdirSync(project);
  file = join(project, 'notes.txt');
  writeFileSync(file, 'what is noted');
  port = await freePort();
  env = {
    NUDGE_PID_DIR: join(home, 'pid'),
    PGLITE_DATA_DIR: join(home, 'db'),
    CUE_DATA_DIR: join(home, 'cue'),
    LOG_LEVEL: 'fatal',
  };
  const cue = ['cue', 'mcp', '-p', String(port)] as const;
  primary = await stdioClient({ command: cue, env, roots: [project] });
  [second, nudge, http] = await Promise.all([
    stdioClient({
      command: [...cue, '--tools', 'memory,offers'],
      env: { ...env, CLAUDE_CODE_SESSION_ID: 'claude-1', CUE_SESSION_ID: 'another' },
      roots: [project],
    }),
    stdioClient({ command: ['nudge', 'serve', '-p', String(port)], env }),
    overHttp(),
  ]);
});
afterAll(async () => {
  await http.close();
  await endStdioClients();
  rmSync(home, { recursive: true, force: true });
});

describe('clients over stdio and HTTP', () => {
  it('are served by the process of the first one', () => {
    expect(named()).toMatchObject({ pid: primary.pid, port });
    expect(primary.errors()).toContain('PRIMARY: serves on port');
    expect(second.errors()).toContain(`cue mcp: PROXY of process ${primary.pid}`);
    expect(nudge.errors()).toContain(`nudge: PROXY of process ${primary.pid}`);
    expect(primary.client.getServerVersion()?.name).toBe('cue');
    expect(second.client.getServerCapabilities()).toEqual(http.getServerCapabilities());
  });

  it('share one memory and one set of hints', async () => {
    const hint = { component: 'api', key: 'test', value: 'npm test', meta: { ttl: 'P7D' } };
    await nudge.call('nudge_set_hint', hint);
    const passing = { component: 'api', key: 'run', value: 'npm start', meta: { ttl: 'session' } };
    await primary.call('nudge_set_hint', passing);
    const key = { component: 'api', key: 'test' };
    const got = await http.callTool({ name: 'nudge.get_hint', arguments: key });
    expect(got.structuredContent).toMatchObject({ hint: { value: 'npm test' } });
    const stored = await second.call('store', work('Run the tests before each commit'));
    expect(stored).toHaveProperty('memory_id');
    expect((await nudge.call('list')).total).toBe(1);
    expect((await primary.call('list')).total).toBe(1);
  });

  it('choose their own tools', async () => {
    const [mine, all] = await Promise.all([second.client.listTools(), primary.client.listTools()]);
    const names = mine.tools.map(({ name }) => name);
    expect(names).toContain('store');
    expect(names).not.toContain('hint');
    expect(all.tools.map(({ name }) => name)).toContain('hint');
    const other = await overHttp({ 'x-cue-tools': 'when' });
    const { tools } = await other.listTools();
    await other.close();
    expect(tools.map(({ name }) => name)).toEqual(['when', 'when_add']);
    await expect(overHttp({ 'x-cue-tools': 'magic' })).rejects.toThrow('chooses from default, all');
  });

  it('read files under their roots over stdio only: by a key that nobody else can read', async () => {
    expect(await read(second.client, file)).toMatchObject({ text: 'what is noted' });
    await expect(read(second.client, pidFile())).rejects.toThrow();
    await expect(read(http, file)).rejects.toThrow();
    expect(named().key).toMatch(/^[0-9a-f-]{36}$/);
    const { mode } = statSync(pidFile());
    expect(mode & 0o077).toBe(process.platform === 'win32' ? mode & 0o077 : 0);
  });
});

it('a client answers what its own hooks were offered, and no other does', async () => {
  await second.call('store', {
    ...work('Cache the pages'),
    actions: [{ file: 'src/pages.ts', operation: 'edit' }],
  });
  const told = await fetch(`http://127.0.0.1:${String(named().port)}/cue/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'file_touch', filePath: 'src/pages.ts', sessionId: 'claude-1' }),
  });
  const { offers } = (await told.json()) as { offers: { id: string }[] };
  const offer_id = offers[0]?.id;
  const refused = await primary.call('dismiss_offer', { offer_id });
  expect(refused.failed).toMatchObject({ code: 'PERMISSION_DENIED' });
  const done = await second.call('dismiss_offer', { offer_id });
  expect(done.offer).toMatchObject({ id: offer_id, state: 'dismissed' });
});

it('the next process of a client is who the one before was, and no model sees the token', async () => {
  const start = () => stdioClient({ command: ['cue', 'mcp', '-p', String(port)], env });
  const before = await start();
  const registered = await before.client.callTool({
    ...{ name: 'identity', arguments: { action: 'register', name: 'keeper' } },
  });
  expect(JSON.stringify(registered)).toContain('Its token is kept here');
  expect(JSON.stringify(registered)).not.toContain('rum_');
  const { agent_id } = Object(registered.structuredContent);
  const { memory_id } = await before.call('store', work('Keep who one is'));
  await before.close();

  const folder = join(home, 'cue', 'identities');
  const names = readdirSync(folder);
  expect(names).toHaveLength(1);
  const kept = join(folder, String(names[0]));
  expect(readFileSync(kept, 'utf8')).toContain('rum_');
  const { mode } = statSync(kept);
  expect(mode & 0o077).toBe(process.platform === 'win32' ? mode & 0o077 : 0);

  const after = await start();
  expect(await after.call('identity', { action: 'info' })).toMatchObject({ agent_id });
  // Whoever registers or resumes out of habit is answered who it is.
  for (const asked of [
    { action: 'register' },
    { action: 'register', name: 'keeper' },
    { action: 'resume' },
  ]) {
    expect(await after.call('identity', asked)).toMatchObject({ agent_id, session_count: 2 });
  }
  // Only its author may.
  expect(await after.call('forget', { memory_ids: [memory_id] })).toMatchObject({ total: 1 });
  await after.close();

  // Of an identity that there is no more, nothing stays in the way.
  writeFileSync(kept, JSON.stringify({ agent_id, resume_token: 'rum_wrong' }), { mode: 0o600 });
  const last = await start();
  expect((await last.call('identity', { action: 'info' })).failed).toMatchObject({
    code: 'INVALID_INPUT',
  });
  expect(readdirSync(folder)).toEqual([]);
  await last.close();
});

describe('when whoever serves is killed', () => {
  it('the others go on: held calls are answered, what is durable is there, rights are kept', async () => {
    const identity = await second.call('identity', { action: 'register', name: 'worker' });
    const { memory_id } = await second.call('store', work('Let the server choose its port'));
    // Without an identity it writes as its session.
    const unnamed = await nudge.call('store', work('Keep the port in the PID file'));
    // A touch, whose offer waits for the next call.
    await primary.call('store', {
      ...work('Sort the notes'),
      actions: [{ file: 'notes.txt', operation: 'edit' }],
    });
    await read(second.client, file);
    const before = await nudge.call('nudge_status');
    process.kill(primary.pid, 'SIGKILL');
    const [status, durable, passing, listed, changed] = await Promise.all([
      carriedOut(nudge, 'nudge_status'),
      carriedOut(nudge, 'nudge_get_hint', { component: 'api', key: 'test' }),
      carriedOut(nudge, 'nudge_get_hint', { component: 'api', key: 'run' }),
      carriedOut(second, 'list'),
      // Only its author may.
      carriedOut(second, 'update_memory', { memory_id, importance: 0.9 }),
    ]);

    expect(status.session_id).not.toBe(before.session_id);
    expect([second.pid, nudge.pid]).toContain(status.pid);
    expect(durable).toMatchObject({ hint: { value: 'npm test' } });
    expect(passing).toMatchObject({ failed: { code: 'NOT_FOUND' } });
    // Its own, also from before it had a name: it is the same agent, in the same session.
    expect(listed.total).toBe(3);
    expect((await nudge.call('list')).total).toBe(5);
    const { memory_id: own } = unnamed;
    expect(await nudge.call('update_memory', { memory_id: own, importance: 0.9 })).toMatchObject({
      ...{ memory_id: own, revision: 2 },
    });
    expect(changed).toMatchObject({ memory_id, revision: 2 });
    const rode = [listed, changed, await second.call('list')].flatMap(({ cue_offers }) =>
      cue_offers ? [cue_offers] : [],
    );
    expect(rode).toEqual([expect.stringContaining('notes.txt has history (1 memory')]);
    expect(identity).toHaveProperty('agent_id');
    expect(named().pid).toBe(status.pid);
    // With the new server's key.
    expect(await read(second.client, file)).toMatchObject({ text: 'what is noted' });
  });
});
