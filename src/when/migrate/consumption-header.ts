/** The text at the top of an index that says how it is used (seed `when-recall.md` §5). */
import { lineAt, lineBreakOf, outlineOf } from '../markdown/headings.js';

/** Byte for byte as in the seed, without a final line break. The `\\n` in it are two characters. */
export const CONSUMPTION_HEADER = `When you need knowledge about a topic, invoke \`/when <trigger>\` to retrieve the full decision content.
Example: \`/when writing mock tests\` returns the "Mock patching pattern" section + related entries.

Batching: \`/when\\n- writing mock tests\\n- splitting modules\` retrieves multiple sections efficiently.

Navigation (§ operator):
- Entry-level: \`/when <trigger>\` → single section + sibling entries
- Section-level: \`/when § <section-title>\` → full H2 section + all child entries
- File-level: \`/when § <filename>.md\` → entire decision file + all entries`;

/** The sentence by which the old, passive instruction is known, however it is wrapped. */
const PASSIVE =
  /scan\s+the\s+loaded\s+content\s+mentally,\s+identify\s+relevant\s+entries,\s+then\s+read\s+the\s+referenced\s+file\s+directly/i;

export interface HeaderChange {
  text: string;
  done: 'kept' | 'replaced' | 'inserted';
  /** The paragraph that was replaced, as it stood there. */
  replaced?: string;
}

/**
 * An index with the header: in place of the passive paragraph; else below the title and what is said
 * there; unchanged when it has it. Line ends are those of the text; all other bytes stay.
 */
export function withConsumptionHeader(text: string): HeaderChange {
  const lineBreak = lineBreakOf(text);
  const header = CONSUMPTION_HEADER.replaceAll('\n', lineBreak);
  if (text.replaceAll(/\r\n?/g, '\n').includes(CONSUMPTION_HEADER)) return { text, done: 'kept' };
  const passive = PASSIVE.exec(text);
  if (passive !== null) {
    const { start, end } = paragraphAround(text, passive.index, passive.index + passive[0].length);
    return {
      text: text.slice(0, start) + header + text.slice(end),
      done: 'replaced',
      replaced: text.slice(start, end),
    };
  }
  const at = placeFor(text);
  const before = text.slice(0, at);
  const after = text.slice(at);
  const gapBefore =
    before === '' || before === '\ufeff' || /(?:\r\n?|\n)[ \t]*(?:\r\n?|\n)$/.test(before);
  const ended = before === '' || before === '\ufeff' || /[\r\n]$/.test(before);
  const gapAfter =
    after === '' ? '' : lineBreak + (/^[ \t]*(?:\r|\n)/.test(after) ? '' : lineBreak);
  const gap = gapBefore ? '' : ended ? lineBreak : lineBreak + lineBreak;
  return { text: before + gap + header + gapAfter + after, done: 'inserted' };
}

/** Lines around an offset up to blank lines and headings; a list item is a paragraph of its own. */
function paragraphAround(text: string, from: number, to: number): { start: number; end: number } {
  const { starts, headings } = outlineOf(text);
  const isEdge = (index: number) =>
    lineAt(text, starts, index).trim() === '' || headings.some(({ line }) => line === index + 1);
  const lineOf = (offset: number) => starts.findLastIndex((start) => start <= offset);
  let first = lineOf(from);
  while (first > 0 && !isBullet(lineAt(text, starts, first)) && !isEdge(first - 1)) first -= 1;
  let last = lineOf(to - 1);
  while (last + 1 < starts.length && !isEdge(last + 1)) {
    if (isBullet(lineAt(text, starts, last + 1))) break;
    last += 1;
  }
  const start = starts[first] ?? 0;
  const lastStart = starts[last] ?? 0;
  return {
    start: first === 0 && text.startsWith('\ufeff') ? 1 : start,
    end: lastStart + lineAt(text, starts, last).length,
  };
}

function isBullet(line: string): boolean {
  return /^ {0,3}(?:[-*+]|\d+[.)])\s/.test(line);
}

/** Before the first group; without groups below the title; else at the beginning, behind front matter. */
function placeFor(text: string): number {
  const { headings, starts, hidden } = outlineOf(text);
  const group = headings.find(({ level }) => level >= 2);
  if (group !== undefined) return group.start;
  const title = headings[0];
  if (title !== undefined) return title.bodyStart;
  let line = 1;
  if (/^\ufeff?---\s*[\r\n]/.test(text)) while (hidden.has(line)) line += 1;
  return line === 1 && text.startsWith('\ufeff') ? 1 : (starts[line - 1] ?? text.length);
}
