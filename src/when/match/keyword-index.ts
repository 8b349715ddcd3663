/**
 * Inverted index over fields (BM25F): a word counts by how rare it is and by the field it stands in,
 * less where that field is longer than others of its kind. What a word gives to a document does not
 * depend on the query, so it is computed once.
 */
import type { Analysis } from './analysis.js';
import { FIELDS, type Field } from './documents.js';

export type Analyzed = Readonly<Record<Field, Analysis>>;

export interface Posting {
  /** Places in the list of documents, ascending. */
  documents: number[];
  /** What the term gives to each of them, 0 to 1, before `idf`. */
  gains: number[];
  idf: number;
}

export interface KeywordIndex {
  postings: ReadonlyMap<string, Posting>;
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

/** An index in the making: `add` in the order of the documents, then `done`. */
export function createKeywordIndex(documents: readonly Analyzed[]) {
  const averages = averageLengths(documents);
  const postings = new Map<string, Posting>();
  let size = 0;
  return {
    add(document: Analyzed): void {
      const sums = new Map<string, number>();
      for (const field of FIELDS) {
        const { terms, counts, words } = document[field];
        const b = LENGTHS[field];
        const share = WEIGHTS[field] / (1 - b + (b * words.length) / averages[field]);
        for (const [at, term] of terms.entries()) {
          sums.set(term, (sums.get(term) ?? 0) + share * (counts[at] ?? 0));
        }
      }
      for (const [term, sum] of sums) {
        let posting = postings.get(term);
        if (posting === undefined) {
          posting = { documents: [], gains: [], idf: 0 };
          postings.set(term, posting);
        }
        posting.documents.push(size);
        posting.gains.push(sum / (SATURATION + sum));
      }
      size += 1;
    },
    done(): KeywordIndex {
      for (const posting of postings.values()) posting.idf = idfOf(posting.documents.length, size);
      return { postings, unknownIdf: idfOf(0, size) };
    },
  };
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
