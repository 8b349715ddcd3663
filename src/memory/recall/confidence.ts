/**
 * Confidence as a probability: that what is stored answers a question, and that one hit does. Two
 * logistic regressions with weights made by `npm run train -- recall`; the same on every surface. Pure.
 */
import { readFileSync } from 'node:fs';
import type { StaticModel } from '../../embeddings/index.js';
import type { Shelf } from '../../records/index.js';
import { analyze } from '../../shared/text.js';

/**
 * Below this probability that the store answers the question, recall answers nothing, unless
 * `min_confidence` sets a bar for each memory instead. With the built-in model beside the serving one,
 * and by the serving one alone; chosen in docs/recall.md.
 */
const FLOOR = { beside: 0.25, alone: 0.2 };

/** In a store of so many memories half of the lift counts: of a few, the usual says little. */
const KNOWN_FROM = 200;

/** Below every fact. */
const MOST_CONFIDENT = 0.89;
/** From so many memories on, the size of a store says no more. */
const LARGE = 200;

/** What says that a store answers a question. */
export interface AnswerSigns {
  /** Weight of the words of the question that any memory has, and of the others; logarithms. */
  known: number;
  unknown: number;
  /** Best cosine by the serving model, over what that model calls alike. */
  like: number;
  /** Best cosine by the built-in model beside it; 0 without one. */
  alike: number;
  /** Logarithm of the number of memories, bounded: among many, something is alike by chance. */
  size: number;
}

/** What says that a hit answers a question that the store answers. */
export interface HitSigns {
  /** Score over that of the best hit, 0 to 1. */
  score: number;
  /** Score of the second best hit over that of the best: the closer it comes, the less is sure. */
  runnerUp: number;
}

interface Head {
  bias: number;
  /** By feature, for its plain value. */
  weights: Readonly<Record<string, number>>;
}

export interface RecallWeights {
  version: number;
  /** In words: data, variants, penalty. */
  made: string;
  /** With the built-in model beside the serving one, and by the serving one alone. */
  answer: { beside: Head; alone: Head };
  hit: Head;
}

const FILE = new URL('../recall-weights.json', import.meta.url);

export const WEIGHTS = JSON.parse(readFileSync(FILE, 'utf8')) as RecallWeights;

/**
 * Probability that one of the ten best hits answers the question, and whether that is enough.
 * @param usual log-odds that nearly all questions that have nothing to do with the store stay below; null: not known
 */
export function answerProbability(
  signs: AnswerSigns,
  hasBeside: boolean,
  usual: number | null,
  size: number,
): { probability: number; isEnough: boolean } {
  const floor = FLOOR[hasBeside ? 'beside' : 'alone'];
  const lift = usual === null ? 0 : Math.max(0, usual - Math.log(floor / (1 - floor)));
  const found = sigmoid(answerLogit(signs, hasBeside) - (lift * size) / (size + KNOWN_FROM));
  return { probability: found, isEnough: found >= floor };
}

/** Log-odds that one of the ten best hits answers the question, by what it is alone. */
export function answerLogit(signs: AnswerSigns, hasBeside: boolean): number {
  return logit(WEIGHTS.answer[hasBeside ? 'beside' : 'alone'], { ...signs });
}

/** Probability that a hit answers the question, two digits. */
export function hitProbability(answer: number, signs: HitSigns): number {
  const sure = answer * sigmoid(logit(WEIGHTS.hit, { ...signs }));
  return Math.round(Math.min(MOST_CONFIDENT, sure) * 100) / 100;
}

function logit({ bias, weights }: Head, signs: Readonly<Record<string, number>>): number {
  let sum = bias;
  for (const [name, weight] of Object.entries(weights)) sum += weight * (signs[name] ?? 0);
  return sum;
}

const sigmoid = (value: number) => 1 / (1 + Math.exp(-value));

/**
 * How much of a question the store knows, by its words: rare words of the language weigh more.
 * @param terms of the question that are searched
 * @param phrase share of them that the best phrase of a memory has (`remind_when`), 0 to 1
 */
export function wordSigns(
  shelf: Pick<Shelf, 'documentFrequency' | 'size'>,
  text: string,
  terms: ReadonlyMap<string, number>,
  model: Pick<StaticModel, 'wordWeights'>,
  phrase: number,
): Pick<AnswerSigns, 'known' | 'unknown' | 'size'> {
  let all = 0;
  let known = 0;
  for (const [word, weight] of model.wordWeights(text)) {
    const asked = analyze(word).filter((term) => terms.has(term));
    if (asked.length === 0) continue;
    const found = asked.filter((term) => shelf.documentFrequency(term) > 0).length;
    all += weight;
    known += (weight * found) / asked.length;
  }
  known = Math.max(known, phrase * all);
  return {
    known: Math.log1p(known),
    unknown: Math.log1p(all - known),
    size: Math.log1p(Math.min(shelf.size, LARGE)),
  };
}

/** Keyword score of a text that has every one of the terms, those that no text has included. */
export function mostScore(
  shelf: Pick<Shelf, 'documentFrequency' | 'size'>,
  terms: ReadonlyMap<string, number>,
): number {
  let all = 0;
  for (const [term, weight] of terms) {
    const found = shelf.documentFrequency(term);
    all += weight * Math.log(1 + (shelf.size - found + 0.5) / (found + 0.5));
  }
  return Math.max(all, 1e-6);
}
