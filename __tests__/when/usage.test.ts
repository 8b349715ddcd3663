import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Answer, Match } from '../../src/when/types.js';
import {
  createUsageJournal,
  missKey,
  offeredEvents,
  parseEvents,
  printUsage,
  recallEvents,
  sectionKey,
  type UsageEvent,
  type UsageKind,
  usageStats,
} from '../../src/when/usage.js';

const AT = Date.UTC(2026, 4, 1, 9);
const printEvent = (one: UsageEvent) => `${JSON.stringify(one)}\n`;

function event(session: string, kind: UsageKind, key: string, at = AT): UsageEvent {
  return { at, session, kind, key };
}

function answer(query: string, found: Answer['found'], header?: string): Answer {
  const match: Match = {
    rank: 1,
    header: header ?? '',
    file: 'testing.md',
    line: 3,
    trigger: 'writing mock tests',
    description: 'patch where used',
    confidence: 1,
  };
  const matches = header === undefined ? [] : [match];
  return { query, found, confidence: 0, matches, related: [], suggestions: [] };
}

describe('usage events', () => {
  it('of a recall say that it was asked, and recalled when it was found', () => {
    const recall = {
      results: [
        answer('writing mock tests', 'exact', 'Mock Patching'),
        answer('mocking', 'hybrid', 'Mock Patching'),
        // A miss has its ranked matches all the same.
        answer('/when  Baking "Bread"!', 'none', 'Mock Patching'),
        answer('', 'none'),
      ],
    };

    const by = 'person' as const;
    expect(recallEvents(recall, 's1', AT, by)).toEqual([
      { ...event('s1', 'asked', 'testing.md#mock patching'), by },
      { ...event('s1', 'recalled', 'testing.md#mock patching'), by },
      { ...event('s1', 'asked', 'testing.md#mock patching'), by },
      { ...event('s1', 'recalled', 'testing.md#mock patching'), by },
      { ...event('s1', 'asked', '?baking "bread"'), by },
    ]);
    expect(recallEvents(recall, 's1', AT).every((one) => one.by === 'agent')).toBe(true);
  });

  it('of an offer name the section as a recall of it does', () => {
    const [offered] = offeredEvents([{ file: 'testing.md', header: 'MOCK  patching' }], 's1', AT);

    expect(offered).toEqual(event('s1', 'offered', 'testing.md#mock patching'));
    expect(sectionKey('testing.md', 'Mock Patching')).toBe(offered?.key);
  });

  it('hold no secret of a question', () => {
    expect(missKey('using token ghp_0123456789abcdefghijABCDEFGHIJ012345')).toMatch(
      /^\?using token \[redacted:[a-z ]+\]$/,
    );
  });

  it('are short, whatever was asked', async () => {
    const [long] = recallEvents(
      { results: [answer('𝔘x'.repeat(9_999), 'none')] },
      'é'.repeat(999),
      AT,
    );

    expect(Buffer.byteLength(printEvent(long as UsageEvent))).toBeLessThan(1_500);
    expect(await parseEvents(printEvent(long as UsageEvent))).toEqual({
      events: [long],
      damaged: 0,
    });
  });

  it('are read back as they were printed', async () => {
    const character = fc.constantFrom(
      'a',
      '"',
      '\\',
      '\n',
      '\r',
      '\0',
      'ü',
      '\u2028',
      '𝔘',
      '\ud800',
    );
    const word = fc.string({ minLength: 1, maxLength: 12, unit: character });
    const kind = fc.constantFrom<UsageKind>('offered', 'asked', 'recalled');
    const required = { at: fc.integer(), session: word, kind, key: word };
    const by = fc.constantFrom<UsageEvent['by']>('agent', 'person', 'operator');
    const events = fc.array(fc.oneof(fc.record(required), fc.record({ ...required, by })), {
      maxLength: 6,
    });
    await fc.assert(
      fc.asyncProperty(events, async (written) => {
        const text = written.map(printEvent).join('');
        expect(await parseEvents(text)).toEqual({ events: written, damaged: 0 });
      }),
      { numRuns: 100 },
    );
  });

  it('are counted as damaged where a line is none', async () => {
    const good = printEvent(event('s1', 'asked', 'k'));
    const text = `${good}{"at":1,"ses\n\n[]\nnull\n{"at":1,"session":"","kind":"asked","key":"k"}\n{"at":1,"session":"s","kind":"asked","key":"k","by":"root"}\n${good}`;

    expect(await parseEvents(text)).toEqual({
      events: [event('s1', 'asked', 'k'), event('s1', 'asked', 'k')],
      damaged: 5,
    });
  });
});

describe('usage rates', () => {
  it('count a piece of knowledge once in a session, however often it comes up', () => {
    const stats = usageStats([
      event('s1', 'offered', 'a'),
      event('s1', 'offered', 'a'),
      event('s1', 'asked', 'a'),
      event('s1', 'recalled', 'a'),
      event('s1', 'asked', 'a'),
      event('s1', 'recalled', 'a'),
      event('s1', 'offered', 'b'),
      event('s2', 'offered', 'a'),
      event('s2', 'asked', 'c'),
      event('s2', 'recalled', 'c'),
      event('s2', 'offered', 'c'),
      event('s2', 'asked', '?d'),
    ]);

    expect(stats).toEqual({
      sessions: 2,
      opportunities: 5,
      recalled: 2,
      rate: 0.4,
      offered: 4,
      answered_offers: 1,
      spontaneous: 2,
      last30: { sessions: 2, opportunities: 5, recalled: 2, rate: 0.4, over_target: true },
      target: 0.1,
      damaged: 0,
    });
  });

  it('are none where nothing came up', () => {
    expect(usageStats([], 3)).toEqual({
      sessions: 0,
      opportunities: 0,
      recalled: 0,
      rate: null,
      offered: 0,
      answered_offers: 0,
      spontaneous: 0,
      last30: { sessions: 0, opportunities: 0, recalled: 0, rate: null, over_target: null },
      target: 0.1,
      damaged: 3,
    });
  });

  it('are judged over the 30 sessions that were active last', () => {
    const old = [event('old', 'asked', 'a', AT - 1), event('old', 'recalled', 'a', AT - 1)];
    const later = Array.from({ length: 30 }, (_, at) => event(`s${at}`, 'offered', 'a', AT + at));
    const { rate, last30 } = usageStats([...old, ...later]);

    expect(rate).toBeCloseTo(1 / 31, 10);
    expect(last30).toEqual({
      sessions: 30,
      opportunities: 30,
      recalled: 0,
      rate: 0,
      over_target: false,
    });
    const revived = [...old, ...later, event('old', 'offered', 'b', AT + 99)];
    expect(usageStats(revived).last30.recalled).toBe(1);
  });

  it('are the agent’s own: what people ask for does not count', () => {
    const given = (key: string, by: UsageEvent['by']) =>
      (['asked', 'recalled'] as const).map((kind) => ({ ...event('s', kind, key), by }));
    const stats = usageStats([
      event('s', 'offered', 'a'),
      ...given('a', 'person'),
      ...given('b', 'operator'),
      { ...event('s', 'asked', '?c'), by: 'person' },
      ...given('d', 'agent'),
      ...given('e', 'agent'),
      { ...event('people', 'asked', 'a', AT + 1), by: 'operator' },
    ]);

    expect(stats).toMatchObject({
      ...{ sessions: 1, opportunities: 3, recalled: 2, offered: 1, answered_offers: 0 },
      ...{ spontaneous: 2, last30: { sessions: 1, opportunities: 3, recalled: 2 } },
    });
  });

  it('are over the target only above 10 %', () => {
    const offered = Array.from({ length: 10 }, (_, at) => event('s', 'offered', `k${at}`));
    const tenth = [...offered, event('s', 'recalled', 'k0')];

    expect(usageStats(tenth).last30.over_target).toBe(false);
    expect(usageStats([...tenth, event('s', 'recalled', 'k1')]).last30.over_target).toBe(true);
  });

  it('lie between nothing and everything, and every opportunity was offered or asked for', () => {
    const one = fc.record({
      at: fc.nat(100),
      session: fc.constantFrom('s1', 's2', 's3'),
      kind: fc.constantFrom<UsageKind>('offered', 'asked', 'recalled'),
      key: fc.constantFrom('a', 'b', 'c'),
    });
    fc.assert(
      fc.property(fc.array(one), (events) => {
        const stats = usageStats(events);
        const pairs = new Set(events.map(({ session, key }) => `${session} ${key}`));
        expect(stats.opportunities).toBe(pairs.size);
        expect(stats.recalled).toBeLessThanOrEqual(stats.opportunities);
        expect(stats.answered_offers).toBeLessThanOrEqual(stats.offered);
        expect(stats.offered + stats.spontaneous).toBeGreaterThanOrEqual(stats.opportunities);
      }),
      { numRuns: 200 },
    );
  });

  it('are printed for people', () => {
    const events = [
      event('s1', 'offered', 'a'),
      event('s1', 'recalled', 'a'),
      event('s1', 'asked', '?b'),
      event('s2', 'offered', 'c'),
    ];

    expect(printUsage(usageStats(events, 1))).toBe(
      [
        'Sessions:      2',
        'Opportunities: 3 (2 offered, 1 asked for unprompted)',
        'Recalled:      1 (33.3 %; 1 after an offer)',
        'Last 30 sessions: 1 of 3 recalled (33.3 %), over the target of 10 %',
        'Lines that could not be read: 1',
        '',
      ].join('\n'),
    );
    expect(printUsage(usageStats([]))).toBe('Nothing was offered or asked for yet.\n');
  });
});

describe('usage journal', () => {
  let folder: string;
  let path: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'cue-usage-'));
    path = join(folder, 'data', 'when-usage.jsonl');
  });

  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('makes its directory, hidden from version control, and keeps what is appended', async () => {
    const journal = createUsageJournal({ path });
    expect(await journal.read()).toEqual({ events: [], damaged: 0 });
    journal.append([]);
    expect(existsSync(path)).toBe(false);
    journal.append([event('s1', 'asked', 'a'), event('s1', 'recalled', 'a')]);
    journal.append([event('s2', 'asked', 'b')]);

    expect(readFileSync(path, 'utf8')).toBe(
      '{"at":1777626000000,"session":"s1","kind":"asked","key":"a"}\n' +
        '{"at":1777626000000,"session":"s1","kind":"recalled","key":"a"}\n' +
        '\n{"at":1777626000000,"session":"s2","kind":"asked","key":"b"}\n',
    );
    expect(readFileSync(join(folder, 'data', '.gitignore'), 'utf8')).toBe('*\n');
    expect((await journal.read()).events).toHaveLength(3);
  });

  it('writes into no directory that was there but its own file', () => {
    mkdirSync(join(folder, '.git'));
    mkdirSync(join(folder, 'data'));
    writeFileSync(join(folder, '.gitignore'), '*.log');
    createUsageJournal({ path }).append([event('s1', 'asked', 'a')]);

    expect(readdirSync(join(folder, 'data'))).toEqual(['when-usage.jsonl']);
    expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toBe('*.log');
  });

  it('lets the event loop turn while it is read', async () => {
    const line = printEvent(event('s', 'asked', 'k'));
    mkdirSync(join(folder, 'data'));
    writeFileSync(path, line.repeat(12_000));
    let turns = 0;
    const ticking = setInterval(() => turns++, 0);
    const { events } = await createUsageJournal({ path }).read();
    clearInterval(ticking);
    expect(events).toHaveLength(12_000);
    expect(turns).toBeGreaterThan(3);
  });

  it('loses only the line that another process could not end', async () => {
    const journal = createUsageJournal({ path });
    journal.append([event('s1', 'asked', 'a')]);
    appendFileSync(path, '{"at":1,"sess');
    journal.append([event('s1', 'asked', 'b')]);

    expect(await journal.read()).toEqual({
      events: [event('s1', 'asked', 'a'), event('s1', 'asked', 'b')],
      damaged: 1,
    });
  });

  it('keeps all of many long events', async () => {
    const events = Array.from({ length: 40 }, (_, at) =>
      event('s', 'asked', `${at}${'ü'.repeat(190)}`),
    );
    const journal = createUsageJournal({ path });
    journal.append(events);

    expect((await journal.read()).events).toEqual(events);
  });

  it('begins anew when it is full, and keeps one old part', async () => {
    const journal = createUsageJournal({ path, rotateBytes: 100 });
    for (const key of ['a', 'b', 'c', 'd', 'e']) journal.append([event('s', 'asked', key)]);

    expect((await journal.read()).events.map(({ key }) => key)).toEqual(['c', 'd', 'e']);
    expect(statSync(`${path}.old`).size).toBe(121);
  });

  it('never writes through a link that was put in its place', async () => {
    const victim = join(folder, 'profile');
    writeFileSync(victim, 'mine\n');
    mkdirSync(join(folder, 'data'));
    symlinkSync(victim, path);
    const journal = createUsageJournal({ path });

    expect(() => journal.append([event('s', 'asked', 'a')])).toThrow('is not a regular file');
    await expect(journal.read()).rejects.toThrow('is not a regular file');
    expect(readFileSync(victim, 'utf8')).toBe('mine\n');
  });
});
