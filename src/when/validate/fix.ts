/** What a machine can mend in an index without a person: order, placement, repeated lines. */
import type { Library, Problem } from '../types.js';
import { arrange, withIndex } from './arrange.js';
import { validate } from './validate.js';

export interface Fixed {
  /** The index; the same text when there was nothing to fix. */
  text: string;
  /** Problems that are gone now. */
  fixed: Problem[];
}

/**
 * Puts entries into the groups of their files and in the order of the files, and drops repeated
 * lines. Lines move as they are; every other byte stays. Fixing what was fixed changes nothing. What
 * may lead to a file that could not be read stays where it is.
 */
export function fixIndex(library: Library): Fixed {
  const fixable = validate(library).problems.filter((problem) => problem.fixable);
  if (fixable.length === 0) return { text: library.index.text, fixed: [] };
  const text = arrange(library, { which: () => true, sorted: true });
  const left = validate(withIndex(library, text)).problems;
  const still = new Set(left.filter((one) => one.fixable).map(({ code }) => code));
  return { text, fixed: fixable.filter(({ code }) => !still.has(code)) };
}
