import { describe, expect, it } from 'vitest';
import { DEFAULT_CONFIG, type ProactiveConfig } from '../../src/proactive/config.js';
import { type CooldownQuestion, createCooldown } from '../../src/proactive/cooldown.js';
import { feedbackOf } from '../../src/proactive/learning.js';
import { HOUR_MS, MINUTE_MS } from '../../src/shared/clock.js';
import { derivedId } from '../../src/shared/ids.js';
import { MEMORY_A, MEMORY_B, offerOf, sourceOf } from './offer-fixtures.js';

const NOW = HOUR_MS;
const ROOM = derivedId('cooldown test', 'room');
const group = (name: string | number) => derivedId('cooldown test', 'group', name);

/** A cooldown, and short ways to ask it and to tell it of an offer. */
function open(cooldown: Partial<ProactiveConfig['cooldown']> = {}) {
  const config = { ...DEFAULT_CONFIG, cooldown: { ...DEFAULT_CONFIG.cooldown, ...cooldown } };
  const room = createCooldown(() => config);
  const filled = (change: Partial<CooldownQuestion>): CooldownQuestion => ({
    kind: 'fileTouch',
    subject: 'src/a.ts',
    sources: [sourceOf(MEMORY_A)],
    target: { roomId: ROOM },
    standing: true,
    groupId: group('asked'),
    nowMs: NOW,
    feedback: feedbackOf([]),
    intervalMs: 0,
    ...change,
  });
  return {
    ask: (change: Partial<CooldownQuestion> = {}) => room.allows(filled(change)),
    note(change: Partial<CooldownQuestion> = {}) {
      const { sources, nowMs, ...offer } = filled(change);
      room.note({ ...offer, sourceIds: sources.map(({ id }) => id), atMs: nowMs });
    },
  };
}

const OTHER_FILE = { subject: 'src/b.ts', sources: [sourceOf(MEMORY_B)] };

describe('files and memories', () => {
  it('are not offered again in their time, to the second, and are after it', () => {
    const { ask, note } = open();
    note();
    const other = { subject: 'src/b.ts' };
    expect(ask({ nowMs: NOW + 299_999 })).toEqual({
      allowed: [],
      blocked: 'the file was offered before: again in 1 s',
      suppressed: [
        {
          memoryId: sourceOf(MEMORY_A).memoryId,
          detector: 'fileTouch',
          reason: 'the file was offered before: again in 1 s',
        },
      ],
    });
    expect(ask({ nowMs: NOW + 300_000 })).toEqual({
      allowed: [],
      blocked: null,
      suppressed: [
        {
          memoryId: sourceOf(MEMORY_A).memoryId,
          detector: 'fileTouch',
          reason: 'offered before: again in 300 s',
        },
      ],
    });
    expect(ask({ ...other, nowMs: NOW + 599_999 }).allowed).toEqual([]);
    expect(ask({ ...other, nowMs: NOW + 600_000 }).allowed).toEqual([MEMORY_A]);
  });

  it('are one file in every spelling, and one memory for every kind of offer', () => {
    const { ask, note } = open();
    note({ subject: 'src/a.ts' });
    const fresh = [sourceOf(MEMORY_B)];
    expect(ask({ subject: './SRC\\x/../a.ts', sources: fresh }).blocked).toBe(
      'the file was offered before: again in 300 s',
    );
    expect(ask({ subject: 'lib/a.ts', sources: fresh }).allowed).toEqual([MEMORY_B]);
    const both = [sourceOf(MEMORY_A), sourceOf(MEMORY_B)];
    const answer = ask({ kind: 'intentMatch', subject: 'fix it', sources: both });
    expect([answer.allowed, answer.suppressed.length]).toEqual([[MEMORY_B], 1]);
  });

  it('wait for each conversation, session and agent apart', () => {
    const { ask, note } = open();
    const targets = [
      { roomId: ROOM, sessionId: 's1' },
      { roomId: ROOM, sessionId: 's2' },
      { sessionId: 's1', agentId: 'a1' },
      { sessionId: 's2', agentId: 'a1' },
      { agentId: 'a1' },
      {},
    ];
    const open_ = () => targets.map((target) => ask({ target }).blocked === null);
    note({ target: { roomId: ROOM } });
    expect(open_()).toEqual([false, false, true, true, true, true]);
    note({ target: { sessionId: 's1' } });
    expect(open_()).toEqual([false, false, false, true, true, true]);
    note({ target: {} });
    expect(open_()).toEqual([false, false, false, true, true, false]);
  });

  it('obey the configured times, also none', () => {
    const { ask, note } = open({ file_cooldown_seconds: 0, memory_cooldown_seconds: 0 });
    note();
    expect(ask().allowed).toEqual([MEMORY_A]);
  });

  it('are blocked no longer than usual when the clock is set back', () => {
    const { ask, note } = open();
    note({ nowMs: NOW });
    const back = NOW - 30 * MINUTE_MS;
    expect(ask({ nowMs: back }).blocked).toBe('the file was offered before: again in 300 s');
    expect(ask({ nowMs: back + 600_000 }).allowed).toEqual([MEMORY_A]);
  });

  it('stay as they are when an offer of before a restart is noted late', () => {
    const { ask, note } = open();
    note({ nowMs: NOW });
    note({ nowMs: NOW - 10 * MINUTE_MS });
    expect(ask({ nowMs: NOW + MINUTE_MS }).blocked).toBe(
      'the file was offered before: again in 240 s',
    );
  });
});

describe('the rate limit', () => {
  const fresh = (index: number) => ({
    subject: `src/${index}.ts`,
    sources: [sourceOf(derivedId('cooldown test', index))],
  });

  it('slides: five notifications in any sixty seconds', () => {
    const { ask, note } = open();
    for (let index = 0; index < 5; index += 1) {
      const offer = { ...fresh(index), groupId: group(index), nowMs: NOW + index * 10_000 };
      expect(ask(offer).blocked).toBeNull();
      note(offer);
    }
    const sixth = fresh(6);
    expect(ask({ ...sixth, nowMs: NOW + 41_000 }).blocked).toBe(
      '5 notifications within a minute: again in 19 s',
    );
    expect(ask({ ...sixth, nowMs: NOW + 60_000 }).blocked).toBeNull();
    note({ ...sixth, groupId: group(6), nowMs: NOW + 60_000 });
    expect(ask({ ...fresh(7), nowMs: NOW + 61_000 }).blocked).toBe(
      '5 notifications within a minute: again in 9 s',
    );
    expect(ask({ ...fresh(7), nowMs: NOW + 61_000, target: {} }).blocked).toBeNull();
  });

  it('counts the offers of one happening as one notification', () => {
    const { ask, note } = open({ rate_limit_per_minute: 1 });
    note({ ...fresh(1), groupId: group('one') });
    expect(ask({ ...fresh(2), groupId: group('one') }).blocked).toBeNull();
    expect(ask({ ...fresh(2), groupId: group('two') }).blocked).toBe(
      '1 notifications within a minute: again in 60 s',
    );
  });

  it('lets nothing but warnings through at zero, and warnings take nobody’s turn', () => {
    const none = open({ rate_limit_per_minute: 0 });
    expect(none.ask().blocked).toBe('the limit of notifications per minute is 0');
    expect(none.ask({ kind: 'conflictWarning' }).allowed).toEqual([MEMORY_A]);
    const one = open({ rate_limit_per_minute: 1 });
    one.note({ kind: 'conflictWarning', groupId: group('warning') });
    expect(one.ask(OTHER_FILE).blocked).toBeNull();
  });
});

describe('warnings', () => {
  const warning = { kind: 'conflictWarning' as const, subject: 'add a cache' };

  it('come every time until they are answered, and again when the memory has changed', () => {
    const { ask, note } = open();
    note(warning);
    expect(ask(warning).allowed).toEqual([MEMORY_A]);
    const answered = { ...warning, answeredRevision: () => 3 };
    expect(ask({ ...answered, sources: [sourceOf(MEMORY_A, 3)] }).suppressed).toEqual([
      {
        memoryId: sourceOf(MEMORY_A).memoryId,
        detector: 'conflictWarning',
        reason: 'the warning was answered, and the memory has not changed since',
      },
    ]);
    expect(ask({ ...answered, sources: [sourceOf(MEMORY_A, 4)] }).allowed).toEqual([MEMORY_A]);
  });

  it('spare the agent the same memory as an ordinary offer', () => {
    const { ask, note } = open();
    note(warning);
    expect(ask().suppressed.map(({ reason }) => reason)).toEqual([
      'offered before: again in 600 s',
    ]);
  });

  it('that ask for no acknowledgment wait for their memory as other offers do, but for no rate limit', () => {
    const { ask, note } = open({ rate_limit_per_minute: 0 });
    const passing = { ...warning, standing: false };
    expect(ask(passing).allowed).toEqual([MEMORY_A]);
    note(passing);
    expect(ask({ ...passing, nowMs: NOW + 599_999 })).toEqual({
      allowed: [],
      blocked: null,
      suppressed: [
        {
          memoryId: sourceOf(MEMORY_A).memoryId,
          detector: 'conflictWarning',
          reason: 'offered before: again in 1 s',
        },
      ],
    });
    expect(ask({ ...passing, ...OTHER_FILE, nowMs: NOW + 1 }).allowed).toEqual([MEMORY_B]);
    expect(ask({ ...passing, nowMs: NOW + 600_000 }).allowed).toEqual([MEMORY_A]);
    expect(ask({ ...warning, standing: true, nowMs: NOW + 1 }).allowed).toEqual([MEMORY_A]);
  });

  it('wait for their own memory only, once it was dismissed as a warning', () => {
    const { ask, note } = open();
    note(warning);
    const dismissed = (kind: 'conflictWarning' | 'fileTouch') =>
      feedbackOf([offerOf('dismissed', { kind, state: 'dismissed', closedAtMs: NOW })]);
    expect(ask({ ...warning, feedback: dismissed('fileTouch') }).allowed).toEqual([MEMORY_A]);
    const answer = ask({ ...warning, feedback: dismissed('conflictWarning') });
    expect(answer.suppressed.map(({ reason }) => reason)).toEqual([
      'dismissed once: again in 4800 s',
    ]);
  });
});

describe('sessions', () => {
  const start = { kind: 'sessionStart' as const, subject: 's1' };

  it('are greeted once, with what was offered before too', () => {
    const { ask, note } = open();
    const target = { roomId: ROOM, sessionId: 's1' };
    note({ target });
    expect(ask({ ...start, target }).allowed).toEqual([MEMORY_A]);
    note({ ...start, target });
    expect(ask({ ...start, target, nowMs: NOW + 100 * HOUR_MS }).blocked).toBe(
      'this session was greeted',
    );
    expect(ask({ ...start, target: { ...target, sessionId: 's2' } }).allowed).toEqual([MEMORY_A]);
  });

  it('without an id are greeted again after the cooldown of memories', () => {
    const { ask, note } = open();
    const nameless = { ...start, subject: '', target: {} };
    note(nameless);
    expect(ask({ ...nameless, nowMs: NOW + 599_000 }).blocked).toBe(
      'a session was greeted before: again in 1 s',
    );
    expect(ask({ ...nameless, nowMs: NOW + 600_000 }).allowed).toEqual([MEMORY_A]);
  });
});

describe('a kind that is held back', () => {
  it('comes once in its interval, in each conversation', () => {
    const { ask, note } = open();
    const touch = { subject: 'src/b.ts', intervalMs: 10 * MINUTE_MS };
    expect(ask(touch).blocked).toBeNull();
    note({
      ...touch,
      sources: [sourceOf(MEMORY_B)],
      subject: 'src/c.ts',
      nowMs: NOW - 2 * MINUTE_MS,
    });
    expect(ask(touch).blocked).toBe(
      'fileTouch was not wanted lately, at most one in 10 minutes: again in 480 s',
    );
    expect(ask({ ...touch, target: {} }).blocked).toBeNull();
    expect(ask({ ...touch, intervalMs: 0 }).allowed).toEqual([MEMORY_A]);
  });
});
