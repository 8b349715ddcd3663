/** What an agent learns of each kind of offer from what became of them: how far, where it is kept, how it ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  barOf,
  becauseOf,
  createLearnedStore,
  intervalOf,
  type Learned,
  type LearnedFrom,
  learn,
  shiftOf,
} from '../../src/proactive/learning.js';
import type { OfferData } from '../../src/proactive/offers/offer.js';
import type { DetectorName } from '../../src/proactive/types.js';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import { derivedId } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { type DetectorRoom, edits, failed, OPERATOR } from './detector-room.js';
import { offerData } from './offer-fixtures.js';
import { open, type ProactiveRoom, withProactive } from './proactive-room.js';

const NOW = 60 * DAY_MS;
const INTENT = 'intentMatch';
const WARNING = 'conflictWarning';

/** `count` offers that ended so, a minute apart, the last now. */
function taught(
  state: LearnedFrom,
  count: number,
  kind: DetectorName = INTENT,
  known: Learned = {},
): Learned {
  const times = Array.from({ length: count }, (_, index) => NOW - (count - 1 - index) * MINUTE_MS);
  return times.reduce((learned, atMs) => learn(learned, { kind, state, from: null, atMs }), known);
}
const least = (learned: Learned, kind: DetectorName = INTENT, nowMs = NOW) =>
  Math.round(barOf(learned, kind, 0.3, nowMs).least * 100) / 100;

describe('the threshold of a kind', () => {
  it('rises with each dismissal, of its own kind only, and not without end', () => {
    const bars = [0, 1, 3, 10, 1_000].map((count) => least(taught('dismissed', count)));
    expect(bars).toEqual([0.3, 0.37, 0.51, 0.9, 0.9]);
    expect(least(taught('dismissed', 10), 'patternRecognition')).toBe(0.3);
    expect(barOf({}, INTENT, 0.3, NOW)).toEqual({ least: 0.3, because: null });
  });

  it('falls a little with uses', () => {
    expect(least(taught('used', 10))).toBe(0.24);
    expect(least(taught('acknowledged', 1_000))).toBe(0.24);
    expect(shiftOf(taught('used', 1_000), INTENT, NOW)).toBeCloseTo(-0.3);
  });

  it('of warnings hardly moves: what is sure is said after a thousand dismissals', () => {
    const learned = taught('dismissed', 1_000, WARNING);
    expect(least(learned, WARNING)).toBe(0.41);
    for (const setting of [0.05, 0.3, 0.5, 0.65, 0.7]) {
      expect(barOf(learned, WARNING, setting, NOW).least).toBeLessThanOrEqual(0.7);
    }
    expect(barOf(learned, WARNING, 0.8, NOW).least).toBe(0.8);
    expect(intervalOf(learned, WARNING, NOW)).toBe(0);
  });

  it.each([0, 0.95, 1])('that is set to %d stays', (setting) => {
    expect(barOf(taught('dismissed', 10), INTENT, setting, NOW).least).toBe(setting);
  });

  it('comes back by half within two weeks, and by what is wanted', () => {
    const learned = taught('dismissed', 10);
    expect(shiftOf(learned, INTENT, NOW)).toBeCloseTo(3);
    expect(shiftOf(learned, INTENT, NOW + 14 * DAY_MS)).toBeCloseTo(1.5);
    expect(shiftOf(learned, INTENT, NOW - DAY_MS)).toBeCloseTo(3);
    const wanted = [1, 2, 4].map((count) =>
      shiftOf(taught('used', count, INTENT, learned), INTENT, NOW),
    );
    expect(wanted.map((shift) => Math.round(shift * 20) / 20)).toEqual([1.2, 0.3, -0.05]);
    expect(
      shiftOf(taught('used', 4, INTENT, taught('dismissed', 1_000)), INTENT, NOW),
    ).toBeLessThan(0);
  });

  it('is moved little by what is left unused, however much of it', () => {
    expect(shiftOf(taught('expired', 4), INTENT, NOW)).toBe(0);
    expect(shiftOf(taught('expired', 10), INTENT, NOW)).toBeCloseTo(0.3);
    expect(shiftOf(taught('expired', 1_000), INTENT, NOW)).toBeCloseTo(0.6);
  });

  it('takes an offer for one that was acknowledged and then used', () => {
    const known = taught('acknowledged', 1);
    const used = learn(known, { kind: INTENT, state: 'used', from: 'acknowledged', atMs: NOW });
    expect(used[INTENT]).toMatchObject({ used: 1, acknowledged: 0, balance: -1 });
    expect(learn(used, { kind: INTENT, state: 'used', from: 'used', atMs: NOW })).toBe(used);
  });

  it('says in words what has moved it', () => {
    expect(becauseOf({}, INTENT, NOW)).toBeNull();
    expect(becauseOf(taught('dismissed', 10), INTENT, NOW)).toBe(
      'shown less because 10 offers of this kind were dismissed',
    );
    expect(becauseOf(taught('expired', 6), INTENT, NOW)).toBe(
      'shown less because 6 offers of this kind were left unused',
    );
    expect(becauseOf(taught('used', 1), INTENT, NOW)).toBe(
      'shown more because 1 offer of this kind was of use',
    );
    expect(becauseOf(taught('dismissed', 10), INTENT, NOW + 90 * DAY_MS)).toBeNull();
  });
});

describe('a kind without a threshold', () => {
  it.each([
    [2, 0],
    [3, 10],
    [4, 20],
    [10, 1_280],
    [11, 1_440],
    [40, 1_440],
  ])('after %i dismissals comes once in %i minutes', (dismissals, minutes) => {
    const learned = taught(
      'expired',
      100,
      'fileTouch',
      taught('dismissed', dismissals, 'fileTouch'),
    );
    expect(intervalOf(learned, 'fileTouch', NOW) / MINUTE_MS).toBe(minutes);
    expect(barOf(learned, 'fileTouch', 0.3, NOW).least).toBe(0.3);
  });

  it('says so, and comes as before once it is wanted', () => {
    const learned = taught('dismissed', 3, 'fileTouch');
    expect(becauseOf(learned, 'fileTouch', NOW)).toBe(
      'shown less because 3 offers of this kind were dismissed: at most one in 10 minutes',
    );
    expect(intervalOf(taught('used', 1, 'fileTouch', learned), 'fileTouch', NOW)).toBe(0);
    expect(becauseOf(taught('used', 9, 'fileTouch'), 'fileTouch', NOW)).toBeNull();
    expect(intervalOf(taught('expired', 1_000, 'fileTouch'), 'fileTouch', NOW)).toBe(0);
  });
});

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const GOAL = 'Add a retry to the payment webhook';
/** Near it: likely, but not sure. */
const LIKE_IT = 'the payment webhook looks odd today';

/** Ten offers of similar tasks, each in the words of its memory, and each not wanted. */
async function dismissTen({ proactive, store, clock }: ProactiveRoom): Promise<void> {
  const crafts = 'glaze bake weave carve knit mill brew forge paint tan'.split(' ');
  for (const [index, craft] of crafts.entries()) {
    const goal = `${craft} lot ${index + 101}`;
    await store(goal);
    clock.nowMs += HOUR_MS;
    const { offers } = await proactive.onIntentStated(goal);
    const offer = offers.find(({ kind }) => kind === INTENT);
    await proactive.dismiss(offer?.id ?? `no offer of ${goal}`, OPERATOR);
  }
  clock.nowMs += HOUR_MS;
}
const kindsOf = ({ offers }: { offers: readonly { kind: string }[] }) =>
  offers.map(({ kind }) => kind);

describe('in the room', () => {
  it('ten dismissals make the kind rarer, what is sure still comes, and a reset ends it', () =>
    withProactive(database, async (room) => {
      const { proactive, store, clock } = room;
      await store(GOAL);
      // What is near a moment stands out more among many memories than in an empty store.
      for (const craft of 'sow reap thresh grind bake fold cut sew hem press'.split(' ')) {
        await store(`${craft} batch ${craft.length + 201}`);
      }
      clock.nowMs += DAY_MS;
      const first = await proactive.onIntentStated(LIKE_IT);
      expect(kindsOf(first)).toEqual([INTENT]);
      expect(first.offers[0]?.why.strength).toBeLessThan(0.95);
      expect(first.offers[0]?.why.feedback).toBeUndefined();
      await dismissTen(room);

      const because = 'shown less because 10 offers of this kind were dismissed';
      const second = await proactive.onIntentStated(LIKE_IT);
      expect(kindsOf(second)).toEqual([]);
      expect(second.suppressed.map(({ reason }) => reason)).toContain(because);
      expect(proactive.decisions(1)[0]?.suppressed.map(({ reason }) => reason)).toContain(because);
      const sure = await proactive.onIntentStated(GOAL);
      expect(kindsOf(sure)).toEqual([INTENT]);
      expect(sure.offers[0]?.why.feedback).toBe(`intentMatch is ${because}`);
      await proactive.settled();
      const { learned } = await proactive.stats();
      expect(learned[INTENT]).toMatchObject({ dismissed: 10, shift: 3, intervalMs: 0, because });

      const restarted = open(room);
      clock.nowMs += HOUR_MS;
      expect(kindsOf(await restarted.onIntentStated(LIKE_IT))).toEqual([]);
      expect(await restarted.resetLearned('fileTouch')).toEqual({
        learned: { [INTENT]: expect.objectContaining({ dismissed: 10 }) },
      });
      expect(await restarted.resetLearned(INTENT)).toEqual({ learned: {} });
      expect(kindsOf(await restarted.onIntentStated(LIKE_IT))).toEqual([INTENT]);
      await restarted.stop();
    }));

  it('warnings come after a thousand were dismissed', () =>
    withProactive(database, async (room) => {
      const { store, clock } = room;
      await store('Add caching to auth.ts', {
        ...edits('src/auth.ts'),
        ...failed('Race condition with concurrent requests'),
      });
      await store('Cut the audio tape by hand', failed('the blade slipped'));
      const book = bookOf(room);
      for (let index = 0; index < 1_000; index += 1) {
        book.note(ended('dismissed', WARNING, { closedAtMs: clock.nowMs }), null);
      }
      await book.settled();
      const proactive = open(room);
      const { learned } = await proactive.stats();
      expect(learned[WARNING]).toMatchObject({ dismissed: 1_000, shift: 0.5, intervalMs: 0 });
      const onFile = { action: 'rewrite the session store', filePath: 'src/auth.ts' };
      expect((await proactive.onActionPlanned(onFile)).warning).not.toBeNull();
      const again = 'cut the audio tape by hand';
      expect((await proactive.onActionPlanned(again)).warning).not.toBeNull();
      await proactive.stop();
    }));

  it('an offer counts once, whoever finds that its time is over', () =>
    withProactive(database, async (room) => {
      const { proactive, store, clock } = room;
      await store(GOAL);
      clock.nowMs += DAY_MS;
      await proactive.onIntentStated(GOAL);
      await proactive.settled();
      const other = open(room);
      await other.stats();
      clock.nowMs += 2 * DAY_MS;
      await Promise.all([proactive.stats(), other.stats()]);
      await Promise.all([proactive.settled(), other.settled()]);
      const third = open(room);
      expect((await third.stats()).learned[INTENT]).toMatchObject({ expired: 1, dismissed: 0 });
      await Promise.all([other.stop(), third.stop()]);
    }));

  it('forgetting the memories of offers forgets nothing of what was learned', () =>
    withProactive(database, async (room) => {
      const { proactive } = room;
      await dismissTen(room);
      const { offers } = await proactive.list({}, OPERATOR);
      const ids = offers.flatMap(({ sources }) => sources.map(({ id }) => id));
      await proactive.observer.forgetting(ids);
      await proactive.settled();
      const restarted = open(room);
      const { learned, total } = await restarted.stats();
      expect([total.offers, learned[INTENT]?.dismissed]).toEqual([0, 10]);
      await restarted.stop();
    }));
});

const bookOf = ({ checks, clock }: DetectorRoom) =>
  createLearnedStore({
    store: checks.store,
    agentId: checks.agentId,
    clock: { now: () => clock.nowMs },
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });

function ended(state: OfferData['state'], kind: DetectorName, more: Partial<OfferData> = {}) {
  const data = offerData({ kind, state, shownAtMs: 0, closedAtMs: 0, ...more });
  return { id: derivedId('learned test', 'offer'), scope: SCOPE, data };
}
const SCOPE = {
  projectId: derivedId('learned test', 'project'),
  visibility: 'project',
  entityId: null,
  roomId: null,
  authorId: derivedId('learned test', 'agent'),
} as const;

describe('the record', () => {
  it('takes what two processes learn at a time', () =>
    withProactive(database, async (room) => {
      const one = bookOf(room);
      const other = bookOf(room);
      await Promise.all([one.load(), other.load()]);
      for (const book of [one, other, one, other, one]) book.note(ended('dismissed', INTENT), null);
      await Promise.all([one.settled(), other.settled()]);
      await Promise.all([one.load(), other.load()]);
      expect([one.numbers(), other.numbers()]).toMatchObject([
        { [INTENT]: { dismissed: 5 } },
        { [INTENT]: { dismissed: 5 } },
      ]);
      await one.reset();
      other.note(ended('dismissed', INTENT), null);
      await other.settled();
      expect(other.numbers()).toMatchObject({ [INTENT]: { dismissed: 1 } });
    }));

  it('takes nothing from what nobody saw, nor from what ended because its memory changed', () =>
    withProactive(database, async (room) => {
      const book = bookOf(room);
      book.note(ended('expired', INTENT, { shownAtMs: undefined }), null);
      book.note(ended('expired', INTENT, { reason: 'its memory has changed' }), null);
      book.note(ended('shown', INTENT), null);
      await book.settled();
      expect(book.numbers()).toEqual({});
      const expired = ended('expired', INTENT);
      book.note(expired, null);
      book.note(ended('dismissed', INTENT, { reason: 'late' }), expired.data);
      expect(book.numbers()).toMatchObject({ [INTENT]: { expired: 0, dismissed: 1 } });
      await book.settled();
    }));
});
