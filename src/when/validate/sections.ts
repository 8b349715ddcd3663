/** What may be wrong with decision files, seen from the index: sections without entry, names used twice. */
import { headerKey } from '../phrases.js';
import type { Library, Problem, Section } from '../types.js';
import { targetsOf } from './arrange.js';

export function fileProblems(library: Library): Problem[] {
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
