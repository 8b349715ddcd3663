import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSessionStart } from '../../src/proactive/detectors/session-start.js';
import type { Detection } from '../../src/proactive/types.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { DAY_MS, dmWith, edits, failed, idsOf, withRoom } from './detector-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const left = (...follow_up_needed: string[]) => ({ outcome: { success: true, follow_up_needed } });
const learned = (...learnings: string[]) => ({ outcome: { success: true, learnings } });

function sessionContent({ content }: Detection) {
  if (content?.kind !== 'sessionStart') return null;
  return content;
}
/** What is unfinished, as the offer tells it. */
function unfinishedIn(result: Detection) {
  return (sessionContent(result)?.unfinished ?? []).map(({ what, blockedBy, failedBecause }) => ({
    what,
    ...(blockedBy === undefined ? {} : { blockedBy }),
    ...(failedBecause === undefined ? {} : { failedBecause }),
  }));
}
const learningsIn = (result: Detection) =>
  (sessionContent(result)?.learnings ?? []).map(({ text }) => text);

describe('the start of a session', () => {
  it('tells of the last one, of unfinished work and of what was learned', () =>
    withRoom(database, async ({ context, store, clock, checks }) => {
      const guide = await store('Read the deployment guide', {
        ...learned('Auth module needs error boundaries'),
        session_id: 'first',
      });
      const redis = await store('Redis setup', { ...failed('no licence'), session_id: 'first' });
      clock.nowMs += DAY_MS;
      const limits = await store('Implement rate limiting', {
        outcome: { success: false, failure_reason: 'needs a shared counter' },
        links: { blocked_by: redis },
        session_id: 'second',
      });
      clock.nowMs += 2 * DAY_MS;
      const result = await createSessionStart(context).evaluate({
        agentId: 'agent_001',
        projectId: checks.projectId,
        sessionId: 'third',
      });
      expect(result.shouldNotify).toBe(true);
      expect(idsOf(result)).toEqual([limits, redis, guide]);
      expect(sessionContent(result)?.lastSession).toEqual({
        atMs: clock.nowMs - 2 * DAY_MS,
        author: 'Ada',
        sessionId: 'second',
      });
      expect(unfinishedIn(result)).toEqual([
        { what: 'Implement rate limiting', blockedBy: 'Redis setup' },
        { what: 'Redis setup', failedBecause: 'no licence' },
      ]);
      expect(learningsIn(result)).toEqual(['Auth module needs error boundaries']);
      expect(result.text.split('\n')).toEqual([
        '[RUM] Project context:',
        '  • Last session: 2 days ago (Ada)',
        '  • Unfinished: "Implement rate limiting" (blocked by Redis setup)',
        '  • Unfinished: "Redis setup" (failed: no licence)',
        '  • Recent learning: "Auth module needs error boundaries"',
        '',
        '  → recall("session:last") for details',
      ]);
      expect(result.tokenEstimate).toBeLessThan(100);
      expect(result.cue).toEqual({
        kind: 'sessionStart',
        subject: 'third',
        strength: 0.9,
        evidence: ['last session second', '2 unfinished', '1 learned'],
        timeMs: clock.nowMs,
      });
    }));

  it('says nothing where nothing is open or learned, and why', () =>
    withRoom(database, async ({ context, store, set }) => {
      await store('Fix JWT expiry', { session_id: 'first' });
      await store('Write the guide', { ...left('none', 'N/A'), session_id: 'first' });
      const { evaluate } = createSessionStart(context);
      const why = async (projectId?: string) => {
        const { shouldNotify, cue, memories, content } = await evaluate({ projectId });
        expect([shouldNotify, memories, content]).toEqual([false, [], null]);
        return cue.evidence;
      };
      expect(await why('shop')).toEqual(['nothing unfinished, nothing learned']);
      expect(await why('project_abc')).toEqual(['another project: project_abc']);
      set('sessionStart', { enabled: false });
      expect(await why()).toEqual(['disabled']);
    }));

  it('knows what was done since', () =>
    withRoom(database, async ({ context, store, set }) => {
      set('sessionStart', { show_recent_learnings: false });
      const { evaluate } = createSessionStart(context);
      const open = async () => unfinishedIn(await evaluate({}));

      await store('Add login form', left('Write tests for the login form', 'Translate the labels'));
      expect(await open()).toEqual([
        { what: 'Write tests for the login form; Translate the labels' },
      ]);
      await store('Wrote tests for the login form');
      expect(await open()).toEqual([{ what: 'Translate the labels' }]);
      await store('Translate the labels', failed('no dictionary'));
      expect(await open()).toEqual([
        { what: 'Translate the labels', failedBecause: 'no dictionary' },
      ]);
      await store('Remove the labels');
      await store('Translate the labels');
      expect(await open()).toEqual([]);

      const first = await store('Add caching to the catalog', failed('race condition'));
      const second = await store('Add caching to the catalog', failed('stale prices'));
      expect(await open()).toEqual([
        { what: 'Add caching to the catalog', failedBecause: 'stale prices' },
      ]);
      const { suppressed } = await evaluate({});
      expect(suppressed).toContainEqual({
        memoryId: first,
        detector: 'sessionStart',
        reason: `tried again: ${second}`,
      });
      const done = await store('Add caching with a lock to the catalog');
      const result = await evaluate({});
      expect(unfinishedIn(result)).toEqual([]);
      expect(result.suppressed).toContainEqual({
        memoryId: second,
        detector: 'sessionStart',
        reason: `done later: ${done}`,
      });
    }));

  it('knows what failed one way and was done another, on the same file', () =>
    withRoom(database, async ({ context, store }) => {
      const table = (goal: string, more: Record<string, unknown> = {}) =>
        store(goal, {
          intent: { goal, task_type: 'optimization' },
          ...edits('src/tables/shipments.tsx'),
          ...more,
        });
      await table('Virtualize the shipments table', failed('screen readers lost the count'));
      await table('Colour the shipments legend', failed('too bright'));
      await table('Page the shipments table on the server');
      const result = await createSessionStart(context).evaluate({});
      expect(unfinishedIn(result)).toEqual([
        { what: 'Colour the shipments legend', failedBecause: 'too bright' },
      ]);
    }));

  it('follows links: what supersedes, what was caused, what waits', () =>
    withRoom(database, async ({ context, store }) => {
      const { evaluate } = createSessionStart(context);
      const open = async () => unfinishedIn(await evaluate({}));
      const upload = await store('Upload with one request', failed('too large'));
      await store('Send chunks in parallel', { links: { supersedes: upload } });
      expect(await open()).toEqual([]);

      const broker = await store('Set up the message broker', failed('port taken'));
      const queue = await store('Queue the mails', { links: { blocked_by: broker } });
      expect((await evaluate({})).memories.map(({ memoryId }) => memoryId)).toEqual([
        queue,
        broker,
      ]);
      expect((await open())[0]).toEqual({
        what: 'Queue the mails',
        blockedBy: 'Set up the message broker',
      });
      await store('Set up the message broker');
      expect(await open()).toEqual([]);

      await store('Charge cards', left('Blocked by the bank account'));
      expect(await open()).toEqual([{ what: 'Charge cards', blockedBy: 'bank account' }]);
      await store(
        'Draw the form',
        left(
          'Test the form (waiting for the design)',
          'Add a spinner while waiting for the upload',
        ),
      );
      expect((await open())[0]).toEqual({
        what: 'Test the form; Add a spinner while waiting for the upload',
        blockedBy: 'design',
      });
    }));

  it('is limited by its settings, read at each call', () =>
    withRoom(database, async ({ context, store, set, clock }) => {
      await store('Old attempt at search', {
        outcome: { success: false, failure_reason: 'slow', learnings: ['Indexes need a rebuild'] },
      });
      clock.nowMs += 20 * DAY_MS;
      await store('Draw the map', learned('Tiles are cached by the proxy', 'Maps need a key'));
      await store('Draw the chart', learned('A key is needed for maps', 'Axes start at zero'));
      await store('Sign the release', {
        ...learned('Certificates expire in May'),
        importance: 0.9,
      });
      clock.nowMs += 5 * DAY_MS;
      const { evaluate } = createSessionStart(context);
      const all = await evaluate({});
      expect(unfinishedIn(all)).toEqual([{ what: 'Old attempt at search', failedBecause: 'slow' }]);
      expect(learningsIn(all)).toEqual([
        'Certificates expire in May',
        'A key is needed for maps',
        'Axes start at zero',
      ]);
      set('sessionStart', { max_learnings: 4 });
      expect(learningsIn(await evaluate({}))[3]).toBe('Tiles are cached by the proxy');
      set('sessionStart', { max_learnings: 9 });
      expect(learningsIn(await evaluate({}))).toHaveLength(5);
      set('sessionStart', { lookback_days: 10 });
      expect(unfinishedIn(await evaluate({}))).toEqual([]);
      expect(learningsIn(await evaluate({}))).toHaveLength(4);
      set('sessionStart', { lookback_days: 30, show_unfinished: false });
      expect(unfinishedIn(await evaluate({}))).toEqual([]);
      set('sessionStart', { show_unfinished: true, show_recent_learnings: false });
      const quiet = await evaluate({});
      expect([unfinishedIn(quiet).length, learningsIn(quiet)]).toEqual([1, []]);
    }));

  it('leaves out what was made in the session that begins', () =>
    withRoom(database, async ({ context, store }) => {
      await store('Fix JWT expiry', { ...failed('clock skew'), session_id: 'now' });
      const { evaluate } = createSessionStart(context);
      expect((await evaluate({ sessionId: 'now' })).shouldNotify).toBe(false);
      expect((await evaluate({ sessionId: 'next' })).shouldNotify).toBe(true);
    }));

  it('tells nobody what another said alone, and speaks of the last session of its conversation', () =>
    withRoom(database, async ({ context, store }) => {
      const anna = dmWith('anna', 'anna 1');
      const mine = await store('Hide the salary column', failed('no rights'), anna);
      await store('Paint the fence', { ...failed('rain'), session_id: 'elsewhere' });
      const { evaluate } = createSessionStart(context);
      const ben = await evaluate({ caller: dmWith('ben', 'ben 1') });
      expect(unfinishedIn(ben)).toEqual([{ what: 'Paint the fence', failedBecause: 'rain' }]);
      expect(sessionContent(ben)?.lastSession?.sessionId).toBe('elsewhere');
      const again = await evaluate({ caller: dmWith('anna', 'anna 2') });
      expect(idsOf(again)).toContain(mine);
      expect(sessionContent(again)?.lastSession?.sessionId).toBe('anna 1');
    }));

  it('is answered from the database while the index loads, and says so', () =>
    withRoom(
      database,
      async ({ context, store }) => {
        const redis = await store('Redis setup', failed('no licence'));
        await store('Limit the rate', { links: { blocked_by: redis } });
        const result = await createSessionStart(context).evaluate({});
        expect(unfinishedIn(result)[0]).toEqual({
          what: 'Limit the rate',
          blockedBy: 'Redis setup',
        });
        expect(result.degraded).toBe(
          'the search index is loading: the newest 2 memories were read from the database',
        );
      },
      { loaded: false },
    ));
});
