import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { countTokens } from '../../../src/shared/tokens.js';
import { jsonSchemaOf } from '../../../src/surfaces/mcp/json-schema.js';
import { toolNamed, toolsOf } from '../../../src/surfaces/mcp/tools.js';
import { TOOL_CHOICES } from '../../../src/surfaces/mcp-client.js';
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
  ...['recall_wisdom', 'remember', 'store', 'synthesize', 'trace', 'update_memory'],
];

const READS = [true, undefined, undefined, false];
const ADDS = [false, false, false, false];
const ADDS_ONCE = [false, false, true, false];
const TAKES_AWAY = [false, true, false, false];
const TAKES_AWAY_ONCE = [false, true, true, false];

/** The short form of the seed, which is read before the schema is asked (`memory-tools.test.ts` sends it). */
const SHORT_FORM = [
  ...['store.text', 'store.files'],
  ...['file', 'operation', 'command'].map((field) => `update_memory.actions[].${field}`),
  ...['remember.text', 'remember.files'],
];

/** The dozen of the default, each in place of several. */
const DOZEN = [
  ...['answer_offer', 'brief', 'check', 'forget', 'hint', 'hint_set', 'identity', 'recall'],
  ...['schedule', 'store', 'when', 'when_add'],
];

/** Read-only, destructive, idempotent, open world. */
const DEEDS = {
  ...{ store: ADDS, update_memory: TAKES_AWAY_ONCE, recall: READS, list: READS, link: ADDS_ONCE },
  ...{ trace: READS, forget: TAKES_AWAY_ONCE, identity: ADDS },
  ...{ create_chapter: ADDS_ONCE, list_chapters: READS, synthesize: ADDS_ONCE },
  ...{ recall_wisdom: READS, when: READS, when_add: ADDS_ONCE, remember: ADDS },
  ...{ brief: ADDS, check: ADDS, answer_offer: ADDS_ONCE },
  ...{ hint: READS, hint_set: TAKES_AWAY_ONCE, schedule: TAKES_AWAY },
  ...{ on_file_touch: ADDS, on_intent_stated: ADDS, on_task_start: ADDS },
  ...{ on_action_planned: ADDS, on_action_completed: ADDS, on_session_start: ADDS },
  ...{ acknowledge_warning: ADDS_ONCE, dismiss_offer: ADDS_ONCE },
  // What it has shown no longer waits.
  pending_offers: ADDS,
  ...{ nudge_set_hint: TAKES_AWAY_ONCE, nudge_get_hint: READS, nudge_query: READS },
  ...{ nudge_delete_hint: TAKES_AWAY_ONCE, nudge_list_components: READS, nudge_bump: ADDS },
  ...{ nudge_export: READS, nudge_import: TAKES_AWAY_ONCE, nudge_status: READS },
  create_trigger: ADDS_ONCE,
  list_triggers: READS,
  // skipNext skips one more each time.
  update_trigger: TAKES_AWAY,
  delete_trigger: TAKES_AWAY_ONCE,
  // The agent does what the instructions say, with all that it can.
  run_trigger: [false, true, false, true],
};

describe('the list of tools', () => {
  it.each([
    ['by default', 'default', 2_500],
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
    expect(await names('when')).toEqual(['when', 'when_add']);
    expect(await names('memory', 'when')).toEqual([...MEMORY, 'when', 'when_add'].sort());
    expect(toolsOf([])).toEqual(toolsOf(undefined));
    expect(TOOL_CHOICES).toContain('default');
  });

  it('is a dozen by default', () => {
    const names = toolsOf(undefined).map(({ name }) => name);
    expect(names.toSorted()).toEqual(DOZEN);
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
    }
  });

  it('says of each tool what it does to the world', async () => {
    const { tools } = await listed('all');
    const said = tools.map(({ name, annotations = {} }) => {
      const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = annotations;
      return [name, [readOnlyHint, destructiveHint, idempotentHint, openWorldHint]];
    });
    expect(Object.fromEntries(said)).toEqual(DEEDS);
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

  it('advertises only what the service takes, fields of fields too', () => {
    const untaken = toolsOf(['all']).flatMap(({ name, input, advertised }) =>
      advertised === undefined
        ? []
        : strange(jsonSchemaOf(advertised, 'input'), [jsonSchemaOf(input, 'input')], name),
    );
    expect(untaken).toEqual(SHORT_FORM);
    const [taken, told] = ['a', 'b'].map((field) =>
      jsonSchemaOf(z.object({ list: z.array(z.object({ [field]: z.string() })) }), 'input'),
    );
    expect(strange(told, [taken], 'x')).toEqual(['x.list[].b']);
  });
});

/** Fields of a schema that none of the others has, wherever they stand. */
function strange(told: unknown, taken: readonly unknown[], at: string): string[] {
  const forms = taken.flatMap(formsOf);
  const isOpen = (form: unknown) => Object.keys(Object(form)).every((key) => key === 'description');
  if (forms.some(isOpen)) return [];
  return formsOf(told).flatMap((form) => {
    const { properties = {}, items } = Object(form);
    const within = forms.map((one) => Object(one).items).filter((one) => one !== undefined);
    const fields = Object.entries(properties).flatMap(([name, inner]) => {
      const others = forms
        .map((one) => Object(Object(one).properties)[name])
        .filter((one) => one !== undefined);
      const path = `${at}.${name}`;
      if (others.length > 0) return strange(inner, others, path);
      // Names of one's own choice.
      return forms.some((one) => Object(one).type === 'object' && !('properties' in Object(one)))
        ? []
        : [path];
    });
    return [...fields, ...(items === undefined ? [] : strange(items, within, `${at}[]`))];
  });
}

function formsOf(schema: unknown): unknown[] {
  const { anyOf, oneOf } = Object(schema);
  const forms: unknown = anyOf ?? oneOf;
  return Array.isArray(forms) ? forms.flatMap(formsOf) : [schema];
}

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
    const named =
      all.match(
        /\b[a-z]+(?:_[a-z]+)+\b|\b(?:brief|check|hint|identity|recall|schedule|store|when)\b/g,
      ) ?? [];
    expect(named.filter((name) => toolNamed(name) === undefined)).toEqual([]);
    expect(await instructions('default')).toBe(all);
    expect(await instructions('hints')).toBe(
      'Cue is memory that all agents of this project share. hint before you build, run or test.',
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

  it('that the default does not show answers when it is called', async () => {
    const { call, close } = await mcpClient(agent.runtime, { tools: ['default'] });
    for (const name of ['list', 'nudge_list_components', 'pending_offers', 'list_triggers']) {
      expect([name, (await call(name)).code]).toEqual([name, null]);
    }
    await close();
  });

  it('that there is not, or is of a group that was not chosen, is a protocol error', async () => {
    const { call, close } = await mcpClient(agent.runtime, { tools: ['when'] });
    // The number stands there once: the client puts it there.
    await expect(call('no_such_tool')).rejects.toMatchObject({
      ...{ code: -32_602, message: 'MCP error -32602: there is no tool "no_such_tool"' },
    });
    await expect(call('recall', { query: 'x' })).rejects.toMatchObject({ code: -32_602 });
    await close();
  });
});
