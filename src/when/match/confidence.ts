/**
 * How sure a hit is, from 0 to 1: about the share of hits with this value that are right, in an index
 * of five entries as in one of hundreds. Logistic models of a few signs, fitted on half of the
 * questions to random parts of two indexes and checked on the other half; `npm run eval -- when`
 * prints what the values are worth by size.
 *
 * No sign may depend on how large the index is. In a small one a question has a word in common with
 * one section or none, so that whatever it finds leads by far and is the only one that has the word.
 */
import { calibratedThresholds, LEXICAL_ID } from '../../embeddings/offline.js';
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
import { analyze } from '../../shared/text.js';
import type { Section } from '../types.js';
import type { Hit, Query } from './search.js';
import type { SearchIndex } from './search-index.js';
import { SYNONYMS } from './synonyms.js';

/** What speaks for a hit. */
export interface Evidence {
  /**
   * How far the hit stands before the best other section, or behind the best, as share of the best;
   * less where little of the question is found, or hardly more than one of its words.
   */
  lead: number;
  /** Likeness to the beginning of the text, on the scale of the lexical embedder. */
  head: number;
  /** Share of the query's words that stand where the index names the section. */
  shown: number;
  /** Share of them that stand nowhere in the index, less of those that are like a word there. */
  unknown: number;
  /** What is found besides the most telling word, in telling words, at most 1. */
  second: number;
  /** Share of the trigger's words (or the title's) that the query has. */
  named: number;
}

type Model = Readonly<Record<keyof Evidence | 'constant', number>>;

/** Is it the right answer to a command? */
const RIGHT: Model = {
  lead: 7.33,
  head: 1.41,
  shown: 2.63,
  unknown: -1.81,
  second: 1.5,
  named: 0,
  constant: -2.83,
};
/** Does a sentence of a conversation call for it? */
const CALLED_FOR: Model = {
  lead: 4.23,
  head: 2.21,
  shown: 0.82,
  unknown: -1.89,
  second: 2.17,
  named: 2.35,
  constant: -3.14,
};

/** Only who types a trigger can be entirely sure to get it. */
const MOST_SURE = 0.99;
/**
 * Telling words with which a lead counts in full, and how much less the most telling one counts there:
 * to lead with one word of several is no merit, and little where the question has only one.
 */
const FOUNDED = 1.2;
const LESS_OF_SEVERAL = 0.7;
const LESS_OF_ONE = 0.35;
/**
 * Share of a word that is found only in the text: its beginning, its rest, its code examples. Where
 * the index names the section it counts in full, in the titles above it nearly so.
 */
const IN_PATH = 0.8;
const IN_HEAD = 0.7;
const IN_BODY = 0.35;
const IN_CODE = 0.2;
/** Of a number: it tells little what a question is about. */
const OF_NUMBER = 0.3;
/**
 * As if there were so many more documents, in which everyday words and others stand so often: counts
 * in a few documents say little about how telling a word is.
 */
const IMAGINED = 100;
const WITH_EVERYDAY = 6;
const WITH_OTHER = 0.5;

/** Confidence that a hit answers a command. */
export function confidenceOfAnswer(evidence: Evidence): number {
  return probability(RIGHT, evidence);
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
  const { words, found, strongest, ...shares } = sharedWords(hit, query, index);
  const { best, rival } = others;
  const margin = best > 0 ? (hit.score - rival) / best : 0;
  const founded = found - (words > 1 ? LESS_OF_SEVERAL : LESS_OF_ONE) * strongest;
  return {
    lead: margin * Math.min(1, founded / FOUNDED),
    head: headOf(hit, query, index),
    second: Math.min(1, found - strongest),
    ...shares,
  };
}

function probability(model: Model, evidence: Evidence): number {
  const sum =
    model.constant +
    model.lead * evidence.lead +
    model.head * evidence.head +
    model.shown * evidence.shown +
    model.unknown * evidence.unknown +
    model.second * evidence.second +
    model.named * evidence.named;
  return MOST_SURE / (1 + Math.exp(-sum));
}

/** Models differ in how like unrelated texts are to them; what most of those stay below says how. */
function headOf({ at }: Hit, { vector }: Query, { documents, likeness }: SearchIndex): number {
  const slot = documents[at]?.slot;
  if (vector === null || likeness === null || slot === undefined) return 0;
  const scale =
    calibratedThresholds(LEXICAL_ID).candidate / calibratedThresholds(likeness.model).candidate;
  return scale * likeness.toHead(vector, slot);
}

type Found = SearchIndex['documents'][number];

/** `found` and `strongest` in words as telling as one that stands nowhere. */
function sharedWords(hit: Hit, { terms }: Query, index: SearchIndex) {
  const document = index.documents[hit.at];
  const nothing = { words: 0, found: 0, strongest: 0, shown: 0, unknown: 1, named: 0 };
  if (document === undefined) return nothing;
  const said = new Map<string, number>();
  let words = 0;
  let weight = 0;
  let found = 0;
  let strongest = 0;
  let shown = 0;
  let unknown = 0;
  for (const { word, joined, variants: all } of terms) {
    const variants = all.filter(({ term }) => isMeant(word, term));
    let share = 0;
    let named = 0;
    for (const variant of variants) {
      said.set(variant.term, Math.max(variant.share, said.get(variant.term) ?? 0));
      share = Math.max(share, variant.share * placeOf(variant.term, document));
      if (isNamed(variant.term, document)) named = Math.max(named, variant.share);
    }
    // Two words that might be one and are not here are two words.
    if (joined && share < 1) continue;
    const telling = tellingOf(word, index);
    words += 1;
    weight += telling;
    found += telling * share;
    shown += telling * named;
    strongest = Math.max(strongest, telling * share);
    unknown += telling * (1 - (variants[0]?.share ?? 0));
  }
  if (weight === 0) return nothing;
  return {
    words,
    found,
    strongest,
    shown: shown / weight,
    unknown: unknown / weight,
    named: namedShare(document, said, index),
  };
}

/** A typo in the first letter is seen by whoever makes it: "cake" is no "take". */
function isMeant(word: string, term: string): boolean {
  return word[0] === term[0] || (SYNONYMS.get(word)?.includes(term) ?? false);
}

/** Share of the trigger's words, or the title's where there is none, that were said. */
function namedShare(
  { analyzed: { trigger, header } }: Found,
  said: ReadonlyMap<string, number>,
  index: SearchIndex,
): number {
  let weight = 0;
  let named = 0;
  for (const term of (trigger.terms.length > 0 ? trigger : header).terms) {
    const telling = tellingOf(term, index);
    weight += telling;
    named += telling * (said.get(term) ?? 0);
  }
  return weight > 0 ? named / weight : 0;
}

/** How much a word tells of what a text is about; 1 for one that stands nowhere and is no everyday word. */
function tellingOf(word: string, { documents, keyword }: SearchIndex): number {
  const size = documents.length + IMAGINED;
  const rarity = (having: number) => Math.log(1 + (size - having + 0.5) / (having + 0.5));
  const having = keyword.documents(word) + (isEveryday(word) ? WITH_EVERYDAY : WITH_OTHER);
  const telling = rarity(having) / rarity(WITH_OTHER);
  return /^\d+$/.test(word) ? OF_NUMBER * telling : telling;
}

/** What a word is worth by the best place in which a document has it. */
function placeOf(term: string, document: Found): number {
  const { trigger, header, description, path, head, body } = document.analyzed;
  if ([trigger, header, description].some(({ terms }) => terms.includes(term))) return 1;
  if (path.terms.includes(term)) return IN_PATH;
  const inHead = head.terms.includes(term);
  if (!inHead && !body.terms.includes(term)) return 0;
  if (standsInCodeOnly(document.section, term)) return IN_CODE;
  return inHead ? IN_HEAD : IN_BODY;
}

function isNamed(term: string, { analyzed }: Found): boolean {
  const { trigger, header, description, path } = analyzed;
  return [trigger, header, description, path].some(({ terms }) => terms.includes(term));
}

/** Irregular words are the most used ones of a language; the use of others wore their oddness off. */
const IRREGULAR = new Set([...DICTIONARY_FORMS.values()].flatMap((word) => analyze(word)));

/** @param term as `analyze` gives it */
function isEveryday(term: string): boolean {
  return SYNONYMS.has(term) || IRREGULAR.has(term);
}

const FENCE = /^\s{0,3}(`{3,}|~{3,})/;
/** Characters that are looked at; as many as the search reads. */
const MOST = 40_000;

/** Sections are immutable; most are never asked about. */
const known = new WeakMap<Section, ReadonlySet<string> | null>();

/** Whether a word that the section has stands in a fenced block alone. */
function standsInCodeOnly(section: Section, term: string): boolean {
  let prose = known.get(section);
  if (prose === undefined) {
    prose = proseOf(section.content.slice(0, MOST));
    known.set(section, prose);
  }
  return prose !== null && !prose.has(term);
}

/** `null`: there is no code. */
function proseOf(content: string): ReadonlySet<string> | null {
  if (!content.includes('```') && !content.includes('~~~')) return null;
  const lines: string[] = [];
  let fence = '';
  for (const line of content.split('\n')) {
    const mark = FENCE.exec(line)?.[1];
    if (fence === '' && mark === undefined) lines.push(line);
    else if (fence === '' && mark !== undefined) fence = mark;
    else if (mark?.startsWith(fence) && line.trim() === mark) fence = '';
  }
  return new Set(analyze(lines.join('\n')));
}
