/**
 * How sure a hit is, from 0 to 1: about the share of hits with this value that are right. Logistic
 * models of six signs, fitted on half of a set of paraphrases and unrelated questions and checked on
 * the other half; `npm run eval -- when` prints what the values are worth.
 */
import { calibratedThresholds, LEXICAL_ID } from '../../embeddings/index.js';
import type { Analysis } from './analysis.js';
import type { Hit, Query } from './search.js';
import type { SearchIndex } from './search-index.js';

/** Below it a command is answered with suggestions: most probably no section is about it. */
export const FLOOR = 0.3;
/** From it on an entry may be offered unasked for what somebody said. */
export const OFFER_BAR = 0.55;

/** What speaks for a hit. */
export interface Evidence {
  /** Share of what a document that has every word often could get. */
  keyword: number;
  /** Share of the query's words that the document has anywhere, rare ones counting more. */
  cover: number;
  /** Share of the trigger's words (or the title's) that the query has, likewise. */
  named: number;
  /** Likeness to the beginning of the text, on the scale of the lexical embedder. */
  head: number;
  /** How far the hit stands before the best other section, or behind the best; share of the best. */
  margin: number;
  /** Logarithm of how much the query says at all. */
  information: number;
}

type Model = Readonly<Record<keyof Evidence | 'constant', number>>;

/** Is it the right answer to a command? */
const RIGHT: Model = {
  keyword: 2.12,
  cover: 2.64,
  named: 1.59,
  head: 1.88,
  margin: 5.63,
  information: 0.45,
  constant: -4.99,
};
/**
 * Is anything about it at all? How close the second best stands says nothing about that: with two
 * sections about the same thing either is better than none.
 */
const RELATED: Model = {
  keyword: 4.12,
  cover: 3.96,
  named: 1.88,
  head: 2.11,
  margin: 0,
  information: 1.28,
  constant: -5.59,
};
const RELATED_FROM = 0.22;
/** Does a sentence of a conversation call for it? */
const CALLED_FOR: Model = {
  keyword: 2.29,
  cover: 2.03,
  named: 3.48,
  head: 3.97,
  margin: 2.62,
  information: 1.61,
  constant: -6.36,
};

/** Keeps the logarithm of a query that says nothing finite. */
const LITTLE = 0.2;

/** Confidence that a hit answers a command; `first`: it is the best one. */
export function confidenceOfAnswer(evidence: Evidence, first: boolean): number {
  const right = probability(RIGHT, evidence);
  if (!first) return right;
  const related = probability(RELATED, evidence);
  return related < RELATED_FROM
    ? Math.min(right, (FLOOR * related) / RELATED_FROM)
    : Math.max(right, FLOOR);
}

/** Confidence that an entry is worth showing to whoever said a sentence. */
export function confidenceOfOffer(evidence: Evidence): number {
  return probability(CALLED_FOR, evidence);
}

/** @param others scores of the best hit and of the best one of another section than this */
export function evidenceOf(
  hit: Hit,
  query: Query,
  index: SearchIndex,
  others: { best: number; rival: number },
): Evidence {
  const { cover, named } = sharedWords(hit, query, index);
  const { best, rival } = others;
  const said = query.terms.reduce((sum, { idf }) => sum + idf, 0) / (index.keyword.unknownIdf || 1);
  return {
    keyword: hit.keyword,
    cover,
    named,
    head: headOf(hit, query, index),
    margin: best > 0 ? (hit.score - rival) / best : 0,
    information: Math.log(LITTLE + said),
  };
}

function probability(model: Model, evidence: Evidence): number {
  const sum =
    model.constant +
    model.keyword * evidence.keyword +
    model.cover * evidence.cover +
    model.named * evidence.named +
    model.head * evidence.head +
    model.margin * evidence.margin +
    model.information * evidence.information;
  return 1 / (1 + Math.exp(-sum));
}

/** Models differ in how like unrelated texts are to them; what most of those stay below says how. */
function headOf({ at }: Hit, { vector }: Query, { likeness }: SearchIndex): number {
  if (vector === null || likeness === null) return 0;
  const scale =
    calibratedThresholds(LEXICAL_ID).candidate / calibratedThresholds(likeness.model).candidate;
  return scale * likeness.toHead(vector, at);
}

function sharedWords(hit: Hit, { terms }: Query, { analyzed, keyword }: SearchIndex) {
  const document = analyzed[hit.at];
  if (document === undefined) return { cover: 0, named: 0 };
  const { trigger, header, description, path, head, body } = document;
  const shown = [trigger, header];
  const all = [trigger, header, description, path, head, body];
  const namedBy = new Map<string, number>();
  let weight = 0;
  let covered = 0;
  for (const { idf, variants } of terms) {
    let best = 0;
    for (const { term, share } of variants) {
      if (has(shown, term)) namedBy.set(term, Math.max(share, namedBy.get(term) ?? 0));
      if (share > best && has(all, term)) best = share;
    }
    weight += idf;
    covered += idf * best;
  }
  const own = trigger.terms.length > 0 ? trigger : header;
  let ownWeight = 0;
  let ownNamed = 0;
  for (const term of own.terms) {
    const idf = keyword.postings.get(term)?.idf ?? 0;
    ownWeight += idf;
    ownNamed += idf * (namedBy.get(term) ?? 0);
  }
  return {
    cover: weight > 0 ? covered / weight : 0,
    named: ownWeight > 0 ? ownNamed / ownWeight : 0,
  };
}

function has(fields: readonly Analysis[], term: string): boolean {
  return fields.some(({ terms }) => terms.includes(term));
}
