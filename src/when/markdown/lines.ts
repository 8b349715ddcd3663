/** Lines of a text as CommonMark counts them: ended by LF, CR LF or a lone CR. */

const BREAK = /\r\n?|\n/g;
export type LineBreak = '\n' | '\r\n' | '\r';

/**
 * Offsets at which lines begin; the first is 0. What follows the last break is a line only if there
 * is something: `a\n` has one line.
 */
export function lineStarts(text: string): number[] {
  const starts = [0];
  for (const found of text.matchAll(BREAK)) starts.push(found.index + found[0].length);
  if (starts.length > 1 && starts.at(-1) === text.length) starts.pop();
  return starts;
}

/** The line without its break. */
export function lineAt(text: string, starts: readonly number[], index: number): string {
  const end = starts[index + 1] ?? text.length;
  return text.slice(starts[index] ?? text.length, end).replace(/[\r\n]+$/, '');
}

/** The break that most lines of the text end with; LF when there is none. */
export function lineBreakOf(text: string): LineBreak {
  const counts = { '\n': 0, '\r\n': 0, '\r': 0 };
  for (const [found] of text.matchAll(BREAK)) counts[found as LineBreak] += 1;
  if (counts['\r\n'] > counts['\n']) return counts['\r'] > counts['\r\n'] ? '\r' : '\r\n';
  return counts['\r'] > counts['\n'] ? '\r' : '\n';
}

/** The text on one line, without white space around it or doubled in it. */
export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}
