/**
 * The validator (seed §3): a check of index and decision files that a commit can rely on. Errors
 * make it fail; warnings are advice. Codes are stable, for scripts.
 */

import { lineAt, outlineOf } from '../markdown/headings.js';
import { createKeyResolver } from '../migrate/old-lines.js';
import { reasonText } from '../migrate/report.js';
import { headerKey, normalizePhrase } from '../phrases.js';
import type {
  Entry,
  Library,
  LinkedEntry,
  Problem,
  Section,
  Validation,
  Warning,
} from '../types.js';
import { conflictMarkers } from '../unread.js';
import { arrange, blocksOf, duplicateLines, type Target, targetsOf, withIndex } from './arrange.js';

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

/** A command behind nothing but marks: of lists, quotations, tables, emphasis, code. */
const COMMAND = /^[\s>|*_`~#+•\-[\]().\dx]*(\/(?:when|how)(?=\s).*)$/i;
const FIELD = /(?<!\\)\|\s*[\p{L}\p{N}]/u;
/** Shows the form, and is no entry anywhere. */
const FORM = /^\/\w+\s+<[^<>]+>\s*\|\s*<[^<>]+>/;

/** Warnings `not_an_entry` of the index, errors `conflict_marker` of all files. */
function lineProblems({ index, files }: Library): Problem[] {
  const texts = [{ path: 'index', text: index.text }, ...files];
  return [...overlooked(index), ...texts.flatMap(({ path, text }) => conflicts(path, text))];
}

function overlooked({ text, entries, warnings }: Library['index']): Problem[] {
  if (!/\/(?:when|how)\s/i.test(text)) return [];
  const known = new Set([...entries, ...warnings].map(({ line }) => line));
  const { starts, hidden } = outlineOf(text);
  return starts.flatMap((_, at): Problem[] => {
    const line = at + 1;
    const [, command = ''] =
      known.has(line) || hidden.has(line) ? [] : (COMMAND.exec(lineAt(text, starts, at)) ?? []);
    if (!FIELD.test(command) || FORM.test(command)) return [];
    const message =
      'is no entry and is never found: "/when" begins the line of an entry, behind a bullet (-, *, +) and up to three spaces at most';
    return [warning('not_an_entry', line, message)];
  });
}

function conflicts(file: string, text: string): Problem[] {
  return conflictMarkers(text).map(({ line, mark }) =>
    problem('conflict_marker', line, `is left of a merge: ${mark}`, { file }),
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
 * lines. Lines move as they are; every other byte stays. Fixing what was fixed changes nothing. What
 * may lead to a file that could not be read stays where it is.
 */
export function fixIndex(library: Library): Fixed {
  const fixable = validate(library).problems.filter((problem) => problem.fixable);
  if (fixable.length === 0) return { text: library.index.text, fixed: [] };
  const text = arrange(library, { which: () => true });
  const left = validate(withIndex(library, text)).problems;
  const still = new Set(left.filter((one) => one.fixable).map(({ code }) => code));
  return { text, fixed: fixable.filter(({ code }) => !still.has(code)) };
}

/** What may be wrong with the entries of an index: each by itself, and with one another. */

/** Words of the three fields together (seed §3). */
export const MIN_WORDS = 8;
export const MAX_WORDS = 20;
/** Characters; words of a sane length come nowhere near. */
export const MAX_FIELD = 300;

/** Findings of the linker that make an entry useless; the rest is advice. */
const ERRORS = new Set([
  'malformed_entry',
  'unknown_file',
  'unknown_header',
  'structural_header',
  'no_index',
]);

function entryProblems(library: Library): Problem[] {
  const targets = targetsOf(library);
  const unseen = new Set([...library.unread, ...library.warnings.filter(isAway(library))]);
  const misplaced = new Map(
    targets.filter((target) => target.misplaced).map((target) => [target.entry.line, target]),
  );
  return [
    ...library.warnings.flatMap((warning) => linkProblem(warning, misplaced, unseen)),
    ...library.entries.flatMap(fieldProblems),
    ...orderProblems(library),
    ...duplicateProblems(targets),
    ...ambiguousTriggers(targets),
    ...legacyProblems(library, targets),
  ];
}

/** The folder is missing, and its files are known all the same, from before. */
function isAway({ files }: Library): (warning: Warning) => boolean {
  return ({ code }) => code === 'no_folder' && files.length > 0;
}

/** Words of an entry's three fields, as the validator counts them. */
export function wordCount(entry: Pick<Entry, 'phrase' | 'header' | 'description'>): number {
  return countWords(`${entry.phrase} ${entry.header} ${entry.description}`);
}

function linkProblem(
  warning: Warning,
  misplaced: ReadonlyMap<number, Target>,
  unseen: ReadonlySet<Warning>,
): Problem[] {
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
  const isError = ERRORS.has(warning.code) || unseen.has(warning);
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
  const fields = {
    trigger: entry.phrase,
    'header title': entry.header,
    description: entry.description,
  };
  for (const [name, value] of Object.entries(fields)) {
    if (value.length <= MAX_FIELD) continue;
    const message = `the ${name} has ${value.length} characters; at most ${MAX_FIELD} are allowed`;
    problems.push(problem('field_too_long', entry.line, message));
  }
  if (normalizePhrase(entry.phrase) === '') {
    problems.push(problem('empty_trigger', entry.line, 'the trigger has no word'));
  }
  return [...problems, ...triggerAdvice(entry)];
}

/** The naming guidelines (seed §6); the seed leaves triggers free, so these never fail a check. */
function triggerAdvice({ phrase, line }: Entry): Problem[] {
  const advice: Problem[] = [];
  const count = countWords(phrase);
  if (phrase !== phrase.toLowerCase()) {
    advice.push(warning('trigger_case', line, `write the trigger "${phrase}" in lower case`));
  }
  if (/[^\p{L}\p{N}\p{M}\s'’-]/u.test(phrase)) {
    advice.push(
      warning('trigger_characters', line, `the trigger "${phrase}" has special characters`),
    );
  }
  if (count < 2 || count > 5) {
    const message = `the trigger "${phrase}" has ${count} ${count === 1 ? 'word' : 'words'}; 2 to 5 are typical`;
    advice.push(warning('trigger_length', line, message));
  }
  return advice;
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

function legacyProblems(library: Library, targets: readonly Target[]): Problem[] {
  const { legacy } = library.index;
  if (legacy.length === 0) return [];
  const resolve = createKeyResolver(library);
  const taken = new Set(targets.map(({ section }) => section));
  return legacy.map((entry) => {
    const found = resolve(entry);
    const isOld = `"${entry.key}" is in the old format`;
    const why =
      'reason' in found
        ? reasonText(found.reason, found.suggestions)
        : taken.has(found.section) && reasonText('has_entry', []);
    const message = why
      ? `${isOld}, and "cue when migrate" leaves it: ${why}`
      : `${isOld}; "cue when migrate" rewrites it`;
    return warning('legacy_entry', entry.line, message);
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

function warning(code: string, line: number, message: string): Problem {
  return problem(code, line, message, { severity: 'warning' });
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
