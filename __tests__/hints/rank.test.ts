import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Hint, HintMeta, HintScope, HintValue } from '../../src/hints/schema.js';
import {
  frecency,
  meritsOf,
  openFileOf,
  rankReasons,
  recency,
  scoreAt,
} from '../../src/hints/variants.js';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const ago = (ms: number): string => new Date(NOW - ms).toISOString();

const hint = (given: Partial<Hint> = {}): Hint => ({
  value: 'x',
  meta: {},
  version: 1,
  created_at: ago(30 * DAY),
  updated_at: ago(0),
  ...given,
});
const score = (given: Partial<Hint>) => scoreAt(meritsOf(hint(given)), NOW);

it('adds up the terms of the specification', () => {
  const given: Partial<Hint> = {
    meta: {
      priority: 7,
      confidence: 0.8,
      scope: { cwd_glob: ['**'], branch: ['dev'], os: ['linux'] },
    },
    use_count: 4,
    last_used_at: ago(7 * DAY),
    updated_at: ago(DAY),
  };
  // 0.30 × 0.5 + 0.20 × 0.7 + 0.20 × 0.8 + 0.20 × 0.5 + 0.10 × 0.5
  expect(score(given)).toBe(0.6);
});

it('takes priority 5 and confidence 0.5 for what is not said', () => {
  expect(score({})).toBe(0.3);
});

it.each([
  [undefined, ago(0), 0],
  [0, ago(0), 0],
  [3, undefined, 0],
  [3, 'yesterday', 0],
  [2, ago(0), 0.5],
  [2, ago(-HOUR), 0.5],
  [4, ago(7 * DAY), 0.5],
  [8, ago(14 * DAY), 0.5],
  [6, ago(0), 0.75],
])('used %s times, last at %s: frecency %s', (uses, last, value) => {
  expect(frecency(meritsOf(hint({ use_count: uses, last_used_at: last })), NOW)).toBe(value);
});

it.each([
  [ago(0), 1],
  [ago(-DAY), 1],
  [ago(DAY), 0.5],
  [ago(2 * DAY), 0.25],
  [undefined, 0],
  ['never', 0],
])('changed at %s: recency %s', (updated, value) => {
  expect(recency(meritsOf({ ...hint(), updated_at: updated ?? '' }), NOW)).toBe(value);
});

it.each([
  [undefined, undefined, []],
  [2, undefined, []],
  [4, ago(3 * 60_000), ['recently used (3m ago)']],
  [4, ago(0), ['recently used (just now)']],
  [4, ago(DAY), ['used 4× (last yesterday)']],
])('used %s times, last at %s, says %j', (use_count, last_used_at, reasons) => {
  const one = { component: 'api', hint: hint({ use_count, last_used_at }) };
  expect(rankReasons(one, [], NOW)).toEqual(reasons);
});

const metas: fc.Arbitrary<HintMeta> = fc.record(
  {
    priority: fc.integer({ min: 1, max: 10 }),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    scope: fc.constantFrom<HintScope>({}, { os: ['linux'] }, { os: ['linux'], branch: ['a'] }),
  },
  { requiredKeys: [] },
);
const hints: fc.Arbitrary<Hint> = fc
  .tuple(metas, fc.nat(1_000_000), fc.nat(400 * DAY), fc.nat(400 * DAY))
  .map(([meta, use_count, used, updated]) =>
    hint({ meta, use_count, last_used_at: ago(used), updated_at: ago(updated) }),
  );
const of = (one: Hint): number => scoreAt(meritsOf(one), NOW);

it('stays between 0 and 1, and never falls with use, priority, confidence, scope or freshness', () => {
  fc.assert(
    fc.property(
      hints,
      fc.nat(50),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (one, more, part) => {
        const base = of(one);
        const { meta, use_count = 0 } = one;
        const priority = meta.priority ?? 5;
        const confidence = meta.confidence ?? 0.5;
        expect(base).toBeGreaterThanOrEqual(0);
        expect(base).toBeLessThanOrEqual(1);
        const better: Hint[] = [
          { ...one, use_count: use_count + more },
          { ...one, last_used_at: ago(0) },
          { ...one, updated_at: ago(0) },
          { ...one, meta: { ...meta, priority: Math.min(10, priority + (more % 5)) } },
          { ...one, meta: { ...meta, confidence: confidence + (1 - confidence) * part } },
          { ...one, meta: { ...meta, scope: { ...meta.scope, repo: 'a/b' } } },
        ];
        for (const other of better) expect(of(other)).toBeGreaterThanOrEqual(base);
      },
    ),
    { numRuns: 400, seed: 13 },
  );
});

const path: HintValue = { type: 'path', abs: 'C:\\code\\lib' };
it.each<[string, string, string[], HintValue, boolean]>([
  ['/srv/http-proxy/src/a.ts', 'http-proxy', [], 'x', true],
  ['src/HTTP-Proxy.ts', 'http-proxy', [], 'x', true],
  ['/srv/http-proxy/src/a.ts', 'proxy', [], 'x', false],
  ['src/auth.test.ts', 'auth', [], 'x', true],
  ['src/oauth.ts', 'auth', [], 'x', false],
  ['src/a.ts', 'x', ['docker', 'ts'], 'x', true],
  ['docker/compose.yml', 'x', ['docker'], 'x', true],
  ['c:/code/lib/a.c', 'x', [], path, true],
  ['c:/code/library/a.c', 'x', [], path, false],
])('%s open: whether it fits is seen for %s, tagged %j', (file, component, tags, value, fits) => {
  const one = { component, hint: hint({ value, meta: { tags } }) };
  expect(openFileOf(one, ['/other.rs', file])).toBe(fits ? file : null);
  expect(rankReasons(one, [file], NOW)).toEqual(fits ? [`fits the open file ${file}`] : []);
});
