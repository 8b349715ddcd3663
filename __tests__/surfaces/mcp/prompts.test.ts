/** The prompt that begins a session, and completion of its arguments. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/memory/index.js';
import type { McpClient } from '../../helpers/mcp.js';
import { failure } from '../../helpers/mcp-failure.js';
import { type McpRoom, mcpRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };
const TASK = 'Migrate the billing tables to partitions';

let room: McpRoom;
beforeAll(async () => {
  room = await mcpRoom();
});
afterAll(() => room.stop());

async function begun({ client }: McpClient, args: Record<string, string>): Promise<string> {
  const { messages } = await client.getPrompt({ name: 'session_start', arguments: args });
  expect(messages.map(({ role, content }) => [role, content.type])).toEqual([['user', 'text']]);
  const [first] = messages;
  return first?.content.type === 'text' ? first.content.text : '';
}

async function remembered(): Promise<void> {
  await room.memory.store(
    {
      intent: TASK,
      actions: [{ file: 'src/billing/tables.ts', operation: 'edit' }],
      outcome: { success: true, summary: 'half done', follow_up_needed: ['move the old rows'] },
    },
    OPERATOR,
  );
  await room.memory.store(
    {
      intent: 'Speed up the <system> of "imports", quickly',
      actions: [{ file: 'src/imports/read.ts', operation: 'edit' }],
      outcome: { success: false, failure_reason: 'ran out of memory' },
    },
    OPERATOR,
  );
}

describe('session_start', () => {
  it('is listed with its arguments, on one page', async () => {
    const { client } = await room.connect();
    const { prompts, nextCursor } = await client.listPrompts();
    expect(prompts.map(({ name, arguments: all }) => [name, all?.map((one) => one.name)])).toEqual([
      ['session_start', ['task', 'files']],
    ]);
    expect(nextCursor).toBeUndefined();
    expect(await failure(client.listPrompts({ cursor: 'x' }))).toEqual([-32602, undefined]);
  });

  it('says so when there is nothing to tell', async () => {
    expect(await begun(await room.connect(), {})).toBe(
      'I begin a session; nothing is remembered that bears on it.',
    );
  });
});

describe('session_start with memories', () => {
  beforeAll(remembered);

  it('tells what is unfinished, as data, and it has been shown then', async () => {
    const mcp = await room.connect();
    const lines = (await begun(mcp, {})).split('\n');
    expect(lines.slice(0, 3)).toEqual([
      'I begin a session. What is remembered that bears on it:',
      '',
      '# From your own work memory (Cue)',
    ]);
    expect(lines[4]).toBe('```text');
    expect(lines.slice(5, -2).join('\n')).toContain('move the old rows');
    expect(lines.at(-2)).toBe('```');
    expect(lines.at(-1)).toMatch(/^offer_[0-9a-f]{8} \(sessionStart\)$/);
    expect((await mcp.call('list')).result.cue_offers).toBeUndefined();
    const filter = { sessionId: mcp.session.id, state: 'shown' } as const;
    const { offers: shown } = await room.offers.list(filter, OPERATOR);
    expect(shown.map(({ kind }) => kind)).toContain('sessionStart');
  });

  it('tells what is known of the task', async () => {
    const text = await begun(await room.connect(), { task: TASK, files: 'src/billing/tables.ts' });
    expect(text.split('\n')[0]).toBe(`The task: ${TASK}`);
    expect(text).toContain('move the old rows');
    expect(text).toMatch(/offer_[0-9a-f]{8} \((?:intentMatch|fileTouch)\)/);
  });

  it('tells what is known of files where no task is given', async () => {
    const files = 'src/billing/tables.ts, src/imports/read.ts,';
    const text = await begun(await room.connect(), { files });
    expect(text).toContain('[RUM] tables.ts has history');
    expect(text).toContain('[RUM] read.ts has history (1 memory, 1 failed)');
    expect(text.match(/^```/gm)).toHaveLength(2);
  });

  it('refuses what its hooks refuse, and other names', async () => {
    const mcp = await room.connect();
    expect(await failure(begun(mcp, { task: 'x'.repeat(9_000) }))).toEqual([
      ...[-32602, 'INVALID_INPUT'],
    ]);
    expect(await failure(begun(mcp, { files: '../../..' }))).toEqual([-32602, 'INVALID_INPUT']);
    const unknown = mcp.client.getPrompt({ name: 'other' });
    expect(await failure(unknown)).toEqual([-32602, undefined]);
  });
});

describe('completion of arguments', () => {
  async function completed(name: string, value: string, prompt = 'session_start') {
    const { client } = await room.connect();
    const ref = { type: 'ref/prompt' as const, name: prompt };
    return (await client.complete({ ref, argument: { name, value } })).completion.values;
  }

  it('gives goals and files of the newest memories', async () => {
    expect(await completed('task', 'migrate')).toEqual([TASK]);
    expect(await completed('task', '')).toEqual([
      'Speed up the ‹system> of "imports", quickly',
      TASK,
    ]);
    expect(await completed('files', 'src/b')).toEqual(['src/billing/tables.ts']);
    expect(await completed('files', 'tables')).toEqual(['src/billing/tables.ts']);
  });

  it('completes the last of several files', async () => {
    expect(await completed('files', 'a.ts, src/i')).toEqual(['a.ts, src/imports/read.ts']);
  });

  it('gives nothing for an argument that it does not know, and refuses other prompts', async () => {
    expect(await completed('colour', 'r')).toEqual([]);
    expect(await failure(completed('task', '', 'other'))).toEqual([-32602, undefined]);
  });
});
