/** Lines put into a text at one place; every other byte stays as it is. */
import { AppError } from '../../shared/errors.js';
import type { Outline } from './headings.js';
import { lineAt, lineBreakOf } from './lines.js';

/** A text with something inserted; `line` (1-based) is that of the entry or of the heading. */
export interface Edited {
  text: string;
  line: number;
}

/**
 * Lines of their own, below the last text above line `boundary` (one past the last line: the end),
 * with one blank line around them where text is. `line` is that of the first of them.
 */
export function insertBlock(
  text: string,
  outline: Outline,
  boundary: number,
  lines: readonly string[],
): Edited {
  const last = lastTextLine(text, outline, boundary);
  const before = last === 0 ? [] : [''];
  const follows = lineAt(text, outline.starts, last);
  const after = isBlank(follows) ? [] : [''];
  const edited = insertLines(text, outline, last + 1, [...before, ...lines, ...after]);
  return { text: edited.text, line: edited.line + before.length };
}

/** Puts lines before line `at` (one past the last line: at the end), where `line` then is. */
export function insertLines(
  text: string,
  outline: Outline,
  at: number,
  lines: readonly string[],
): Edited {
  const mark = text.startsWith('\ufeff') ? 1 : 0;
  const offset = Math.max(mark, outline.starts[at - 1] ?? text.length);
  const isOpen = at > outline.starts.length && text.length > mark && !/[\r\n]$/.test(text);
  const blockWith = (eol: string) =>
    isOpen ? eol + lines.join(eol) : lines.map((line) => line + eol).join('');
  let inserted = blockWith(lineBreakOf(text));
  // Beside breaks of another kind, a CR and an LF would become one break.
  const joinsBefore = text[offset - 1] === '\r' && inserted.startsWith('\n');
  const joinsAfter = inserted.endsWith('\r') && text[offset] === '\n';
  if (joinsBefore || joinsAfter) inserted = blockWith('\r\n');
  return { text: text.slice(0, offset) + inserted + text.slice(offset), line: at };
}

/** The last line above line `boundary` that is not blank; 0: none. */
export function lastTextLine(text: string, outline: Outline, boundary: number): number {
  let line = boundary - 1;
  while (line > 0 && isBlank(lineAt(text, outline.starts, line - 1))) line -= 1;
  return line;
}

/** 1-based line that begins at the offset; one past the last for the end of the text. */
export function lineOfOffset(outline: Outline, offset: number): number {
  let [low, high] = [0, outline.starts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((outline.starts[middle] ?? 0) < offset) low = middle + 1;
    else high = middle;
  }
  return low + 1;
}

/** What was inserted is not read back, since a block above it goes on to the end of the text. */
export function unclosed(where: string, line: number): AppError {
  return new AppError(
    'CONFLICT',
    `${where} has a code fence, comment or tag that is never closed before line ${line}`,
    { line },
  );
}

export function isBlank(line: string): boolean {
  return /^\s*$/.test(line);
}

export function mostCommon<T>(values: readonly T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}
