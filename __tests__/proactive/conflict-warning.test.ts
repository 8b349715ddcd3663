import { sql } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createConflictWarning } from '../../src/proactive/detectors/conflict-warning.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import {
  DAY_MS,
  type DetectorRoom,
  dmWith,
  edits,
  failed,
  idsOf,
  OPERATOR,
  withRoom,
} from './detector-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const AUTH = 'src/auth.ts';
const CACHING = 'add caching to auth.ts';
const RACE = failed('Race condition with concurrent requests');

describe('an action that is word for word what failed', () => {
  it.each([
    'rename the class in src/rep1.ts',
    'bump the version in src/rep1.ts',
    'deploy the service in src/rep1.ts',
    'revert the commit in src/rep1.ts',
    'Do the thing in src/rep1.ts',
    '🚀🚀',
  ])('warns: %s', (action) =>
    withRoom(database, async ({ context, store }) => {
      const memoryId = await store(action, { ...edits('src/rep1.ts'), ...failed('broke') });
      await store('Rename the colours', { ...edits('src/rep1.ts'), ...failed('ugly') });
      const filePath = 'src/rep1.ts';
      const { evaluate } = createConflictWarning(context);
      const found = await evaluate({ action: ` ${action}. `, filePath });
      expect(idsOf(found)).toEqual([memoryId]);
    }),
  );

  it.each([
    ['publish the docs', 'Publish docs'],
    ['Publish docs', 'publish our docs.'],
    ['deploy the app now', 'Deploy app'],
  ])('small words make no other action: "%s" and "%s"', (action, goal) =>
    withRoom(database, async ({ context, store }) => {
      const memoryId = await store(goal, failed('broke'));
      const found = await createConflictWarning(context).evaluate({ action });
      expect(idsOf(found)).toEqual([memoryId]);
    }),
  );
});

describe('what was judged before and has changed unheard, by another process', () => {
  const judged = async ({ context, store }: DetectorRoom) => {
    const memoryId = await store(CACHING, { ...edits(AUTH), ...RACE });
    const { evaluate } = createConflictWarning(context);
    const ask = async () => idsOf(await evaluate({ action: CACHING }));
    expect(await ask()).toEqual([memoryId]);
    return { ask, id: sql`${memoryId.slice('mem_'.length)}` };
  };

  it('is not warned of when it is gone', () =>
    withRoom(database, async (room) => {
      const { ask, id } = await judged(room);
      await database.db.execute(
        sql`delete from memories where replace(id::text, '-', '') like ${id} || '%'`,
      );
      expect(await ask()).toEqual([]);
    }));

  it('is judged anew when it is no failure any more', () =>
    withRoom(database, async (room) => {
      const { ask, id } = await judged(room);
      await database.db.execute(sql`update memories set metadata = jsonb_set(
        jsonb_set(metadata, '{revision}', '2'), '{data,outcome,success}', 'true')
        where replace(id::text, '-', '') like ${id} || '%'`);
      expect(await ask()).toEqual([]);
    }));
});

describe('a planned action', () => {
  it('is warned of when it failed before, always with the reason', () =>
    withRoom(database, async ({ context, store, checks }) => {
      const cached = await store(CACHING, { ...edits(AUTH), ...RACE });
      await store('Rename the token helper', edits(AUTH));
      const result = await createConflictWarning(context).evaluate({
        action: 'Add caching with a lock',
        filePath: AUTH,
        projectId: checks.projectId,
      });
      expect(result.shouldNotify).toBe(true);
      expect(idsOf(result)).toEqual([cached]);
      expect(result.tokenEstimate).toBeGreaterThan(0);
      expect(result.tokenEstimate).toBeLessThan(100);
      expect(result.text.split('\n')).toEqual([
        '[RUM] ⚠️ Warning: Similar action failed before',
        `  • Ada tried "${CACHING}" — FAILED`,
        '    Reason: Race condition with concurrent requests',
        '',
        `  → recall("${cached}", depth: "reasoning") for details`,
      ]);
      expect(result.memories[0]?.reasons[0]).toBe('file src/auth.ts');
      expect(result.cue).toMatchObject({ kind: 'conflictWarning', strength: expect.any(Number) });
      expect(result.cue.strength).toBe(result.memories[0]?.score);
    }));

  it('carries the summary of an outcome where no reason was noted', () =>
    withRoom(database, async ({ context, store }) => {
      await store(CACHING, { outcome: { success: false, summary: 'Tokens were mixed up' } });
      const { text } = await createConflictWarning(context).evaluate({ action: CACHING });
      expect(text).toContain('Tokens were mixed up');
    }));

  it('is warned of on the same file in any words, but not of its undoing or a look at it', () =>
    withRoom(database, async ({ context, store }) => {
      const cached = await store(CACHING, { ...edits(AUTH), ...RACE });
      const { evaluate } = createConflictWarning(context);
      const found = async (action: string) => idsOf(await evaluate({ action, filePath: AUTH }));
      expect(await found('keep what was looked up for the next call')).toEqual([cached]);
      for (const action of [
        'remove caching from auth.ts',
        'do not add caching',
        'why did caching fail in auth.ts?',
        'git log src/auth.ts',
        '',
      ]) {
        expect([action, await found(action)]).toEqual([action, []]);
      }
    }));

  it('is known by its meaning elsewhere, and in another file only when clearly the same', () =>
    withRoom(database, async ({ context, store }) => {
      const sessions = await store('Move session store to Redis', RACE);
      const tokens = await store('Add in-memory token cache for lookups', {
        ...edits(AUTH),
        ...RACE,
      });
      const { evaluate } = createConflictWarning(context);
      const found = async (action: string, filePath?: string) =>
        idsOf(await evaluate({ action, filePath }));
      expect(await found('Could you switch the session store to Redis?', 'src/app.ts')).toEqual([
        sessions,
      ]);
      expect(await found('Switch the session store to Memcached')).toEqual([]);
      expect(await found('Add an in-memory token cache for lookups', 'src/session.ts')).toEqual([
        tokens,
      ]);
    }));

  it('is known by its command and by the approach that failed', () =>
    withRoom(database, async ({ context, store }) => {
      const pad = await store('Pad the output', {
        actions: [
          {
            type: 'command_run',
            details: { command: 'npm install left-pad' },
            result: { success: false },
          },
          { type: 'command_run', details: { command: 'npm run build' }, result: { success: true } },
        ],
        ...failed('unpublished'),
      });
      const checkout = await store('Speed up checkout', {
        reasoning: { approach_chosen: 'Redis cache for cart totals' },
        ...failed('stale totals'),
      });
      const { evaluate } = createConflictWarning(context);
      const found = async (action: string) => idsOf(await evaluate({ action }));
      expect(await found('run `npm i left-pad --save`')).toEqual([pad]);
      expect(await found('Add a Redis cache for the cart totals')).toEqual([checkout]);
    }));

  it('is free when it succeeded later, and warned of when it failed again', () =>
    withRoom(database, async ({ context, store }) => {
      const { evaluate } = createConflictWarning(context);
      const first = await store(CACHING, { ...edits(AUTH), ...RACE });
      await store('Remove caching from auth.ts', edits(AUTH));
      await store('Document auth.ts', edits(AUTH));
      expect(idsOf(await evaluate({ action: CACHING }))).toEqual([first]);
      const done = await store('Add caching with a lock to auth.ts', edits(AUTH));
      const free = await evaluate({ action: CACHING });
      expect(free.shouldNotify).toBe(false);
      expect(free.suppressed).toEqual([
        { memoryId: first, detector: 'conflictWarning', reason: `succeeded later: ${done}` },
      ]);
      const again = await store(CACHING, { ...edits(AUTH), ...RACE });
      expect(idsOf(await evaluate({ action: CACHING }))).toEqual([again]);
    }));

  it('is free when a success says that it supersedes the failure or came of it', () =>
    withRoom(database, async ({ context, store, memory }) => {
      const { evaluate } = createConflictWarning(context);
      const settle = async (goal: string, by: string, link_type: string) => {
        const failure = await store(goal, RACE);
        expect(idsOf(await evaluate({ action: goal }))).toEqual([failure]);
        const success = await store(by);
        await memory.link({ source: success, target: failure, link_type }, OPERATOR);
        const { shouldNotify, suppressed } = await evaluate({ action: goal });
        expect(shouldNotify).toBe(false);
        return suppressed.map(({ reason }) => reason.replace(success, 'it'));
      };
      expect(await settle('Shard the queue', 'Use a broker', 'supersedes')).toEqual([
        'succeeded later: it',
      ]);
      expect(
        await settle('Stream invoices as PDF', 'Stream invoices to the archive', 'caused_by'),
      ).toEqual(['succeeded later: it']);
    }));

  it('is not warned of for a success in another file or one that cannot be read', () =>
    withRoom(database, async ({ context, store }) => {
      const failure = await store('Add caching', { ...edits(AUTH), ...RACE });
      await store('Add caching', edits('src/pricing.ts'));
      await store('Add caching', edits(AUTH), dmWith('Ann'));
      const { evaluate } = createConflictWarning(context);
      const planned = { action: 'Add caching', filePath: AUTH };
      expect(idsOf(await evaluate({ ...planned, caller: dmWith('Bob') }))).toEqual([failure]);
      expect(idsOf(await evaluate({ ...planned, caller: dmWith('Ann') }))).toEqual([]);
    }));

  it('shows the newest of several failures first, within its tokens', () =>
    withRoom(database, async ({ context, store }) => {
      const long = failed('Race condition with concurrent requests '.repeat(20));
      const ids: string[] = [];
      for (let at = 0; at < 5; at++) ids.unshift(await store(CACHING, { ...edits(AUTH), ...long }));
      const result = await createConflictWarning(context).evaluate({ action: CACHING });
      expect(result.content?.kind === 'conflictWarning' && result.content.memories).toHaveLength(3);
      expect(result.memories[0]?.memoryId).toBe(ids[0]);
      expect(result.tokenEstimate).toBeLessThan(100);
      expect(result.text).toContain('Reason: Race condition');
    }));

  it('obeys its settings: age and likeness', () =>
    withRoom(database, async (room) => {
      const { context, store, clock, set } = room;
      await store(CACHING, { ...edits(AUTH), ...RACE });
      const warns = async (action = CACHING) =>
        (await createConflictWarning(context).evaluate({ action, filePath: AUTH })).shouldNotify;
      set('conflictWarning', { action_similarity_threshold: 1 });
      expect(await warns('cache decoded tokens')).toBe(false);
      set('conflictWarning', { action_similarity_threshold: 'auto' });
      expect(await warns('cache decoded tokens')).toBe(true);
      clock.nowMs += 89 * DAY_MS;
      expect(await warns()).toBe(true);
      clock.nowMs += 2 * DAY_MS;
      expect(await warns()).toBe(false);
      set('conflictWarning', { max_age_days: 365 });
      expect(await warns()).toBe(true);
      set('conflictWarning', { enabled: false });
      expect(await warns()).toBe(false);
    }));

  it('is compared with nothing of another project or of another person', () =>
    withRoom(database, async ({ context, store }) => {
      const secret = await store(CACHING, { ...edits(AUTH), ...RACE }, dmWith('Ann'));
      const { evaluate } = createConflictWarning(context);
      const seen = async (
        more: Parameters<DetectorRoom['checks']['isProject']>[0] | undefined,
        name?: string,
      ) => {
        const result = await evaluate({
          action: CACHING,
          projectId: more,
          caller: name === undefined ? undefined : dmWith(name),
        });
        return [...idsOf(result), ...result.suppressed.map(({ memoryId }) => memoryId)];
      };
      expect(await seen(undefined, 'Bob')).toEqual([]);
      expect(await seen(undefined)).toEqual([]);
      expect(await seen('another', 'Ann')).toEqual([]);
      expect(await seen('shop', 'Ann')).toEqual([secret]);
    }));

  it('is checked against the database while the catalog loads', () =>
    withRoom(
      database,
      async ({ context, store }) => {
        const cached = await store(CACHING, { ...edits(AUTH), ...RACE });
        const result = await createConflictWarning(context).evaluate({ action: CACHING });
        expect(idsOf(result)).toEqual([cached]);
        expect(result.degraded).toBe(
          'the search index is loading: the newest 1 memories were read from the database',
        );
      },
      { loaded: false },
    ));
});
