/** Lines of an old index that are meant as entries and are not written like them. */
import { outlineOfIndex, plainIndexLine } from '../index-file.js';
import { plainText } from '../markdown/headings.js';
import { lineAt } from '../markdown/lines.js';
import type { IndexDocument, LegacyEntry } from '../types.js';
import type { UnresolvedReason } from './report.js';

/** A hyphen between spaces, or a longer dash with spaces or without. */
const KEY = /^(\S.*?)(?:\s+-|\s*[—–]|\s+--)(?:\s+|(?<=[—–])|$)(.*)$/;
/** What stands before the dash of a sentence is longer. */
const MOST_WORDS = 8;

/** In order; lines of either format are not among them. */
export function unclearLines(index: IndexDocument): (LegacyEntry & { reason: UnresolvedReason })[] {
  const { text, entries, legacy, warnings, groups } = index;
  const known = new Set([...entries, ...legacy, ...warnings].map(({ line }) => line));
  const { starts, hidden, headings } = outlineOfIndex(text);
  const titles = new Set<number>();
  for (const { line, bodyStart } of headings) {
    for (let at = line; at <= starts.length && (starts[at - 1] ?? 0) < bodyStart; at += 1) {
      titles.add(at);
    }
  }
  let next = 0;
  return starts.flatMap((_, at) => {
    const line = at + 1;
    while ((groups[next]?.line ?? Number.POSITIVE_INFINITY) <= line) next += 1;
    const group = groups[next - 1];
    // Prose above the first group may have dashes, too.
    if (group === undefined || known.has(line) || hidden.has(line) || titles.has(line)) return [];
    const [, before, after] = KEY.exec(plainIndexLine(lineAt(text, starts, at)) ?? '') ?? [];
    if (before === undefined || after === undefined) return [];
    if (before.trim().split(/\s+/).length > MOST_WORDS) return [];
    const description = after.trim();
    const reason = description === '' ? 'no_description' : 'other_separator';
    return [{ key: plainText(before.trim()), description, line, group: group.title, reason }];
  });
}
