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

/** In standard deviations of the training pairs. */
function standardisedOf({ features: weighed, hidden }: Regression, features: Features): number[] {
  const most = hidden ? FARTHEST : Number.POSITIVE_INFINITY;
  return weighed.map(([name, mean, spread]) =>
    Math.max(-most, Math.min(most, ((features[name] ?? 0) - mean) / spread)),
  );
}

/** What a unit hears; it counts where that is above 0. */
function heardBy([bias, , weights]: Unit, values: readonly number[]): number {
  let sum = bias;
  for (let at = 0; at < values.length; at++)
    sum += (weights[at] as number) * (values[at] as number);
  return sum;
}

/** What each feature adds to the logit; with the bias they are all of it. */
export function contributions(
  head: Regression,
  features: Features,
): { bias: number; by: number[] } {
  const values = standardisedOf(head, features);
  const weights = head.features.map(([, , , weight]) => weight);
  let bias = head.bias;
  for (const unit of head.hidden ?? []) {
    if (heardBy(unit, values) <= 0) continue;
    const [threshold, out, each] = unit;
    bias += out * threshold;
    for (let at = 0; at < values.length; at++) {
      weights[at] = (weights[at] as number) + out * (each[at] as number);
    }
  }
  return { bias, by: values.map((value, at) => value * (weights[at] as number)) };
}

/** The same in all, which takes half as long. */
export function logitOf(head: Regression, features: Features): number {
  const values = standardisedOf(head, features);
  let logit = head.bias;
  for (let at = 0; at < values.length; at++) {
    logit += (values[at] as number) * (head.features[at]?.[3] ?? 0);
  }
  for (const unit of head.hidden ?? []) logit += unit[1] * Math.max(0, heardBy(unit, values));
  return logit;
}

export const probabilityOf = (logit: number): number => 1 / (1 + Math.exp(-logit));

/** What signs in a text add to the logit. */
export interface Signs {
  bias: number;
  weights: Readonly<Record<string, number>>;
}

export function sumOfSigns({ bias, weights }: Signs, found: Iterable<string>): number {
  let sum = bias;
  for (const sign of found) if (Object.hasOwn(weights, sign)) sum += weights[sign] as number;
  return sum;
}

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
