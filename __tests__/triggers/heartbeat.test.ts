/** The beat of the agent: what fails in it holds up nothing else. */
import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { databaseOf, rowsOf } from '../../src/records/index.js';
import { TRIGGER_TASK_NAME } from '../../src/triggers/task-codec.js';
import { type Agent, boot } from '../helpers/boot.js';
import { plan } from '../helpers/scripted-model.js';
import { type Time, takeTime } from '../helpers/time.js';
import { created, every, OPERATOR, onceAt, statusesOf } from '../helpers/triggers.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

let agent: Agent;
let time: Time;
beforeAll(async () => {
  agent = await boot({ slim: true, name: 'Heartbeat' });
  time = takeTime(agent, Date.parse('2026-03-02T08:00:00Z'));
});
afterAll(async () => {
  time.release();
  await agent.stop();
});

async function beat(ms: number): Promise<void> {
  time.jump(ms);
  await agent.triggers.heartbeat();
  await agent.triggers.settle();
}

it('a step that keeps failing starves none of the later ones, and is said with its count', async () => {
  const db = databaseOf(agent.runtime);
  agent.brain.onLarge = () => {
    throw new Error('no model today');
  };
  const trigger = await created(agent, {
    instructions: 'try again',
    schedule: onceAt(time.now() + MINUTE),
  });
  await created(agent, { instructions: 'rests', schedule: every(HOUR) });
  await beat(MINUTE);
  expect(await statusesOf(agent, trigger.id)).toEqual(['failed']);
  agent.brain.onLarge = () => plan('done');
  // Giving `queue` back to what has rested is the first step of all.
  await db.execute(sql`create function refuse() returns trigger language plpgsql
    as $$ begin raise exception 'no space left'; end $$`);
  await db.execute(sql`create trigger refuse_promotion before update on tasks for each row
    when (old.tags @> array['trigger_resting']) execute function refuse()`);
  const log = vi.spyOn(agent.runtime.logger, 'error');
  await beat(59 * MINUTE);
  expect(await statusesOf(agent, trigger.id)).toEqual(['success']);
  for (let n = 0; n < 4; n += 1) await beat(5 * SECOND);
  const said = log.mock.calls.filter(([, text]) => String(text).includes('step of the heartbeat'));
  expect(said.map(([fields]) => fields)).toEqual(
    [1, 2, 4].map((failuresInARow) =>
      expect.objectContaining({ step: 'promote', failuresInARow, error: expect.any(String) }),
    ),
  );
  log.mockRestore();
  await db.execute(sql`drop trigger refuse_promotion on tasks`);
});

it('an edit is defended against two beats, however often it is looked at in one moment', async () => {
  const { id, taskId } = await created(agent, { instructions: 'as it was', schedule: every(HOUR) });
  const db = databaseOf(agent.runtime);
  const [old] = await rowsOf<{ metadata: unknown }>(
    db,
    sql`select metadata from tasks where id = ${taskId}`,
  );
  await agent.triggers.update(id, { instructions: 'as it is' }, OPERATOR);
  time.jump(7 * SECOND);
  // The host's tick looks after the edits of this process, and the beat falls into the same moment.
  const worker = agent.runtime.getTaskWorker(TRIGGER_TASK_NAME);
  await worker?.validate?.(agent.runtime, {} as never, {} as never);
  await agent.triggers.heartbeat();
  await agent.triggers.heartbeat();
  await agent.triggers.settle();
  await db.execute(
    sql`update tasks set metadata = ${JSON.stringify(old?.metadata)}::jsonb where id = ${taskId}`,
  );
  await beat(7 * SECOND);
  expect(await agent.triggers.get(id, OPERATOR)).toMatchObject({ instructions: 'as it is' });
});
