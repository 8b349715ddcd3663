/** One contract, over the service, REST, MCP and the command line: what is kept over one is given by each. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/index.js';
import { AppError } from '../../src/shared/errors.js';
import { call } from '../helpers/http.js';
import { type McpClient, mcpClient } from '../helpers/mcp.js';
import { memoryOf } from '../helpers/memory.js';
import { type Served, startServed } from '../surfaces/cli/served.js';

type Fields = Record<string, unknown>;
/** The answer of an operation, or the code that it was refused with. */
type Ask = (name: string, input: Fields) => Promise<Fields & { code?: string }>;

let served: Served;
let mcp: McpClient;
let base: string;
beforeAll(async () => {
  served = await startServed();
  await memoryOf(served.agent.runtime);
  mcp = await mcpClient(served.agent.runtime);
  base = `http://127.0.0.1:${JSON.parse(served.read('pids/server.pid')).port}/cue`;
});
afterAll(async () => {
  await mcp.close();
  await served.stop();
});

function operation(name: string) {
  const found = OPERATIONS.find((one) => one.name === name);
  if (found === undefined) throw new Error(`there is no operation ${name}`);
  return found;
}

/** Of an operation on the command line: its words, from its input. */
const COMMANDS: Record<string, (input: Fields) => string[]> = {
  store: ({ intent }) => ['store', '--intent', String(intent), '--success'],
  recall: ({ query, limit }) => [
    'recall',
    String(query),
    ...(limit ? ['--limit', `${limit}`] : []),
  ],
  forget: ({ memory_ids }) => ['purge', ...(memory_ids as string[]), '--yes'],
  create_trigger: ({ text }) => ['trigger', 'create', String(text)],
  list_triggers: () => ['trigger', 'list'],
  delete_trigger: ({ id }) => ['trigger', 'delete', String(id)],
};

const WAYS: Record<string, Ask> = {
  async service(name, input) {
    const { runtime } = served.agent;
    const { signal } = new AbortController();
    try {
      const caller = { kind: 'operator' } as const;
      return { ...(await operation(name).call(input, { runtime, caller, signal, progress() {} })) };
    } catch (error) {
      if (error instanceof AppError) return { code: error.code };
      throw error;
    }
  },
  async REST(name, { id, ...input }) {
    const { rest } = operation(name);
    if (rest === undefined) throw new Error(`${name} has no route`);
    const path = rest.path.replace(':id', String(id));
    const isRead = rest.method === 'GET' || rest.method === 'DELETE';
    const { body } = await call(rest.method, base + path, isRead ? {} : { body: input });
    return { ...body, ...(body.error as Fields | undefined) };
  },
  async MCP(name, input) {
    const { result, code } = await mcp.call(name, input);
    return code === null ? result : { code };
  },
  async 'command line'(name, input) {
    const { out } = await served.cue(...(COMMANDS[name]?.(input) ?? []), '--json');
    const answer = JSON.parse(out) as Fields;
    return { ...answer, ...(answer.error as Fields | undefined) };
  },
};
const each = Object.keys(WAYS);
const over = (way: string): Ask => WAYS[way] as Ask;

function idsIn({ memories }: Fields): unknown[] {
  return (memories as Fields[]).map(({ memory_id }) => memory_id).toSorted();
}

describe('a memory', () => {
  it('that is stored over one is recalled over each, and forgotten for all', async () => {
    const stored = new Map<string, unknown>();
    for (const way of each) {
      const intent = `Glaze the kiln shelves, told over ${way}`;
      const { memory_id } = await over(way)('store', { intent, outcome: { success: true } });
      stored.set(way, memory_id);
    }
    for (const way of each) {
      const ids = idsIn(await over(way)('recall', { query: 'kiln shelves' }));
      expect([way, ids]).toEqual([way, [...stored.values()].toSorted()]);
    }
    for (const [way, id] of stored) {
      await over(way)('forget', { memory_ids: [id], dry_run: false });
      for (const other of each) {
        const ids = idsIn(await over(other)('recall', { query: 'kiln shelves' }));
        expect([way, other, ids.includes(id)]).toEqual([way, other, false]);
      }
    }
  });

  it.each(each)('is refused over %s where its input is wrong', async (way) => {
    expect(await over(way)('recall', { query: 'kiln', limit: 1_000_000 })).toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});

describe('a trigger', () => {
  it('that is created over one is listed over each, and deleted for all', async () => {
    const created = new Map<string, unknown>();
    for (const way of each) {
      const text = `every friday at 5pm: tell the ${way} report`;
      const answer = await over(way)('create_trigger', { text });
      const { triggerId, id } = (answer.trigger ?? answer) as Fields;
      created.set(way, triggerId ?? id);
    }
    for (const other of each) {
      const list = JSON.stringify(await over(other)('list_triggers', {}));
      for (const [way, id] of created)
        expect([other, way, list.includes(String(id))]).toEqual([other, way, true]);
    }
    for (const [way, id] of created) {
      await over(way)('delete_trigger', { id });
      for (const other of each) {
        expect(JSON.stringify(await over(other)('list_triggers', {}))).not.toContain(id);
      }
    }
  });

  it.each(each)('that is not there is not found over %s', async (way) => {
    const id = '00000000-0000-4000-8000-000000000000';
    expect((await over(way)('delete_trigger', { id })).code).toBe('NOT_FOUND');
  });
});
