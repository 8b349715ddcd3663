/**
 * Reads the words of texts as numbers. The same few thousand words come again and again: one that was seen
 * is found in a table by its characters, and not cut out of its text, analyzed and looked up as a string.
 */
import { int32Column, uint8Column } from './columns.js';
import type { Interner } from './interner.js';
import type { Analyze } from './types.js';

/** Words that are remembered; all are forgotten when there are more. Longer ones are data, and are not. */
const MOST = 16_384;
const LONGEST = 40;
const MASK = 2 * MOST - 1;

const FIRST_HASH = 0x811c9dc5 | 0;
const HASH_FACTOR = 0x01000193;

const LAST_ASCII = 127;
const LAST_BLANK = 32;
/** What of ASCII begins a word, and what may follow in it. */
const BEGINS = 2;
const FOLLOWS = 1;
const KINDS = Uint8Array.from({ length: LAST_ASCII + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[A-Za-z0-9]/.test(character)) return BEGINS;
  return /[_']/.test(character) ? FOLLOWS : 0;
});

/** Terms of a word, where they are not one number: none of them, or several (this, less its place). */
const NONE = -1;
const SEVERAL = -2;

export class WordReader {
  /** What `read` found. Read it anew after each call. */
  readonly numbers = int32Column();
  readonly #analyze: Analyze;
  readonly #names: Interner;
  /** Words + 1, each in the first free place from that of its hash. */
  #places: Int32Array | null = null;
  #size = 0;
  /** Characters of all words, one after the other, and where each begins. */
  readonly #characters = uint8Column();
  readonly #starts = int32Column();
  readonly #terms = int32Column();
  #several: (readonly string[])[] = [];

  constructor(analyze: Analyze, names: Interner) {
    this.#analyze = analyze;
    this.#names = names;
  }

  get bytes(): number {
    const places = this.#places?.byteLength ?? 0;
    return places + this.#characters.bytes + this.#starts.bytes + this.#terms.bytes;
  }

  /**
   * Writes the numbers of the terms of a text into `numbers` from `end` on, new terms with new numbers.
   * Returns the place behind the last.
   */
  read(text: string, end: number): number {
    if (typeof text !== 'string') throw new TypeError('a text must be a string');
    const { length } = text;
    /** Where the stretch between blanks began, in the text and in `numbers`. */
    let stretch = 0;
    let stretchEnd = end;
    let at = 0;
    while (at < length) {
      let code = text.charCodeAt(at);
      if (code > LAST_ASCII) {
        while (at < length && text.charCodeAt(at) > LAST_BLANK) at += 1;
        end = this.#add(this.#analyze(text.slice(stretch, at)), stretchEnd);
        continue;
      }
      if (KINDS[code] !== BEGINS) {
        at += 1;
        if (code > LAST_BLANK) continue;
        stretch = at;
        stretchEnd = end;
        continue;
      }
      const start = at;
      let hash = FIRST_HASH;
      do {
        hash = Math.imul(hash ^ code, HASH_FACTOR);
        at += 1;
        code = at < length ? text.charCodeAt(at) : 0;
      } while (code <= LAST_ASCII && KINDS[code] !== 0);
      // What begins here is no word of ASCII.
      if (code > LAST_ASCII) continue;
      if (at - start > LONGEST) {
        end = this.#add(this.#analyze(text.slice(start, at)), end);
        continue;
      }
      const terms = this.#termsOf(text, start, at, hash ^ (hash >>> 15));
      if (terms >= 0) {
        this.numbers.reserve(end + 1);
        this.numbers.data[end] = terms;
        end += 1;
      } else if (terms !== NONE) {
        end = this.#add(this.#several[SEVERAL - terms] ?? [], end);
      }
    }
    return end;
  }

  #add(terms: readonly string[], from: number): number {
    this.numbers.reserve(from + terms.length);
    for (let at = 0; at < terms.length; at += 1) {
      this.numbers.data[from + at] = this.#names.intern(terms[at] as string);
    }
    return from + terms.length;
  }

  /** The number of the one term of a word, or what else it has. */
  #termsOf(text: string, from: number, to: number, hash: number): number {
    this.#places ??= new Int32Array(MASK + 1);
    const places = this.#places;
    const starts = this.#starts.data;
    const characters = this.#characters.data;
    let place = hash & MASK;
    for (; places[place] !== 0; place = (place + 1) & MASK) {
      const word = (places[place] as number) - 1;
      const start = starts[word] as number;
      if ((starts[word + 1] as number) - start !== to - from) continue;
      let at = from;
      while (at < to && text.charCodeAt(at) === characters[start + at - from]) at += 1;
      if (at === to) return this.#terms.data[word] as number;
    }
    return this.#remember(text, from, to, place);
  }

  #remember(text: string, from: number, to: number, place: number): number {
    const found = this.#analyze(text.slice(from, to));
    let terms = NONE;
    if (found.length === 1) terms = this.#names.intern(found[0] as string);
    if (found.length > 1) terms = SEVERAL - (this.#several.push(found) - 1);
    if (this.#size === MOST) {
      this.#places?.fill(0);
      this.#size = 0;
      this.#several = [];
      return terms;
    }
    const word = this.#size;
    this.#starts.reserve(word + 2);
    this.#terms.reserve(word + 1);
    const start = this.#starts.data[word] as number;
    this.#characters.reserve(start + to - from);
    for (let at = from; at < to; at += 1) {
      this.#characters.data[start + at - from] = text.charCodeAt(at);
    }
    this.#starts.data[word + 1] = start + to - from;
    this.#terms.data[word] = terms;
    (this.#places as Int32Array)[place] = word + 1;
    this.#size += 1;
    return terms;
  }
}
