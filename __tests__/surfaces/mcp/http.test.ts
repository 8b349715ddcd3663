import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Listener, startListener } from '../../../src/surfaces/rest/listener.js';
import { type Agent, boot } from '../../helpers/boot.js';

let agent: Agent;
let listener: Listener;
beforeAll(async () => {
  agent = await boot();
  listener = await startListener({ runtime: agent.runtime, port: 0 });
});
afterAll(async () => {
  await listener.close();
  await agent.stop();
});

async function connect(): Promise<{ client: Client; transport: StreamableHTTPClientTransport }> {
  const url = new URL(`http://127.0.0.1:${listener.port}/cue/mcp`);
  const transport = new StreamableHTTPClientTransport(url);
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(transport);
  return { client, transport };
}

it('serves the client of the SDK over HTTP', async () => {
  const { client, transport } = await connect();
  const { tools } = await client.listTools();
  const listed = await client.callTool({ name: 'list', arguments: {} });
  await transport.terminateSession();
  await client.close();
  expect(tools.map(({ name }) => name)).toContain('list');
  expect(listed.structuredContent).toMatchObject({ memories: [], total: 0 });
});
