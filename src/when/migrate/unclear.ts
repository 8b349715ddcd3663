/** Lines of an old index that are meant as entries and are not written like them. */
import { outlineOfIndex, plainIndexLine } from '../index-file.js';
import { createGroupFinder } from '../library.js';
import { plainText } from '../markdown/headings.js';
import { lineAt, oneLine } from '../markdown/lines.js';
import type { LegacyEntry, Library } from '../types.js';
import type { UnresolvedReason } from './report.js';

/** A hyphen between spaces, or a longer dash with spaces or without. */
const KEY = /^(\S.*?)(?:\s+-|\s*[—–]|\s+--)(?:\s+|(?<=[—–])|$)(.*)$/;
const BULLET = /^ {0,3}[-*+][ \t]+\S/;
/** What stands before the dash of a sentence is longer. */
const MOST_WORDS = 8;

interface UnclearLine extends LegacyEntry {
  reason: UnresolvedReason;
}

/**
 * In order; lines of either format are not among them. In the group of a decision file each item of a list is
 * meant as an entry, however its parts are divided.
 */
export function unclearLines({ index, files }: Pick<Library, 'index' | 'files'>): UnclearLine[] {
  const { text, entries, legacy, warnings, groups } = index;
  const malformed = new Set(warnings.map(({ line }) => line));
  const known = new Set([...entries, ...legacy].map(({ line }) => line));
  const fileOf = createGroupFinder(files.map(({ path }) => path));
  const { starts, hidden, headings } = outlineOfIndex(text);
  const titles = new Set<number>();
  for (const { line, bodyStart } of headings) {
    for (let at = line; at <= starts.length && (starts[at - 1] ?? 0) < bodyStart; at += 1) {
      titles.add(at);
    }
  }
  let next = 0;
  return starts.flatMap((_, at): UnclearLine[] => {
    const line = at + 1;
    while ((groups[next]?.line ?? Number.POSITIVE_INFINITY) <= line) next += 1;
    const group = groups[next - 1];
    const source = lineAt(text, starts, at);
    if (malformed.has(line)) {
      const title = group?.title ?? '';
      const key = oneLine(source);
      return [{ key, description: '', line, group: title, reason: 'malformed' }];
    }
    // Prose above the first group may have dashes, too.
    if (group === undefined || known.has(line) || hidden.has(line) || titles.has(line)) return [];
    const plain = plainIndexLine(source) ?? '';
    const [, before, after] = KEY.exec(plain) ?? [];
    if (before !== undefined && after !== undefined && isKey(before)) {
      const description = after.trim();
      const reason = description === '' ? 'no_description' : 'other_separator';
      return [{ key: plainText(before.trim()), description, line, group: group.title, reason }];
    }
    if (plain === '' || !BULLET.test(source) || fileOf(group) === null) return [];
    const reason = 'other_separator';
    return [{ key: plainText(plain), description: '', line, group: group.title, reason }];
  });
}

function isKey(text: string): boolean {
  return text.trim().split(/\s+/).length <= MOST_WORDS;
}
