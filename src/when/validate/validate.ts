/**
 * The validator (seed §3): a check of index and decision files that a commit can rely on. Errors
 * make it fail; warnings are advice. Codes are stable, for scripts.
 */
import type { Library, Problem, Validation } from '../types.js';
import { entryProblems } from './entries.js';
import { lineProblems } from './lines.js';
import { fileProblems } from './sections.js';

/** All problems: those of the index by line, then those of the decision files. Pure and linear. */
export function validate(library: Library): Validation {
  const problems = [
    ...entryProblems(library),
    ...lineProblems(library),
    ...fileProblems(library),
  ].sort(byPlace);
  return {
    ok: problems.every(({ severity }) => severity !== 'error'),
    problems,
    counts: {
      entries: library.entries.length,
      files: library.files.length,
      sections: library.files.reduce((count, { sections }) => count + sections.length, 0),
    },
  };
}

function byPlace(a: Problem, b: Problem): number {
  if (a.file !== b.file) {
    if (a.file === 'index') return -1;
    if (b.file === 'index') return 1;
    return a.file < b.file ? -1 : 1;
  }
  return (a.line ?? 0) - (b.line ?? 0) || (a.code < b.code ? -1 : a.code > b.code ? 1 : 0);
}
