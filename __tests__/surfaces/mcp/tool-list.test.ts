import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countTokens } from '../../../src/shared/tokens.js';
import { jsonSchemaOf } from '../../../src/surfaces/mcp/json-schema.js';
import { toolNamed, toolsOf } from '../../../src/surfaces/mcp/tools/index.js';
import { TOOL_CHOICES } from '../../../src/surfaces/tool-groups.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { mcpClient } from '../../helpers/mcp.js';

let agent: Agent;
beforeAll(async () => {
  agent = await boot();
});
afterAll(() => agent.stop());

async function listed(...tools: string[]) {
  const { client, close } = await mcpClient(agent.runtime, { tools });
  const answer = await client.listTools();
  await close();
  return answer;
}

const MEMORY = [
  ...['create_chapter', 'forget', 'identity', 'link', 'list', 'list_chapters', 'recall'],
  ...['recall_wisdom', 'store', 'synthesize', 'trace', 'update_memory'],
];

describe('the list of tools', () => {
  it.each([
    ['by default', 'default', 6_000],
    ['of all groups', 'all', 12_000],
  ])('costs a prompt little: %s', async (_name, choice, most) => {
    const tokens = countTokens(JSON.stringify(await listed(choice)));
    expect(tokens).toBeGreaterThan(1_000);
    expect(tokens).toBeLessThanOrEqual(most);
  });

  it('has the groups that are chosen, and those alone', async () => {
    const names = async (...choice: string[]) =>
      (await listed(...choice)).tools.map(({ name }) => name).sort();
    expect(await names('memory')).toEqual(MEMORY);
    expect(await names('when')).toEqual(['remember', 'when']);
    expect(await names('memory', 'when')).toEqual([...MEMORY, 'remember', 'when'].sort());
    expect(toolsOf([])).toEqual(toolsOf(undefined));
    expect(TOOL_CHOICES).toContain('default');
  });

  it('leaves what is rarely needed out of the default', () => {
    const names = toolsOf(undefined).map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['store', 'recall', 'identity', 'when', 'remember', 'forget']),
    );
    expect(names).not.toContain('synthesize');
  });

  it('says of each tool all that a model can act on', async () => {
    const { tools } = await listed('all');
    expect(tools).toHaveLength(new Set(tools.map(({ name }) => name)).size);
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
      expect([tool.name, tool.title?.length]).toEqual([tool.name, expect.any(Number)]);
      expect([tool.name, (tool.description ?? '').length > 20]).toEqual([tool.name, true]);
      expect([tool.name, tool.inputSchema.type]).toEqual([tool.name, 'object']);
      expect([tool.name, tool.outputSchema?.type]).toEqual([tool.name, 'object']);
      const { readOnlyHint, destructiveHint, idempotentHint } = tool.annotations ?? {};
      const said = readOnlyHint ? 'undefined' : 'boolean';
      expect([tool.name, typeof destructiveHint, typeof idempotentHint]).toEqual([
        tool.name,
        said,
        said,
      ]);
    }
  });

  it('has schemas that compile', () => {
    const ajv = new AjvJsonSchemaValidator();
    for (const { name, input, advertised, output } of toolsOf(['all'])) {
      for (const schema of [
        jsonSchemaOf(advertised ?? input, 'input'),
        jsonSchemaOf(output, 'output'),
      ])
        expect([name, typeof ajv.getValidator(schema)]).toEqual([name, 'function']);
    }
  });

  it('advertises only what the service takes', () => {
    for (const { name, input, advertised } of toolsOf(['memory', 'when'])) {
      const taken = Object.keys(Object(jsonSchemaOf(input, 'input').properties));
      const shown = Object.keys(Object(jsonSchemaOf(advertised ?? input, 'input').properties));
      // A union has its fields in its members.
      if (name === 'identity') continue;
      expect([name, shown.filter((key) => !taken.includes(key))]).toEqual([name, []]);
    }
  });
});

describe('the server', () => {
  async function instructions(...tools: string[]): Promise<string> {
    const { client, close } = await mcpClient(agent.runtime, { tools });
    const told = client.getInstructions() ?? '';
    await close();
    return told;
  }

  it('says in few words how it is used, of the tools that are shown', async () => {
    const all = await instructions('all');
    expect(countTokens(all)).toBeLessThanOrEqual(150);
    const named = all.match(/\b[a-z]+(?:_[a-z]+)+\b|\b(?:identity|recall|store|when)\b/g) ?? [];
    expect(named.filter((name) => toolNamed(name) === undefined)).toEqual([]);
    expect(await instructions('default')).toBe(
      all.replace(' create_trigger wakes the Eliza agent later.', ''),
    );
    expect(await instructions('hints')).toBe(
      'Cue is memory that all agents of this project share. nudge_get_hint before you build, run or test.',
    );
  });

  it('has one page of tools, and refuses a cursor of another list', async () => {
    const { client, close } = await mcpClient(agent.runtime, { tools: ['when'] });
    await expect(client.listTools({ cursor: 'nonsense' })).rejects.toMatchObject({
      ...{ code: -32_602, message: 'MCP error -32602: the cursor is not one of this list' },
    });
    await close();
  });
});

describe('a tool', () => {
  it('is found by its name, with dots too', () => {
    expect(toolNamed('update.memory')?.name).toBe('update_memory');
    expect(toolNamed('toString')).toBeUndefined();
  });

  it('that there is not, or that is not chosen, is a protocol error', async () => {
    const { call, close } = await mcpClient(agent.runtime, { tools: ['when'] });
    // The number stands there once: the client puts it there.
    await expect(call('no_such_tool')).rejects.toMatchObject({
      ...{ code: -32_602, message: 'MCP error -32602: there is no tool "no_such_tool"' },
    });
    await expect(call('recall', { query: 'x' })).rejects.toMatchObject({ code: -32_602 });
    await close();
  });
});
