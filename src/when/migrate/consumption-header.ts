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
}

/**
 * An index with the header: in place of the passive paragraph, else before the first group; unchanged
 * when it has it. Line ends are those of the text; all other bytes stay.
 */
export function withConsumptionHeader(text: string): HeaderChange {
  const lineBreak = lineBreakOf(text);
  const header = CONSUMPTION_HEADER.replaceAll('\n', lineBreak);
  if (text.replaceAll('\r\n', '\n').includes(CONSUMPTION_HEADER)) return { text, done: 'kept' };
  const passive = PASSIVE.exec(text);
  if (passive !== null) {
    const [start, end] = paragraphAround(text, passive.index, passive[0].length);
    return { text: text.slice(0, start) + header + text.slice(end), done: 'replaced' };
  }
  const at = outlineOf(text).headings.find(({ level }) => level >= 2)?.start ?? 0;
  const before = text.slice(0, at);
  const isApart = /^\ufeff?$|\n[ \t]*\r?\n$/.test(before);
  const inserted = (isApart ? '' : lineBreak) + header + lineBreak + lineBreak;
  return { text: before + inserted + text.slice(at), done: 'inserted' };
}

/** Lines around a piece of text, up to blank lines and headings. */
function paragraphAround(text: string, at: number, length: number): [start: number, end: number] {
  const { starts } = outlineOf(text);
  const isEdge = (line: number) => /^\ufeff?\s*(?:#|$)/.test(lineAt(text, starts, line));
  let first = starts.findLastIndex((start) => start <= at);
  while (first > 0 && !isEdge(first - 1)) first -= 1;
  let last = starts.findLastIndex((start) => start < at + length);
  while (last + 1 < starts.length && !isEdge(last + 1)) last += 1;
  return [starts[first] ?? 0, (starts[last] ?? 0) + lineAt(text, starts, last).length];
}
