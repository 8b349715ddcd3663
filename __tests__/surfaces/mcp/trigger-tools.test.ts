/** Triggers over MCP: a client manages what is the project's, and knows nothing of people's. */
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TriggerDraft } from '../../../src/index.js';
import { type Agent, boot, makeChat } from '../../helpers/boot.js';
import { type McpClient, mcpClient } from '../../helpers/mcp.js';
import { memoryOf } from '../../helpers/memory.js';
import { plan } from '../../helpers/scripted-model.js';
import { created, cron, DISTANT_HOUR, every, OPERATOR } from '../../helpers/triggers.js';

/** Who may, and how. */
const REFUSED =
  'over MCP only who made a trigger, or the parent of that subagent, may change, run or delete it; the operator may: cue trigger update, run or delete';
const SECRET = 'remind me of my appointment at the clinic';

let agent: Agent;
let client: McpClient;
let other: McpClient;
let chat: Awaited<ReturnType<typeof makeChat>>;
beforeAll(async () => {
  agent = await boot({ settings: { CUE_TRIGGER_MAX_PER_CREATOR: '12' } });
  await memoryOf(agent.runtime);
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
  ...{ instructions, schedule: cron(`0 ${DISTANT_HOUR} * * *`) },
  ...more,
});

async function listed(by: McpClient, input: object = {}): Promise<string[]> {
  const { result } = await by.call('list_triggers', { ...input });
  const triggers = result.triggers as { instructions: string }[];
  return triggers.map(({ instructions }) => instructions);
}

describe('its own triggers', () => {
  it('are made, changed, listed and deleted by the one tool of the default set', async () => {
    const text = `every weekday at ${DISTANT_HOUR}:00 water the plants`;
    const idsOf = ({ result }: { result: Record<string, unknown> }) =>
      (result.triggers as { id: string }[]).map(({ id }) => id);
    const made = await client.call('schedule', { text });
    const [id] = idsOf(made);
    expect([
      made.code,
      made.result.done,
      idsOf(await client.call('schedule')).includes(id ?? ''),
    ]).toEqual([null, 'Created', true]);
    expect((await client.call('schedule', { text })).result.done).toBe('There already');
    const stopped = await client.call('schedule', { id, enabled: false });
    expect(stopped.result).toMatchObject({ done: 'Changed', triggers: [{ state: 'disabled' }] });
    expect((await other.call('schedule', { id, cancel: true })).code).toBe('PERMISSION_DENIED');
    expect((await client.call('schedule', { id, cancel: true })).result.done).toBe('Deleted');
    expect((await client.call('schedule', { cancel: true })).code).toBe('INVALID_INPUT');
    expect((await client.call('schedule', { text: '' })).code).toBe('INVALID_INPUT');
  });

  it('are made from words, changed, run and deleted', async () => {
    const made = await make(
      client,
      `every weekday at ${DISTANT_HOUR}:00 check the open pull requests`,
    );
    expect(made).toMatchObject({
      createdBy: 'agent',
      instructions: 'check the open pull requests',
      state: 'resting',
    });
    const { id } = made;
    const text = `every day at ${DISTANT_HOUR}:30`;
    const changed = await client.call('update_trigger', { id, text });
    expect(changed.result.trigger).toMatchObject({
      id,
      scheduleText: expect.stringMatching(/^every day at \d\d:30 \(UTC\)$/),
    });
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
    const text = `every monday at ${DISTANT_HOUR}:00 tidy the changelog`;
    const first = await client.call('create_trigger', { text });
    const second = await other.call('create_trigger', { text });
    expect([first.result.created, second.result.created]).toEqual([true, false]);
    expect(second.result.trigger).toMatchObject({ instructions: 'tidy the changelog' });
  });

  it('are seen by other clients, which cannot change them', async () => {
    const { id } = await make(client, `every tuesday at ${DISTANT_HOUR}:00 look at the logs`);
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
    const { id } = await make(late, `every friday at ${DISTANT_HOUR}:00 count the tests`);
    await late.call('identity', { action: 'register' });
    const changed = await late.call('update_trigger', { id, enabled: false });
    await late.close();
    expect(changed.code).toBeNull();
  });

  it('are managed by the parent of the subagent that made them, and by no other', async () => {
    const [parent, child] = [await mcpClient(agent.runtime), await mcpClient(agent.runtime)];
    const { result, code } = await parent.call('identity', { action: 'register' });
    expect(code).toBeNull();
    const { agent_id, resume_token } = result;
    const sub = {
      action: 'register',
      type: 'subagent',
      parent: agent_id,
      parent_token: resume_token,
    };
    await child.call('identity', sub);
    const { id } = await make(child, `every saturday at ${DISTANT_HOUR}:00 sweep the caches`);
    await other.call('identity', { action: 'register' });
    const refused = await other.call('delete_trigger', { id });
    expect([refused.code, refused.text]).toEqual([
      'PERMISSION_DENIED',
      `PERMISSION_DENIED: ${REFUSED}`,
    ]);
    const changed = await parent.call('update_trigger', { id, enabled: false });
    const gone = await parent.call('delete_trigger', { id });
    expect([changed.code, gone.code]).toEqual([null, null]);
    await parent.close();
    await child.close();
  });

  it('have a limit of their own, which a new session does not raise', async () => {
    const busy = await mcpClient(agent.runtime);
    await busy.call('identity', { action: 'register' });
    const fill = async (by: () => Promise<McpClient>, what: string) => {
      const answers: Awaited<ReturnType<McpClient['call']>>[] = [];
      for (let n = 0; n < 13; n += 1) {
        answers.push(await (await by()).call('create_trigger', daily(`count ${what} ${n}`)));
      }
      return answers;
    };
    const own = await fill(async () => busy, 'crates');
    expect(own.map(({ code }) => code)).toEqual([...Array(12).fill(null), 'LIMIT_REACHED']);
    await busy.close();
    const sessions: McpClient[] = [];
    const guests = await fill(async () => {
      const next = await mcpClient(agent.runtime);
      sessions.push(next);
      return next;
    }, 'boxes');
    const last = guests.at(-1);
    for (const [at, session] of sessions.entries()) {
      const { id } = Object(guests[at]?.result.trigger);
      if (id !== undefined) await session.call('delete_trigger', { id });
      await session.close();
    }
    expect([last?.code, last?.text]).toEqual([
      'LIMIT_REACHED',
      'LIMIT_REACHED: clients without an identity have 12 active triggers, the limit of all of them is 12: register an identity first, or delete one',
    ]);
  });
});

describe('triggers of the operator', () => {
  it('are seen by clients, which cannot change, run or delete them', async () => {
    const { id } = await created(agent, daily('water the build farm'));
    expect(await listed(client, { q: 'build farm' })).toEqual(['water the build farm']);
    const refused = await Promise.all([
      client.call('update_trigger', { id, displayName: 'Farm' }),
      client.call('update_trigger', { id, enabled: false }),
      client.call('update_trigger', { id, skipNext: true }),
      client.call('update_trigger', { id, snoozeUntil: '2999-01-01T00:00:00Z' }),
      client.call('run_trigger', { id }),
      client.call('delete_trigger', { id }),
    ]);
    expect(refused.map(({ text }) => text)).toEqual(Array(6).fill(`PERMISSION_DENIED: ${REFUSED}`));
    expect(await agent.triggers.get(id, OPERATOR)).toMatchObject({
      ...{ state: 'resting', displayName: expect.not.stringMatching('Farm'), runCount: 0 },
    });
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
    // Whoever else has made one like it: it is theirs, and not even that is told.
    expect([twin.code, twin.text.includes(String(people[1]?.id))]).toEqual([null, false]);
  });

  it('cannot be made: a client speaks for nobody and in no room', async () => {
    const { roomId, entityId } = chat;
    const { id } = await make(client, `every sunday at ${DISTANT_HOUR}:00 water the plants`);
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
    ['create_trigger', {}, 'text: is required: say when, such as "every weekday at 9"'],
    ['create_trigger', { text: 'at the crack of dawn on Mars' }, 'text: says no time'],
    ['create_trigger', { ...daily('four'), creatorAgentId: 'me' }, 'creatorAgentId'],
    ['list_triggers', { state: 'sleepy' }, 'state'],
    ['list_triggers', { cursor: 'nonsense' }, 'cursor'],
    ['list_triggers', { q: '\u0000' }, 'q'],
    ['update_trigger', { enabled: true }, 'id'],
    ['update_trigger', { id: crypto.randomUUID() }, 'INVALID_INPUT: holds nothing to change'],
    ['delete_trigger', { id: 7 }, 'id'],
    ['run_trigger', { id: crypto.randomUUID(), waitMs: 60_000 }, 'waitMs: must be at most 20000'],
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

it('while none can run, that is said, with what to do', async () => {
  const { id } = await make(client, `every day at ${DISTANT_HOUR}:00 water the roses`);
  agent.runtime.setSetting('CUE_TRIGGERS_PAUSED', 'true');
  try {
    const why = 'all triggers are paused: unset CUE_TRIGGERS_PAUSED, and what is due runs';
    // The setting is read anew every second.
    const ran = await vi.waitFor(async () => {
      const answer = await client.call('run_trigger', { id });
      expect(answer.code).toBe('DISABLED');
      return answer;
    });
    expect(ran.text).toBe(`DISABLED: no trigger runs now: ${why}`);
    const text = `every day at ${DISTANT_HOUR}:00 read the news`;
    const made = await other.call('create_trigger', { text });
    expect([made.result.waits, made.text.split('\n')[1]]).toEqual([
      why,
      `It does not run yet: ${why}.`,
    ]);
  } finally {
    agent.runtime.setSetting('CUE_TRIGGERS_PAUSED', 'false');
  }
});

it('says what is wrong with a schedule in the words of who wrote it', async () => {
  const input = { text: 'every second poll the queue' };
  expect((await client.call('create_trigger', input)).text).toBe(
    'INVALID_INPUT: text: the time between two runs is 1 second, below the floor of 1 minute',
  );
});

it('no schedule of a client is shorter than the agent allows', async () => {
  const input = { instructions: 'poll', schedule: every(1_000) };
  expect((await client.call('create_trigger', input)).code).toBe('INVALID_INPUT');
});
