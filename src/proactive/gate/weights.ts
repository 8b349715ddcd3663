/** The weights that `npm run train -- gate` makes (docs/proactive.md), and what they know of words. */
import { readFileSync } from 'node:fs';
import type { Rarity } from './text.js';

/** By name; one that is not there weighs nothing. */
export type Features = Record<string, number>;

/** Name, mean and spread over the training pairs, and weight of the standardised value. */
type Weighed = readonly [name: string, mean: number, spread: number, weight: number];

export interface Regression {
  bias: number;
  features: readonly Weighed[];
}

export interface Head extends Regression {
  /** From here on it is proposed. */
  threshold: number;
}

export function logitOf({ bias, features: weighed }: Regression, features: Features): number {
  let sum = bias;
  for (const [name, mean, spread, weight] of weighed) {
    sum += (weight * ((features[name] ?? 0) - mean)) / spread;
  }
  return sum;
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
