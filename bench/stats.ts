/** Pure arithmetic and the JSON form of every bench (DESIGN §13). */

/** What was measured of one thing, all in the unit of its row. */
export interface Stats {
  median: number;
  p95: number;
  p99: number;
  max: number;
  n: number;
}

/** Which of the numbers the budget is about. */
export type Judged = 'median' | 'p95' | 'p99' | 'max';

export interface Row {
  id: string;
  /** How many triggers (memories, hints …) were there. */
  at: number;
  /** Absent: PGlite. */
  on?: 'PostgreSQL';
  ours: Stats;
  /** The host's own way in the same run; `null` where it has none. */
  beside: Stats | null;
  /** How many times better ours is than the way beside, by median. */
  ratio: number | null;
  budget: number | null;
  /** False only when a budget is missed. */
  ok: boolean;
  judged: Judged;
  what: string;
  /** Absent: milliseconds. */
  unit?: Unit;
  note?: string;
}

/** Of what is no time. More is better of `per second` and `percent`, less of everything else. */
export type Unit = 'MB' | 's' | 'percent' | 'per second' | 'errors';

/** What every suite is told. */
export interface SuiteOptions {
  quick: boolean;
  sizes?: number[];
  catalog?: number[];
  say: (line: string) => void;
}

export interface Machine {
  cpu: string;
  cores: number;
  memoryGb: number;
  node: string;
  platform: string;
}

export interface BenchResult {
  rows: Row[];
  machine: Machine;
}

/** What a row is made of, before it is judged. */
export interface RowInput {
  id: string;
  what: string;
  at: number;
  ours: number[];
  beside?: number[];
  budget?: number;
  judged?: Judged;
  unit?: Unit;
  note?: string;
}

/** Value below or at which the share `p` (0 to 1) of the values lies: nearest rank, no invention. */
export function percentile(values: number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = Math.max(1, Math.ceil(p * sorted.length));
  return sorted[rank - 1] ?? Number.NaN;
}

/** The middle value, or the mean of the two in the middle. */
export function median(values: number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
}

/** @throws Error when nothing was measured: an empty row would look like a met budget. */
export function statsOf(values: number[]): Stats {
  if (values.length === 0 || values.some((value) => !Number.isFinite(value))) {
    throw new Error('a bench row needs at least one number');
  }
  return {
    median: rounded(median(values)),
    p95: rounded(percentile(values, 0.95)),
    p99: rounded(percentile(values, 0.99)),
    // Not spread into a call: requests come by the hundred thousand.
    max: rounded(percentile(values, 1)),
    n: values.length,
  };
}

export function rowOf(input: RowInput): Row {
  const judged = input.judged ?? 'median';
  const ours = statsOf(input.ours);
  const beside = input.beside && input.beside.length > 0 ? statsOf(input.beside) : null;
  return {
    id: input.id,
    at: input.at,
    ours,
    beside,
    ratio: beside && ratioOf(ours.median, beside.median, input.unit),
    budget: input.budget ?? null,
    ok: input.budget === undefined || ours[judged] <= input.budget,
    judged,
    what: input.what,
    ...(input.unit === undefined ? {} : { unit: input.unit }),
    ...(input.note === undefined ? {} : { note: input.note }),
  };
}

function ratioOf(ours: number, beside: number, unit?: Unit): number | null {
  const [better, worse] =
    unit === 'per second' || unit === 'percent' ? [beside, ours] : [ours, beside];
  return better > 0 ? rounded(worse / better) : null;
}

function rounded(value: number): number {
  return Math.round(value * 1_000) / 1_000;
}

/** Each row of the second run behind the same row of the first. */
export function sideBySide(first: readonly Row[], second: readonly Row[]): Row[] {
  return first.flatMap((row) => [
    row,
    ...second.filter(({ id, at }) => id === row.id && at === row.at),
  ]);
}
