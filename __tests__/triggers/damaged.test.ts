/** Triggers whose stored form was damaged while the agent was off. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { expect, it } from 'vitest';
import { databaseOf } from '../../src/records/index.js';
import { boot } from '../helpers/boot.js';
import { created, every, OPERATOR } from '../helpers/triggers.js';

it('are found at the start, also those that would never fall due', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'cue-damaged-'));
  const before = await boot({ dataDir });
  const make = (instructions: string) =>
    created(before, { instructions, schedule: every(86_400_000) });
  await make('healthy');
  const unreadable = await make('time unreadable');
  const empty = await make('emptied');
  const db = databaseOf(before.runtime);
  await db.execute(sql`update tasks
    set metadata = jsonb_set(metadata, '{trigger,nextRunAtMs}', '"abc"') where id = ${unreadable.taskId}`);
  await db.execute(sql`update tasks set metadata = '{}' where id = ${empty.taskId}`);
  await before.stop();

  const agent = await boot({ dataDir });
  try {
    await expect.poll(async () => (await agent.triggers.health()).invalid).toBe(2);
    const health = await agent.triggers.health();
    expect(health.resting).toBe(1);
    expect(health.setAside.map((one) => [one.taskId, one.reason]).sort()).toEqual(
      [
        [unreadable.taskId, expect.stringContaining('nextRunAtMs')],
        [empty.taskId, expect.stringContaining('no trigger')],
      ].sort(),
    );
    const { triggers } = await agent.triggers.list({ state: 'invalid' }, { limit: 50 }, OPERATOR);
    expect(triggers).toHaveLength(2);
    await expect(agent.triggers.run(empty.taskId, OPERATOR)).rejects.toThrow(/only be deleted/);
    for (const one of triggers) await agent.triggers.delete(one.taskId, OPERATOR);
    expect(await agent.triggers.health()).toMatchObject({ invalid: 0, resting: 1 });
  } finally {
    await agent.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
