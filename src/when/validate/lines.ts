/** Lines that do harm because of what they are not: entries in disguise, what a merge has left. */
import { conflictMarkers } from '../conflicts.js';
import { outlineOf } from '../markdown/headings.js';
import { lineAt } from '../markdown/lines.js';
import type { Library, Problem } from '../types.js';

/** A command behind nothing but marks: of lists, quotations, tables, emphasis, code. */
const COMMAND = /^[\s>|*_`~#+•\-[\]().\dx]*(\/(?:when|how)(?=\s).*)$/i;
const FIELD = /(?<!\\)\|\s*[\p{L}\p{N}]/u;
/** Shows the form, and is no entry anywhere. */
const FORM = /^\/\w+\s+<[^<>]+>\s*\|\s*<[^<>]+>/;

/** Warnings `not_an_entry` of the index, errors `conflict_marker` of all files. */
export function lineProblems({ index, files }: Library): Problem[] {
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
