/** The beginning of a request, and the words it is found in. */
import { lowAt, type Token } from './tokens.js';

/** `setup` is "set a reminder for …": "for" in front of its time belongs to the time. */
export type HeadKind = 'remind' | 'deliver' | 'do' | 'human' | 'setup' | 'unclear';

export interface Head {
  kind: HeadKind;
  verb: string;
  /** Position among the words from which the instruction is kept. */
  keep: number;
  /** Words put in front of what is kept. */
  prefix: string;
  /** Position of the first word behind the head. */
  content: number;
  /** "can you", "please", "I want you to": it cannot be a noun that looks like a verb. */
  asked: boolean;
  /** An alarm or a timer is a reason by itself. */
  selfSufficient?: string;
}

/** The words of a clause without its time pieces; `index` points into the tokens. */
export interface Word {
  low: string;
  text: string;
  index: number;
}

/** The words between two token indexes that are not in `skip`. */
export function wordsOf(
  tokens: readonly Token[],
  from: number,
  to: number,
  skip: ReadonlySet<number>,
): Word[] {
  const words: Word[] = [];
  for (let index = from; index < to; index += 1) {
    const token = tokens[index];
    if (!token || skip.has(index) || token.kind === 'break') continue;
    words.push({
      low: token.kind === 'quote' ? '"' : lowAt(tokens, index),
      text: token.text,
      index,
    });
  }
  return words;
}

/** How many words stand before the character `at`. */
export function position(text: string, at: number): number {
  let count = 0;
  for (let index = 0; index < at && index < text.length; index += 1)
    if (text.charAt(index) === ' ') count += 1;
  return count;
}

/** The length of what a sticky pattern matches at `at`; 0 when it does not. */
export function lengthAt(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

export function countWords(text: string): number {
  return text.trim().split(' ').length;
}
