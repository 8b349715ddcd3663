/** Strings as small numbers, so that postings and comparisons are over integers. */
import { detached } from '../../shared/text.js';

/** Rough bytes of a string and its entry in a Map, for `memory()`. */
const ENTRY_BYTES = 56;

export class Interner {
  readonly #numbers = new Map<string, number>();
  readonly #texts: string[] = [];
  #characters = 0;

  /** How many strings are known; numbers are below this. They are never forgotten. */
  get size(): number {
    return this.#texts.length;
  }

  /** The number of a string, new or known. */
  intern(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const own = detached(text);
    const number = this.#texts.length;
    this.#numbers.set(own, number);
    this.#texts.push(own);
    this.#characters += own.length;
    return number;
  }

  numberOf(text: string): number | undefined {
    return this.#numbers.get(text);
  }

  /** The strings from number `from` to before `to`. */
  texts(from: number, to: number): string[] {
    return this.#texts.slice(from, to);
  }

  textOf(number: number): string {
    return this.#texts[number] ?? '';
  }

  /** Estimated: strings are on the heap. */
  get bytes(): number {
    return this.#texts.length * ENTRY_BYTES + this.#characters;
  }
}
