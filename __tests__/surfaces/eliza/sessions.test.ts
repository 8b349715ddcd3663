/** Work memory over the sessions of a real server, with the offline model that `npm start` has. */
import { randomUUID } from 'node:crypto';
import type { UUID } from '@elizaos/core';
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createClient } from '../../../demo/client.js';
import { offlineModel } from '../../../demo/offline-model.js';
import { isPrivateRoom } from '../../../src/host/private-room.js';
import { parseScheduleText } from '../../../src/index.js';
import type { WorkMemoryService } from '../../../src/memory/index.js';
import { databaseOf } from '../../../src/records/index.js';
import { memoryOf } from '../../helpers/memory.js';
import { scriptedModel } from '../../helpers/scripted-model.js';
import { startServer, type TestServer } from '../../helpers/server.js';

const OPERATOR = { kind: 'operator' } as const;

let server: TestServer;
let client: ReturnType<typeof createClient>;
let memory: WorkMemoryService;

beforeAll(async () => {
  const plugin = offlineModel({ parse: parseScheduleText, timezone: 'UTC' });
  server = await startServer({ brain: { ...scriptedModel(), plugin } });
  client = createClient(server.baseUrl);
  memory = await memoryOf(server.runtime);
});
afterAll(() => server.stop());

const idIn = (text: string) => /mem_[0-9a-f]{8}/.exec(text)?.[0] ?? text;
const chatOf = (user: string) => client.openChat(server.agentId, user);

describe('a direct chat of the sessions API', () => {
  it('keeps what is told for its person, in the next session too, and for nobody else', async () => {
    const ada = randomUUID();
    const first = await chatOf(ada);
    const told = await first.say('remember that the harbour crane is rusty #crane');
    expect(told.text).toContain('I will remember that: "the harbour crane is rusty #crane"');
    const id = idIn(told.text);
    expect(await memory.get(id, OPERATOR)).toMatchObject({ visibility: 'user' });

    const next = await chatOf(ada);
    expect(next.channelId).not.toBe(first.channelId);
    const words = 'what do you remember about the harbour crane?';
    expect((await next.say(words)).text).toContain(`the harbour crane is rusty #crane [${id}]`);
    const stranger = await chatOf(randomUUID());
    expect((await stranger.say(words)).text).toBe('I remember nothing about that.');

    // The whole of it with the offline model: link, forget, a no and a yes.
    const cause = idIn((await next.say('note: the crane stands in salt spray')).text);
    expect((await next.say(`${id} was caused by ${cause}`)).text).toBe(
      `Linked: ${id} was caused by ${cause}.`,
    );
    expect((await next.say(`${id} was caused by ${id}`)).text).toBe(
      'A memory cannot be linked to itself.',
    );
    expect((await next.say(`recall ${id}`)).text).toContain('the harbour crane is rusty');
    expect((await next.say('synthesize wisdom about #crane')).text).toContain('too few memories');
    expect((await next.say(`forget ${id}`)).text).toContain('Shall I? Say yes or no.');
    expect((await next.say('no')).text).toBe('All right, I forgot nothing.');
    expect((await next.say(`forget ${id}`)).text).toContain('Shall I? Say yes or no.');
    expect((await next.say('yes')).text).toBe('Forgotten: one memory.');
    await expect(memory.get(id, OPERATOR)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    // Reminders are still reminders.
    expect((await next.say('list my reminders')).text).not.toContain('remember');
  });

  it('is company once a third is in its channel', async () => {
    const chat = await chatOf(randomUUID());
    await chat.say('hello');
    const rooms = await server.runtime.getRoomsByIds?.(
      (await server.runtime.getRoomsForParticipant(server.agentId)) as UUID[],
    );
    const room = rooms?.find((one) => one.channelId === chat.channelId);
    if (room === undefined) throw new Error('the chat has no room');
    // Whatever the turn has read is not kept any more.
    const now = memory.now() + 120_000;
    expect(room.type).toBe('GROUP');
    expect(await isPrivateRoom(server.runtime, room.id, now)).toBe(true);
    const [one, other] = [randomUUID(), randomUUID()];
    await databaseOf(server.runtime).execute(
      sql`insert into channel_participants (channel_id, entity_id)
          values (${chat.channelId}, ${one}), (${chat.channelId}, ${other})`,
    );
    // What was read is kept for a minute.
    expect(await isPrivateRoom(server.runtime, room.id, now + 59_000)).toBe(true);
    expect(await isPrivateRoom(server.runtime, room.id, now + 60_000)).toBe(false);
    expect(await isPrivateRoom(server.runtime, randomUUID(), now)).toBe(true);
  });
});
