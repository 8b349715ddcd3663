/** Likeness of a query to all documents at once: one dot product each, over one block of numbers. */
import { DIMENSION } from '../../embeddings/index.js';
import { yieldToLoop } from '../../shared/yield.js';

/**
 * Weights of likeness beside words: to trigger, title and description, and to the beginning of the
 * text. A model that knows more than spelling says more; those were not measured here.
 */
const LEXICAL = { label: 0.1, head: 0.3 };
const SEMANTIC = { label: 0.6, head: 0.3 };

export interface Likeness {
  /** Vectors of another model are not compared with these. */
  model: string;
  /** Weighed cosines of all documents to a query, in their order. */
  of(query: Float32Array): Float64Array;
  /** Cosine to the beginning of one document's text. */
  toHead(query: Float32Array, document: number): number;
}

/** Documents between two turns of the event loop. */
const STEP = 400;

/** @param labels and heads: a unit vector for each document */
export async function createLikeness(
  model: string,
  labels: readonly Float32Array[],
  heads: readonly Float32Array[],
): Promise<Likeness> {
  const weight = model.startsWith('lexical') ? LEXICAL : SEMANTIC;
  const size = labels.length;
  // The sum of two weighed cosines is the cosine to the weighed sum.
  const mixed = new Float32Array(size * DIMENSION);
  for (const [document, label] of labels.entries()) {
    const head = heads[document];
    for (let at = 0; at < DIMENSION; at += 1) {
      mixed[document * DIMENSION + at] =
        weight.label * (label[at] ?? 0) + weight.head * (head?.[at] ?? 0);
    }
    if (document % STEP === STEP - 1) await yieldToLoop();
  }
  return {
    model,
    of(query) {
      const sums = new Float64Array(size);
      for (let document = 0; document < size; document += 1) {
        sums[document] = dot(query, mixed, document * DIMENSION);
      }
      return sums;
    },
    toHead(query, document) {
      const head = heads[document];
      return head === undefined ? 0 : Math.max(0, dot(query, head, 0));
    },
  };
}

/** Four sums side by side: the processor need not wait for one addition before the next. */
function dot(query: Float32Array, block: Float32Array, from: number): number {
  let a = 0;
  let b = 0;
  let c = 0;
  let d = 0;
  for (let at = 0; at < DIMENSION; at += 4) {
    a += (query[at] as number) * (block[from + at] as number);
    b += (query[at + 1] as number) * (block[from + at + 1] as number);
    c += (query[at + 2] as number) * (block[from + at + 2] as number);
    d += (query[at + 3] as number) * (block[from + at + 3] as number);
  }
  return a + b + (c + d);
}
