/** What no tool may be brought to by what it is sent: every tool, by the schemas that it has. */
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Caller, WorkMemoryService } from '../../../src/memory/index.js';
import { databaseOf, ensureHome } from '../../../src/records/index.js';
import { derivedId } from '../../../src/shared/ids.js';
import { jsonSchemaOf } from '../../../src/surfaces/mcp/json-schema.js';
import { toolsOf } from '../../../src/surfaces/mcp/tools.js';
import { ATTACKS } from '../../fixtures/attacks.js';
import { type Agent, boot } from '../../helpers/boot.js';
import { type McpClient, mcpClient } from '../../helpers/mcp.js';
import { failure } from '../../helpers/mcp-failure.js';
import { memoryOf } from '../../helpers/memory.js';
import { offersOf } from '../../helpers/offers.js';
import { type KnowledgeFolder, knowledgeFolder, whenOf } from '../../helpers/when.js';
import { openRoom } from '../../memory/room.js';

const TOOLS = toolsOf(['all']);
const OPERATOR: Caller = { kind: 'operator' };
const ADA: Caller = {
  ...{ kind: 'entity', private: true },
  ...{ entityId: derivedId('person', 'ada'), roomId: derivedId('room', 'ada') },
};
/** Words of memories that no client may read. */
const HIDDEN = ['quokkaprivate', 'quokkaproject'] as const;

let folder: KnowledgeFolder;
let agent: Agent;
let memory: WorkMemoryService;
let mcp: McpClient;
let logged: string[] = [];
beforeAll(async () => {
  folder = knowledgeFolder();
  agent = await boot({ slim: true, settings: folder.settings });
  memory = await memoryOf(agent.runtime);
  await Promise.all([whenOf(agent.runtime), offersOf(agent.runtime)]);
  const { runtime } = agent;
  const home = await ensureHome(runtime);
  const elsewhere = await openRoom({ db: databaseOf(runtime), home }, 'another');
  const secret = (word: string) => ({
    intent: `Rotate the ${word} of the file auth.ts`,
    actions: [{ file: 'src/auth.ts', operation: 'edit' }],
    outcome: { success: true, summary: `The ${word} is rotated` },
    tags: ['auth'],
  });
  await elsewhere.memory.store(secret(HIDDEN[1]), OPERATOR);
  await elsewhere.stop();
  await memory.store(secret(HIDDEN[0]), ADA);
  await memory.store(secret('well known key'), OPERATOR);
  mcp = await mcpClient(runtime);
  const { error } = runtime.logger;
  runtime.logger.error = (...parts: unknown[]) => {
    logged.push(JSON.stringify(parts));
    Reflect.apply(error, runtime.logger, parts);
  };
});
afterAll(async () => {
  await mcp.close();
  await agent.stop();
  folder.remove();
});

interface Answer {
  code: string | null;
  text: string;
  /** Everything that was said. */
  whole: string;
}

async function call(name: string, input: unknown): Promise<Answer> {
  const params = { name, arguments: input as Record<string, unknown> };
  const answer = CallToolResultSchema.parse(await mcp.client.callTool(params));
  const [first] = answer.content;
  const told = Object(answer._meta?.['cue/error']);
  return {
    code: answer.isError ? String(told.code) : null,
    text: first?.type === 'text' ? first.text : '',
    whole: JSON.stringify(answer),
  };
}

/** An error is one of ours and short, and nothing went wrong here. */
function expectClean(what: unknown, { code, text, whole }: Answer): void {
  expect([what, code === 'INTERNAL', logged]).toEqual([what, false, []]);
  for (const word of HIDDEN) expect([what, whole.includes(word)]).toEqual([what, false]);
  if (code === null) return;
  expect([what, text.length <= 1_100]).toEqual([what, true]);
  expect([what, /\p{Cc}/u.test(text.replaceAll('\n', ''))]).toEqual([what, false]);
}

type Json = Record<string, unknown>;
const SAMPLES: Readonly<Record<string, unknown>> = {
  ...{ string: 'auth.ts', integer: 1, number: 0.5, boolean: true, null: null },
};

/** Something that a JSON Schema takes. */
function sampleOf(schema: unknown): unknown {
  const { type, enum: words, anyOf, properties, items, const: constant } = Object(schema) as Json;
  if (constant !== undefined) return constant;
  if (Array.isArray(words)) return words[0];
  if (Array.isArray(anyOf)) return sampleOf(anyOf[0]);
  if (type === 'array') return [sampleOf(items)];
  if (type === 'object') {
    const fields = Object.entries(Object(properties) as Json);
    return Object.fromEntries(fields.map(([name, of]) => [name, sampleOf(of)]));
  }
  return SAMPLES[String(type)] ?? 'auth.ts';
}

const advertisedOf = ({ input, advertised }: (typeof TOOLS)[number]) =>
  jsonSchemaOf(advertised ?? input, 'input');

/** Of the whole input, also what is not advertised; of a union those of each member. */
function fieldsOf(tool: (typeof TOOLS)[number]): string[] {
  const whole = z.toJSONSchema(tool.input, { io: 'input', unrepresentable: 'any' });
  const members = [whole, advertisedOf(tool), ...(whole.anyOf ?? []), ...(whole.oneOf ?? [])];
  return [...new Set(members.flatMap((one) => Object.keys(Object(Object(one).properties))))];
}

function nested(depth: number): unknown {
  let value: unknown = 'x';
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

const WRONG: readonly (readonly [string, unknown])[] = [
  ['null', null],
  ['true', true],
  ['a number', -1.5],
  ['a huge number', 1e308],
  ['an empty text', ''],
  ['NUL', `a${String.fromCharCode(0)}b`],
  ['half a character', String.fromCharCode(0xd800)],
  ['a list', [null, 1, [[]]]],
  ['an object', { a: { b: 1 }, constructor: 1, toString: 'x' }],
  ['an inherited field', JSON.parse('{"__proto__":{"kind":"operator"}}')],
  ['a deep value', nested(2_000)],
];

describe.each(TOOLS.map((tool) => [tool.name, tool] as const))('%s', (name, tool) => {
  const sample = () => sampleOf(advertisedOf(tool)) as Json;

  it('takes no wrong value in any field for more than a wrong value', async () => {
    for (const field of fieldsOf(tool)) {
      for (const [called, value] of WRONG) {
        logged = [];
        const input = { ...sample(), [field]: value };
        expectClean([field, called], await call(name, input));
      }
    }
    for (const input of [undefined, {}, { no_such_field: 1 }]) {
      expectClean(input, await call(name, input));
    }
    for (const input of ['text', 7, [], null]) {
      expect((await failure(call(name, input)))[0]).toBe(-32_602);
    }
  });

  it('takes text for text, whatever it says, and tells nothing that is hidden', async () => {
    let at = 0;
    const texts = [...ATTACKS.map(({ text }) => text), ...HIDDEN, 'src/auth.ts', '%', "' or 1=1"];
    const strings = stringFieldsOf(advertisedOf(tool));
    for (const path of strings) {
      for (let times = 0; times < Math.ceil(30 / strings.length); times += 1) {
        logged = [];
        const text = texts[(at * 7) % texts.length] ?? '';
        at += 1;
        const input = structuredClone(sample());
        put(input, path, text);
        const answer = await call(name, input);
        // What was sent may be quoted.
        if (!HIDDEN.some((word) => word === text)) expectClean([path, text.slice(0, 80)], answer);
      }
    }
    expect(at > 0 || strings.length === 0).toBe(true);
  });
});

/** Where a schema takes any text. */
function stringFieldsOf(schema: unknown, path: readonly string[] = []): string[][] {
  const { type, enum: words, properties, items, anyOf } = Object(schema) as Json;
  if (Array.isArray(anyOf)) return stringFieldsOf(anyOf[0], path);
  if (type === 'string' && words === undefined) return [[...path]];
  if (type === 'array') return stringFieldsOf(items, [...path, '0']);
  return Object.entries(Object(properties) as Json).flatMap(([name, of]) =>
    stringFieldsOf(of, [...path, name]),
  );
}

function put(target: Json, path: readonly string[], value: string): void {
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<Json>((at, name) => at[name] as Json, target);
  holder[last] = value;
}

describe('after all that', () => {
  it('what is private is still there, for its owner alone', async () => {
    const found = await memory.recall({ query: HIDDEN[0] }, ADA);
    expect(found.memories[0]?.content).toContain(HIDDEN[0]);
    const answer = await call('recall', { query: `${HIDDEN.join(' ')} auth.ts` });
    expect(answer.code).toBeNull();
    for (const word of HIDDEN) expect(answer.whole).not.toContain(`the ${word}`);
  });

  it.each([
    ['a resource without a URI', 'resources/read', {}],
    ['a subscription to a number', 'resources/subscribe', { uri: 5 }],
    ['prompt arguments that are a list', 'prompts/get', { name: 'session_start', arguments: [] }],
    ['a completion of nothing', 'completion/complete', { ref: { type: 'ref/none' } }],
    ['a level that there is not', 'logging/setLevel', { level: 'loud' }],
    ['a cursor that is a list', 'tools/list', { cursor: [] }],
    ['a call without a name', 'tools/call', {}],
    ['arguments that are no object', 'tools/call', { name: 'recall', arguments: 'x' }],
  ])('wrong params are the caller’s: %s', async (_name, method, params) => {
    const asked = mcp.client.request({ method, params }, z.looseObject({}));
    expect(await failure(asked)).toEqual([-32_602, 'INVALID_INPUT']);
  });

  it.each([
    ['no name', {}],
    ['a name that is no text', { name: { toString: 1 } }],
    ['the name of no tool', { name: '__proto__' }],
    ['a name of two million characters', { name: 'x'.repeat(2_000_000) }],
  ])('a call is refused for %s', async (_name, params) => {
    const asked = mcp.client.request({ method: 'tools/call', params }, z.looseObject({}));
    const error: unknown = await asked.catch((thrown: unknown) => thrown);
    expect(Object(error).code).toBe(-32_602);
    expect(String(error).length).toBeLessThan(1_000);
  });
});
