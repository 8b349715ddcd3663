/**
 * Which documents have a word, or a piece of one. A change makes new postings that share what it did
 * not touch: it costs what it changes, and whoever still searches the ones before is not disturbed.
 */
import { yieldToLoop } from '../../shared/yield.js';

export interface Posting {
  /** Slots of documents; one that says several things about the key stands there as often, in a row. */
  slots: readonly number[];
  /** What is said each time. */
  values: readonly number[];
  /** How many different documents. */
  documents: number;
}

export type Postings = ReadonlyMap<string, Posting>;

/** A document that has keys. */
export interface Source {
  slot: number;
  /** Tells all its keys, always the same ones. */
  tell(note: (key: string, value: number) => void): void;
}

export interface PostingsChange {
  postings: Postings;
  /** Keys that were not there before. */
  added: readonly string[];
  /** Keys that nothing has any more. */
  removed: readonly string[];
}

interface Growing extends Posting {
  slots: number[];
  values: number[];
}

/** Entries of lists gone through between two turns of the event loop: some milliseconds. */
const ENTRIES = 10_000;

/** `gone` as they were when they came; a new one may have the slot of one of those. */
export async function changePostings(
  before: Postings,
  { gone, come }: { gone: readonly Source[]; come: readonly Source[] },
): Promise<PostingsChange> {
  if (gone.length + come.length === 0) return { postings: before, added: [], removed: [] };
  const postings = new Map<string, Posting>(before);
  const changed = new Map<string, Growing>();
  let work = 0;
  const pause = async () => {
    if (work < ENTRIES) return;
    work = 0;
    await yieldToLoop();
  };
  const replace = (key: string, posting: Growing) => {
    changed.set(key, posting);
    postings.set(key, posting);
    work += posting.slots.length;
    return posting;
  };

  const leaving = new Set(gone.map(({ slot }) => slot));
  const left = new Set<string>();
  for (const source of gone) source.tell((key) => left.add(key));
  for (const key of left) {
    const posting = before.get(key);
    if (posting === undefined) continue;
    replace(key, without(posting, leaving));
    work += posting.slots.length;
    await pause();
  }
  for (const { slot, tell } of come) {
    tell((key, value) => {
      const posting = changed.get(key) ?? replace(key, copyOf(before.get(key)));
      if (posting.slots.at(-1) !== slot) posting.documents += 1;
      posting.slots.push(slot);
      posting.values.push(value);
      work += 1;
    });
    await pause();
  }

  const added: string[] = [];
  const removed: string[] = [];
  for (const [key, { documents }] of changed) {
    if (documents === 0) {
      postings.delete(key);
      removed.push(key);
    } else if (!before.has(key)) added.push(key);
  }
  return { postings, added, removed };
}

function copyOf(posting: Posting | undefined): Growing {
  if (posting === undefined) return { slots: [], values: [], documents: 0 };
  const { slots, values, documents } = posting;
  return { slots: [...slots], values: [...values], documents };
}

function without({ slots, values }: Posting, leaving: ReadonlySet<number>): Growing {
  const rest: Growing = { slots: [], values: [], documents: 0 };
  for (const [at, slot] of slots.entries()) {
    if (leaving.has(slot)) continue;
    if (rest.slots.at(-1) !== slot) rest.documents += 1;
    rest.slots.push(slot);
    rest.values.push(values[at] ?? 0);
  }
  return rest;
}
