import { describe, expect, it } from 'vitest';
import { createSessions, SESSION_GAP_MS } from '../../src/memory/service.js';
import { derivedId } from '../../src/shared/ids.js';

const NOON = Date.UTC(2026, 2, 2, 12);

function sessions(maxRooms?: number) {
  let count = 0;
  const ids = {
    next: () => {
      count += 1;
      return derivedId('session', String(count));
    },
  };
  return createSessions({ ids, ...(maxRooms === undefined ? {} : { maxRooms }) });
}
const nth = (n: number) => derivedId('session', String(n));

describe('a session of a room', () => {
  it('goes on while the gaps are under half an hour, however long it lasts', () => {
    const { sessionOf } = sessions();
    const seen = Array.from({ length: 10 }, (_, n) =>
      sessionOf('kitchen', NOON + n * (SESSION_GAP_MS - 1)),
    );
    expect(new Set(seen)).toEqual(new Set([nth(1)]));
  });

  it('ends after half an hour of silence', () => {
    const { sessionOf } = sessions();
    expect(sessionOf('kitchen', NOON)).toBe(nth(1));
    expect(sessionOf('kitchen', NOON + SESSION_GAP_MS)).toBe(nth(2));
  });

  it('is open until then, and asking does not keep it open', () => {
    const { sessionOf, isOpen } = sessions();
    sessionOf('kitchen', NOON);
    const open = [0, SESSION_GAP_MS - 1, SESSION_GAP_MS].map((ms) => isOpen(nth(1), NOON + ms));
    expect([...open, isOpen(nth(2), NOON)]).toEqual([true, true, false, false]);
    sessionOf('kitchen', NOON + SESSION_GAP_MS);
    expect([nth(1), nth(2)].map((id) => isOpen(id, NOON + SESSION_GAP_MS))).toEqual([false, true]);
  });

  it('is its own, whatever goes on in other rooms', () => {
    const { sessionOf } = sessions();
    expect([sessionOf('kitchen', NOON), sessionOf('hall', NOON)]).toEqual([nth(1), nth(2)]);
    sessionOf('hall', NOON + SESSION_GAP_MS - 1);
    expect(sessionOf('kitchen', NOON + SESSION_GAP_MS + 1)).toBe(nth(3));
    expect(sessionOf('hall', NOON + SESSION_GAP_MS + 1)).toBe(nth(2));
  });

  it('is not the one from before a restart', () => {
    expect(sessions().sessionOf('kitchen', NOON)).toBe(nth(1));
    const { sessionOf } = sessions();
    sessionOf('hall', NOON);
    expect(sessionOf('kitchen', NOON + 1)).toBe(nth(2));
  });

  it('survives a message that comes late and not a clock that is set back', () => {
    const { sessionOf } = sessions();
    sessionOf('kitchen', NOON);
    expect(sessionOf('kitchen', NOON - 60_000)).toBe(nth(1));
    expect(sessionOf('kitchen', NOON + SESSION_GAP_MS - 1)).toBe(nth(1));
    expect(sessionOf('kitchen', NOON - 24 * 60 * 60_000)).toBe(nth(2));
  });

  it('is forgotten only of the room that has been silent longest', () => {
    const { sessionOf } = sessions(2);
    sessionOf('kitchen', NOON);
    sessionOf('hall', NOON);
    sessionOf('kitchen', NOON + 1);
    sessionOf('attic', NOON + 2);
    expect(sessionOf('kitchen', NOON + 3)).toBe(nth(1));
    expect(sessionOf('attic', NOON + 3)).toBe(nth(3));
    expect(sessionOf('hall', NOON + 3)).toBe(nth(4));
  });
});
