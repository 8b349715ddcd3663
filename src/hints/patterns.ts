/**
 * Patterns written by users, matched by RE2 in time that grows with the text and not faster:
 * `(a+)+b` or `**\/*a*b*c` would cost a backtracking engine seconds. Pure.
 */
import { RE2JS } from 're2js';
import { type Finding, messageOf } from '../shared/errors.js';

/** What many tests may cost together: characters of a text times the size of each pattern. */
export interface Steps {
  /** Below 0: a test was given up. */
  left: number;
}

export interface Matcher {
  /** Also `false` when the steps have run out: a caller that passes some checks `steps.left`. */
  test(text: string, steps?: Steps): boolean;
}

const MAX_TEXT = 500;
const MAX_INSTRUCTIONS = 300;
/** Characters of a text that are searched. */
const MAX_SEARCHED = 2_048;

/** @returns whether the steps sufficed */
export function spend(steps: Steps | undefined, cost: number): boolean {
  if (steps === undefined) return true;
  steps.left -= cost;
  return steps.left >= 0;
}

/**
 * The regular expression of a query, in RE2's syntax: no references back and no looking ahead or
 * behind. It is case-sensitive and may match anywhere in the first 2,048 characters of a text. The
 * finding (`regex`) says what is wrong with it.
 */
export function safeRegex(text: string): Matcher | Finding {
  if (text.length > MAX_TEXT) return finding(`is longer than ${MAX_TEXT} characters`);
  // RE2 would read it as the letter k.
  if (text.includes('\\k<')) return finding('has a reference back, which is not supported');
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(text));
    const size = regex.programSize();
    if (size > MAX_INSTRUCTIONS) return finding('is too large');
    return {
      test(whole, steps) {
        const searched = whole.slice(0, MAX_SEARCHED);
        return spend(steps, size * searched.length) && regex.test(searched);
      },
    };
  } catch (error) {
    return finding(messageOf(error));
  }
}

const finding = (message: string): Finding => ({ field: 'regex', message });

/** A matcher of whole texts, compiled at its first use. @param source in RE2's syntax */
export function wholeMatcher(source: string, ignoreCase: boolean): (text: string) => boolean {
  let regex: RE2JS | null = null;
  return (text) => {
    regex ??= RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return regex.testExact(text);
  };
}
