/**
 * The validator (seed §3): a check of index and decision files that a commit can rely on. Errors
 * make it fail; warnings are advice. Codes are stable, for scripts.
 */

import { headerKey, normalizePhrase } from './phrases.js';
import {
  arrange,
  blocksOf,
  duplicateLines,
  type Target,
  targetsOf,
  withIndex,
} from './place-entries.js';
import type {
  Entry,
  Library,
  LinkedEntry,
  Problem,
  Section,
  Validation,
  Warning,
} from './types.js';
import { conflictMarkers, unreadOf } from './unread.js';

/** All problems: those of the index by line, then those of the decision files. Pure and linear. */
export function validate(library: Library): Validation {
  const problems = [
    ...entryProblems(library),
    ...conflictProblems(library),
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

/** Errors `conflict_marker` of all files. */
function conflictProblems({ index, files }: Library): Problem[] {
  return [{ path: 'index', text: index.text }, ...files].flatMap(({ path, text }) =>
    conflictMarkers(text).map(({ line, mark }) =>
      problem('conflict_marker', line, `is left of a merge: ${mark}`, { file: path }),
    ),
  );
}

function fileProblems(library: Library): Problem[] {
  return [...orphans(library), ...sharedTitles(library), ...sharedNames(library)];
}

/**
 * Entries and plain headings are one to one (seed §2). Of several headings of one title in a file
 * an entry reaches the first; that is the linker's `ambiguous_header`, and no orphan.
 */
function orphans(library: Library): Problem[] {
  const keyOf = (section: Section) => `${section.file}\n${headerKey(section.title)}`;
  const covered = new Set(targetsOf(library).map(({ section }) => keyOf(section)));
  return library.files.flatMap(({ sections }) =>
    sections
      .filter(
        (section) => !section.structural && section.title !== '' && !covered.has(keyOf(section)),
      )
      .map((section) =>
        problem('orphan_header', section.line, `"${section.title}" has no entry in the index`, {
          file: section.file,
        }),
      ),
  );
}

/** `§ .Title` needs one section of that name in all files. */
function sharedTitles({ files }: Library): Problem[] {
  const seen = new Map<string, Section>();
  const problems: Problem[] = [];
  for (const section of files.flatMap(({ sections }) => sections)) {
    if (!section.structural) continue;
    const other = seen.get(headerKey(section.title));
    if (other === undefined) seen.set(headerKey(section.title), section);
    else {
      const message = `"${section.title}" is also on line ${other.line} of ${other.file}; a title with a dot is unique`;
      const { line, file } = section;
      problems.push(problem('duplicate_structural', line, message, { file }));
    }
  }
  return problems;
}

/** `§ file.md` needs one file of that name. */
function sharedNames({ files }: Library): Problem[] {
  const seen = new Map<string, string>();
  const problems: Problem[] = [];
  for (const { path } of files) {
    const name = path.replace(/^.*\//, '');
    const other = seen.get(headerKey(name));
    if (other === undefined) seen.set(headerKey(name), path);
    else {
      const message = `${other} has the same name; "§ ${name}" leads to one file`;
      const { line: _, ...whole } = problem('duplicate_file_name', 1, message, { file: path });
      problems.push(whole);
    }
  }
  return problems;
}

export interface Fixed {
  /** The index; the same text when there was nothing to fix. */
  text: string;
  /** Problems that are gone now. */
  fixed: Problem[];
}

/**
 * Puts entries into the groups of their files and in the order of the files, and drops repeated
 * lines. Lines move as they are; every other byte stays. Fixing what was fixed changes nothing.
 * @throws AppError CONFLICT where an entry has no place: a code fence is never closed, say
 */
export function fixIndex(library: Library): Fixed {
  const fixable = validate(library).problems.filter((problem) => problem.fixable);
  if (fixable.length === 0) return { text: library.index.text, fixed: [] };
  const text = arrange(library, targetsOf(library));
  const left = validate(withIndex(library, text)).problems;
  const still = new Set(left.filter((one) => one.fixable).map(({ code }) => code));
  return { text, fixed: fixable.filter(({ code }) => !still.has(code)) };
}

/** What may be wrong with the entries of an index: each by itself, and with one another. */

/** Words of the three fields together (seed §3). */
export const MIN_WORDS = 8;
export const MAX_WORDS = 20;

/** Findings of the linker that make an entry useless; the rest is advice. */
const ERRORS = new Set([
  'malformed_entry',
  'unknown_file',
  'unknown_header',
  'structural_header',
  'no_index',
  'no_folder',
]);

function entryProblems(library: Library): Problem[] {
  const targets = targetsOf(library);
  const misplaced = new Map(
    targets.filter((target) => target.misplaced).map((target) => [target.entry.line, target]),
  );
  return [
    ...library.warnings.flatMap((warning) => linkProblem(warning, misplaced)),
    ...library.entries.flatMap(fieldProblems),
    ...orderProblems(library),
    ...duplicateProblems(targets),
    ...ambiguousTriggers(targets),
    ...legacyProblems(library),
  ];
}

/** Words of an entry's three fields, as the validator counts them. */
export function wordCount(entry: Pick<Entry, 'phrase' | 'header' | 'description'>): number {
  return countWords(`${entry.phrase} ${entry.header} ${entry.description}`);
}

function linkProblem(warning: Warning, misplaced: ReadonlyMap<number, Target>): Problem[] {
  const unplaced = warning.code === 'unknown_header' || warning.code === 'unknown_file';
  const target =
    unplaced && warning.file === 'index' ? misplaced.get(warning.line ?? 0) : undefined;
  if (target !== undefined) {
    const { entry, section } = target;
    const message = `"${entry.header}" is in ${section.file}, the entry stands ${
      entry.group === '' ? 'in no group' : `in "${entry.group}"`
    }`;
    return [problem('misplaced_entry', entry.line, message, { fixable: true })];
  }
  // A check cannot pass what it could not look at.
  const isError = ERRORS.has(warning.code) || unreadOf([warning]).length > 0;
  const severity = isError ? 'error' : 'warning';
  // `line` says it.
  const message = warning.message.replace(/^line \d+: /, '');
  return [{ ...warning, message, severity, fixable: false }];
}

function fieldProblems(entry: LinkedEntry): Problem[] {
  const problems: Problem[] = [];
  const words = wordCount(entry);
  if (words < MIN_WORDS || words > MAX_WORDS) {
    const message = `${words} words in the three fields together; ${MIN_WORDS} to ${MAX_WORDS} are allowed`;
    problems.push(problem('word_count', entry.line, message));
  }
  if (normalizePhrase(entry.phrase) === '') {
    problems.push(problem('empty_trigger', entry.line, 'the trigger has no word'));
  }
  return problems;
}

/** Entries of a group stand in the order of their headers in the file. */
function orderProblems(library: Library): Problem[] {
  const problems: Problem[] = [];
  for (const { entries } of blocksOf(library)) {
    let before: LinkedEntry | undefined;
    for (const entry of entries) {
      if (entry.section === null) continue;
      if (before?.section && before.section.line > entry.section.line) {
        const message = `"${entry.header}" comes before "${before.header}" in ${entry.section.file}`;
        problems.push(problem('wrong_order', entry.line, message, { fixable: true }));
      } else before = entry;
    }
  }
  return problems;
}

function duplicateProblems(targets: readonly Target[]): Problem[] {
  const repeated = duplicateLines(targets);
  const first = new Map<string, number>();
  const problems: Problem[] = [];
  for (const { entry, section } of targets) {
    if (repeated.has(entry.line)) continue;
    const key = `${section.file}\n${section.line}`;
    const other = first.get(key);
    if (other === undefined) {
      first.set(key, entry.line);
      continue;
    }
    const message = `"${section.title}" (${section.file}) has an entry on line ${other} already`;
    problems.push(problem('duplicate_entry', entry.line, message));
  }
  for (const line of repeated) {
    problems.push(
      problem('duplicate_line', line, 'the same entry stands twice', { fixable: true }),
    );
  }
  return problems;
}

/** One phrase, as exact matching compares it, for several sections. */
function ambiguousTriggers(targets: readonly Target[]): Problem[] {
  const seen = new Map<string, Target>();
  const problems: Problem[] = [];
  for (const target of targets) {
    const { entry, section } = target;
    const key = normalizePhrase(entry.phrase);
    const other = seen.get(key);
    if (other === undefined || key === '') {
      seen.set(key, target);
    } else if (other.section !== section) {
      const message = `the trigger "${entry.phrase}" leads to "${other.section.title}" (${other.section.file}), too, by line ${other.entry.line}`;
      problems.push(problem('ambiguous_trigger', entry.line, message));
    }
  }
  return problems;
}

function legacyProblems({ index }: Library): Problem[] {
  return index.legacy.map(({ key, line }) => {
    const message = `"${key}" is in the old format: "cue when migrate" rewrites it, or says why not`;
    return problem('legacy_entry', line, message, { severity: 'warning' });
  });
}

/** An error of the index, where `more` says nothing else. */
function problem(
  code: string,
  line: number,
  message: string,
  more: Partial<Pick<Problem, 'file' | 'severity' | 'fixable'>> = {},
): Problem {
  return { file: 'index', line, code, message, severity: 'error', fixable: false, ...more };
}

/** Scripts that put no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
const WORD = /[\p{L}\p{N}]/u;
let segmenter: Intl.Segmenter | undefined;

/** What white space separates and has a letter or digit; in scripts without spaces, by dictionary. */
export function countWords(text: string): number {
  return text.split(/\s+/).reduce((sum, piece) => sum + wordsOf(piece), 0);
}

function wordsOf(piece: string): number {
  if (!UNSPACED.test(piece)) return WORD.test(piece) ? 1 : 0;
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'word' });
  return [...segmenter.segment(piece)].filter(({ isWordLike }) => isWordLike).length;
}
