/** A run of documents of one shelf in columns, to a snapshot and back. */
import type { MemoryShelf } from './shelf.js';
import { type MetaOf, PayloadReader, SnapshotError, writeFrame } from './snapshot-frames.js';
import type { Vectors } from './vectors.js';

/** Of each document: flags, audience, thread, length, words aside, number of keys, of words. */
export const DOC_COLUMNS = 7;
export const AUDIENCE_COLUMN = 1;
export const THREAD_COLUMN = 2;

/** The live documents of slots `from` to before `to`. */
export function encodeDocs(shelf: MemoryShelf, from: number, to: number): Uint8Array {
  const slots: number[] = [];
  let keyCount = 0;
  let wordCount = 0;
  for (let slot = from; slot < to; slot += 1) {
    if (!shelf.isLive(slot)) continue;
    slots.push(slot);
    keyCount += shelf.keys.entriesOf(slot).length;
    wordCount += shelf.words.postings.entriesOf(slot).length;
  }
  const n = slots.length;
  const times = new Float64Array(n);
  const ids = new Uint32Array(n * 4);
  const columns = new Int32Array(n * DOC_COLUMNS);
  const keys = new Int32Array(keyCount);
  const words = new Int32Array(wordCount);
  let keyAt = 0;
  let wordAt = 0;
  for (const [i, slot] of slots.entries()) {
    const ownKeys = shelf.keys.entriesOf(slot);
    const ownWords = shelf.words.postings.entriesOf(slot);
    times[i] = shelf.timeOf(slot);
    ids.set(shelf.ids.wordsOf(slot), i * 4);
    columns.set(
      [
        shelf.flagsOf(slot),
        shelf.audienceNumberOf(slot),
        shelf.threadNumberOf(slot),
        shelf.words.lengthOf(slot) - shelf.words.asideOf(slot),
        shelf.words.asideOf(slot),
        ownKeys.length,
        ownWords.length,
      ],
      i * DOC_COLUMNS,
    );
    keys.set(ownKeys, keyAt);
    words.set(ownWords, wordAt);
    keyAt += ownKeys.length;
    wordAt += ownWords.length;
  }
  const vectors = encodeVectors(shelf.vectors, slots);
  const seconds = encodeVectors(shelf.seconds, slots);
  return writeFrame(
    {
      kind: 'docs',
      shelf: shelf.type,
      model: shelf.model,
      docs: n,
      keys: keyCount,
      words: wordCount,
      vectors: vectors.docs.length,
      seconds: seconds.docs.length,
    },
    [
      times,
      ids,
      columns,
      keys,
      words,
      ...[vectors, seconds].flatMap(({ docs, scales, rows }) => [docs, scales, rows]),
    ],
  );
}

/** Vectors of some of the documents of a frame. */
interface VectorColumns {
  /** Place of each one's document in the frame. */
  docs: Int32Array;
  scales: Float32Array;
  rows: Int8Array;
}

function encodeVectors(vectors: Vectors, slots: readonly number[]): VectorColumns {
  const docs = Int32Array.from(slots.keys()).filter((i) => vectors.has(slots[i] as number));
  const scales = new Float32Array(docs.length);
  const rows = new Int8Array(docs.length * vectors.length);
  for (const [at, i] of docs.entries()) {
    const row = vectors.row(slots[i] as number);
    if (row === undefined) continue;
    scales[at] = row.scale;
    rows.set(row.values, at * vectors.length);
  }
  return { docs, scales, rows };
}

function decodeVectors(reader: PayloadReader, count: number, length: number): VectorColumns {
  return {
    docs: reader.int32(count),
    scales: reader.float32(count),
    rows: reader.int8(count * length),
  };
}

/** The columns of a frame, as views of its payload. */
export interface DecodedDocs {
  meta: MetaOf<'docs'>;
  times: Float64Array;
  ids: Uint32Array;
  columns: Int32Array;
  keys: Int32Array;
  words: Int32Array;
  vectors: VectorColumns;
  seconds: VectorColumns;
}

/** @throws SnapshotError */
export function decodeDocs(
  meta: MetaOf<'docs'>,
  payload: Uint8Array,
  shelf: Pick<MemoryShelf, 'vectors' | 'seconds'>,
): DecodedDocs {
  const reader = new PayloadReader(payload);
  const docs: DecodedDocs = {
    meta,
    times: reader.float64(meta.docs),
    ids: reader.uint32(meta.docs * 4),
    columns: reader.int32(meta.docs * DOC_COLUMNS),
    keys: reader.int32(meta.keys),
    words: reader.int32(meta.words),
    vectors: decodeVectors(reader, meta.vectors, shelf.vectors.length),
    seconds: decodeVectors(reader, meta.seconds, shelf.seconds.length),
  };
  if (!docs.times.every(Number.isFinite)) throw new SnapshotError('a time is not a number');
  return docs;
}

/** Numbers of strings in the snapshot → those in the new shelf (ascending as before). */
export interface Renumbering {
  keys: Int32Array;
  words: Int32Array;
  audiences: Int32Array;
  threads: Int32Array;
}

/**
 * Adds the documents to a shelf. One that is there already is replaced: it was written again after
 * it changed while the snapshot was being made.
 * @throws SnapshotError
 */
export function appendDocs(
  shelf: MemoryShelf,
  docs: DecodedDocs,
  renumbering: Renumbering,
  withVectors: boolean,
): void {
  const wordBits = shelf.words.postings.bits;
  const slots = new Int32Array(docs.meta.docs);
  let keyAt = 0;
  let wordAt = 0;
  for (let i = 0; i < docs.meta.docs; i += 1) {
    const [
      flags = 0,
      audience = 0,
      thread = 0,
      length = 0,
      aside = 0,
      keyCount = 0,
      wordCount = 0,
    ] = docs.columns.subarray(i * DOC_COLUMNS, (i + 1) * DOC_COLUMNS);
    const keys = docs.keys.subarray(keyAt, keyAt + keyCount);
    const words = docs.words.subarray(wordAt, wordAt + wordCount);
    keyAt += keyCount;
    wordAt += wordCount;
    renumber(keys, renumbering.keys, 0);
    renumber(words, renumbering.words, wordBits);
    const ids = docs.ids.subarray(i * 4, i * 4 + 4);
    shelf.removeByWords(ids);
    const slot = shelf.append({
      timeMs: docs.times[i] as number,
      flags,
      audience: numberIn(renumbering.audiences, audience),
      thread: numberIn(renumbering.threads, thread),
      keys,
      words: { entries: words, length, aside },
    });
    shelf.ids.addWords(slot, ids);
    slots[i] = slot;
  }
  if (withVectors) setVectors(shelf.vectors, docs.vectors, slots);
  setVectors(shelf.seconds, docs.seconds, slots);
}

function setVectors(vectors: Vectors, { docs, scales, rows }: VectorColumns, slots: Int32Array) {
  for (const [at, doc] of docs.entries()) {
    const slot = slots[doc];
    if (slot === undefined) throw new SnapshotError('a vector has no document');
    const row = rows.subarray(at * vectors.length, (at + 1) * vectors.length);
    vectors.setRow(slot, row, scales[at] as number);
  }
}

function renumber(entries: Int32Array, numbers: Int32Array, bits: number): void {
  const payload = (1 << bits) - 1;
  for (let i = 0; i < entries.length; i += 1) {
    const entry = entries[i] as number;
    entries[i] = (numberIn(numbers, entry >>> bits) << bits) | (entry & payload);
  }
}

function numberIn(numbers: Int32Array, old: number): number {
  const number = numbers[old];
  if (number === undefined || number < 0) throw new SnapshotError('a string is missing');
  return number;
}
