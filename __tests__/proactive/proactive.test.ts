/** The room as a whole, on real work memory: what happens, what is offered, and what becomes of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Detection, OfferEvent, SlotDetectors } from '../../src/proactive/index.js';
import { InvalidInputError, NotFoundError } from '../../src/shared/errors.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { shownHint } from '../helpers/candidates.js';
import { DAY_MS, dmWith, edits, failed, OPERATOR } from './detector-room.js';
import { ada, long, messageOf, open, withProactive } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const AUTH = 'src/auth.ts';
const PLAN = { action: 'add caching to src/auth.ts', filePath: AUTH };
describe('a planned action that failed before', () => {
  it('is answered with a warning at once, that stays until it is acknowledged', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      const memoryId = await store('Add caching to auth.ts', {
        ...edits(AUTH),
        ...failed('Race condition with concurrent requests'),
      });
      clock.nowMs += 2 * DAY_MS;
      const first = await proactive.onActionPlanned(PLAN);
      expect(first.warning?.state).toBe('shown');
      expect(first.text).toContain('⚠️ Warning: Similar action failed before');
      expect(first.text).toContain('Reason: Race condition with concurrent requests');
      expect(first.text).toContain(`recall("${memoryId}", depth: "reasoning")`);
      expect(first.warning?.why.detector).toBe('conflictWarning');
      expect(first.warning?.sources.map((source) => source.memoryId)).toEqual([memoryId]);

      const again = await proactive.onActionPlanned(PLAN);
      expect(again.warning?.id).toBe(first.warning?.id);

      const id = first.warning?.id ?? '';
      const answered = await proactive.acknowledge(id, OPERATOR, 'a lock this time');
      expect(answered).toMatchObject({ state: 'acknowledged', reason: 'a lock this time' });
      const after = await proactive.onActionPlanned(PLAN);
      expect(after.warning).toBeNull();
      expect(after.suppressed.map(({ reason }) => reason)).toContain(
        'the warning was answered, and the memory has not changed since',
      );
    }));

  it('warns again once the memory has changed, also after a restart', () =>
    withProactive(database, async (room) => {
      const { proactive, store, memory } = room;
      const memoryId = await store('Add caching to auth.ts', {
        ...edits(AUTH),
        ...failed('race condition'),
      });
      const { warning } = await proactive.onActionPlanned(PLAN);
      await proactive.dismiss(warning?.id ?? '', OPERATOR, 'known');
      await proactive.settled();
      const restarted = open(room);
      expect((await restarted.onActionPlanned(PLAN)).warning).toBeNull();
      await memory.updateMemory(
        { memory_id: memoryId, outcome: { failure_reason: 'deadlock' } },
        OPERATOR,
      );
      room.clock.nowMs += 8 * DAY_MS;
      const changed = await restarted.onActionPlanned(PLAN);
      expect(changed.text).toContain('deadlock');
      await restarted.stop();
    }));
});

describe('a turn', () => {
  it('shows an offer once and counts it once, however often it is asked', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const message = messageOf(ada, 'please look at src/auth.ts', 'once');
      const first = await proactive.offersForTurn(message, long);
      const second = await proactive.offersForTurn(message, long);
      expect(first.text).toContain('Fix JWT expiry');
      expect(second).toEqual(first);
      expect((await proactive.stats()).total).toMatchObject({ offers: 1, shown: 0, pending: 1 });
      const turn = { messageId: message.messageId, roomId: ada.roomId, completed: true };
      proactive.turnEnded(turn);
      proactive.turnEnded(turn);
      const { total } = await proactive.stats();
      expect(total).toMatchObject({ offers: 1, shown: 1, pending: 0 });
      const next = await proactive.offersForTurn(messageOf(ada, 'thanks', 'next'), long);
      expect(next.text).toBe('');
    }));

  it('that another message overtakes leaves its offers to the next one', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const lost = messageOf(ada, 'please look at src/auth.ts', 'lost');
      expect((await proactive.offersForTurn(lost, long)).offers).toHaveLength(1);
      const next = messageOf(ada, 'are you there?', 'there');
      const { offers } = await proactive.offersForTurn(next, long);
      proactive.turnEnded({ messageId: lost.messageId, roomId: ada.roomId, completed: true });
      expect((await proactive.stats()).total.shown).toBe(0);
      proactive.turnEnded({ messageId: next.messageId, roomId: ada.roomId, completed: true });
      expect(offers).toHaveLength(1);
      expect((await proactive.stats()).total).toMatchObject({ offers: 1, shown: 1 });
    }));

  it('does not wait for what is not ready, and shows it in the next', () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const hintMatch: NonNullable<SlotDetectors['hintMatch']> = {
      name: 'hintMatch',
      evaluate: async () => {
        await held;
        return {
          shouldNotify: true,
          memories: [],
          tokenEstimate: 5,
          cue: { kind: 'hintMatch', subject: 'deploy', strength: 1, evidence: [], timeMs: 0 },
          text: '',
          content: { kind: 'hintMatch', subject: 'deploy', memories: [shownHint()] },
          suppressed: [],
        };
      },
    };
    return withProactive(
      database,
      async ({ proactive }) => {
        const early = await proactive.offersForTurn(
          messageOf(ada, 'Please deploy the web app', 'early'),
          5,
        );
        expect(early.text).toBe('');
        release();
        await proactive.settled();
        const late = await proactive.offersForTurn(messageOf(ada, 'ok', 'late'), long);
        expect(late.text).toContain('api/test: `npm test`');
      },
      { slots: { hintMatch } },
    );
  });

  it('never shows what another person said in private', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store(
        'Add caching to auth.ts',
        { ...edits(AUTH), ...failed('the secret of Ada') },
        ada,
      );
      clock.nowMs += DAY_MS;
      const bob = dmWith('bob', 'bob-1') as typeof ada;
      const text = 'Please add caching to src/auth.ts';
      expect((await proactive.offersForTurn(messageOf(bob, text, 'bob'), long)).text).toBe('');
      const own = await proactive.offersForTurn(messageOf(ada, text, 'ada'), long);
      expect(own.text).toContain('the secret of Ada');
      const [offer] = own.offers;
      await expect(proactive.get(offer?.id ?? '', bob)).rejects.toBeInstanceOf(NotFoundError);
      expect((await proactive.list({}, bob)).offers).toEqual([]);
      expect((await proactive.onActionPlanned(PLAN)).warning).toBeNull();
    }));

  it('begins with the unfinished work when the session is new, and only then', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Implement rate limiting', {
        outcome: {
          success: true,
          summary: 'half of it',
          follow_up_needed: ['Set up Redis for the limiter'],
        },
        session_id: 'earlier',
      });
      clock.nowMs += DAY_MS;
      const first = await proactive.offersForTurn(messageOf(ada, 'good morning', 'hello'), long);
      expect(first.text).toContain('Set up Redis');
      proactive.turnEnded({
        messageId: derivedId('message', 'hello'),
        roomId: ada.roomId,
        completed: true,
      });
      const second = await proactive.offersForTurn(messageOf(ada, 'how are you?', 'how'), long);
      expect(second.text).toBe('');
    }));
});

describe('a detector of another room', () => {
  const fine: Detection = {
    shouldNotify: false,
    memories: [],
    tokenEstimate: 0,
    cue: { kind: 'hintMatch', subject: '', strength: 0, evidence: [], timeMs: 0 },
    text: '',
    content: null,
    suppressed: [],
  };

  it('that throws or hangs is counted, and the others answer', () =>
    withProactive(
      database,
      async ({ proactive, store, clock }) => {
        await store('Fix the login timeout', edits(AUTH));
        clock.nowMs += DAY_MS;
        const { offers, degraded } = await proactive.onIntentStated({
          intent: 'Fix the login timeout in src/auth.ts',
        });
        expect(offers.length).toBeGreaterThan(0);
        expect(degraded).toEqual(['hintMatch: out of hints', 'whenMatch: no answer within 50 ms']);
        const { detectors } = proactive.health();
        expect(detectors.hintMatch).toMatchObject({
          failed: 1,
          timedOut: 0,
          lastError: 'out of hints',
        });
        expect(detectors.whenMatch).toMatchObject({ failed: 0, timedOut: 1 });
      },
      {
        detectorTimeoutMs: 50,
        slots: {
          hintMatch: {
            name: 'hintMatch',
            evaluate: () => {
              throw new Error('out of hints');
            },
          },
          whenMatch: { name: 'whenMatch', evaluate: () => new Promise(() => {}) },
        },
      },
    ));

  it('that keeps hanging is left alone for a minute', () =>
    withProactive(
      database,
      async ({ proactive, clock }) => {
        let asked = 0;
        hanging = () => {
          asked += 1;
          return new Promise(() => {});
        };
        for (let index = 0; index < 4; index += 1) {
          await proactive.onIntentStated({
            intent: `Deploy the service number ${index} of the shop`,
          });
        }
        expect(asked).toBe(3);
        expect(proactive.health().degraded).toEqual([
          'whenMatch rests for a minute: it hung several times',
        ]);
        clock.nowMs += 61_000;
        hanging = async () => fine;
        const { degraded } = await proactive.onIntentStated({ intent: 'Deploy the whole shop' });
        expect(degraded).toEqual([]);
      },
      {
        detectorTimeoutMs: 20,
        slots: { whenMatch: { name: 'whenMatch', evaluate: () => hanging() } },
      },
    ));

  it('that floods is cut to the limits of its kind', () =>
    withProactive(
      database,
      async ({ proactive }) => {
        const { offers, text } = await proactive.onIntentStated({
          intent: 'Deploy the whole shop',
        });
        expect(offers).toHaveLength(1);
        expect(offers[0]?.tokens).toBeLessThan(60);
        expect(text.length).toBeLessThan(1_000);
      },
      {
        slots: {
          hintMatch: {
            name: 'hintMatch',
            evaluate: async () => ({
              ...fine,
              shouldNotify: true,
              content: {
                kind: 'hintMatch',
                subject: 'flood',
                memories: Array.from({ length: 1_000 }, (_, index) =>
                  shownHint({ memoryId: `api/${index}`, reasons: ['x'.repeat(500)] }),
                ),
              },
            }),
          },
        },
      },
    ));
  let hanging: () => Promise<Detection> = async () => fine;
});

describe('happenings', () => {
  it('too many at once are turned away and counted, and nothing else is harmed', () =>
    withProactive(database, async ({ proactive, store }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const all = await Promise.all(
        Array.from({ length: 400 }, (_, index) =>
          proactive.onFileTouch({ filePath: `lib/file-${index}.ts` }),
        ),
      );
      const turnedAway = all.filter(({ degraded }) => degraded.length > 0).length;
      expect(turnedAway).toBeGreaterThan(0);
      expect(proactive.health().dropped).toBe(turnedAway);
      expect((await proactive.onFileTouch({ filePath: AUTH })).offers).toHaveLength(1);
    }));

  it('are refused with the field that is wrong', () =>
    withProactive(database, async ({ proactive }) => {
      await expect(proactive.happen({ type: 'file_touch' })).rejects.toBeInstanceOf(
        InvalidInputError,
      );
      await expect(proactive.happen({ type: 'coffee' })).rejects.toThrow('type');
    }));

  it('come as the seed calls the hooks, and for the person who is named with them', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH), ada);
      clock.nowMs += DAY_MS;
      expect((await proactive.onFileTouch(AUTH)).offers).toEqual([]);
      const caller = { ...ada, sessionId: 'ada-2' };
      const { offers } = await proactive.onFileTouch({ filePath: AUTH, caller });
      expect(offers).toHaveLength(1);
      expect(offers[0]?.target).toEqual({ roomId: ada.roomId, sessionId: 'ada-2' });
      expect(offers[0]?.state).toBe('pending');
    }));

  it('lead to nothing while offers are switched off, at once', () => {
    const enabled = { current: true };
    return withProactive(
      database,
      async ({ proactive, store, clock }) => {
        await store('Fix JWT expiry', edits(AUTH));
        clock.nowMs += DAY_MS;
        const message = messageOf(ada, 'look at src/auth.ts', 'off');
        expect((await proactive.offersForTurn(message, long)).text).not.toBe('');
        enabled.current = false;
        expect((await proactive.offersForTurn(message, long)).text).toBe('');
        const { offers, degraded } = await proactive.onFileTouch({ filePath: AUTH });
        expect(offers).toEqual([]);
        expect(degraded).toEqual(['offers are switched off (CUE_OFFERS_ENABLED)']);
        expect(proactive.health().enabled).toBe(false);
      },
      { enabled },
    );
  });

  it('of another project are never answered', () =>
    withProactive(database, async ({ proactive, store, checks }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const other = await proactive.onFileTouch({ filePath: AUTH, projectId: 'another' });
      expect(other.offers).toEqual([]);
      expect(other.degraded).toEqual([
        '"another" is not the project served here: nothing of it is known',
      ]);
      const own = await proactive.onFileTouch({ filePath: AUTH, projectId: checks.projectId });
      expect(own.offers).toHaveLength(1);
    }));

  it('say why they led to nothing', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += 1_000;
      await proactive.onFileTouch({ filePath: AUTH });
      await proactive.onFileTouch({ filePath: AUTH });
      const [last, first] = proactive.decisions();
      expect(first?.offerIds).toHaveLength(1);
      expect(last).toMatchObject({
        offerIds: [],
        happening: { type: 'file_touch', subject: AUTH },
      });
      expect(last?.suppressed[0]?.reason).toBe('the file was offered before: again in 300 s');
    }));

  it('are answered from the database while the catalog loads, and say so', () =>
    withProactive(
      database,
      async ({ proactive, store, clock }) => {
        await store('Fix JWT expiry', edits(AUTH));
        clock.nowMs += DAY_MS;
        const { offers, degraded } = await proactive.onFileTouch({ filePath: AUTH });
        expect(offers).toHaveLength(1);
        expect(degraded.join()).toContain('read from the database');
        expect(offers[0]?.why.degraded).toContain('read from the database');
      },
      { loaded: false },
    ));
});

describe('what becomes of an offer', () => {
  it('recalled by who was shown it, it is used; by somebody elsewhere it is not', () =>
    withProactive(database, async ({ proactive, store, clock, memory }) => {
      const memoryId = await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const message = messageOf(ada, 'look at src/auth.ts', 'use');
      const [offer] = (await proactive.offersForTurn(message, long)).offers;
      const { memories } = await memory.recall(memoryId, ada);
      expect(memories).toHaveLength(1);
      const id = offer?.sources[0]?.id as Uuid;
      const bob = dmWith('bob');
      proactive.observer.used({ how: 'recalled', ids: [id], caller: bob });
      expect((await proactive.get(offer?.id ?? '', OPERATOR)).state).toBe('pending');
      proactive.observer.used({ how: 'recalled', ids: [id], caller: ada });
      const used = await proactive.get(offer?.id ?? '', OPERATOR);
      expect(used).toMatchObject({ state: 'used', usedHow: 'recalled', shownBy: 'turn' });
      const { total, byKind } = await proactive.stats();
      expect(total).toMatchObject({ shown: 1, used: 1, recallRate: 1, precision: 1 });
      expect(Object.keys(byKind)).toEqual(['fileTouch']);
    }));

  it('cited by the agent, it is used', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      const memoryId = await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const message = messageOf(ada, 'look at src/auth.ts', 'cite');
      const [offer] = (await proactive.offersForTurn(message, long)).offers;
      proactive.turnEnded({ messageId: message.messageId, roomId: ada.roomId, completed: true });
      proactive.onAgentActivity({
        roomId: ada.roomId,
        caller: ada,
        text: `As in ${memoryId} I renew it.`,
        files: [],
      });
      expect((await proactive.get(offer?.id ?? '', ada)).usedHow).toBe('cited');
    }));

  it('expires unused after a day, which is a false alarm per turns', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      await proactive.onFileTouch({ filePath: AUTH });
      clock.nowMs += DAY_MS + 1;
      const { total } = await proactive.stats();
      expect(total).toMatchObject({
        shown: 1,
        expired: 1,
        falseAlarms: 1,
        falseAlarmsPer100Turns: 100,
      });
    }));

  it('dismissed often, a memory is offered less, and why says so', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      const first = await proactive.onFileTouch({ filePath: AUTH });
      await proactive.dismiss(first.offers[0]?.id ?? '', OPERATOR);
      clock.nowMs += 700_000;
      const held = await proactive.onFileTouch({ filePath: AUTH });
      expect(held.suppressed[0]?.reason).toMatch(/^dismissed once: again in \d+ s$/);
      clock.nowMs += 8 * 600_000;
      const [again] = (await proactive.onFileTouch({ filePath: AUTH })).offers;
      expect(again?.why.feedback).toContain('was dismissed once');
    }));

  it('quotes nothing of a memory that is forgotten', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const message = messageOf(ada, 'look at src/auth.ts', 'forget');
      const [offer] = (await proactive.offersForTurn(message, long)).offers;
      await store('Water the plants', edits('src/plants.ts'));
      await proactive.onFileTouch({ filePath: 'src/plants.ts' });
      await proactive.observer.forgetting([offer?.sources[0]?.id as Uuid]);
      expect((await proactive.offersForTurn(message, long)).text).toBe('');
      expect((await proactive.list({}, OPERATOR)).total).toBe(1);
      expect(proactive.decisions().map(({ happening }) => happening.subject)).toEqual([
        'src/plants.ts',
      ]);
    }));

  it('is gone when a memory is forgotten of which it only quotes what others wait for', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      const redis = await store('Set up the Redis cluster', failed('no licence'));
      await store('Implement rate limiting', {
        outcome: { success: true, follow_up_needed: ['Limit the login route'] },
        links: { blocked_by: redis },
      });
      clock.nowMs += 60 * DAY_MS;
      const newest = await store('Add quotas', {
        outcome: { success: true, follow_up_needed: ['Announce the quotas'] },
        links: { blocked_by: redis },
      });
      clock.nowMs += DAY_MS;
      const [offer] = (await proactive.onSessionStart({})).offers;
      expect(offer?.text).toContain('"Announce the quotas" (blocked by Set up the Redis cluster)');
      expect(offer?.sources.map(({ memoryId }) => memoryId)).toEqual([newest, redis]);
      // It was not told of: what is about it may still be said.
      const planned = await proactive.onActionPlanned({ action: 'set up the Redis cluster' });
      expect(planned.warning?.sources.map(({ memoryId }) => memoryId)).toEqual([redis]);
      await proactive.observer.forgetting([offer?.sources[1]?.id as Uuid]);
      expect((await proactive.list({}, OPERATOR)).total).toBe(0);
    }));

  it('is pushed after the batch window, the most urgent first', () =>
    withProactive(database, async ({ proactive, store }) => {
      await store('Add caching to auth.ts', { ...edits(AUTH), ...failed('race condition') });
      await store('Fix JWT expiry', edits(AUTH));
      const events: OfferEvent[] = [];
      proactive.subscribe((event) => events.push(event));
      proactive.subscribe(() => {
        throw new Error('a broken listener');
      });
      await proactive.onFileTouch({ filePath: AUTH });
      await proactive.onActionPlanned(PLAN);
      expect(events.filter(({ type }) => type === 'offer')).toEqual([]);
      await proactive.settled();
      const offered = events.filter(({ type }) => type === 'offer').map(({ offer }) => offer.kind);
      expect(offered[0]).toBe('conflictWarning');
      expect(offered).toContain('fileTouch');
    }));
});
