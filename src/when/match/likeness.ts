/** Likeness of a query to all documents at once: one dot product each. */
import { DIMENSION } from '../../embeddings/offline.js';

/**
 * Weights of likeness beside words: to trigger, title and description, and to the beginning of the
 * text. A model that knows more than spelling says more; those were not measured here.
 */
const LEXICAL = { label: 0.1, head: 0.3 };
const SEMANTIC = { label: 0.6, head: 0.3 };

/** What a document is compared by. */
export interface Look {
  /** Unit vector of the beginning of its text; of a joint model that of the first. */
  head: Float32Array;
  /** Weighed sum of that and of what names it: the cosine to it is the sum of both cosines. */
  mixed: Float32Array;
}

export interface Likeness {
  /** Vectors of another model are not compared with these. */
  model: string;
  /** By slot; free ones have none. */
  looks: readonly (Look | undefined)[];
  /** Weighed cosines of all documents to a query, by slot. */
  of(query: Float32Array): Float64Array;
  /** Cosine to the beginning of one document's text. */
  toHead(query: Float32Array, slot: number): number;
}

/** @param label unit vector of trigger, title and description. @param head of the beginning of the text */
export function lookOf(model: string, label: Float32Array, head: Float32Array): Look {
  const weight = model.startsWith('lexical') ? LEXICAL : SEMANTIC;
  const mixed = new Float32Array(label.length);
  for (let at = 0; at < mixed.length; at += 1) {
    mixed[at] = weight.label * (label[at] ?? 0) + weight.head * (head[at] ?? 0);
  }
  return { head: head.subarray(0, DIMENSION), mixed };
}

export function createLikeness(model: string, looks: readonly (Look | undefined)[]): Likeness {
  return {
    model,
    looks,
    of(query) {
      const sums = new Float64Array(looks.length);
      for (let slot = 0; slot < looks.length; slot += 1) {
        const look = looks[slot];
        if (look !== undefined) sums[slot] = dot(query, look.mixed);
      }
      return sums;
    },
    toHead(query, slot) {
      const look = looks[slot];
      return look === undefined ? 0 : Math.max(0, dot(query, look.head));
    },
  };
}

/** Four sums side by side: the processor need not wait for one addition before the next. */
function dot(query: Float32Array, other: Float32Array): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < other.length; at += 4) {
    a += (query[at] as number) * (other[at] as number);
    b += (query[at + 1] as number) * (other[at + 1] as number);
    c += (query[at + 2] as number) * (other[at + 2] as number);
    d += (query[at + 3] as number) * (other[at + 3] as number);
  }
  return a + b + (c + d);
}
