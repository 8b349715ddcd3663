/** Lines that do harm because of what they are not: entries in disguise, what a merge has left. */
import { outlineOf } from '../markdown/headings.js';
import { lineAt } from '../markdown/lines.js';
import type { Library, Problem } from '../types.js';

/** A command behind nothing but marks: of lists, quotations, tables, emphasis, code. */
const COMMAND = /^[\s>|*_`~#+•\-[\]().\dx]*(\/(?:when|how)(?=\s).*)$/i;
const FIELD = /(?<!\\)\|\s*[\p{L}\p{N}]/u;
/** Shows the form, and is no entry anywhere. */
const FORM = /^\/\w+\s+<[^<>]+>\s*\|\s*<[^<>]+>/;
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/;
const HAS_MARKERS = /^<{7}(?:\s|$)/m;

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

/** `=======` alone underlines a title; between the other two it is theirs. */
function conflicts(file: string, text: string): Problem[] {
  if (!HAS_MARKERS.test(text)) return [];
  const { starts, hidden } = outlineOf(text);
  const problems: Problem[] = [];
  let isOpen = false;
  for (let at = 0; at < starts.length; at += 1) {
    const line = at + 1;
    const [mark] = hidden.has(line) ? [] : (MARKER.exec(lineAt(text, starts, at)) ?? []);
    if (mark === undefined) continue;
    if (mark.startsWith('<')) isOpen = true;
    if (!isOpen) continue;
    if (mark.startsWith('>')) isOpen = false;
    const message = `is left of a merge: ${mark.trim()}`;
    problems.push({
      file,
      line,
      code: 'conflict_marker',
      message,
      severity: 'error',
      fixable: false,
    });
  }
  return problems;
}
