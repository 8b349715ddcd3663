/**
 * How words and likeness become one order. Pure: an index and a query in, documents out.
 *
 * Fused by scores scaled to their best, not by rank: on every set tried reciprocal rank fusion with
 * the lexical embedder lost (docs/when.md has the numbers), because it forgets how far the first hit
 * stands before the rest.
 */
import { analyze, analyzeQuery } from '../../shared/text.js';
import type { SearchIndex } from './search-index.js';
import type { Variant } from './variants.js';

/** A word of the query and what may stand for it. */
export interface QueryTerm {
  /** As `analyze` gives it. */
  word: string;
  /** Made of two words of the query (`compounds.ts`), which are words of it, too. */
  joined: boolean;
  idf: number;
  variants: readonly Variant[];
}

export interface Query {
  terms: readonly QueryTerm[];
  /** Pairs of words next to each other. */
  pairs: readonly (readonly [string, string])[];
  vector: Float32Array | null;
}

export interface Hit {
  /** Place in `SearchIndex.documents`. */
  at: number;
  /** Only comparable within one search. */
  score: number;
}

/** Weight of two words that stand together in the query and in the text, in rarest words. */
const PAIR = 0.08;
/** How many of the best are looked at for that. */
const CLOSELY = 80;
/** Words of a query that are looked at; a message of two sentences has less. */
const MOST_TERMS = 64;

export function queryOf(text: string, index: SearchIndex, vector: Float32Array | null): Query {
  const words = analyzeQuery(text).slice(0, MOST_TERMS);
  const joined = joinedWords(text, index.keyword.has);
  const said = new Set(words);
  const terms = [...new Set([...words, ...joined])].slice(0, MOST_TERMS).map((word) => ({
    word,
    joined: !said.has(word),
    idf: index.keyword.idf(word),
    variants: index.variants.of(word),
  }));
  // A word that stands nowhere is most probably mistyped.
  const meant = words.map((word) => index.variants.of(word)[0]?.term ?? word);
  const pairs = meant.slice(1).map((word, at) => [meant[at] ?? '', word] as const);
  return { terms, pairs, vector };
}

/**
 * The first `limit` documents that have anything in common with the query, best first; equals in
 * their own order.
 */
export function search(index: SearchIndex, query: Query, limit: number): Hit[] {
  const { documents, likeness } = index;
  const gains = keywordGains(index, query);
  const best = gains.reduce((most, gain) => Math.max(most, gain), 0);
  const { vector } = query;
  const alike = vector === null ? undefined : likeness?.of(vector);
  const hits: Hit[] = [];
  const most = Math.max(limit, CLOSELY);
  for (let at = 0; at < documents.length; at += 1) {
    const slot = documents[at]?.slot ?? 0;
    const gain = gains[slot] ?? 0;
    const score = (best > 0 ? gain / best : 0) + Math.max(0, alike?.[slot] ?? 0);
    if (score > 0) keepBest(hits, { at, score }, most);
  }
  if (best > 0) addPairs(hits, index, query, best);
  return hits.slice(0, limit);
}

/** Keeps a sorted list short: five are wanted of thousands that share a common word. */
function keepBest(hits: Hit[], hit: Hit, most: number): void {
  const last = hits[most - 1];
  if (last !== undefined && last.score >= hit.score) return;
  let low = 0;
  let high = hits.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((hits[middle]?.score ?? 0) >= hit.score) low = middle + 1;
    else high = middle;
  }
  hits.splice(low, 0, hit);
  if (hits.length > most) hits.pop();
}

/** What the words of the query give to each slot; of a word's variants the best one counts. */
function keywordGains({ slots, keyword }: SearchIndex, { terms }: Query): Float64Array {
  const sums = new Float64Array(slots);
  const given = new Float64Array(slots);
  const givenBy = new Int32Array(slots);
  for (const [place, { idf, variants }] of terms.entries()) {
    for (const { term, share } of variants) {
      const found = keyword.gains(term);
      if (found === null) continue;
      // A rare word that only may stand for a common one is no rare find.
      const worth = share * Math.min(idf, keyword.idf(term));
      for (let i = 0; i < found.slots.length; i += 1) {
        const slot = found.slots[i] ?? 0;
        const gain = worth * (found.gains[i] ?? 0);
        const had = givenBy[slot] === place + 1 ? (given[slot] ?? 0) : 0;
        if (gain <= had) continue;
        sums[slot] = (sums[slot] ?? 0) + gain - had;
        given[slot] = gain;
        givenBy[slot] = place + 1;
      }
    }
  }
  return sums;
}

/** Raises those of the first in which words stand together as in the query, and orders them anew. */
function addPairs(hits: Hit[], index: SearchIndex, { pairs }: Query, best: number): void {
  if (pairs.length === 0) return;
  const first = hits.slice(0, CLOSELY);
  const worth = (PAIR * index.keyword.unknownIdf) / best;
  for (const hit of first) {
    const document = index.documents[hit.at]?.analyzed;
    if (document === undefined) continue;
    const texts = [
      document.trigger,
      document.header,
      document.description,
      document.head,
      document.body,
    ];
    for (const [one, other] of pairs) {
      if (texts.some(({ words }) => standTogether(words, one, other))) hit.score += worth;
    }
  }
  first.sort((a, b) => b.score - a.score || a.at - b.at);
  for (const [place, hit] of first.entries()) hits[place] = hit;
}

function standTogether(words: readonly string[], one: string, other: string): boolean {
  let at = words.indexOf(one);
  while (at !== -1) {
    if (words[at + 1] === other) return true;
    at = words.indexOf(one, at + 1);
  }
  return false;
}

/** Words with nothing but a space or a hyphen to the next one. */
const TWO_WORDS =
  /(?<![\p{L}\p{N}_])([\p{L}\p{N}]{2,20})(?=[ -]([\p{L}\p{N}]{2,20})(?![\p{L}\p{N}_]))/gu;

/** Letters of the second word that a stem keeps at least, or it is a stem of the first. */
const OF_SECOND = 2;

/** Words that the library knows, of two that stand apart in the text. @param knows a term of `analyze` */
function joinedWords(text: string, knows: (term: string) => boolean): string[] {
  return [...text.matchAll(TWO_WORDS)].flatMap(([, one = '', other = '']) => {
    // What says nothing alone ("to") makes no compound.
    if (analyze(one).length === 0 || analyze(other).length === 0) return [];
    const [term, more] = analyze(`${one}${other}`.toLowerCase());
    if (term === undefined || more !== undefined || term.length < one.length + OF_SECOND) return [];
    return knows(term) ? [term] : [];
  });
}
