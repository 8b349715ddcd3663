/** How many secrets the guard finds, and how many hints it suspects that have none. */
import { createGuard, type FoundSecret, type Guard } from '../../../src/hints/guard.js';
import { type Half, halfOf, hintOf, type SecretCase } from './cases.js';
import { NEGATIVES } from './negatives.js';
import { POSITIVES } from './positives.js';

export interface Rate {
  half: Half | 'all';
  kind: 'positive' | 'negative';
  cases: number;
  /** Cases in which the guard found something. */
  found: number;
  rate: number;
}

/** A case with the wrong verdict. */
export interface WrongCase {
  kind: Rate['kind'];
  index: number;
  half: Half;
  found: FoundSecret[];
}

export interface GuardRates {
  dataset: 'secrets';
  rates: Rate[];
  wrong: WrongCase[];
  /** Of one check. */
  ms: { median: number; p95: number; max: number; n: number };
}

/** @param isWarm go through the cases once before times are taken: the first use of a rule compiles it */
export async function measureGuard(isWarm = true): Promise<GuardRates> {
  const guard = createGuard({ enabled: true });
  // The first check loads the detector.
  await guard.check({ value: 'make build' });
  const times: number[] = [];
  const wrong: WrongCase[] = [];
  const rates: Rate[] = [];
  for (const kind of ['positive', 'negative'] as const) {
    const cases = kind === 'positive' ? POSITIVES : NEGATIVES;
    if (isWarm) await verdictsOf(guard, cases, []);
    const verdicts = await verdictsOf(guard, cases, times);
    for (const [index, found] of verdicts.entries()) {
      if (found.length > 0 !== (kind === 'positive')) {
        wrong.push({ kind, index, half: halfOf(kind, index), found });
      }
    }
    for (const half of ['tune', 'held', 'all'] as const) {
      const chosen = verdicts.filter((_, index) => half === 'all' || halfOf(kind, index) === half);
      const found = chosen.filter((verdict) => verdict.length > 0).length;
      rates.push({ half, kind, cases: chosen.length, found, rate: found / chosen.length });
    }
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))] ?? 0;
  return {
    dataset: 'secrets',
    rates,
    wrong,
    ms: { median: at(0.5), p95: at(0.95), max: at(1), n: times.length },
  };
}

async function verdictsOf(
  guard: Guard,
  cases: readonly SecretCase[],
  times: number[],
): Promise<FoundSecret[][]> {
  const verdicts: FoundSecret[][] = [];
  for (const given of cases) {
    const hint = hintOf(given);
    const start = performance.now();
    const { found } = await guard.check(hint);
    times.push(performance.now() - start);
    verdicts.push(found);
  }
  return verdicts;
}

/** One line for a test's output. */
export function lineOf({ rates, ms }: GuardRates): string {
  const said = rates.map(
    ({ half, kind, found, cases, rate }) =>
      `${kind === 'positive' ? 'detection' : 'false alarms'} ${half} ${found}/${cases} (${(100 * rate).toFixed(1)} %)`,
  );
  return `${said.join(', ')}; check ${ms.median.toFixed(2)} ms, p95 ${ms.p95.toFixed(2)} ms`;
}
