/** What `cue mcp` tells a client before any server is there is what the server tells it. */
import {
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toldTool } from '../../../src/surfaces/mcp/server.js';
import { toolsOf } from '../../../src/surfaces/mcp/tools.js';
import { TOOL_CHOICES } from '../../../src/surfaces/mcp-client.js';
import { greetingOf } from '../../../src/surfaces/mcp-greeting.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { mcpClient } from '../../helpers/mcp.js';

let agent: Agent;
beforeAll(async () => {
  agent = await boot();
});
afterAll(() => agent.stop());

const REGENERATE = 'npx vitest run __tests__/surfaces/mcp/greeting.test.ts -u';

/** A line for each tool. */
function sourceOf({ tools, ...rest }: { tools: readonly object[] }): string {
  const lines = tools.map((tool) => `    ${JSON.stringify(tool)},`);
  const fields = Object.entries(rest).map(
    ([name, value]) => `  ${name}: ${JSON.stringify(value)},`,
  );
  return [
    `/** What the server tells of itself; made by ${REGENERATE} */`,
    ...['export const TOLD = {', ...fields, '  tools: [', ...lines, '  ],', '};', ''],
  ].join('\n');
}

it(`stands in the sources as the server makes it; after a change of a tool: ${REGENERATE}`, async () => {
  const { client, close } = await mcpClient(agent.runtime);
  const { prompts } = await client.listPrompts();
  const { resources } = await client.listResources();
  const { resourceTemplates } = await client.listResourceTemplates();
  await close();
  const told = {
    protocolVersions: [
      LATEST_PROTOCOL_VERSION,
      ...SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version !== LATEST_PROTOCOL_VERSION),
    ],
    tools: toolsOf(['all']).map((tool) => ({
      ...{ group: tool.group, isDefault: tool.isDefault },
      told: toldTool(tool),
    })),
    ...{ prompts, resources, resourceTemplates },
  };
  await expect(sourceOf(told)).toMatchFileSnapshot('../../../src/surfaces/mcp-told.ts');
});

it.each(TOOL_CHOICES)('is the same for a client that has chosen the tools %s', async (choice) => {
  const { client, close } = await mcpClient(agent.runtime, { tools: [choice] });
  const hello = { protocolVersion: LATEST_PROTOCOL_VERSION };
  expect(greetingOf('initialize', hello, [choice])).toEqual({
    ...hello,
    capabilities: client.getServerCapabilities(),
    serverInfo: client.getServerVersion(),
    instructions: client.getInstructions(),
  });
  expect(JSON.stringify(greetingOf('tools/list', {}, [choice]))).toBe(
    JSON.stringify(await client.listTools()),
  );
  await close();
});

it('speaks the version that the client wants where it can, else its newest', () => {
  const version = (protocolVersion: unknown) =>
    greetingOf('initialize', { protocolVersion }, undefined)?.protocolVersion;
  expect(SUPPORTED_PROTOCOL_VERSIONS.map(version)).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
  expect(version('1999-01-01')).toBe(LATEST_PROTOCOL_VERSION);
  expect(greetingOf('initialize', { protocolVersion: 7 }, undefined)).toBeNull();
});

it('has no second page, and nothing that only a server knows', () => {
  expect(greetingOf('tools/list', { cursor: 'x' }, undefined)).toBeNull();
  expect(greetingOf('tools/call', {}, undefined)).toBeNull();
});
