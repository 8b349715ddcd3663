/** The right moment: nothing lost, nothing stale, nobody held up. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { block } from '../../src/proactive/text/block.js';
import { countTokens } from '../../src/shared/tokens.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { expectQuick } from '../helpers/quick.js';
import { DAY_MS, edits, failed, OPERATOR } from './detector-room.js';
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
const caching = { ...edits(AUTH), ...failed('race condition') };
const kindsOf = (offers: readonly { kind: string }[]) => offers.map(({ kind }) => kind);

describe('what is held back', () => {
  it('takes no memory from what may be said: an answered warning leaves the file its history', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Add caching to auth.ts', caching);
      const { warning } = await proactive.onActionPlanned(PLAN);
      await proactive.acknowledge(warning?.id ?? '', OPERATOR);
      clock.nowMs += 3_600_000;
      expect(kindsOf((await proactive.onActionPlanned(PLAN)).offers)).toEqual(['fileTouch']);
    }));

  it('takes no memory from what may be said: a file in cooldown leaves the intent its match', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Rename the token helper', edits(AUTH));
      await proactive.onFileTouch({ filePath: AUTH });
      clock.nowMs += 60_000;
      await store('Fix the login timeout', edits(AUTH));
      const { offers } = await proactive.onIntentStated({
        intent: 'Fix the login timeout in src/auth.ts',
      });
      expect(kindsOf(offers)).toEqual(['intentMatch']);
    }));

  it('and waits to be shown is the answer to who asks for it', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const unread = await proactive.happen({ type: 'file_touch', filePath: AUTH }, undefined, {
        answered: false,
      });
      expect(unread.offers[0]?.state).toBe('pending');
      const { offers } = await proactive.onFileTouch({ filePath: AUTH });
      expect(offers.map(({ id, state }) => ({ id, state }))).toEqual([
        { id: unread.offers[0]?.id, state: 'shown' },
      ]);
    }));
});

describe('the start of a session that nobody told of', () => {
  const hello = { type: 'intent_stated', intent: 'Hello there', sessionId: 'client-1' };
  const mayBegin = { mayBegin: true };
  const patient = { turnBudgetMs: long };

  it('is told with what happens first, once', () =>
    withProactive(
      database,
      async ({ proactive, store }) => {
        await store('Paint the fence', failed('no brush'));
        const plain = await proactive.happen(hello);
        const first = await proactive.happen(hello, undefined, mayBegin);
        const second = await proactive.happen(hello, undefined, mayBegin);
        expect([plain, first, second].map(({ offers }) => kindsOf(offers))).toEqual([
          [],
          ['sessionStart'],
          [],
        ]);
        expect(first.text).toContain('Paint the fence');
        const nameless = { type: 'intent_stated', intent: 'Hello there' };
        expect((await proactive.happen(nameless, undefined, mayBegin)).text).toBe('');
      },
      patient,
    ));

  it('is told to one of those that come at once', () =>
    withProactive(
      database,
      async ({ proactive, store }) => {
        await store('Paint the fence', failed('no brush'));
        const files = ['a.ts', 'b.ts', 'c.ts'];
        const answers = await Promise.all(
          files.map((filePath) =>
            proactive.happen({ type: 'file_touch', filePath, sessionId: 's' }, undefined, mayBegin),
          ),
        );
        expect(answers.filter(({ text }) => text.includes('Paint the fence'))).toHaveLength(1);
      },
      patient,
    ));

  it('is not told where it was told of, and again where nobody read the answer', () =>
    withProactive(
      database,
      async ({ proactive, store }) => {
        await store('Paint the fence', failed('no brush'));
        await proactive.onSessionStart({ sessionId: 'client-2' });
        const later = { ...hello, sessionId: 'client-2' };
        expect((await proactive.happen(later, undefined, mayBegin)).text).toBe('');
        await proactive.happen(hello, undefined, { ...mayBegin, answered: false });
        const read = await proactive.happen(hello, undefined, mayBegin);
        expect(kindsOf(read.offers)).toEqual(['sessionStart']);
      },
      patient,
    ));

  it('comes with the next happening where it takes longer than one waits', () =>
    withProactive(
      database,
      async ({ proactive, store }) => {
        await store('Paint the fence', failed('no brush'));
        const first = await proactive.happen(hello, undefined, mayBegin);
        await proactive.settled();
        const second = await proactive.happen(hello, undefined, mayBegin);
        const third = await proactive.happen(hello, undefined, mayBegin);
        const told = [first, second, third].map(({ offers }) => kindsOf(offers));
        expect(told.flat()).toEqual(['sessionStart']);
        expect(told[2]).toEqual([]);
      },
      { turnBudgetMs: 0 },
    ));

  it('holds nobody up in a memory that is not small, and comes with the next happening', () =>
    withProactive(
      database,
      async ({ proactive, store }) => {
        for (let index = 0; index <= 100; index += 1) await store(`Paint fence ${index}`);
        await store('Paint the gate', failed('no brush'));
        const first = await proactive.happen(hello, undefined, mayBegin);
        await proactive.settled();
        const second = await proactive.happen(hello, undefined, mayBegin);
        expect([first, second].map(({ offers }) => kindsOf(offers))).toEqual([
          [],
          ['sessionStart'],
        ]);
      },
      patient,
    ));

  it('is known after a restart by what it was shown', () =>
    withProactive(
      database,
      async (room) => {
        await room.store('Paint the fence', failed('no brush'));
        await room.proactive.happen(hello, undefined, mayBegin);
        await room.proactive.settled();
        room.clock.nowMs += 3_600_000;
        const restarted = open(room, patient);
        expect((await restarted.happen(hello, undefined, mayBegin)).text).toBe('');
        const other = { ...hello, sessionId: 'client-3' };
        expect((await restarted.happen(other, undefined, mayBegin)).text).toContain('Paint');
        await restarted.stop();
      },
      patient,
    ));
});

describe('an offer that waits', () => {
  it('is not shown once its memory says something else', () =>
    withProactive(database, async ({ proactive, store, clock, memory }) => {
      const memoryId = await store('Add caching to auth.ts', caching);
      await proactive.onFileTouch({ filePath: AUTH, roomId: ada.roomId });
      clock.nowMs += 60_000;
      const outcome = { success: true, summary: 'Works with a lock now' };
      await memory.updateMemory({ memory_id: memoryId, outcome }, OPERATOR);
      const turn = await proactive.offersForTurn(messageOf(ada, 'ok', 'changed'), long);
      expect(turn.text).not.toContain('failed');
    }));

  it('is not shown when the talk is elsewhere: half an hour later, or where there was no room', () =>
    withProactive(database, async ({ proactive, store, clock, set }) => {
      set('cooldown', { rate_limit_per_minute: 100 });
      for (let index = 0; index < 12; index += 1) {
        await store(`Repair gear number ${index} of the clockwork`, edits(`src/gear${index}.ts`));
      }
      for (let index = 0; index < 12; index += 1) {
        await proactive.onFileTouch({ filePath: `src/gear${index}.ts`, roomId: ada.roomId });
      }
      const first = await proactive.offersForTurn(messageOf(ada, 'ok', 'one'), long);
      expect(first.offers.length).toBeGreaterThan(1);
      expect(first.offers.length).toBeLessThan(12);
      const turn = {
        messageId: first.offers.length > 0 ? messageOf(ada, '', 'one').messageId : '',
      };
      proactive.turnEnded({ ...turn, roomId: ada.roomId, completed: true } as never);
      const second = await proactive.offersForTurn(messageOf(ada, 'and?', 'two'), long);
      expect(second.text).toBe('');
      clock.nowMs += 601_000;
      await proactive.onFileTouch({ filePath: 'src/gear11.ts', roomId: ada.roomId });
      clock.nowMs += 30 * 60_000;
      const late = await proactive.offersForTurn(messageOf(ada, 'well', 'three'), long);
      expect(late.text).toBe('');
    }));

  it('acted upon is used: work on a file of the similar task began', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix the login timeout', edits('src/session/expiry.ts'));
      clock.nowMs += DAY_MS;
      const occasion = { agentId: 'agent_007' };
      const { offers } = await proactive.onIntentStated({
        ...occasion,
        intent: 'Fix the login timeout',
      });
      expect(kindsOf(offers)).toEqual(['intentMatch']);
      await proactive.onFileTouch({ agentId: 'another', filePath: 'src/session/expiry.ts' });
      const id = offers[0]?.id ?? '';
      expect((await proactive.get(id, OPERATOR)).state).toBe('shown');
      await proactive.onFileTouch({ ...occasion, filePath: 'src/session/expiry.ts' });
      expect(await proactive.get(id, OPERATOR)).toMatchObject({
        state: 'used',
        usedHow: 'acted upon',
      });
    }));
});

describe('a flood', () => {
  it('of events does not hold up the turn of a person', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Add caching to auth.ts', caching);
      clock.nowMs += DAY_MS;
      const events = Array.from({ length: 300 }, (_, index) =>
        proactive.onFileTouch({ filePath: `lib/noise-${index}.ts`, agentId: 'noise' }),
      );
      const message = messageOf(ada, 'Please add caching to src/auth.ts', 'flood');
      const turn = await proactive.offersForTurn(message, long);
      await Promise.all(events);
      expect(kindsOf(turn.offers)).toContain('conflictWarning');
      expect(proactive.health().dropped).toBeGreaterThan(0);
    }));

  it('of plans is not starved by other events, and what is turned away is told as such', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Add caching to auth.ts', caching);
      clock.nowMs += DAY_MS;
      const mixed = await Promise.allSettled(
        Array.from({ length: 400 }, (_, index) =>
          index % 4 === 0
            ? proactive.happen({ type: 'action_planned', ...PLAN })
            : proactive.happen({ type: 'file_touch', filePath: `lib/noise-${index}.ts` }),
        ),
      );
      const plans = mixed.filter((_, index) => index % 4 === 0);
      const warned = plans.filter(
        (one) => one.status === 'fulfilled' && one.value.warning !== null,
      );
      expect(warned).toHaveLength(100);
      const refused = mixed.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
      expect(refused.length).toBe(proactive.health().dropped);
      expect(refused[0]).toMatchObject({ code: 'LIMIT_REACHED' });
      expect(proactive.health().degraded.join()).toContain('too many at once');
    }));

  it('of offers is measured in tokens where it is shown, not where it is left out', () => {
    const text = '[RUM] gear.ts has history:\n  • Ada (2d ago): Repair the gear — success';
    const part = { kind: 'fileTouch', text, tokens: countTokens(text) } as const;
    const many = Array.from({ length: 20_000 }, () => part);
    // Counting all of them takes minutes.
    expectQuick(5_000, () => block(many));
    const { tokens, shownIndexes } = block(many);
    expect(tokens).toBeLessThan(200);
    expect(shownIndexes.length).toBeGreaterThan(3);
  });
});

describe('a turn of the agent', () => {
  it('counts once, whoever ends it how often, and not at all where nothing was asked', () =>
    withProactive(database, async ({ proactive }) => {
      const message = messageOf(ada, 'hello', 'count');
      const turn = { messageId: message.messageId, roomId: ada.roomId, completed: true };
      proactive.turnEnded(turn);
      await proactive.offersForTurn(message, long);
      for (let time = 0; time < 3; time += 1) proactive.turnEnded(turn);
      expect((await proactive.stats()).turns).toBe(1);
    }));

  it('of a client is one, with all that happens in it', () =>
    withProactive(database, async ({ proactive, clock }) => {
      await proactive.onFileTouch({ filePath: AUTH });
      await proactive.onActionPlanned(PLAN);
      clock.nowMs += 11_000;
      await proactive.onFileTouch({ filePath: AUTH });
      expect((await proactive.stats()).turns).toBe(2);
    }));
});
