/** Who sees what, and what one place does to another. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OfferEvent } from '../../src/proactive/index.js';
import { derivedId, type Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { DAY_MS, dmWith, edits, failed, OPERATOR } from './detector-room.js';
import { ada, long, messageOf, withProactive } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const AUTH = 'src/auth.ts';
const PLAN = { action: 'add caching to src/auth.ts', filePath: AUTH };
const bob = dmWith('bob', 'bob-1') as typeof ada;
const caching = { ...edits(AUTH), ...failed('race condition') };

describe('a message', () => {
  it('with the id of another person’s shows nothing of what that one was shown', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store(
        'Add caching to auth.ts',
        { ...edits(AUTH), ...failed('the secret of Ada') },
        ada,
      );
      clock.nowMs += DAY_MS;
      const text = 'Please add caching to src/auth.ts';
      const own = await proactive.offersForTurn(messageOf(ada, text, 'same'), long);
      expect(own.text).toContain('the secret of Ada');
      const { messageId } = messageOf(ada, text, 'same');
      const others = [
        messageOf(bob, text, 'same'),
        { ...messageOf(ada, text, 'same'), caller: bob },
      ];
      for (const other of others) {
        expect(other.messageId).toBe(messageId);
        expect((await proactive.offersForTurn(other, long)).text).toBe('');
      }
    }));

  it('asks for offers of its own room although another person’s turn is open elsewhere', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const [first, second] = await Promise.all([
        proactive.offersForTurn(messageOf(ada, `look at ${AUTH}`, 'one'), long),
        proactive.offersForTurn(messageOf(bob, `look at ${AUTH}`, 'two'), long),
      ]);
      expect(first.offers).toHaveLength(1);
      expect(second.offers).toHaveLength(1);
    }));
});

describe('a warning that stands', () => {
  it('in one place leaves every other place its own', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Add caching to auth.ts', caching);
      clock.nowMs += DAY_MS;
      const message = messageOf(ada, 'Please add caching to src/auth.ts', 'ada');
      const [standing] = (await proactive.offersForTurn(message, long)).offers;
      expect(standing?.kind).toBe('conflictWarning');
      const client = await proactive.onActionPlanned(PLAN);
      expect(client.warning).not.toBeNull();
      expect(client.warning?.id).not.toBe(standing?.id);
      const agent = await proactive.onActionPlanned({ ...PLAN, agentId: 'agent_002' });
      expect(agent.warning?.target).toEqual({ agentId: 'agent_002' });
      const unseen = await proactive.get(standing?.id ?? '', OPERATOR);
      expect(unseen.state).toBe('pending');
      // In Ada’s room, but for nobody in particular: what is hers alone is no answer to that.
      const inRoom = await proactive.onActionPlanned({ ...PLAN, roomId: ada.roomId });
      expect(inRoom.warning).not.toBeNull();
      expect(inRoom.warning?.id).not.toBe(standing?.id);
    }));

  it('is one, and says so, when the same is planned again', () =>
    withProactive(database, async ({ proactive, store }) => {
      const memoryId = await store('Add caching to auth.ts', caching);
      const first = await proactive.onActionPlanned(PLAN);
      const again = await proactive.onActionPlanned(PLAN);
      expect(again.offers.map(({ id }) => id)).toContain(first.warning?.id);
      expect(again.suppressed).toContainEqual({
        memoryId,
        detector: 'conflictWarning',
        reason: 'stands already',
      });
      expect((await proactive.list({ kind: 'conflictWarning' }, OPERATOR)).total).toBe(1);
    }));

  it('and was answered by one person is news to another', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Add caching to auth.ts', caching);
      clock.nowMs += DAY_MS;
      const text = 'Please add caching to src/auth.ts';
      const [warning] = (await proactive.offersForTurn(messageOf(ada, text, 'a'), long)).offers;
      await proactive.acknowledge(warning?.id ?? '', ada, 'a lock this time');
      const again = await proactive.offersForTurn(messageOf(ada, text, 'a2'), long);
      expect(again.offers.map(({ kind }) => kind)).not.toContain('conflictWarning');
      const his = await proactive.offersForTurn(messageOf(bob, text, 'b'), long);
      expect(his.offers[0]?.kind).toBe('conflictWarning');
    }));

  it('is made once and cooled down like any offer where no answer is required', () =>
    withProactive(database, async ({ proactive, store, clock, set }) => {
      set('conflictWarning', { require_acknowledgment: false });
      await store('Add caching to auth.ts', caching);
      clock.nowMs += DAY_MS;
      for (let time = 0; time < 4; time += 1) await proactive.onActionPlanned(PLAN);
      const { total } = await proactive.list({ kind: 'conflictWarning' }, OPERATOR);
      expect(total).toBe(1);
      clock.nowMs += 601_000;
      expect((await proactive.onActionPlanned(PLAN)).warning).not.toBeNull();
    }));
});

describe('an offer', () => {
  it('made for an operator is never more open than its memories', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store(
        'Add caching to auth.ts',
        { ...edits(AUTH), ...failed('the secret of Ada') },
        ada,
      );
      clock.nowMs += DAY_MS;
      const input = { ...PLAN, roomId: bob.roomId, caller: OPERATOR };
      await proactive.onActionPlanned(input);
      const turn = await proactive.offersForTurn(messageOf(bob, 'hello', 'bob'), long);
      expect(turn.text).not.toContain('secret');
      const { offers } = await proactive.list({}, { kind: 'agent' });
      expect(offers).toEqual([]);
    }));

  it('for a conversation is on no stream that a client has of its own', () =>
    withProactive(database, async ({ proactive, store, clock }) => {
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const seen: OfferEvent[] = [];
      proactive.subscribe((event) => seen.push(event), { agentId: 'agent_002', deliver: true });
      await proactive.offersForTurn(messageOf(ada, `look at ${AUTH}`, 'stream'), long);
      await proactive.settled();
      expect(seen).toEqual([]);
    }));

  it('of a forgotten memory is not pushed any more', () =>
    withProactive(database, async ({ proactive, store, clock, set }) => {
      set('cooldown', { batch_window_ms: 60_000 });
      await store('Fix JWT expiry', edits(AUTH));
      clock.nowMs += DAY_MS;
      const seen: OfferEvent[] = [];
      proactive.subscribe((event) => seen.push(event));
      const { offers } = await proactive.onFileTouch({ filePath: AUTH, roomId: ada.roomId });
      await proactive.observer.forgetting([offers[0]?.sources[0]?.id as Uuid]);
      await proactive.settled();
      expect(seen.filter(({ type }) => type === 'offer')).toEqual([]);
    }));

  it('made of what a person said in company goes when that person is forgotten', () =>
    withProactive(database, async ({ proactive, store, clock, agentId }) => {
      await store('Fix the login timeout', edits(AUTH));
      clock.nowMs += DAY_MS;
      const inGroup = {
        kind: 'entity',
        entityId: agentId,
        roomId: derivedId('group'),
        private: false,
      } as const;
      const carol = derivedId('person', 'carol');
      await proactive.onIntentStated({
        intent: 'Fix the login timeout, Carol thinks',
        caller: inGroup,
        speakerId: carol,
      });
      expect((await proactive.list({}, OPERATOR)).total).toBeGreaterThan(0);
      await proactive.observer.forgetting([], carol);
      expect((await proactive.list({}, OPERATOR)).total).toBe(0);
    }));
});
