/** A run of documents of one shelf in columns, to a snapshot and back. */
import type { MemoryShelf } from './shelf.js';
import { type MetaOf, PayloadReader, SnapshotError, writeFrame } from './snapshot-frames.js';
import { VECTOR_LENGTH } from './vectors.js';

/** Of each document: flags, audience, thread, length, number of keys, number of words. */
export const DOC_COLUMNS = 6;
export const AUDIENCE_COLUMN = 1;
export const THREAD_COLUMN = 2;

/** The live documents of slots `from` to before `to`. */
export function encodeDocs(shelf: MemoryShelf, from: number, to: number): Uint8Array {
  const slots: number[] = [];
  const vectorSlots: number[] = [];
  let keyCount = 0;
  let wordCount = 0;
  for (let slot = from; slot < to; slot += 1) {
    if (!shelf.isLive(slot)) continue;
    if (shelf.hasVector(slot)) vectorSlots.push(slots.length);
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
        shelf.words.lengthOf(slot),
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
  const scales = new Float32Array(vectorSlots.length);
  const rows = new Int8Array(vectorSlots.length * VECTOR_LENGTH);
  for (const [i, index] of vectorSlots.entries()) {
    const row = shelf.vectors.row(slots[index] as number);
    if (row === undefined) continue;
    scales[i] = row.scale;
    rows.set(row.values, i * VECTOR_LENGTH);
  }
  return writeFrame(
    {
      kind: 'docs',
      shelf: shelf.type,
      model: shelf.model,
      docs: n,
      keys: keyCount,
      words: wordCount,
      vectors: vectorSlots.length,
    },
    [times, ids, columns, keys, words, Int32Array.from(vectorSlots), scales, rows],
  );
}

/** The columns of a frame, as views of its payload. */
export interface DecodedDocs {
  meta: MetaOf<'docs'>;
  times: Float64Array;
  ids: Uint32Array;
  columns: Int32Array;
  keys: Int32Array;
  words: Int32Array;
  vectorDocs: Int32Array;
  scales: Float32Array;
  rows: Int8Array;
}

/** @throws SnapshotError */
export function decodeDocs(meta: MetaOf<'docs'>, payload: Uint8Array): DecodedDocs {
  const reader = new PayloadReader(payload);
  const docs: DecodedDocs = {
    meta,
    times: reader.float64(meta.docs),
    ids: reader.uint32(meta.docs * 4),
    columns: reader.int32(meta.docs * DOC_COLUMNS),
    keys: reader.int32(meta.keys),
    words: reader.int32(meta.words),
    vectorDocs: reader.int32(meta.vectors),
    scales: reader.float32(meta.vectors),
    rows: reader.int8(meta.vectors * VECTOR_LENGTH),
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
    const [flags = 0, audience = 0, thread = 0, length = 0, keyCount = 0, wordCount = 0] =
      docs.columns.subarray(i * DOC_COLUMNS, (i + 1) * DOC_COLUMNS);
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
      words: { entries: words, length },
    });
    shelf.ids.addWords(slot, ids);
    slots[i] = slot;
  }
  if (!withVectors) return;
  for (let i = 0; i < docs.meta.vectors; i += 1) {
    const slot = slots[docs.vectorDocs[i] as number];
    if (slot === undefined) throw new SnapshotError('a vector has no document');
    const row = docs.rows.subarray(i * VECTOR_LENGTH, (i + 1) * VECTOR_LENGTH);
    shelf.vectors.setRow(slot, row, docs.scales[i] as number);
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
