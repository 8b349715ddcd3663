import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { type Agent, boot, makeChat } from '../helpers/boot.js';
import { type Time, takeTime } from '../helpers/time.js';
import { created, onceAt, runsOf } from '../helpers/triggers.js';

const DAY = 86_400_000;
let agent: Agent;
let time: Time;
beforeAll(async () => {
  agent = await boot();
  // The rows get their times from the database's own clock, so the test starts at the real time.
  time = takeTime(agent, Date.now());
});
afterAll(async () => {
  time.release();
  await agent.stop();
});

const count = (statement: ReturnType<typeof sql>) =>
  rowsOf<{ n: string | number }>(databaseOf(agent.runtime), statement).then((rows) =>
    Number(rows[0]?.n),
  );

const typesLogged = async ({ runtime }: Agent, room: string | undefined) =>
  (
    await rowsOf<{ type: string }>(
      databaseOf(runtime),
      sql`select type from logs where room_id = ${room} order by type`,
    )
  ).map(({ type }) => type);

it("removes the host's logs of our runs after a day and their messages after thirty, and nothing of others", async () => {
  const chat = await makeChat(agent.runtime, 'tidy');
  await agent.runtime.createMemory(
    { entityId: chat.entityId, roomId: chat.roomId, content: { text: 'keep me' } },
    'messages',
    true,
  );
  await agent.runtime.log({ entityId: chat.entityId, roomId: chat.roomId, type: 'test', body: {} });
  const trigger = await created(agent, {
    instructions: 'leave traces',
    schedule: onceAt(time.now() + 60_000),
  });
  await time.advance(60_000);
  const [run] = await runsOf(agent, trigger.id);
  const room = run?.roomId;
  const logs = sql`select count(*) as n from logs where room_id = ${room}`;
  const messages = sql`select count(*) as n from memories where type = 'messages' and room_id = ${room}`;
  // The host writes its logs behind the run's back, and the database's clock is the test's: what
  // came after the jump would not be old.
  await expect
    .poll(() => typesLogged(agent, room), { timeout: 60_000, interval: 20 })
    .toEqual([
      'embedding_event',
      'run_event',
      'run_event',
      'useModel:TEXT_EMBEDDING',
      'useModel:TEXT_LARGE',
    ]);
  expect(await count(messages)).toBe(2);

  time.jump(2 * DAY);
  await agent.triggers.heartbeat();
  expect(await count(logs)).toBe(0);
  expect(await count(messages)).toBe(2);

  time.jump(30 * DAY);
  await agent.triggers.heartbeat();
  expect(await count(messages)).toBe(0);
  expect(await count(sql`select count(*) as n from logs where room_id = ${chat.roomId}`)).toBe(1);
  expect(await count(sql`select count(*) as n from memories where room_id = ${chat.roomId}`)).toBe(
    1,
  );
});
