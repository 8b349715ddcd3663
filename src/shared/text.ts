/**
 * Words of a text as search sees them: lower case, without accents, identifiers split as people
 * split them, irregular forms brought to their dictionary form, then stemmed. Documents and queries
 * go through the same function; a query also drops its question words.
 */
import { stemmer } from 'stemmer';
import { DICTIONARY_FORMS } from './irregular.js';

/** Words that say nothing about what a text is about; English. */
const FUNCTION_WORDS = new Set(
  (
    'a an the this that these those and or but nor so if then else than as of at by for from in into ' +
    'on onto to with without about over under up down out off is am are was were be been being ' +
    'do does did doing done have has had having i me my mine myself you your yours he him his she ' +
    'her hers it its we us our ours they them their theirs there here not no can could will would ' +
    'shall should may might must s t d ll m re ve just also too very some any such own same ' +
    'im ive youre dont didnt doesnt isnt wasnt cant wont'
  ).split(' '),
);

/** Words with which a question is asked, not what it asks about. */
const QUESTION_WORDS = new Set(
  'what which who whom whose when where why how tell show give find many much kind'.split(' '),
);

/** A word: letters and digits, with inner apostrophes; identifiers keep `_` and are split later. */
const WORD = /[\p{L}\p{N}][\p{L}\p{N}\p{M}_'’]*/gu;
/** The same in a text of ASCII; to make ready the one for all alphabets takes milliseconds. */
const ASCII_WORD = /[A-Za-z0-9][A-Za-z0-9_']*/g;
const ASCII = /^[\0-\x7f]*$/;
const PLAIN_WORD = /^[A-Za-z0-9][a-z0-9]*$/;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const ENGLISH = /^[a-z]+$/;
/** Longer ones are data (hashes, base64), not words; they are cut so that they cost little. */
const MAX_WORD = 40;

/** Terms of a text, in order, with repetitions. Linear in the length of the text. */
export function analyze(text: string): string[] {
  const terms: string[] = [];
  for (const raw of wordsIn(text)) {
    for (const term of termsOfWord(raw)) terms.push(term);
  }
  return terms;
}

/** Each of the first `most` terms of a text once, with the word that it was first written as, in lower case. */
export function wordsWithTerms(text: string, most = Number.POSITIVE_INFINITY): Map<string, string> {
  const words = new Map<string, string>();
  for (const raw of wordsIn(text)) {
    if (words.size >= most) break;
    for (const term of termsOfWord(raw)) if (!words.has(term)) words.set(term, raw.toLowerCase());
  }
  return words;
}

/** Terms of a question: without the words that only make it a question, unless nothing is left. */
export function analyzeQuery(text: string): string[] {
  const terms: string[] = [];
  for (const raw of wordsIn(text)) {
    if (!QUESTION_WORDS.has(raw.toLowerCase())) terms.push(...termsOfWord(raw));
  }
  return terms.length > 0 ? terms : analyze(text);
}

function wordsIn(text: string): readonly string[] {
  return (ASCII.test(text) ? text.match(ASCII_WORD) : text.normalize('NFKC').match(WORD)) ?? [];
}

/**
 * Terms of words seen lately: the same few thousand words come again and again, and stemming is five
 * sixths of the work (measured). Forgotten all at once when full; long ones are data and not kept.
 */
const seen = new Map<string, readonly string[]>();
const MOST_SEEN = 20_000;

function termsOfWord(raw: string): readonly string[] {
  const known = seen.get(raw);
  if (known !== undefined) return known;
  const terms: string[] = [];
  if (raw.length > MAX_WORD) {
    addWord(raw, terms);
    return terms;
  }
  const own = detached(raw);
  addWord(own, terms);
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(own, terms);
  return terms;
}

function addWord(raw: string, terms: string[]): void {
  if (PLAIN_WORD.test(raw)) {
    addTerm(raw, terms);
    return;
  }
  if (CJK.test(raw)) {
    addCjk(raw, terms);
    return;
  }
  const word = raw.replace(/['’](?:s|S)?$/, '').replaceAll(/['’]/g, '');
  const parts = partsOf(word);
  if (parts.length > 1) addTerm(word.replaceAll('_', ''), terms);
  for (const part of parts) addTerm(part, terms);
}

/** `parseHttpHeader_v2` → parse, Http, Header, v2. */
function partsOf(word: string): string[] {
  if (!/[_\p{Lu}]/u.test(word.slice(1))) return [word];
  return word
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .split(/[ _]+/)
    .filter((part) => part !== '');
}

function addTerm(word: string, terms: string[]): void {
  const lower = plainLetters(word.toLowerCase()).slice(0, MAX_WORD);
  if (lower === '' || FUNCTION_WORDS.has(lower)) return;
  terms.push(termOf(lower));
}

function termOf(lower: string): string {
  if (!ENGLISH.test(lower)) return lower;
  return stemmer(DICTIONARY_FORMS.get(lower) ?? lower);
}

function plainLetters(text: string): string {
  // Accents are typed or left out at will; only Latin ones are dropped, elsewhere marks are letters.
  return !ASCII.test(text)
    ? text
        .normalize('NFD')
        .replaceAll(/(\p{Script=Latin})\p{M}+/gu, '$1')
        .normalize('NFC')
    : text;
}

/** No spaces between words: pairs of characters, as CJK search commonly does. */
function addCjk(raw: string, terms: string[]): void {
  const characters = [...raw.toLowerCase()];
  if (characters.length === 1) terms.push(raw);
  for (let at = 0; at + 1 < characters.length; at += 1) {
    terms.push(`${characters[at]}${characters[at + 1]}`);
  }
}

const LATIN1 = /^[\0-\xff]*$/;

/**
 * A copy that does not keep a larger string alive: a word cut out of a text of 1 MB is a view of
 * that text in V8, and would hold it for as long as the word is known.
 */
export function detached(text: string): string {
  const encoding = LATIN1.test(text) ? 'latin1' : 'utf16le';
  return Buffer.from(text, encoding).toString(encoding);
}

export function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** "a, b and c". */
export function listed(words: readonly string[]): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} and ${last}`;
}

/** "21st". */
export function ordinal(value: number): string {
  const teens = value % 100 >= 11 && value % 100 <= 13;
  return value + (teens ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th'));
}
