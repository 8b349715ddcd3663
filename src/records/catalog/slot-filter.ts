/** A filter as a test of slots: rights, flags and times, read from the columns of a shelf. */
import { audiencesOf } from '../scope.js';
import type { Column } from './columns.js';
import type { Interner } from './interner.js';
import type { SlotFilter } from './types.js';

/** The columns themselves and not their arrays: a put in between may replace those. */
export interface FilterColumns {
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
  { audiences, audienceOf, flags, times }: FilterColumns,
  filter: SlotFilter,
): (slot: number) => boolean {
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
  if (everyTime && all === 0 && none === 0) {
    const table = allowed;
    if (table === null) return (slot) => (audienceOf.data[slot] ?? 0) !== 0;
    return (slot) => table[audienceOf.data[slot] ?? 0] === 1;
  }
  return (slot) => {
    const audience = audienceOf.data[slot] ?? 0;
    if (audience === 0) return false;
    if (allowed !== null && allowed[audience] !== 1) return false;
    const bits = flags.data[slot] as number;
    if ((bits & all) !== all || (bits & none) !== 0) return false;
    const time = times.data[slot] as number;
    return time >= since && time < before;
  };
}
