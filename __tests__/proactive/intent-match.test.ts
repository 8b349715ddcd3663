import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Embedder } from '../../src/embeddings/index.js';
import { createIntentMatch } from '../../src/proactive/detectors/intent-match.js';
import { momentOf } from '../../src/proactive/gate/features.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { DAY_MS, dmWith, edits, failed, idsOf, OPERATOR, withRoom } from './detector-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const TIMEOUT = 'Fix authentication timeout';

describe('a stated intent', () => {
  it('brings back the same task, and how it was gone about', () =>
    withRoom(database, async ({ context, store, clock, checks }) => {
      const fixed = await store(TIMEOUT, {
        reasoning: { approach_chosen: 'Added retry interceptor' },
      });
      await store('Add authentication docs');
      await store('Fix checkout rounding');
      clock.nowMs += 7 * DAY_MS;
      const result = await createIntentMatch(context).evaluate({
        intent: 'Hi! Could you please fix the authentication timeout our customers keep hitting?',
        agentId: 'agent_001',
        projectId: checks.projectId,
      });
      expect(result.shouldNotify).toBe(true);
      expect(idsOf(result)).toEqual([fixed]);
      expect(result.tokenEstimate).toBeGreaterThan(0);
      expect(result.tokenEstimate).toBeLessThan(80);
      expect(result.text.split('\n')).toEqual([
        '[RUM] Similar task found:',
        `  • "${TIMEOUT}" (Ada, 1w ago) — success`,
        '    Approach: Added retry interceptor',
        '',
        `  → recall("${fixed}") for full reasoning`,
      ]);
      expect(result.cue.strength).toBe(result.memories[0]?.score);
      expect(result.memories[0]?.reasons.length).toBeGreaterThan(0);
      expect(result.degraded).toBeUndefined();
    }));

  it('looks for nothing where a file is only opened or somebody says thanks, and says so', () =>
    withRoom(database, async ({ context, store }) => {
      await store(TIMEOUT, edits('src/auth.ts'));
      const rows = () => Promise.reject(new Error('nothing has to be read'));
      const { evaluate } = createIntentMatch({ ...context, checks: { ...context.checks, rows } });
      const said = async (text: string, files: readonly string[] = []) => {
        const moment = momentOf('message', text, files);
        return (await evaluate({ intent: text, moment })).cue.evidence;
      };
      expect(await said('please look at src/auth.ts', ['src/auth.ts'])).toEqual([
        'a file is only looked at',
      ]);
      expect(await said('great, thanks!')).toEqual(['nothing is asked for']);
    }));

  it('matches nothing by small talk, other work and what is denied', () =>
    withRoom(database, async ({ context, store }) => {
      await store(TIMEOUT);
      await store('Fix the bug in the invoice code');
      await store('Add a new feature flag service');
      const { evaluate } = createIntentMatch(context);
      const silent = async (intent: string) => {
        const { shouldNotify, memories, text, content, tokenEstimate } = await evaluate({ intent });
        expect({ intent, shouldNotify, memories, text, content, tokenEstimate }).toEqual({
          intent,
          shouldNotify: false,
          memories: [],
          text: '',
          content: null,
          tokenEstimate: 0,
        });
      };
      for (const intent of [
        'lunch at noon?',
        'Translate the handbook into Dutch',
        'Please read src/auth.ts',
        "Don't fix the authentication timeout",
        '',
      ]) {
        await silent(intent);
      }
    }));

  it('says what it took for another task, and why', () =>
    withRoom(database, async ({ context, store }) => {
      const added = await store('Add caching to the user service');
      const { cue, suppressed } = await createIntentMatch(context).evaluate({
        intent: 'Remove caching from the user service',
      });
      expect(cue).toMatchObject({ strength: 0, evidence: ['no similar task'] });
      expect(suppressed).toEqual([
        {
          memoryId: added,
          detector: 'intentMatch',
          reason: 'not the same: opposite actions: remove / add',
        },
      ]);
    }));

  it('is answered for this project alone, and not when turned off', () =>
    withRoom(database, async ({ context, store, set }) => {
      await store(TIMEOUT);
      const { evaluate } = createIntentMatch(context);
      const evidence = async (projectId?: string) =>
        (await evaluate({ intent: TIMEOUT, projectId })).cue.evidence;
      expect(await evidence('shop')).toContain('100 % of its words, by rarity');
      expect(await evidence('another')).toEqual(['another project: another']);
      set('intentMatch', { enabled: false });
      expect(await evidence()).toEqual(['disabled']);
    }));

  it('shows nobody what was said to another in private', () =>
    withRoom(database, async ({ context, store }) => {
      const [ann, bob] = [dmWith('Ann'), dmWith('Bob')];
      const secret = await store(TIMEOUT, {}, ann);
      const { evaluate } = createIntentMatch(context);
      const seen = async (caller?: typeof ann) => {
        const result = await evaluate({ intent: TIMEOUT, caller });
        return [...idsOf(result), ...result.suppressed.map(({ memoryId }) => memoryId)];
      };
      expect(await seen(bob)).toEqual([]);
      expect(await seen()).toEqual([]);
      expect(await seen(ann)).toEqual([secret]);
    }));

  it('leaves out what the same agent did in the same session', () =>
    withRoom(database, async ({ context, store, agentId }) => {
      const own = await store(TIMEOUT, { session_id: 's1' });
      const { evaluate } = createIntentMatch(context);
      const here = await evaluate({ intent: TIMEOUT, agentId, sessionId: 's1' });
      expect(here.shouldNotify).toBe(false);
      expect(here.suppressed).toEqual([
        { memoryId: own, detector: 'intentMatch', reason: 'made in this session' },
      ]);
      expect(idsOf(await evaluate({ intent: TIMEOUT, agentId, sessionId: 's2' }))).toEqual([own]);
    }));

  it('gets the successor instead of what was superseded', () =>
    withRoom(database, async ({ context, store, memory }) => {
      const old = await store(TIMEOUT);
      const successor = await store('Rework how tokens are renewed');
      await memory.link({ source: successor, target: old, link_type: 'supersedes' }, OPERATOR);
      const result = await createIntentMatch(context).evaluate({ intent: TIMEOUT });
      expect(idsOf(result)).toEqual([successor]);
      expect(result.suppressed).toEqual([
        { memoryId: old, detector: 'intentMatch', reason: `superseded by ${successor}` },
      ]);
      expect(result.memories[0]?.reasons).toContain(`supersedes ${old}`);
    }));

  it('obeys its settings: how many, how alike, failures, age', () =>
    withRoom(database, async ({ context, store, clock, set }) => {
      const first = await store(TIMEOUT);
      const second = await store(TIMEOUT, failed('wrong clock'));
      clock.nowMs += 60 * DAY_MS;
      const third = await store(TIMEOUT, edits('src/auth.ts'));
      const fourth = await store(TIMEOUT);
      const { evaluate } = createIntentMatch(context);
      const found = async (more = {}) => {
        const { content } = await evaluate({ intent: TIMEOUT, ...more });
        return content?.kind === 'intentMatch' ? content.memories.map((each) => each.memoryId) : [];
      };
      expect(await found()).toEqual([fourth, third, second]);
      set('intentMatch', { max_results: 20, include_failures: false });
      expect(await found()).toEqual([fourth, third, first]);
      set('intentMatch', { max_results: 1 });
      expect(await found()).toEqual([fourth]);
      set('intentMatch', { max_results: 3, similarity_threshold: 1, include_failures: true });
      expect(await found({ intent: 'Fix authentication timeout of the gateway' })).toEqual([]);
      set('intentMatch', { similarity_threshold: 0.1 });
      expect(await found({ intent: 'Fix authentication timeout of the gateway' })).not.toEqual([]);
    }));

  it('says which file is in common', () =>
    withRoom(database, async ({ context, store }) => {
      const here = await store('Fix login timeout', edits('src/auth.ts'));
      const found = await createIntentMatch(context).evaluate({
        intent: 'Fix login timeout',
        files: ['auth.ts'],
      });
      expect(idsOf(found)).toEqual([here]);
      expect(found.memories[0]?.reasons[0]).toBe('file auth.ts');
    }));

  it('goes by words where the model fails, and says so', () =>
    withRoom(database, async ({ context, store, embedder, project }) => {
      const axis = new Float32Array(384);
      axis[0] = 1;
      const sure: Embedder = {
        id: 'sure',
        thresholds: { candidate: 0.5, strong: 0.8 },
        embed: async (texts) => texts.map(() => axis),
      };
      embedder.current = sure;
      project.catalog.shelf('cue_work_memory').setModel('sure');
      await store('Stop kicking people out of their sessions');
      const { evaluate } = createIntentMatch(context);
      expect((await evaluate({ intent: 'Fix the login timeout' })).degraded).toBeUndefined();
      embedder.current = {
        ...sure,
        embed: async () => {
          throw new Error('out of memory');
        },
      };
      expect((await evaluate({ intent: 'Fix the login timeout' })).degraded).toBe(
        'compared by words only: the model failed',
      );
    }));

  it('is answered from the database while the catalog loads, and says so', () =>
    withRoom(
      database,
      async ({ context, store }) => {
        const fixed = await store(TIMEOUT);
        const result = await createIntentMatch(context).evaluate({ intent: TIMEOUT });
        expect(idsOf(result)).toEqual([fixed]);
        expect(result.degraded).toBe(
          'the search index is loading: the newest 1 memories were read from the database',
        );
      },
      { loaded: false },
    ));
});
