/** The weights that `npm run train -- gate` makes (docs/proactive.md), and what they know of words. */
import { readFileSync } from 'node:fs';
import type { Rarity } from './text.js';

/** By name; one that is not there weighs nothing. */
export type Features = Record<string, number>;

/** Name, mean and spread over the training pairs, and weight of the standardised value. */
type Weighed = readonly [name: string, mean: number, spread: number, weight: number];

/** Of a network: bias, what the unit adds to the logit, and a weight for each feature in order. */
type Unit = readonly [bias: number, out: number, weights: readonly number[]];

export interface Regression {
  bias: number;
  features: readonly Weighed[];
  /** Units that count where they are positive, each for features that tell something together. */
  hidden?: readonly Unit[];
}

export interface Head extends Regression {
  /** From here on it is proposed. */
  threshold: number;
}

/** Farther out a value says no more to a network. */
const FARTHEST = 6;

/** What each feature adds to the logit; with the bias they are all of it. */
export function contributions(
  head: Regression,
  features: Features,
): { bias: number; by: number[] } {
  const { features: weighed, hidden } = head;
  const values = weighed.map(([name, mean, spread]) => ((features[name] ?? 0) - mean) / spread);
  if (!hidden) {
    return { bias: head.bias, by: values.map((value, at) => value * (weighed[at]?.[3] ?? 0)) };
  }
  const near = values.map((value) => Math.max(-FARTHEST, Math.min(FARTHEST, value)));
  const weights = weighed.map(([, , , weight]) => weight);
  let bias = head.bias;
  for (const [threshold, out, each] of hidden) {
    let sum = threshold;
    for (let at = 0; at < near.length; at++) sum += (each[at] as number) * (near[at] as number);
    if (sum <= 0) continue;
    bias += out * threshold;
    for (let at = 0; at < near.length; at++) {
      weights[at] = (weights[at] as number) + out * (each[at] as number);
    }
  }
  return { bias, by: near.map((value, at) => value * (weights[at] as number)) };
}

export function logitOf(head: Regression, features: Features): number {
  const { bias, by } = contributions(head, features);
  return by.reduce((sum, each) => sum + each, bias);
}

export const probabilityOf = (logit: number): number => 1 / (1 + Math.exp(-logit));

export interface GateWeights {
  version: number;
  /** In words: sessions, variants, penalty. */
  made: string;
  heads: {
    /** What failed is about to be done again. */
    warn: Head;
    /** What succeeded helps now. */
    offer: Head;
    /** The moment is one more of a kind. */
    pattern: Head;
  };
  /** Texts that words were counted in, and how many hold a term; rarer ones are absent. */
  texts: number;
  frequencies: Readonly<Record<string, number>>;
  /** Words that goals begin with, 0 to 1. */
  openers: Readonly<Record<string, number>>;
}

const FILE = new URL('../gate-weights.json', import.meta.url);

export const WEIGHTS = JSON.parse(readFileSync(FILE, 'utf8')) as GateWeights;

export const opens = (word: string): number =>
  Object.hasOwn(WEIGHTS.openers, word) ? (WEIGHTS.openers[word] as number) : 0;

const FREQUENCIES = new Map(Object.entries(WEIGHTS.frequencies));

/** Rarity of a term in a store, with what is known of English beside it. */
export function rarityIn(store: { size: number; documentFrequency(term: string): number }): Rarity {
  const all = WEIGHTS.texts + store.size + 1;
  return (term) => {
    const known = FREQUENCIES.get(term) ?? 0;
    return Math.log(all / (known + store.documentFrequency(term) + 1.5));
  };
}
