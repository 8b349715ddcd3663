/** What is forgotten while an offer waits for its last look-up, and look-ups that take too long. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Uuid } from '../../src/shared/ids.js';
import { type OpenRecordDatabase, openRecordDatabase } from '../contract/record-database.js';
import { DAY_MS, type DetectorRoom, edits, failed, OPERATOR, withRoom } from './detector-room.js';
import { ada, long, messageOf, open } from './proactive-room.js';

let database: OpenRecordDatabase;
beforeAll(async () => {
  database = await openRecordDatabase();
});
afterAll(async () => {
  await database.close();
});

const AUTH = 'src/auth.ts';

/** The room with rows that are read only when the test lets them, once `hold` was called. */
function held(room: DetectorRoom) {
  let gate: Promise<void> | null = null;
  let arrived = () => {};
  const rows: DetectorRoom['checks']['rows'] = async (...asked) => {
    const found = await room.checks.rows(...asked);
    arrived();
    await gate;
    return found;
  };
  return {
    room: { ...room, checks: { ...room.checks, rows } },
    /** From now on; `reached` resolves when the first look-up waits. */
    hold() {
      let release = () => {};
      gate = new Promise((resolve) => {
        release = resolve;
      });
      const reached = new Promise<void>((resolve) => {
        arrived = resolve;
      });
      return { reached, release: () => release() };
    },
  };
}

/** With an offer to Ada that her next turn looks up again. */
async function offered(room: DetectorRoom, proactive: ReturnType<typeof open>): Promise<Uuid> {
  await room.store('Fix JWT expiry', edits(AUTH));
  room.clock.nowMs += DAY_MS;
  const first = await proactive.offersForTurn(messageOf(ada, `look at ${AUTH}`, 'first'), long);
  expect(first.text).toContain('JWT');
  room.clock.nowMs += 2_000;
  return first.offers[0]?.sources[0]?.id as Uuid;
}

describe('a memory that is forgotten while an offer of it is looked up', () => {
  it('is not shown in the turn that waits', () =>
    withRoom(database, async (room) => {
      const { hold, room: slow } = held(room);
      const proactive = open(slow);
      const source = await offered(room, proactive);
      const { reached, release } = hold();
      const shown = proactive.offersForTurn(messageOf(ada, 'thanks', 'second'), long);
      await reached;
      await proactive.observer.forgetting([source]);
      release();
      expect(await shown).toEqual({ offers: [], text: '', tokens: 0 });
      await proactive.stop();
    }));

  it('is not listed for a client, nor in its conversation, nor answered', () =>
    withRoom(database, async (room) => {
      const { hold, room: slow } = held(room);
      const proactive = open(slow);
      const plan = { action: 'add caching to src/auth.ts', filePath: AUTH };
      await room.store('Add caching to auth.ts', { ...edits(AUTH), ...failed('race condition') });
      room.clock.nowMs += DAY_MS;
      const { warning } = await proactive.onActionPlanned(plan);
      const asked = { ...plan, roomId: ada.roomId, caller: ada };
      const own = await proactive.onActionPlanned(asked);
      expect([warning, own.warning]).not.toContain(null);
      room.clock.nowMs += 2_000;
      const { reached, release } = hold();
      const waiting = [
        proactive.clients.peek({ kind: 'agent' }),
        proactive.openWarnings(ada.roomId, ada),
      ];
      await reached;
      await proactive.observer.forgetting([warning?.sources[0]?.id as Uuid]);
      release();
      expect(await Promise.all(waiting)).toEqual([[], []]);
      expect((await proactive.list({}, OPERATOR)).total).toBe(0);
      await proactive.stop();
    }));
});

describe('a look-up of what a turn is to show', () => {
  it('is not waited for longer than the turn may take, and what it is about is shown another time', () =>
    withRoom(database, async (room) => {
      const { hold, room: slow } = held(room);
      const proactive = open(slow);
      await offered(room, proactive);
      const { release } = hold();
      const late = messageOf(ada, 'thanks', 'second');
      const answer = await proactive.offersForTurn(late, 30);
      expect(answer.text).toBe('');
      release();
      // What the turn has said stays, and nothing of it counts as shown.
      expect((await proactive.offersForTurn(late, long)).text).toBe('');
      proactive.turnEnded({ messageId: late.messageId, roomId: late.roomId, completed: true });
      await proactive.settled();
      expect((await proactive.list({}, OPERATOR)).offers[0]?.state).toBe('pending');
      const next = await proactive.offersForTurn(messageOf(ada, 'go on', 'third'), long);
      expect(next.text).toContain('JWT');
      await proactive.stop();
    }));

  it('has an end for a client, too', () =>
    withRoom(database, async (room) => {
      const { hold, room: slow } = held(room);
      const proactive = open(slow);
      await room.store('Fix JWT expiry', edits(AUTH));
      room.clock.nowMs += DAY_MS;
      await proactive.happen(
        { type: 'file_touch', file_path: AUTH },
        { kind: 'agent' },
        {
          answered: false,
        },
      );
      room.clock.nowMs += 2_000;
      const { release } = hold();
      expect(await proactive.clients.peek({ kind: 'agent' })).toEqual([]);
      release();
      await proactive.stop();
    }));
});
