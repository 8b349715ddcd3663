/** What a shelf keeps per slot beside its words, keys and vector: time, flags, audience, thread. */
import { float64Column, int32Column } from './columns.js';
import type { Interner } from './interner.js';
import type { FilterColumns } from './slot-filter.js';

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
}
