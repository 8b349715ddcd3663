/**
 * The validator (seed §3): a check of index and decision files that a commit can rely on. Errors
 * make it fail; warnings are advice. Codes are stable, for scripts.
 */

import { conflictMarkers } from '../conflicts.js';
import { outlineOf } from '../markdown/headings.js';
import { lineAt } from '../markdown/lines.js';
import { headerKey } from '../phrases.js';
import type { Library, Problem, Section, Validation } from '../types.js';
import { arrange, targetsOf, withIndex } from './arrange.js';
import { entryProblems } from './entries.js';

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
    return [
      { file: 'index', line, code: 'not_an_entry', message, severity: 'warning', fixable: false },
    ];
  });
}

function conflicts(file: string, text: string): Problem[] {
  return conflictMarkers(text).map(({ line, mark }) => ({
    file,
    line,
    code: 'conflict_marker',
    message: `is left of a merge: ${mark}`,
    severity: 'error',
    fixable: false,
  }));
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
        error('orphan_header', section, `"${section.title}" has no entry in the index`),
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
      problems.push(error('duplicate_structural', section, message));
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
      const { file, severity, fixable } = error('', { file: path, line: 1 }, '');
      problems.push({ file, code: 'duplicate_file_name', message, severity, fixable });
    }
  }
  return problems;
}

function error(
  code: string,
  { file, line }: Pick<Section, 'file' | 'line'>,
  message: string,
): Problem {
  return {
    file,
    line,
    code,
    message,
    severity: 'error',
    fixable: false,
  };
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
  const text = arrange(library, { which: () => true, sorted: true });
  const left = validate(withIndex(library, text)).problems;
  const still = new Set(left.filter((one) => one.fixable).map(({ code }) => code));
  return { text, fixed: fixable.filter(({ code }) => !still.has(code)) };
}
