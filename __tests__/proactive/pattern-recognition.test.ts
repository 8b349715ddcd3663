import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPatternRecognition } from '../../src/proactive/detectors/pattern-recognition.js';
import type { TaskStarted } from '../../src/proactive/types.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { type DetectorRoom, dmWith, idsOf, OPERATOR, withRoom } from './detector-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const TASK: TaskStarted = { task: 'Add a /refunds endpoint' };

/** An endpoint added, in its own session. */
function endpoint(
  { store }: Pick<DetectorRoom, 'store'>,
  name: string,
  more: { learned?: string; success?: boolean; session?: string } = {},
  caller = OPERATOR,
): Promise<string> {
  const { learned, success = true, session = `session of ${name}` } = more;
  return store(
    `Add /${name} endpoint`,
    {
      intent: { goal: `Add /${name} endpoint`, task_type: 'feature_add' },
      actions: [{ file: `src/api/${name}.ts`, operation: 'create' }],
      outcome: {
        success,
        ...(success ? {} : { failure_reason: 'timeout' }),
        learnings: learned === undefined ? [] : [learned],
      },
      session_id: session,
    },
    caller,
  );
}

async function threeEndpoints(room: DetectorRoom): Promise<[string, string, string]> {
  const users = await endpoint(room, 'users', { learned: 'need rate limiting' });
  const orders = await endpoint(room, 'orders', { learned: 'add validation middleware' });
  await room.store('Fix typo in readme');
  await room.store('Fix the orders endpoint', { tags: ['api'] });
  return [users, orders, await endpoint(room, 'invoices')];
}

describe('a task of a recurring kind', () => {
  it('is recognized, with what was learned from those before it', () =>
    withRoom(database, async (room) => {
      const [users, orders, invoices] = await threeEndpoints(room);
      const result = await createPatternRecognition(room.context).evaluate({
        ...TASK,
        agentId: 'agent_001',
        projectId: room.checks.projectId,
      });
      expect(result.shouldNotify).toBe(true);
      expect(idsOf(result)).toEqual([orders, users, invoices]);
      expect(result.content).toMatchObject({
        kind: 'patternRecognition',
        pattern: 'add_endpoint',
        title: 'Add … endpoint',
        occurrences: 3,
        memories: [
          { memoryId: orders, learning: 'add validation middleware' },
          { memoryId: users, learning: 'need rate limiting' },
          { memoryId: invoices },
        ],
      });
      expect(result.text.split('\n').slice(0, 4)).toEqual([
        '[RUM] Pattern recognized: "Add … endpoint"',
        '  Related memories:',
        '  • Ada: Add /orders endpoint — learned: add validation middleware',
        '  • Ada: Add /users endpoint — learned: need rate limiting',
      ]);
      expect(result.tokenEstimate).toBeLessThan(80);
      expect(result.cue).toMatchObject({ kind: 'patternRecognition', subject: 'add_endpoint' });
      expect(result.cue.evidence[0]).toBe('3 different tasks of one shape: "Add … endpoint"');
    }));

  it('is printed with a command that finds the members', () =>
    withRoom(database, async (room) => {
      const members = await threeEndpoints(room);
      for (const goal of ['Write API guide', 'Rename the api package', 'Add a login form']) {
        await room.store(goal, { tags: ['api'] });
      }
      const { text } = await createPatternRecognition(room.context).evaluate(TASK);
      const [command = ''] = /recall\(.*\)/.exec(text) ?? [];
      expect(command).toBe('recall("pattern:add_endpoint")');
      const { memories } = await room.memory.recall({ ref: command }, OPERATOR);
      const found = memories.map(({ memory_id }) => memory_id);
      expect(members.filter((id) => !found.includes(id))).toEqual([]);
    }));

  it('is none for the settings, and says why', () =>
    withRoom(database, async (room) => {
      await threeEndpoints(room);
      const { evaluate } = createPatternRecognition(room.context);
      const why = async (more: Partial<TaskStarted> = {}) => {
        const { shouldNotify, cue, content, memories } = await evaluate({ ...TASK, ...more });
        expect([shouldNotify, content, memories]).toEqual([false, null, []]);
        return cue.evidence;
      };
      room.set('patternRecognition', { min_pattern_occurrences: 4 });
      expect(await why()).toEqual(['no recurring shape']);
      room.set('patternRecognition', { min_pattern_occurrences: 3, confidence_threshold: 1 });
      expect((await why()).at(-1)).toMatch(/ is below 1$/);
      room.set('patternRecognition', { confidence_threshold: 0.6 });
      expect(await why({ projectId: 'project_abc' })).toEqual(['another project: project_abc']);
      expect(await why({ task: 'Translate the handbook' })).toEqual(['no recurring shape']);
      room.set('patternRecognition', { enabled: false });
      expect(await why()).toEqual(['disabled']);
    }));

  it('shows successes before failures and no learnings where they are not wanted', () =>
    withRoom(database, async (room) => {
      const users = await endpoint(room, 'users', { learned: 'need rate limiting' });
      const orders = await endpoint(room, 'orders');
      const late = await endpoint(room, 'reports', { success: false });
      const { evaluate } = createPatternRecognition(room.context);
      expect(idsOf(await evaluate(TASK))).toEqual([users, orders, late]);
      room.set('patternRecognition', { extract_learnings: false });
      const { content, text } = await evaluate(TASK);
      expect(text).not.toContain('rate limiting');
      expect(content).toMatchObject({
        memories: [{ memoryId: orders }, { memoryId: users }, { memoryId: late }],
      });
    }));

  it('repeats no learning and tells nobody what they have just made', () =>
    withRoom(database, async (room) => {
      const learned = 'need rate limiting';
      await endpoint(room, 'users', { learned, session: 'now' });
      const orders = await endpoint(room, 'orders', { learned });
      const invoices = await endpoint(room, 'invoices', { learned });
      const { evaluate } = createPatternRecognition(room.context);
      const result = await evaluate({ ...TASK, sessionId: 'now' });
      expect(result.content).toMatchObject({
        occurrences: 3,
        memories: [{ memoryId: invoices, learning: learned }, { memoryId: orders }],
      });
      expect(result.text.split(learned)).toHaveLength(2);
      expect(result.suppressed.map(({ reason }) => reason)).toEqual(['made in this session']);
    }));

  it('is made of what the reader may see', () =>
    withRoom(database, async (room) => {
      for (const name of ['users', 'orders', 'invoices']) {
        await endpoint(room, name, {}, dmWith('anna'));
      }
      const { evaluate } = createPatternRecognition(room.context);
      const notifies = async (caller?: TaskStarted['caller']) =>
        (await evaluate({ ...TASK, caller })).shouldNotify;
      expect(await notifies(dmWith('anna'))).toBe(true);
      expect(await notifies(dmWith('ben'))).toBe(false);
      expect(await notifies()).toBe(false);
    }));

  it('is found from the database while the index loads, and says so', () =>
    withRoom(
      database,
      async (room) => {
        for (const name of ['users', 'orders', 'invoices']) await endpoint(room, name);
        const result = await createPatternRecognition(room.context).evaluate(TASK);
        expect(result.shouldNotify).toBe(true);
        expect(result.degraded).toBe(
          'the search index is loading: the newest 3 memories were read from the database',
        );
      },
      { loaded: false },
    ));
});
