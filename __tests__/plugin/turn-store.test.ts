import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { turnsIn } from '../../src/plugin/wire-proactive.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';

const OTHER_AGENT = derivedId('turns test', 'agent');
const LONG_AGO = '2025-08-14';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
  await database.db.execute(
    sql`insert into agents (id, name) values (${OTHER_AGENT}, 'Turns Test')`,
  );
});
afterAll(() => database.close());

/** What an agent of a project keeps, here this runtime's unless another is named. */
function turns(project: string, agentId = database.runtime.agentId) {
  return turnsIn(() => database.db, { agentId, projectId: derivedId('turns test', project) });
}

async function spoil(project: string, value: string): Promise<void> {
  const key = `cue:turns:${derivedId('turns test', project)}`;
  await database.db.execute(sql`update cache set value = ${value}::jsonb where key = ${key}`);
}

describe('turns in the table of the host', () => {
  it('are none at first, and are added up by day', async () => {
    const mine = turns('days');
    expect(await mine.read()).toEqual({});
    await mine.add({ '2026-03-02': 2 }, LONG_AGO);
    await mine.add({ '2026-03-02': 3, '2026-03-03': 1 }, LONG_AGO);
    expect(await mine.read()).toEqual({ '2026-03-02': 5, '2026-03-03': 1 });
  });

  it('lose nothing when several add at once', async () => {
    const mine = turns('at once');
    await Promise.all(Array.from({ length: 20 }, () => mine.add({ '2026-03-02': 1 }, LONG_AGO)));
    expect(await mine.read()).toEqual({ '2026-03-02': 20 });
  });

  it('are those of all agents of the project, and of no other project', async () => {
    await turns('shared').add({ '2026-03-02': 2 }, LONG_AGO);
    await turns('shared', OTHER_AGENT).add({ '2026-03-02': 40, '2026-03-04': 7 }, LONG_AGO);
    await turns('another').add({ '2026-03-02': 300 }, LONG_AGO);
    const both = { '2026-03-02': 42, '2026-03-04': 7 };
    expect([await turns('shared').read(), await turns('shared', OTHER_AGENT).read()]).toEqual([
      both,
      both,
    ]);
  });

  it('drop days that are too old when something is added', async () => {
    const mine = turns('old');
    await mine.add({ '2025-08-13': 4, '2025-08-14': 5 }, '2025-01-01');
    await mine.add({ '2026-03-02': 1 }, LONG_AGO);
    expect(await mine.read()).toEqual({ '2025-08-14': 5, '2026-03-02': 1 });
  });

  it('get along with what anybody else has written there', async () => {
    const mine = turns('spoilt');
    await mine.add({ '2026-03-02': 1 }, LONG_AGO);
    await spoil('spoilt', '{"2026-03-02": "many", "2026-03-03": 6}');
    expect(await mine.read()).toEqual({ '2026-03-03': 6 });
    await mine.add({ '2026-03-02': 2 }, LONG_AGO);
    expect(await mine.read()).toEqual({ '2026-03-02': 2, '2026-03-03': 6 });
    await spoil('spoilt', '[1, 2]');
    expect(await mine.read()).toEqual({});
    await mine.add({ '2026-03-02': 3 }, LONG_AGO);
    expect(await mine.read()).toEqual({ '2026-03-02': 3 });
  });

  it('say so when they cannot be read or written, and leave what is there', async () => {
    await turns('failing').add({ '2026-03-02': 9 }, LONG_AGO);
    const away = turnsIn(
      () => {
        throw new Error('the database is away');
      },
      { agentId: database.runtime.agentId, projectId: derivedId('turns test', 'failing') },
    );
    await expect(away.read()).rejects.toThrow('the database is away');
    await expect(away.add({ '2026-03-02': 1 }, LONG_AGO)).rejects.toThrow('the database is away');
    const nobody = turns('failing', derivedId('turns test', 'no agent'));
    await expect(nobody.add({ '2026-03-02': 1 }, LONG_AGO)).rejects.toThrow();
    expect(await turns('failing').read()).toEqual({ '2026-03-02': 9 });
  });
});
