/**
 * Inverted index over fields (BM25F): a word counts by how rare it is and by the field it stands in,
 * less where that field is longer than others of its kind. Rarity and lengths are those of the whole,
 * which every edit moves a little; what depends on them is worked out when a word is asked for.
 */

import { analyze } from '../../shared/text.js';
import { FIELDS, type Field } from './documents.js';
import type { Posting, Postings, Source } from './postings.js';

export type Analyzed = Readonly<Record<Field, Analysis>>;

/** What a word gives to the documents that have it. */
export interface Gains {
  slots: Int32Array;
  /** 0 to 1, before `idf`. */
  gains: Float64Array;
}

export interface KeywordIndex {
  has(term: string): boolean;
  /** How many documents have it. */
  documents(term: string): number;
  idf(term: string): number;
  /** `null`: no document has it. */
  gains(term: string): Gains | null;
  /** Of a word that stands nowhere. */
  unknownIdf: number;
}

/**
 * Found by random search on half of a set of paraphrases, checked on the other half; all of them are
 * flat around these values. The group a section stands in says nearly as much as its title, a trigger
 * and a title that say the same count twice, and detail in the body hardly counts.
 */
const WEIGHTS: Readonly<Record<Field, number>> = {
  trigger: 2.2,
  header: 1.5,
  description: 3,
  path: 1.5,
  head: 1.75,
  body: 0.25,
};
/** How much length counts against a field, 0 to 1. */
const LENGTHS: Readonly<Record<Field, number>> = {
  trigger: 0.6,
  header: 0.6,
  description: 0.6,
  path: 0.3,
  head: 0.5,
  body: 1,
};
/** How slowly more of the same word stops to matter. */
const SATURATION = 2.4;
/** A value of a posting: place of the field in `FIELDS`, times this, and how often the word is there. */
const FIELD = 65_536;

/** The words of a document as postings have them. */
export function wordsOf(slot: number, analyzed: Analyzed): Source {
  return {
    slot,
    tell(note) {
      for (const [place, field] of FIELDS.entries()) {
        const { terms, counts } = analyzed[field];
        for (const [at, term] of terms.entries()) note(term, place * FIELD + (counts[at] ?? 0));
      }
    },
  };
}

/** @param slots the documents by their slot; free ones have none */
export function createKeywordIndex(
  postings: Postings,
  slots: readonly (Analyzed | undefined)[],
): KeywordIndex {
  const documents = slots.filter((one) => one !== undefined);
  const size = documents.length;
  const shares = sharesOf(slots, averageLengths(documents));
  const asked = new Map<string, Gains>();
  return {
    has: (term) => postings.has(term),
    documents: (term) => postings.get(term)?.documents ?? 0,
    idf: (term) => idfOf(postings.get(term)?.documents ?? 0, size),
    gains(term) {
      const posting = postings.get(term);
      if (posting === undefined) return null;
      let gains = asked.get(term);
      if (gains === undefined) {
        gains = gainsOf(posting, shares);
        asked.set(term, gains);
      }
      return gains;
    },
    unknownIdf: idfOf(0, size),
  };
}

function gainsOf({ slots, values, documents }: Posting, shares: Float64Array): Gains {
  const found: Gains = { slots: new Int32Array(documents), gains: new Float64Array(documents) };
  let document = -1;
  for (let at = 0; at < slots.length; at += 1) {
    const slot = slots[at] ?? 0;
    if (at === 0 || slot !== slots[at - 1]) document += 1;
    const value = values[at] ?? 0;
    const share = shares[slot * FIELDS.length + Math.floor(value / FIELD)] ?? 0;
    found.slots[document] = slot;
    found.gains[document] = (found.gains[document] ?? 0) + share * (value % FIELD);
  }
  for (const [at, sum] of found.gains.entries()) found.gains[at] = sum / (SATURATION + sum);
  return found;
}

/** What a word is worth once in each field of each document. */
function sharesOf(
  slots: readonly (Analyzed | undefined)[],
  averages: Readonly<Record<Field, number>>,
): Float64Array {
  const shares = new Float64Array(slots.length * FIELDS.length);
  for (const [slot, document] of slots.entries()) {
    if (document === undefined) continue;
    for (const [place, field] of FIELDS.entries()) {
      const b = LENGTHS[field];
      const length = document[field].words.length;
      shares[slot * FIELDS.length + place] =
        WEIGHTS[field] / (1 - b + (b * length) / averages[field]);
    }
  }
  return shares;
}

/** Of the documents that have the field. */
function averageLengths(documents: readonly Analyzed[]): Record<Field, number> {
  const averageOf = (field: Field) => {
    let words = 0;
    let filled = 0;
    for (const document of documents) {
      const { length } = document[field].words;
      words += length;
      if (length > 0) filled += 1;
    }
    return filled === 0 ? 1 : words / filled;
  };
  return {
    trigger: averageOf('trigger'),
    header: averageOf('header'),
    description: averageOf('description'),
    path: averageOf('path'),
    head: averageOf('head'),
    body: averageOf('body'),
  };
}

function idfOf(documents: number, size: number): number {
  return Math.log(1 + (size - documents + 0.5) / (documents + 0.5));
}

export interface Analysis {
  /** As `analyze` gives them, in order. */
  words: readonly string[];
  /** Each word once, in order of first appearance. */
  terms: readonly string[];
  /** How often each of `terms` stands there. */
  counts: Uint16Array;
}

const NOTHING: Analysis = { words: [], terms: [], counts: new Uint16Array(0) };
const MOST_COUNTED = 65_535;

export function analysisOf(text: string): Analysis {
  if (text === '') return NOTHING;
  const words = analyze(text);
  const counted = new Map<string, number>();
  for (const word of words) counted.set(word, (counted.get(word) ?? 0) + 1);
  return {
    words,
    terms: [...counted.keys()],
    counts: Uint16Array.from(counted.values(), (count) => Math.min(count, MOST_COUNTED)),
  };
}
