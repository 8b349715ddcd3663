/** What the table promises: REST and MCP judge the same input alike, and do the same with it. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { isTool, OPERATIONS } from '../../src/operations/index.js';
import { call, errorOf } from '../helpers/http.js';
import { type McpClient, mcpClient } from '../helpers/mcp.js';
import { memoryOf } from '../helpers/memory.js';
import { startServer, type TestServer } from '../helpers/server.js';
import { type KnowledgeFolder, knowledgeFolder, whenOf } from '../helpers/when.js';

let folder: KnowledgeFolder;
let server: TestServer;
let mcp: McpClient;
beforeAll(async () => {
  folder = knowledgeFolder();
  server = await startServer({ settings: folder.settings });
  await Promise.all([memoryOf(server.runtime), whenOf(server.runtime)]);
  mcp = await mcpClient(server.runtime);
});
afterAll(async () => {
  await mcp.close();
  await server.stop();
  folder.remove();
});

function postOf(name: string, input: object) {
  const path = OPERATIONS.find((one) => one.name === name)?.rest?.path;
  return call('POST', `${server.baseUrl}/cue${path}`, { body: input });
}

it.each([
  ['store', { intent: 'x' }],
  ['store', { intent: 'x', outcome: { success: true }, colour: 'red' }],
  ['store', { intent: 'x', outcome: { success: 'yes' }, tags: 'auth' }],
  ['recall', { query: 7 }],
  ['recall', { query: 'x', limit: 0 }],
  ['link', { source: 'mem_00000000' }],
  ['forget', { dry_run: 'no' }],
  ['create_chapter', { min_memories: 'many' }],
  ['identity', { action: 'steal' }],
  ['create_trigger', { instructions: 'x' }],
  ['create_trigger', { text: 'every day at 9 water the plants', wakeMode: 'now' }],
  ['when_add', { trigger: 'a b' }],
])('%s refuses wrong input %# alike over both', async (name, input) => {
  const answer = await postOf(name, input);
  const overRest = errorOf(answer);
  const overMcp = await mcp.call(name, input);
  expect([name, overMcp.code]).toEqual([name, overRest.code]);
  for (const field of overRest.fields.filter((one) => one !== '(body)')) {
    expect(overMcp.text).toContain(field);
  }
});

it('stores over each what the other recalls', async () => {
  await postOf('store', { text: 'The kiln is fired at noon on Tuesdays' });
  await mcp.call('store', { text: 'The glaze for the kiln is mixed by weight' });
  const { body } = await postOf('recall', { query: 'kiln' });
  const { result } = await mcp.call('recall', { query: 'kiln' });
  const ids = ({ memories }: Record<string, unknown>) =>
    (memories as { memory_id: string }[]).map(({ memory_id }) => memory_id).toSorted();
  expect(ids(body)).toHaveLength(2);
  expect(ids(result)).toEqual(ids(body));
});

it('names each operation and each route once', () => {
  const routes = OPERATIONS.flatMap(({ rest }) => (rest ? [`${rest.method} ${rest.path}`] : []));
  expect(new Set(routes).size).toBe(routes.length);
  const tools = OPERATIONS.filter(isTool).map(({ name }) => name);
  expect(new Set(tools).size).toBe(tools.length);
});
