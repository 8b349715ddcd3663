/** What the lines of an old index mean: the section of that title, or why they lead to none. */
import { outlineOfIndex, plainIndexLine } from '../index-file.js';
import { createFileFinder, createGroupFinder, titlesOf } from '../library.js';
import { lineAt, oneLine, plainText } from '../markdown/headings.js';
import { ALIKE, nearestTo } from '../names.js';
import { headerKey } from '../phrases.js';
import type { DecisionFile, LegacyEntry, Library, Section } from '../types.js';
import type { UnresolvedEntry } from './report.js';

const SUGGESTED = 3;

export type Resolved = Section | Pick<UnresolvedEntry, 'reason' | 'suggestions'>;

/** The section that a key names: in its group's file, else in the one file that has it. */
export function createKeyResolver({ files }: Library): (legacy: LegacyEntry) => Resolved {
  const titles = files.map(titlesOf);
  const fileOf = createFileFinder(files.map(({ path }) => path));
  return ({ key, description, group }) => {
    const file = fileOf(group);
    const all = titles.flatMap((one) => one.plain.get(headerKey(key)) ?? []);
    const own = all.find((section) => section.file === file);
    if (own !== undefined) return own;
    const places = [...new Set(all.map((section) => section.file))];
    if (places.length === 0) {
      return { reason: 'unknown_header', suggestions: closestTitles(files, key) };
    }
    // "Check entry for specific file": the description may name it.
    const named = places.filter((path) => description.includes(path.replace(/^.*\//, '')));
    const [only, ...more] = places.length === 1 ? places : named;
    const section = all.find((one) => one.file === only);
    return section === undefined || more.length > 0
      ? { reason: 'ambiguous_header', suggestions: places }
      : section;
  };
}

function closestTitles(files: readonly DecisionFile[], key: string): string[] {
  const sections = files.flatMap((file) => file.sections.filter((one) => !one.structural));
  const places = new Map(sections.map(({ title, file }) => [title, file]));
  return nearestTo(key, new Set(places.keys()), SUGGESTED, ALIKE).map(
    (title) => `"${title}" (${places.get(title)})`,
  );
}

/** An item of a list, or a few words and a dash. */
const LISTED =
  /^ {0,3}[-*+][ \t]+\S|^(?:[^\s—–]+\s+){1,8}--?(?:\s|$)|^[^\s—–]+(?:\s+[^\s—–]+){0,7}\s*[—–]/;

/**
 * Lines that are meant as entries and are not written like them, in order: in the group of a decision
 * file each item of a list, however its parts are divided.
 */
export function unclearLines({ index, files }: Library): UnresolvedEntry[] {
  const { text, entries, legacy, warnings, groups } = index;
  const malformed = new Set(warnings.map(({ line }) => line));
  const fileOf = createGroupFinder(files.map(({ path }) => path));
  const { starts, hidden, headings } = outlineOfIndex(text);
  const known = new Set([...entries, ...legacy, ...headings].map(({ line }) => line));
  return starts.flatMap((_, at) => {
    const line = at + 1;
    const group = groups.findLast((one) => one.line <= line);
    const source = lineAt(text, starts, at);
    const isListed =
      !known.has(line) &&
      !hidden.has(line) &&
      LISTED.test(source) &&
      plainIndexLine(source) !== null &&
      group !== undefined &&
      fileOf(group) !== null;
    if (!isListed && !malformed.has(line)) return [];
    const key = plainText(plainIndexLine(source) ?? oneLine(source));
    return [{ line, key, reason: 'other_form' as const, suggestions: [] }];
  });
}
