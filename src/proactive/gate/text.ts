/** What a text is made of, as the gate compares texts: words by their rarity, numbers, names, parts. Pure. */

import { cosine, embedLexical, vetoOf } from '../../embeddings/index.js';
import { pathsIn } from '../../shared/path-mentions.js';
import { analyze, wordsWithTerms } from '../../shared/text.js';

/** How much a term says about which work is meant: the rarer, the more. */
export type Rarity = (term: string) => number;

export interface Part {
  text: string;
  /** All words, lower case, in their order. */
  words: readonly string[];
  /** Distinct terms as search sees them, with their rarity. */
  terms: ReadonlyMap<string, number>;
  /** The word that each term was first written as. */
  surface: ReadonlyMap<string, string>;
  /** Sum of the rarities. */
  total: number;
  numbers: ReadonlySet<string>;
  /** Capitalised inside a sentence, or spelled as no word is: `getUser`, S3, src/auth.ts. */
  names: ReadonlySet<string>;
}

const NUMBER = /\d+(?:[.,:]\d+)*/g;
const BEYOND_ASCII = /[^\0-\x7f]/;
const FORMS = {
  word: /[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu,
  token: /[\p{L}\p{N}_/.@-]+/gu,
  capital: /^\p{Lu}/u,
  spelled: /\p{Ll}\p{Lu}|\p{Ll}\d|\p{Lu}{2,}|[\p{L}\p{N}][/_][\p{L}\p{N}]|\p{L}\.\p{L}/u,
};
/** The same in ASCII, where they take far less time. */
const ASCII_FORMS: typeof FORMS = {
  word: /[a-z0-9]+(?:'[a-z]+)?/gi,
  token: /[a-z0-9_/.@-]+/gi,
  capital: /^[A-Z]/,
  spelled: /[a-z][A-Z]|[a-z]\d|[A-Z]{2,}|[A-Za-z0-9][/_][A-Za-z0-9]|[A-Za-z]\.[A-Za-z]/,
};
const MOST_WORDS = 400;

/** All of a part that does not depend on how rare its words are; what few comparisons need is read for them. */
class Words {
  readonly surface: Part['surface'];
  readonly #text: string;
  #words: Part['words'] | undefined;
  #numbers: Part['numbers'] | undefined;
  #names: Part['names'] | undefined;

  constructor(text: string) {
    this.#text = text;
    this.surface = wordsWithTerms(text, MOST_WORDS);
  }

  get words(): Part['words'] {
    const { word } = formsOf(this.#text);
    this.#words ??= (this.#text.toLowerCase().match(word) ?? []).slice(0, MOST_WORDS);
    return this.#words;
  }

  get numbers(): Part['numbers'] {
    this.#numbers ??= new Set(this.#text.match(NUMBER) ?? []);
    return this.#numbers;
  }

  get names(): Part['names'] {
    this.#names ??= namesIn(this.#text);
    return this.#names;
  }
}

const formsOf = (text: string): typeof FORMS => (BEYOND_ASCII.test(text) ? FORMS : ASCII_FORMS);

/** What was made of a key, while no more than `most` are known: then all of them go. */
export function remembering<Key, Value>(
  make: (key: Key) => Value,
  most = Number.POSITIVE_INFINITY,
): (key: Key) => Value {
  const known = new Map<Key, Value>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined) return found;
    const made = make(key);
    if (known.size >= most) known.clear();
    known.set(key, made);
    return made;
  };
}

/** The same memories come again and again. */
const wordsOf = remembering((text: string) => new Words(text), 2_000);

/** A text as the gate compares it. */
export class TextPart implements Part {
  readonly text: string;
  readonly terms: Part['terms'];
  readonly total: number;
  readonly #read: Words;

  constructor(text: string, rarity: Rarity) {
    this.text = text;
    this.#read = wordsOf(text);
    const terms = new Map<string, number>();
    let total = 0;
    for (const term of this.surface.keys()) {
      const weight = rarity(term);
      terms.set(term, weight);
      total += weight;
    }
    this.terms = terms;
    this.total = total;
  }

  get words(): Part['words'] {
    return this.#read.words;
  }

  get surface(): Part['surface'] {
    return this.#read.surface;
  }

  get numbers(): Part['numbers'] {
    return this.#read.numbers;
  }

  get names(): Part['names'] {
    return this.#read.names;
  }
}

export const partOf = (text: string, rarity: Rarity): Part => new TextPart(text, rarity);

function namesIn(text: string): Set<string> {
  const { token: form, capital, spelled } = formsOf(text);
  const names = new Set<string>();
  let starts = true;
  let from = 0;
  for (const match of text.matchAll(form)) {
    const before = text.slice(from, match.index);
    from = match.index + match[0].length;
    if (before !== ' ' && /[.!?:\n]/.test(before)) starts = true;
    const token = match[0].includes('.') ? match[0].replace(/^[.]+|[.]+$/g, '') : match[0];
    const isCapital = !starts && capital.test(token) && token.length > 1;
    if (isCapital || spelled.test(token)) names.add(token.toLowerCase());
    starts = match[0].endsWith('.');
  }
  return names;
}

const SENTENCES = /(?<=[.!?:;])\s+|\n+|\s[–—-]\s/;
const CLAUSES =
  /,\s+|\s+(?:and|but|because|so that|while|instead of|before|after|when|then|since|which|who)\s+|[()]/;
const MOST_PARTS = 12;

/** The whole text first, then its sentences, clauses, and neighbouring clauses together. */
export function partsOf(text: string): string[] {
  const found = new Set([text.trim()]);
  for (const sentence of text.split(SENTENCES)) {
    const clauses = sentence.split(CLAUSES).filter((clause) => clause.trim() !== '');
    const pairs = clauses.slice(1).map((clause, at) => `${clauses[at]} ${clause}`);
    for (const part of [sentence, ...clauses, ...pairs]) {
      const trimmed = part.trim();
      if (found.size < MOST_PARTS && analyze(trimmed).length >= 2) found.add(trimmed);
    }
  }
  return [...found];
}

const ROW = new Uint16Array(MOST_WORDS + 1);

/** How many words the two have in the same order: their longest common subsequence. */
export function inOrder(a: readonly string[], b: readonly string[]): number {
  // Of the row before up to each word of `b`, changed in place.
  const row = b.length <= MOST_WORDS ? ROW.fill(0, 0, b.length + 1) : new Uint16Array(b.length + 1);
  for (const word of a) {
    let diagonal = 0;
    for (let at = 0; at < b.length; at += 1) {
      const above = row[at + 1] as number;
      row[at + 1] = word === b[at] ? diagonal + 1 : Math.max(above, row[at] as number);
      diagonal = above;
    }
  }
  return row[b.length] as number;
}

/** The same as a share of the longer one. */
export function orderLikeness(a: readonly string[], b: readonly string[]): number {
  return inOrder(a, b) / Math.max(a.length, b.length, 1);
}

/** Share of the rarity of `of` that `other` has, too. */
export function covered(of: Part, other: Part): number {
  if (of.total === 0) return 0;
  let sum = 0;
  for (const [term, weight] of of.terms) if (other.terms.has(term)) sum += weight;
  return sum / of.total;
}

/** Plain signs of what a text is there for; they weigh little each and decide nothing alone. */
export const FLAGS = {
  question: (text: string) => /\?\s*$/.test(text),
  asks: (text: string) =>
    /^\W*(?:what|who|when|where|why|how|which|is|are|was|were|do|does|did|has|have)\b/i.test(text),
  past: (text: string) =>
    /\b(?:yesterday|last (?:week|month|time|year|night)|ago|already|was|were|did|had|\w{3,}ed)\b/i.test(
      text,
    ),
  later: (text: string) =>
    /\b(?:later|tomorrow|next (?:week|month|year|quarter|sprint)|some ?day|eventually|one day|remind|until|after the)\b/i.test(
      text,
    ),
  negated: (text: string) =>
    /\b(?:not|never|no|without|stop|dont|cannot|avoid|instead)\b|n['’]t\b/i.test(text),
  unsure: (text: string) => /\b(?:should|could|would|might|may|maybe|perhaps|if)\b/i.test(text),
  request: (text: string) =>
    /\b(?:please|(?:can|could|would|will) you|let['’]?s|let us|i['’]ll|i will|i['’]m going to|we['’]ll|we need|i want|i['’]d like|going to|gonna|need to|plan)\b/i.test(
      text,
    ),
  thanks: (text: string) =>
    /\b(?:thanks|thank you|great|nice|lol|haha|congrat\w*|good morning|lunch)\b/i.test(text),
  you: (text: string) => /\byou\b/i.test(text),
  others: (text: string) => /\b(?:he|she|they|their|his|her)\b/i.test(text),
  we: (text: string) => /\b(?:we|i|i['’]ll|let['’]?s)\b/i.test(text),
} as const satisfies Record<string, (text: string) => boolean>;

const DENIED = /^\W*(?:please\s+)?(?:do not|don['’]?t|never|no need)\b/i;

/** "Don't cache it", "no need to": a request that is none. */
export const isDenied = (text: string): boolean => DENIED.test(text);

const MOST_SENTENCES = 4;

/** The sentences of a text that are embedded by themselves; none where it is one. */
export function momentParts(text: string): string[] {
  const sentences = text
    .split(SENTENCES)
    .map((sentence) => sentence.trim())
    .filter((sentence) => analyze(sentence).length >= 2);
  return sentences.length < 2 ? [] : sentences.slice(0, MOST_SENTENCES);
}

/** From here on two goals are taken for one task; less is needed on the same file. */
export const ALIKE = 0.6;
export const ALIKE_ON_FILE = 0.45;

const lexicalOf = remembering(embedLexical, 1_000);

/** 0 to 1: words in common both ways, by rarity, or spelling; 0 where a rule forbids it. */
export function taskLikeness(one: string, other: string, rarity: Rarity): number {
  if (vetoOf(one, other).vetoed) return 0;
  const [a, b] = [one, other].map((goal) => partOf(withoutPaths(goal), rarity)) as [Part, Part];
  const there = covered(a, b);
  const back = covered(b, a);
  const words = there + back === 0 ? 0 : (2 * there * back) / (there + back);
  return Math.max(words, cosine(lexicalOf(a.text), lexicalOf(b.text)));
}

/** The file that both are about proves nothing. */
function withoutPaths(goal: string): string {
  return pathsIn(goal).reduce((rest, path) => rest.replaceAll(path, ' '), goal);
}
