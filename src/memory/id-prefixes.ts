/** Which ids of a shelf begin with the same eight hex digits. */
import type { Shelf } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';

type Numbered = Pick<Shelf, 'slots' | 'prefixOf' | 'idOf'>;

export interface SharedPrefixes {
  /** May another document than this one begin like it? Also true of one that has gone since. */
  has(id: Uuid): boolean;
}

const LEAST_BITS = 10;

/**
 * Slots are only ever appended, so each is looked at once: 50,000 take 8 ms the first time, after
 * that only what came since. Open addressing by the prefix; a cell holds slot + 1.
 */
export function createSharedPrefixes(shelf: Numbered): SharedPrefixes {
  const shared = new Set<number>();
  let bits = LEAST_BITS;
  let cells = new Int32Array(1 << bits);
  let covered = 0;

  /** The cell of a prefix: of the slot that has it, or free. */
  function cellOf(prefix: number): number {
    const mask = cells.length - 1;
    let cell = Math.imul(prefix, 0x9e3779b1) >>> (32 - bits);
    while (cells[cell] !== 0 && shelf.prefixOf((cells[cell] as number) - 1) !== prefix) {
      cell = (cell + 1) & mask;
    }
    return cell;
  }

  function enter(slot: number): void {
    const prefix = shelf.prefixOf(slot);
    const cell = cellOf(prefix);
    const known = cells[cell] as number;
    // A document that was changed has a new slot and the same id.
    if (known !== 0 && shelf.idOf(known - 1) !== shelf.idOf(slot)) shared.add(prefix);
    cells[cell] = slot + 1;
  }

  function follow(): void {
    const { slots } = shelf;
    if (slots * 2 > cells.length) {
      while (slots * 2 > 1 << bits) bits += 1;
      cells = new Int32Array(1 << bits);
      covered = 0;
    }
    for (; covered < slots; covered += 1) enter(covered);
  }

  return {
    has(id) {
      follow();
      const prefix = Number.parseInt(id.slice(0, 8), 16);
      if (shared.has(prefix)) return true;
      const slot = (cells[cellOf(prefix)] as number) - 1;
      return slot >= 0 && shelf.idOf(slot) !== id.toLowerCase();
    },
  };
}
