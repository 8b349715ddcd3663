/** Offers ride along in the answer of the next call: each once, to whom it is for. */
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Caller } from '../../../src/memory/index.js';
import { makeChat } from '../../helpers/boot.js';
import type { McpClient } from '../../helpers/mcp.js';
import { type McpRoom, mcpRoom } from './room.js';

const OPERATOR: Caller = { kind: 'operator' };

let room: McpRoom;
beforeAll(async () => {
  room = await mcpRoom();
});
afterAll(() => room.stop());

let files = 0;

/** An offer that waits: of a file that was touched where nobody reads the answer. */
async function waiting(target: object): Promise<string> {
  files += 1;
  const file = `src/riding-${files}.ts`;
  await room.memory.store(
    {
      intent: `Rework part ${files} of the clockwork`,
      actions: [{ file, operation: 'edit' }],
      outcome: { success: true, summary: `part ${files} runs` },
    },
    OPERATOR,
  );
  const happening = { type: 'file_touch', filePath: file, ...target };
  const { offers: made } = await room.offers.happen(happening, undefined, { answered: false });
  expect(made.map(({ state }) => state)).toEqual(['pending']);
  return made[0]?.id ?? '';
}

/** The whole answer of a call. */
async function answered({ client }: McpClient, name = 'list', args: object = {}) {
  const answer = await client.callTool({ name, arguments: { ...args } });
  const { content, structuredContent, isError, _meta } = CallToolResultSchema.parse(answer);
  return {
    texts: content.map((one) => (one.type === 'text' ? one.text : one.type)),
    ids: _meta?.['cue/offers'],
    structured: structuredContent,
    isError: isError ?? false,
  };
}

describe('what waits for a session', () => {
  it('rides along once, beside an answer that is otherwise the same', async () => {
    const client = await room.connect();
    const before = await answered(client, 'recall', { query: 'nothing like this' });
    const id = await waiting({ sessionId: client.session.id });
    const first = await answered(client, 'recall', { query: 'nothing like this' });
    const second = await answered(client, 'recall', { query: 'nothing like this' });
    expect(first.ids).toEqual([id]);
    expect(first.texts[0]).toBe(before.texts[0]);
    expect(first.texts[1]?.split('\n').slice(2, 4)).toEqual([
      '```text',
      expect.stringMatching(/^\[RUM\] riding-\d+\.ts has history \(1 memory\):$/),
    ]);
    expect(first.structured?.cue_offers).toBe(first.texts[1]);
    expect([second.ids, second.texts.length, second.structured?.cue_offers]).toEqual([
      undefined,
      1,
      undefined,
    ]);
    const { state, shownBy } = await room.offers.get(id, OPERATOR);
    expect({ state, shownBy }).toEqual({ state: 'shown', shownBy: 'mcp' });
  });

  it('rides along also when the call fails, and keeps the error', async () => {
    const client = await room.connect();
    const id = await waiting({ sessionId: client.session.id });
    const failed = await answered(client, 'recall', { colour: 'red' });
    expect([failed.isError, failed.ids]).toEqual([true, [id]]);
    expect(failed.texts[0]).toMatch(/^INVALID_INPUT: /);
    expect(failed.structured).toBeUndefined();
  });

  it('is taken by one of many calls at one time', async () => {
    const client = await room.connect();
    const id = await waiting({ sessionId: client.session.id });
    const all = await Promise.all(Array.from({ length: 20 }, () => answered(client)));
    expect(all.flatMap(({ ids }) => ids ?? [])).toEqual([id]);
  });

  it('does not ride in the answer of a hook, and comes with the next call', async () => {
    const client = await room.connect();
    const id = await waiting({ sessionId: client.session.id });
    const hook = await answered(client, 'on_file_touch', { file_path: 'src/unknown.ts' });
    const next = await answered(client);
    expect([hook.ids, next.ids]).toEqual([undefined, [id]]);
  });

  it('is listed by pending_offers, and has been shown then', async () => {
    const client = await room.connect();
    const id = await waiting({ sessionId: client.session.id });
    const listed = await answered(client, 'pending_offers');
    expect(listed.structured).toMatchObject({ offers: [{ id, state: 'shown' }], total: 1 });
    expect(listed.ids).toBeUndefined();
    expect((await answered(client)).ids).toBeUndefined();
  });
});

describe('what is for somebody else', () => {
  it('stays there: of another session, of an agent, of a conversation', async () => {
    const mine = await room.connect();
    const theirs = await room.connect();
    const { roomId } = await makeChat(room.agent.runtime, 'riding');
    const ofSession = await waiting({ sessionId: theirs.session.id });
    await waiting({ agentId: 'someone' });
    await waiting({ roomId });
    expect((await answered(mine)).ids).toBeUndefined();
    expect((await answered(theirs)).ids).toEqual([ofSession]);
  });

  it('or for an identity comes to who has it', async () => {
    const client = await room.connect();
    const { result } = await client.call('identity', { action: 'register' });
    const id = await waiting({ agentId: result.agent_id });
    expect((await answered(await room.connect())).ids).toBeUndefined();
    expect((await answered(client)).ids).toEqual([id]);
  });

  it('or for nobody in particular comes to the first who calls', async () => {
    const id = await waiting({});
    const first = await answered(await room.connect());
    const second = await answered(await room.connect());
    expect([first.ids, second.ids]).toEqual([[id], undefined]);
  });

  it('and of a private memory is never shown to a client', async () => {
    const { roomId, entityId } = await makeChat(room.agent.runtime, 'private');
    const client = await room.connect();
    const caller: Caller = { kind: 'entity', entityId, roomId, private: true };
    const file = 'src/private-plan.ts';
    await room.memory.store(
      {
        intent: 'Plan the surprise',
        actions: [{ file, operation: 'edit' }],
        outcome: { success: true, summary: 'nobody knows' },
      },
      caller,
    );
    await room.offers.happen(
      { type: 'file_touch', filePath: file, sessionId: client.session.id },
      { kind: 'operator' },
      { answered: false },
    );
    const { ids, texts } = await answered(client);
    expect(ids).toBeUndefined();
    expect(texts.join('\n')).not.toContain('surprise');
  });
});
