/**
 * Ids of documents by slot and back, in 20 bytes each: a Map of 100,000 strings of 36 characters
 * takes ten megabytes. Ids are random or hashes, so their own bits serve as the hash.
 */
import type { Uuid } from '../../shared/ids.js';
import { isUuid } from '../../shared/uuid.js';
import { uint32Column } from './columns.js';

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const GONE = -1;
const WORDS = 4;

/** The four 32-bit words of the id that was parsed last: parsing allocates nothing. */
const parsed = new Uint32Array(WORDS);

function parse(id: string): boolean {
  if (!isUuid(id)) return false;
  parsed[0] = Number.parseInt(id.slice(0, 8), 16);
  parsed[1] = Number.parseInt(id.slice(9, 13) + id.slice(14, 18), 16);
  parsed[2] = Number.parseInt(id.slice(19, 23) + id.slice(24, 28), 16);
  parsed[3] = Number.parseInt(id.slice(28, 36), 16);
  return true;
}

const byteAt = (word: number, shift: number) => HEX[(word >>> shift) & 255] as string;

export class IdTable {
  readonly #words = uint32Column();
  /** Open addressing; a cell holds slot + 1, 0 when free, GONE when it was emptied. */
  #cells: Int32Array = new Int32Array(64);
  #taken = 0;
  #live = 0;

  get size(): number {
    return this.#live;
  }

  get bytes(): number {
    return this.#words.bytes + this.#cells.byteLength;
  }

  /** The slot of an id; `undefined` also for what is no id. */
  slotOf(id: string): number | undefined {
    const cell = parse(id) ? this.#find() : -1;
    return cell < 0 ? undefined : (this.#cells[cell] as number) - 1;
  }

  isId(id: string): boolean {
    return isUuid(id);
  }

  /** Gives an id, which has no slot yet, this one. False: it is not a UUID. */
  add(slot: number, id: string): boolean {
    if (!parse(id)) return false;
    this.addWords(slot, parsed);
    return true;
  }

  /** The same for an id in four words (snapshots). */
  addWords(slot: number, words: Uint32Array): void {
    this.#words.reserve((slot + 1) * WORDS);
    this.#words.data.set(words, slot * WORDS);
    if ((this.#taken + 1) * 2 > this.#cells.length) this.#rehash();
    this.#enter(slot);
    this.#live += 1;
  }

  /** A view of the four words of a slot's id. */
  wordsOf(slot: number): Uint32Array {
    return this.#words.data.subarray(slot * WORDS, (slot + 1) * WORDS);
  }

  /** A copy of the words of the first slots (snapshots). */
  words(slots: number): Uint32Array {
    this.#words.reserve(slots * WORDS);
    return this.#words.data.slice(0, slots * WORDS);
  }

  /** Takes the words that `words` gave; ids of slots that are holes are not found. */
  load(words: Uint32Array, isLive: (slot: number) => boolean): void {
    this.#words.load(words);
    for (let slot = 0; slot < words.length / WORDS; slot += 1) if (isLive(slot)) this.#live += 1;
    this.#rehash();
    for (let slot = 0; slot < words.length / WORDS; slot += 1) if (isLive(slot)) this.#enter(slot);
  }

  /** The first word of a slot's id: its first eight hex digits. */
  prefixOf(slot: number): number {
    return this.#words.data[slot * WORDS] ?? 0;
  }

  idOf(slot: number): Uuid {
    const [a = 0, b = 0, c = 0, d = 0] = this.wordsOf(slot);
    const hex = (word: number) =>
      byteAt(word, 24) + byteAt(word, 16) + byteAt(word, 8) + byteAt(word, 0);
    const second = hex(b);
    const third = hex(c);
    return `${hex(a)}-${second.slice(0, 4)}-${second.slice(4)}-${third.slice(0, 4)}-${third.slice(4)}${hex(d)}`;
  }

  remove(slot: number): void {
    parsed.set(this.wordsOf(slot));
    const cell = this.#find();
    if (cell < 0) return;
    this.#cells[cell] = GONE;
    this.#live -= 1;
  }

  /**
   * Slots below `slots` whose ids begin with 1 to 32 hex digits; holes may be among them. A walk
   * over all ids: 0.1 ms for 100,000, and nothing to keep in order.
   */
  *withPrefix(hex: string, slots: number): Generator<number> {
    const wanted = new Uint32Array(WORDS);
    const mask = new Uint32Array(WORDS);
    for (let word = 0; word < WORDS; word += 1) {
      const digits = hex.slice(word * 8, word * 8 + 8);
      wanted[word] = Number.parseInt(digits.padEnd(8, '0'), 16);
      mask[word] = Number.parseInt(''.padEnd(digits.length, 'f').padEnd(8, '0'), 16);
    }
    const words = this.#words.data;
    for (let slot = 0, at = 0; slot < slots; slot += 1, at += WORDS) {
      if (((words[at] as number) & (mask[0] as number)) >>> 0 !== wanted[0]) continue;
      let same = true;
      for (let word = 1; word < WORDS && same; word += 1) {
        same = ((words[at + word] as number) & (mask[word] as number)) >>> 0 === wanted[word];
      }
      if (same) yield slot;
    }
  }

  #home(first: number, last: number): number {
    return (Math.imul(first ^ (last >>> 7), 0x9e3779b1) >>> 0) & (this.#cells.length - 1);
  }

  /** The cell of the parsed id, or -1. */
  #find(): number {
    const words = this.#words.data;
    const [a, b, c, d] = [parsed[0], parsed[1], parsed[2], parsed[3]] as [
      number,
      number,
      number,
      number,
    ];
    const mask = this.#cells.length - 1;
    for (let cell = this.#home(a, d); ; cell = (cell + 1) & mask) {
      const value = this.#cells[cell] as number;
      if (value === 0) return -1;
      if (value === GONE) continue;
      const at = (value - 1) * WORDS;
      if (words[at] === a && words[at + 1] === b && words[at + 2] === c && words[at + 3] === d) {
        return cell;
      }
    }
  }

  #enter(slot: number): void {
    const at = slot * WORDS;
    const words = this.#words.data;
    const mask = this.#cells.length - 1;
    let cell = this.#home(words[at] as number, words[at + 3] as number);
    while (this.#cells[cell] !== 0) cell = (cell + 1) & mask;
    this.#cells[cell] = slot + 1;
    this.#taken += 1;
  }

  #rehash(): void {
    const old = this.#cells;
    let size = 64;
    while (size < (this.#live + 1) * 4) size *= 2;
    this.#cells = new Int32Array(size);
    this.#taken = 0;
    for (const value of old) if (value > 0) this.#enter(value - 1);
  }
}
