/** What a shelf keeps per slot beside its words, keys and vector: time, flags, audience, thread. */

import { audiencesOf } from '../scope.js';
import { type Column, float64Column, int32Column } from './columns.js';
import type { Interner } from './interner.js';

import type { SlotFilter } from './types.js';

/** One document's row; audience and thread by number. */
export interface SlotRow {
  timeMs: number;
  flags: number;
  audience: number;
  thread: number;
}

export class SlotColumns implements FilterColumns {
  readonly times = float64Column();
  readonly flags = int32Column();
  /** Number of the audience + 1; 0 for holes, and for slots not yet in use. */
  readonly audienceOf = int32Column();
  readonly threadOf = int32Column();
  /** Latest time of this slot and all before it: tells a search for the newest when to stop. */
  readonly latest = float64Column();
  /** Live documents per audience. */
  readonly audienceSizes = int32Column();
  readonly audiences: Interner;
  readonly size: () => number;
  #length = 0;

  /** @param size how many documents are live */
  constructor(audiences: Interner, size: () => number) {
    this.audiences = audiences;
    this.size = size;
  }

  /** Slots in use, holes included. */
  get length(): number {
    return this.#length;
  }

  get bytes(): number {
    return (
      this.times.bytes +
      this.latest.bytes +
      this.flags.bytes +
      this.audienceOf.bytes +
      this.threadOf.bytes
    );
  }

  /** The number of the new slot. */
  append(row: SlotRow): number {
    const slot = this.#length;
    this.times.reserve(slot + 1);
    this.flags.reserve(slot + 1);
    this.audienceOf.reserve(slot + 1);
    this.threadOf.reserve(slot + 1);
    this.latest.reserve(slot + 1);
    this.times.data[slot] = row.timeMs;
    this.flags.data[slot] = row.flags;
    this.threadOf.data[slot] = row.thread;
    const latest = slot === 0 ? row.timeMs : (this.latest.data[slot - 1] as number);
    this.latest.data[slot] = Math.max(latest, row.timeMs);
    this.setAudience(slot, row.audience);
    this.#length = slot + 1;
    return slot;
  }

  /** Fills empty columns with what a snapshot has of them. */
  load(saved: {
    times: Float64Array;
    flags: Int32Array;
    audiences: Int32Array;
    threads: Int32Array;
  }): void {
    const { length } = saved.times;
    this.times.load(saved.times);
    this.flags.load(saved.flags);
    this.threadOf.load(saved.threads);
    this.audienceOf.reserve(length);
    this.latest.reserve(length);
    let latest = Number.NEGATIVE_INFINITY;
    for (let slot = 0; slot < length; slot += 1) {
      latest = Math.max(latest, saved.times[slot] as number);
      this.latest.data[slot] = latest;
      const audience = saved.audiences[slot] as number;
      if (audience > 0) this.setAudience(slot, audience - 1);
    }
    this.#length = length;
  }

  /** `null` makes the slot a hole. */
  setAudience(slot: number, number: number | null): void {
    const audience = number === null ? 0 : number + 1;
    const old = this.audienceOf.data[slot] as number;
    const sizes = this.audienceSizes;
    sizes.reserve(Math.max(old, audience) + 1);
    if (old > 0) sizes.data[old] = (sizes.data[old] as number) - 1;
    if (audience > 0) sizes.data[audience] = (sizes.data[audience] as number) + 1;
    this.audienceOf.data[slot] = audience;
  }

  isLive(slot: number): boolean {
    return (this.audienceOf.data[slot] ?? 0) !== 0;
  }

  /** All slots before it are of an earlier time. */
  firstSince(timeMs: number): number {
    let from = 0;
    for (let end = this.#length; from < end; ) {
      const middle = (from + end) >>> 1;
      if ((this.latest.data[middle] as number) < timeMs) from = middle + 1;
      else end = middle;
    }
    return from;
  }
}

/** The columns themselves and not their arrays: a put in between may replace those. */
interface FilterColumns {
  audiences: Interner;
  /** Number of the audience + 1; 0 for holes. */
  audienceOf: Column<Int32Array>;
  /** Live documents per audience. */
  audienceSizes: Column<Int32Array>;
  flags: Column<Int32Array>;
  times: Column<Float64Array>;
  /** Live documents. */
  size: () => number;
}

/** Whether the filter lets every live document through: then nothing need be tested. */
export function acceptsEvery(columns: FilterColumns, filter: SlotFilter): boolean {
  if ((filter.keysAll?.length ?? 0) > 0 || filter.flagsAll || filter.flagsNone) return false;
  if (filter.sinceMs !== undefined || filter.beforeMs !== undefined) return false;
  const readable = audiencesOf(filter.reader);
  if (readable === null) return true;
  let size = 0;
  for (const audience of readable) {
    const number = columns.audiences.numberOf(audience);
    if (number !== undefined) size += columns.audienceSizes.data[number + 1] ?? 0;
  }
  return size === columns.size();
}

/** The filter without `keysAll`. */
export function acceptsPlain(
  columns: FilterColumns,
  filter: SlotFilter,
): (slot: number) => boolean {
  const { audienceOf, flags, times } = columns;
  const tests = testsOf(columns, filter);
  const { allowed } = tests;
  if (tests.isPlain) {
    if (allowed === null) return (slot) => (audienceOf.data[slot] ?? 0) !== 0;
    return (slot) => allowed[audienceOf.data[slot] ?? 0] === 1;
  }
  return (slot) =>
    passes(
      tests,
      audienceOf.data[slot] ?? 0,
      flags.data[slot] as number,
      times.data[slot] as number,
    );
}

/**
 * How many of the slots from place `from` to before `end` the filter without `keysAll` lets through. One loop over the arrays:
 * to call a test for each slot takes several times as long.
 * @param slots `null`: all
 */
export function countPlain(
  columns: FilterColumns,
  filter: SlotFilter,
  slots: Int32Array | null,
  from: number,
  end: number,
): number {
  const tests = testsOf(columns, filter);
  const audiences = columns.audienceOf.data;
  const flags = columns.flags.data;
  const times = columns.times.data;
  let count = 0;
  for (let at = from; at < end; at += 1) {
    const slot = slots === null ? at : (slots[at] as number);
    if (passes(tests, audiences[slot] as number, flags[slot] as number, times[slot] as number)) {
      count += 1;
    }
  }
  return count;
}

/** Takes the scores of all slots that the filter without `keysAll` does not let through; in one loop, too. */
export function clearOthers(
  columns: FilterColumns,
  filter: SlotFilter,
  scores: Float32Array,
): void {
  const tests = testsOf(columns, filter);
  const audiences = columns.audienceOf.data;
  const flags = columns.flags.data;
  const times = columns.times.data;
  for (let slot = 0; slot < scores.length; slot += 1) {
    if (scores[slot] === 0) continue;
    if (!passes(tests, audiences[slot] as number, flags[slot] as number, times[slot] as number)) {
      scores[slot] = 0;
    }
  }
}

type Tests = ReturnType<typeof testsOf>;

/** @param audience number + 1; 0 for holes */
function passes(
  { allowed, all, none, since, before }: Tests,
  audience: number,
  bits: number,
  time: number,
): boolean {
  if (audience === 0 || (allowed !== null && allowed[audience] !== 1)) return false;
  if ((bits & all) !== all || (bits & none) !== 0) return false;
  return time >= since && time < before;
}

function testsOf({ audiences }: FilterColumns, filter: SlotFilter) {
  const readable = audiencesOf(filter.reader);
  let allowed: Uint8Array | null = null;
  if (readable !== null) {
    allowed = new Uint8Array(audiences.size + 1);
    for (const audience of readable) {
      const number = audiences.numberOf(audience);
      if (number !== undefined) allowed[number + 1] = 1;
    }
  }
  const all = (filter.flagsAll ?? 0) | 0;
  const none = (filter.flagsNone ?? 0) | 0;
  const since = filter.sinceMs ?? Number.NEGATIVE_INFINITY;
  const before = filter.beforeMs ?? Number.POSITIVE_INFINITY;
  const everyTime = since === Number.NEGATIVE_INFINITY && before === Number.POSITIVE_INFINITY;
  return { allowed, all, none, since, before, isPlain: everyTime && all === 0 && none === 0 };
}
