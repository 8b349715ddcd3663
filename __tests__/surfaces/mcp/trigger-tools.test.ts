/** Triggers over MCP: a client manages what is the project's, and knows nothing of people's. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TriggerDraft } from '../../../src/index.js';
import { type Agent, boot, makeChat } from '../../helpers/boot.js';
import { type McpClient, mcpClient } from '../../helpers/mcp.js';
import { plan } from '../../helpers/scripted-model.js';
import { created, cron, every, OPERATOR } from '../../helpers/triggers.js';

const SECRET = 'remind me of my appointment at the clinic';

let agent: Agent;
let client: McpClient;
let other: McpClient;
let chat: Awaited<ReturnType<typeof makeChat>>;
beforeAll(async () => {
  agent = await boot({ settings: { CUE_TRIGGER_MAX_PER_CREATOR: '12' } });
  client = await mcpClient(agent.runtime);
  other = await mcpClient(agent.runtime);
  chat = await makeChat(agent.runtime, 'triggers');
});
afterAll(async () => {
  await client.close();
  await other.close();
  await agent.stop();
});

async function make(by: McpClient, text: string): Promise<Record<string, unknown>> {
  const { result, code } = await by.call('create_trigger', { text });
  expect(code).toBeNull();
  return result.trigger as Record<string, unknown>;
}

const daily = (instructions: string, more: Partial<TriggerDraft> = {}): TriggerDraft => ({
  ...{ instructions, schedule: cron('0 9 * * *') },
  ...more,
});

async function listed(by: McpClient, input: object = {}): Promise<string[]> {
  const { result } = await by.call('list_triggers', { ...input });
  const triggers = result.triggers as { instructions: string }[];
  return triggers.map(({ instructions }) => instructions);
}

describe('its own triggers', () => {
  it('are made from words, changed, run and deleted', async () => {
    const made = await make(client, 'every weekday at 9 check the open pull requests');
    expect(made).toMatchObject({
      createdBy: 'agent',
      instructions: 'check the open pull requests',
      state: 'resting',
    });
    const { id } = made;
    const changed = await client.call('update_trigger', { id, text: 'every day at 10' });
    expect(changed.result.trigger).toMatchObject({ id, scheduleText: 'every day at 10:00 (UTC)' });
    const stopped = await client.call('update_trigger', { id, enabled: false });
    expect(stopped.result.trigger).toMatchObject({ state: 'disabled' });
    agent.brain.onLarge = () => plan('Two are open.');
    const ran = await client.call('run_trigger', { id, waitMs: 20_000 });
    expect(ran.result.run).toMatchObject({ status: 'success', answer: 'Two are open.' });
    expect(ran.text.split('\n').slice(1)).toEqual([
      'What the agent answered:',
      '```text',
      'Two are open.',
      '```',
    ]);
    const gone = await client.call('delete_trigger', { id });
    expect(gone.result).toMatchObject({ deleted: true });
    const after = await client.call('delete_trigger', { id });
    expect(after.code).toBe('NOT_FOUND');
  });

  it('are made once', async () => {
    const text = 'every monday at 8 tidy the changelog';
    const first = await client.call('create_trigger', { text });
    const second = await other.call('create_trigger', { text });
    expect([first.result.created, second.result.created]).toEqual([true, false]);
    expect(second.result.trigger).toMatchObject({ instructions: 'tidy the changelog' });
  });

  it('are seen by other clients, which cannot change them', async () => {
    const { id } = await make(client, 'every tuesday at 8 look at the logs');
    expect(await listed(other, { q: 'look at the logs' })).toEqual(['look at the logs']);
    const refused = await Promise.all([
      other.call('update_trigger', { id, enabled: false }),
      other.call('delete_trigger', { id }),
      other.call('run_trigger', { id }),
    ]);
    expect(refused.map(({ code }) => code)).toEqual(Array(3).fill('PERMISSION_DENIED'));
  });

  it('stay its own when it registers afterwards', async () => {
    const late = await mcpClient(agent.runtime);
    const { id } = await make(late, 'every friday at 8 count the tests');
    await late.call('identity', { action: 'register' });
    const changed = await late.call('update_trigger', { id, enabled: false });
    await late.close();
    expect(changed.code).toBeNull();
  });

  it('have a limit of their own', async () => {
    const busy = await mcpClient(agent.runtime);
    const codes: (string | null)[] = [];
    for (let hour = 0; hour < 13; hour += 1) {
      const input = { instructions: `count ${hour}`, schedule: cron(`30 ${hour} * * *`) };
      codes.push((await busy.call('create_trigger', input)).code);
    }
    await busy.close();
    expect(codes).toEqual([...Array(12).fill(null), 'LIMIT_REACHED']);
  });
});

describe('triggers of the operator', () => {
  it('may be changed, run and deleted', async () => {
    const { id } = await created(agent, daily('water the build farm'));
    const changed = await client.call('update_trigger', { id, displayName: 'Farm' });
    const gone = await other.call('delete_trigger', { id });
    expect([changed.result.trigger, gone.code]).toEqual([
      expect.objectContaining({ displayName: 'Farm' }),
      null,
    ]);
  });
});

describe('triggers of people and conversations', () => {
  it('do not exist for a client', async () => {
    const { roomId, entityId } = chat;
    const people = await Promise.all([
      created(agent, daily(SECRET, { creatorEntityId: entityId, originRoomId: roomId })),
      created(agent, daily(`${SECRET} today`, { creatorEntityId: entityId })),
      created(agent, daily(`${SECRET} there`, { deliverTo: { roomId } })),
    ]);
    expect((await listed(client, { limit: 500 })).join('\n')).not.toContain(SECRET);
    expect(await listed(client, { q: 'clinic' })).toEqual([]);
    for (const { id } of people) {
      const answers = await Promise.all([
        client.call('update_trigger', { id, enabled: false }),
        client.call('update_trigger', { id, skipNext: true }),
        client.call('delete_trigger', { id }),
        client.call('run_trigger', { id }),
      ]);
      expect(answers.map(({ code }) => code)).toEqual(Array(4).fill('NOT_FOUND'));
      expect((await agent.triggers.get(id, OPERATOR)).state).toBe('resting');
    }
    const twin = await client.call('create_trigger', daily(`${SECRET} today`));
    expect([twin.code, twin.text.includes(String(people[1]?.id))]).toEqual(['DUPLICATE', false]);
  });

  it('cannot be made: a client speaks for nobody and in no room', async () => {
    const { roomId, entityId } = chat;
    const { id } = await make(client, 'every sunday at 8 water the plants');
    const answers = await Promise.all([
      client.call('create_trigger', daily('one', { creatorEntityId: entityId })),
      client.call('create_trigger', daily('two', { originRoomId: roomId })),
      client.call('create_trigger', daily('three', { deliverTo: { roomId } })),
      client.call('update_trigger', { id, deliverTo: { roomId } }),
    ]);
    expect(answers.map(({ code }) => code)).toEqual(Array(4).fill('PERMISSION_DENIED'));
  });
});

describe('wrong input', () => {
  it.each([
    ['create_trigger', {}, 'schedule'],
    ['create_trigger', { text: 'at the crack of dawn on Mars' }, 'text'],
    ['create_trigger', { ...daily('four'), creatorAgentId: 'me' }, 'creatorAgentId'],
    ['list_triggers', { state: 'sleepy' }, 'state'],
    ['list_triggers', { cursor: 'nonsense' }, 'cursor'],
    ['list_triggers', { q: '\u0000' }, 'q'],
    ['update_trigger', { enabled: true }, 'id'],
    ['update_trigger', { id: crypto.randomUUID() }, '(body)'],
    ['delete_trigger', { id: 7 }, 'id'],
    ['run_trigger', { id: crypto.randomUUID(), waitMs: 60_000 }, 'waitMs'],
  ])('of %s, case %#, names the field', async (name, input, field) => {
    const { code, text } = await client.call(name, input);
    expect(code).toBe('INVALID_INPUT');
    expect(text).toContain(field);
  });

  it('ids that are none are not found', async () => {
    const { code } = await client.call('run_trigger', { id: '../../etc/passwd' });
    expect(code).toBe('NOT_FOUND');
  });
});

it('no schedule of a client is shorter than the agent allows', async () => {
  const input = { instructions: 'poll', schedule: every(1_000) };
  expect((await client.call('create_trigger', input)).code).toBe('INVALID_INPUT');
});
