/** Phrase → sections, ranked with a confidence: what triggers and titles do not name. */
import { cosine, type StaticModel } from '../../embeddings/offline.js';
import { wordsWithTerms } from '../../shared/text.js';
import type { LinkedEntry, Section } from '../types.js';
import {
  createSearchIndex,
  type Hit,
  type Query,
  type SearchIndex,
  type Term,
  type Texts,
} from './search-index.js';

export interface Ranked {
  section: Section;
  /** `null`: no entry leads there. */
  entry: LinkedEntry | null;
  /** 0 to 1, calibrated; only the first one of a command may be compared with `FLOOR`. */
  confidence: number;
  /** Orders the sections of one list; means nothing beyond it. */
  score: number;
}

export type Matcher = ReturnType<typeof createMatcher>;

/** Sentences of a message that are looked at. */
const MOST_SENTENCES = 8;

export function createMatcher(model: StaticModel) {
  const index = createSearchIndex(model);
  const judge = createJudge(model, index);

  function found(
    text: string,
    limit: number,
    confidenceOf: (evidence: Evidence) => number,
  ): Ranked[] {
    const query = index.query(text);
    const hits = eachSectionOnce(index.search(query), Math.max(limit, 2));
    return hits.slice(0, limit).map((hit, place) => {
      const rival = hits[place === 0 ? 1 : 0]?.score ?? 0;
      const { section, entry } = hit.document;
      return {
        section,
        entry,
        confidence: confidenceOf(judge(hit, query, rival)),
        score: hit.score,
      };
    });
  }

  return {
    /** Replaces what is searched; until then the library before answers. Calls must not overlap. */
    load: index.load,
    restore: index.restore,
    saved: index.saved,
    /** What answers a command best; each section once. Equals stand as in the index. */
    rank: (query: string, limit: number): Ranked[] => found(query, limit, confidenceOfAnswer),
    /** What is worth showing to whoever said this; `confidence` compares with `OFFER_BAR`. */
    rankSentence(text: string, limit: number): Ranked[] {
      const best = new Map<Section, Ranked>();
      for (const sentence of sentencesOf(text)) {
        for (const one of found(sentence, limit, confidenceOfOffer)) {
          const known = best.get(one.section);
          if (known === undefined || known.confidence < one.confidence) best.set(one.section, one);
        }
      }
      return [...best.values()].sort((a, b) => b.confidence - a.confidence).slice(0, limit);
    },
  };
}

function eachSectionOnce(hits: readonly Hit[], limit: number): Hit[] {
  const first = new Map<Section, Hit>();
  for (const hit of hits) {
    if (first.size === limit) break;
    if (!first.has(hit.document.section)) first.set(hit.document.section, hit);
  }
  return [...first.values()];
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?:;])\s+|\n+/)
    .filter((sentence) => sentence.trim() !== '')
    .slice(0, MOST_SENTENCES);
}

/**
 * How sure a hit is, from 0 to 1: about the share of hits with this value that are right, in an index
 * of five entries as in one of hundreds. Logistic models of a few signs, fitted on half of the
 * questions to random parts of an index and checked on the other half; `npm run eval -- when` prints
 * what the values are worth by size.
 */

/** What speaks for a hit, and what against it. */
interface Evidence {
  /**
   * How far the hit stands before the best other section, or behind the best, as share of its score;
   * less where hardly more than one word of the question is found.
   */
  lead: number;
  /**
   * Weight of what is found in the same words, where the index names the section or in its text; less
   * of the heaviest.
   */
  found: number;
  /** Square root of the weight of what is found in the same or other words, without the heaviest. */
  second: number;
  /** Weight of what is found in no words. */
  missing: number;
  /** Share of the weight of words that stand nowhere in the index. */
  unknown: number;
}

type Model = Readonly<Partial<Evidence> & { constant: number }>;

/** Is it the right answer to a command? */
const RIGHT: Model = { lead: 7.5, second: 3, unknown: -2, constant: -2.2 };
/** Does a sentence of a conversation call for it? */
const CALLED_FOR: Model = { lead: 4.6, found: 3.1, missing: -0.66, constant: -1.43 };

/** Only who types a trigger can be entirely sure to get it. */
const MOST_SURE = 0.99;
/**
 * How much less the heaviest word counts, and the weight from which a lead counts in full: to share one
 * word of several is no merit, and little where the question has only one.
 */
const LESS_OF_SEVERAL = 0.7;
const LESS_OF_ONE = 0.35;
const FOUNDED = 1.8;
/** Share of a word that only the text has: in the same words, and in other ones. */
const SAME_IN_TEXT = 0.5;
const OTHER_IN_TEXT = 0.6;
/** Of a number: it tells little what a question is about. */
const OF_NUMBER = 0.3;
/** As if there were so many more documents: counts in a few say little about how telling a word is. */
const IMAGINED = 100;
/** Different words at the beginning of a text that are compared, and characters that they are in. */
const MOST_WORDS = 150;
const MOST_CHARACTERS = 4_000;

/** Confidence that a hit answers a command. */
function confidenceOfAnswer(evidence: Evidence): number {
  return probability(RIGHT, evidence);
}

/** Confidence that an entry is worth showing to whoever said a sentence. */
function confidenceOfOffer(evidence: Evidence): number {
  return probability(CALLED_FOR, evidence);
}

function probability({ constant, ...weights }: Model, evidence: Evidence): number {
  let sum = constant;
  for (const [sign, weight] of Object.entries(weights)) {
    sum += weight * evidence[sign as keyof Evidence];
  }
  return MOST_SURE / (1 + Math.exp(-sum));
}

/** A word with its meaning: what it says in other words, and how rare it is in the language. */
interface Meaning {
  vector: Float32Array;
  weight: number;
}

/** Words of a document, by term, as they were written. */
interface Told {
  /** Where the index names the section. */
  label: ReadonlyMap<string, string>;
  /** In the text, code examples left out. */
  text: ReadonlyMap<string, string>;
}

const MOST_MEANINGS = 20_000;
const CODE_BLOCK = /^ {0,3}(`{3,}|~{3,}).*?^ {0,3}\1/gms;

/** @param rival score of the best hit of another section */
type Judge = (hit: Hit, query: Query, rival: number) => Evidence;

function createJudge(model: StaticModel, index: SearchIndex): Judge {
  const meanings = new Map<string, Meaning>();
  const told = new WeakMap<Texts, Told>();

  function meaningOf(word: string): Meaning {
    const known = meanings.get(word);
    if (known !== undefined) return known;
    const weight = Math.max(0, ...model.wordWeights(word).values());
    const made = { vector: model.embed(word), weight };
    if (meanings.size >= MOST_MEANINGS) meanings.clear();
    meanings.set(word, made);
    return made;
  }

  function toldBy(texts: Texts): Told {
    const known = told.get(texts);
    if (known !== undefined) return known;
    const { trigger, header, description, path, text } = texts;
    const prose = text.slice(0, MOST_CHARACTERS).replace(CODE_BLOCK, ' ');
    const made = {
      label: wordsWithTerms([trigger, header, description, path].join('\n')),
      text: new Map([...wordsWithTerms(prose)].slice(0, MOST_WORDS)),
    };
    told.set(texts, made);
    return made;
  }

  /** How telling a word is: rare in the language, and rare in the index. */
  function weightOf({ term, word }: Term): number {
    const size = index.size + IMAGINED;
    const rarity = (having: number) => Math.log(1 + (size - having + 0.5) / (having + 0.5));
    const weight = (meaningOf(word).weight * rarity(index.documentsWith(term))) / rarity(0);
    return /^\d+$/.test(word) ? OF_NUMBER * weight : weight;
  }

  /** Likeness to the word of a text that is most like it; its share for the same one. */
  function mostLike({ term, word, share }: Term, words: ReadonlyMap<string, string>): number {
    if (words.has(term)) return share;
    const { vector } = meaningOf(word);
    let most = 0;
    for (const other of words.values())
      most = Math.max(most, cosine(vector, meaningOf(other).vector));
    return most;
  }

  return (hit, { terms }, rival) => {
    const { label, text } = toldBy(hit.document.texts);
    const sums = { weight: 0, found: 0, most: 0, alike: 0, heaviest: 0, missing: 0, unknown: 0 };
    for (const term of terms) {
      const weight = weightOf(term);
      const inLabel = mostLike(term, label);
      const inText = Math.max(inLabel, mostLike(term, text));
      const same = label.has(term.term) ? 1 : text.has(term.term) ? SAME_IN_TEXT : 0;
      const alike = weight * Math.max(inLabel ** 2, OTHER_IN_TEXT * inText ** 2);
      sums.weight += weight;
      const found = weight * same * term.share;
      sums.found += found;
      sums.most = Math.max(sums.most, found);
      sums.alike += alike;
      sums.heaviest = Math.max(sums.heaviest, alike);
      sums.missing += weight * (1 - inText);
      if (!term.isKnown) sums.unknown += weight;
    }
    const { weight, alike, heaviest } = sums;
    const lead = (hit.score - rival) / hit.score;
    const less = terms.length > 1 ? LESS_OF_SEVERAL : LESS_OF_ONE;
    const founded = Math.min(1, Math.max(0, alike - less * heaviest) / FOUNDED);
    return {
      lead: lead > 0 ? lead * founded : Math.max(-1, lead),
      found: Math.min(2, sums.found - LESS_OF_SEVERAL * sums.most),
      second: Math.sqrt(alike - heaviest),
      missing: Math.min(4, sums.missing),
      unknown: weight > 0 ? sums.unknown / weight : 1,
    };
  };
}
