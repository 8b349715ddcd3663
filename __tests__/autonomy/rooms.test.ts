import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ensureAutonomousRoom } from '../../src/autonomy/rooms.js';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { type Agent, boot } from '../helpers/boot.js';

let agent: Agent;
beforeAll(async () => {
  agent = await boot({ slim: true });
});
afterAll(() => agent.stop());

it('who is in an autonomous room is in it once, though two make the room at once', async () => {
  const made = await Promise.all([1, 2, 3].map(() => ensureAutonomousRoom(agent.runtime, 'chat')));
  const { roomId, entityId } = made[0] ?? {};
  const inside = await rowsOf<{ entity_id: string }>(
    databaseOf(agent.runtime),
    sql`select entity_id from participants where room_id = ${roomId}`,
  );
  expect(inside.map((row) => row.entity_id).toSorted()).toEqual(
    [agent.runtime.agentId, entityId].toSorted(),
  );
  expect(
    await agent.runtime.getParticipantsForRoom(made[0]?.roomId ?? agent.runtime.agentId),
  ).toHaveLength(2);
});
