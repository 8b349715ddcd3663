/** A shelf as a few large arrays, to a snapshot and back: nothing is counted or sorted anew. */
import type { PackedLists } from './packed-lists.js';
import type { Postings } from './postings.js';
import type { MemoryShelf } from './shelf.js';
import { SnapshotError } from './snapshot-frames.js';
import type { Vectors } from './vectors.js';

export type Part = Float64Array | Float32Array | Int32Array | Uint32Array | Int8Array | Uint8Array;

/** Of each list: bytes, entries, its largest number + 1. */
const LIST_NUMBERS = 3;

/** Copies, made at once, so that they fit each other whatever happens to the shelf meanwhile. */
export function partsOf(shelf: MemoryShelf): Map<string, Part> {
  const { slots, columns, words } = shelf;
  const parts = new Map<string, Part>([
    ['ids', shelf.ids.words(slots)],
    ['times', columns.times.data.slice(0, slots)],
    ['flags', columns.flags.data.slice(0, slots)],
    ['audiences', columns.audienceOf.data.slice(0, slots)],
    ['threads', columns.threadOf.data.slice(0, slots)],
    ['lengths', words.lengths(slots)],
    ['audience names', jsonBytes(shelf.audiences.texts(0, shelf.audiences.size))],
    ['thread names', jsonBytes(shelf.threads.texts(0, shelf.threads.size))],
  ]);
  postingsInto(parts, 'keys', shelf.keys, slots);
  postingsInto(parts, 'words', words.postings, slots);
  vectorsInto(parts, 'vectors', shelf.vectors);
  vectorsInto(parts, 'second vectors', shelf.seconds);
  return parts;
}

function postingsInto(
  parts: Map<string, Part>,
  name: string,
  postings: Postings,
  slots: number,
): void {
  const { names, bySlot, byName } = postings;
  postings.sweep();
  parts.set(`${name}: names`, jsonBytes(names.texts(0, names.size)));
  listsInto(parts, `${name} by slot`, bySlot, slots);
  listsInto(parts, `${name} by name`, byName, names.size);
}

function listsInto(
  parts: Map<string, Part>,
  name: string,
  lists: PackedLists,
  length: number,
): void {
  const numbers = new Int32Array(length * LIST_NUMBERS);
  let total = 0;
  for (let list = 0; list < length; list += 1) {
    const { bytes, next } = lists.bytesOf(list);
    numbers[list * LIST_NUMBERS] = bytes.length;
    numbers[list * LIST_NUMBERS + 1] = lists.countOf(list);
    numbers[list * LIST_NUMBERS + 2] = next;
    total += bytes.length;
  }
  const all = new Uint8Array(total);
  let at = 0;
  for (let list = 0; list < length; list += 1) {
    const { bytes } = lists.bytesOf(list);
    all.set(bytes, at);
    at += bytes.length;
  }
  parts.set(`${name}: numbers`, numbers);
  parts.set(`${name}: bytes`, all);
}

function vectorsInto(parts: Map<string, Part>, name: string, vectors: Vectors): void {
  const { slots, scales, rows } = vectors.all();
  parts.set(`${name}: slots`, slots.slice());
  parts.set(`${name}: scales`, scales.slice());
  parts.set(`${name}: rows`, rows.slice());
}

/** Parts as bytes, as a snapshot has them. */
export class SavedShelf {
  readonly #parts: ReadonlyMap<string, Uint8Array>;

  constructor(parts: ReadonlyMap<string, Uint8Array>) {
    this.#parts = parts;
  }

  /** Whether so many of its slots are holes that they should not be carried on. */
  get isSparse(): boolean {
    const audiences = this.#int32('audiences');
    let holes = 0;
    for (const audience of audiences) if (audience === 0) holes += 1;
    return holes * 8 > audiences.length;
  }

  /**
   * Fills an empty shelf.
   * @throws SnapshotError for a part that is missing or of another length
   */
  *into(shelf: MemoryShelf): Generator<void> {
    const audiences = this.#int32('audiences');
    const slots = audiences.length;
    const lengths = this.#int32('lengths', slots * 2);
    for (const name of this.#texts('audience names')) shelf.audiences.intern(name);
    for (const name of this.#texts('thread names')) shelf.threads.intern(name);
    shelf.columns.load({
      times: this.#float64('times', slots),
      flags: this.#int32('flags', slots),
      audiences,
      threads: this.#int32('threads', slots),
    });
    yield;
    shelf.ids.load(this.#uint32('ids', slots * 4), (slot) => shelf.isLive(slot));
    yield;
    shelf.words.load(lengths, (slot) => shelf.isLive(slot));
    shelf.placeAll();
    yield;
    yield* this.#postings('keys', shelf.keys, slots);
    yield* this.#postings('words', shelf.words.postings, slots);
    this.#vectors('vectors', shelf.vectors);
    yield;
    this.#vectors('second vectors', shelf.seconds);
    yield;
  }

  *#postings(name: string, postings: Postings, slots: number): Generator<void> {
    const { names, bySlot, byName } = postings;
    for (const text of this.#texts(`${name}: names`)) names.intern(text);
    yield;
    this.#lists(`${name} by slot`, bySlot, slots);
    yield;
    this.#lists(`${name} by name`, byName, names.size);
    postings.recount();
    yield;
  }

  #lists(name: string, lists: PackedLists, length: number): void {
    const numbers = this.#int32(`${name}: numbers`, length * LIST_NUMBERS);
    const bytes = this.#part(`${name}: bytes`);
    let at = 0;
    for (let list = 0; list < length; list += 1) {
      const used = numbers[list * LIST_NUMBERS] as number;
      const count = numbers[list * LIST_NUMBERS + 1] as number;
      const next = numbers[list * LIST_NUMBERS + 2] as number;
      if (count > 0) lists.load(list, bytes.subarray(at, at + used), count, next);
      at += used;
    }
    if (at !== bytes.length) throw new SnapshotError(`"${name}" is of another length`);
  }

  #vectors(name: string, vectors: Vectors): void {
    const slots = this.#int32(`${name}: slots`);
    const scales = this.#float32(`${name}: scales`, slots.length);
    vectors.load({
      slots,
      scales,
      rows: this.#int8(`${name}: rows`, vectors.stride * slots.length),
    });
  }

  #texts(name: string): string[] {
    return JSON.parse(Buffer.from(this.#part(name)).toString()) as string[];
  }

  #float64 = (name: string, length: number) => new Float64Array(this.#bytes(name, length * 8));
  #float32 = (name: string, length: number) => new Float32Array(this.#bytes(name, length * 4));
  #int32 = (name: string, length?: number) =>
    new Int32Array(this.#bytes(name, length === undefined ? undefined : length * 4));
  #uint32 = (name: string, length: number) => new Uint32Array(this.#bytes(name, length * 4));
  #int8 = (name: string, length: number) => new Int8Array(this.#bytes(name, length));

  #bytes(name: string, length?: number): ArrayBuffer {
    const { buffer } = this.#part(name);
    if (length !== undefined && buffer.byteLength !== length) {
      throw new SnapshotError(`"${name}" is of another length`);
    }
    return buffer as ArrayBuffer;
  }

  #part(name: string): Uint8Array {
    const part = this.#parts.get(name);
    if (part === undefined) throw new SnapshotError(`"${name}" is missing`);
    return part;
  }
}

/** The documents of the slots from `from` to before `to` into another shelf, numbered anew. */
export function copyLive(shelf: MemoryShelf, other: MemoryShelf, from: number, to: number): void {
  for (let slot = from; slot < to; slot += 1) {
    if (!shelf.isLive(slot)) continue;
    const { words } = shelf;
    const copy = other.append({
      timeMs: shelf.timeOf(slot),
      flags: shelf.flagsOf(slot),
      audience: other.audiences.intern(shelf.audiences.textOf(shelf.audienceNumberOf(slot))),
      thread: other.threads.intern(shelf.threads.textOf(shelf.threadNumberOf(slot))),
      keys: renumbered(shelf.keys, other.keys, slot),
      words: {
        entries: renumbered(words.postings, other.words.postings, slot),
        length: words.lengthOf(slot) - words.asideOf(slot),
        aside: words.asideOf(slot),
      },
    });
    other.ids.addWords(copy, shelf.ids.wordsOf(slot));
    other.vectors.copyRow(copy, shelf.vectors, slot);
    other.seconds.copyRow(copy, shelf.seconds, slot);
  }
}

function renumbered(postings: Postings, other: Postings, slot: number): Int32Array {
  const { bits } = postings;
  const payload = (1 << bits) - 1;
  return postings
    .entriesOf(slot)
    .map((entry) => {
      const name = other.names.intern(postings.names.textOf(entry >>> bits));
      return (name << bits) | (entry & payload);
    })
    .sort();
}

export function jsonBytes(value: unknown): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify(value)));
}
