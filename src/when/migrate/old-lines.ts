/** What the lines of an old index mean: the section of that title, or why they lead to none. */
import { outlineOfIndex, plainIndexLine } from '../index-file.js';
import { createFileFinder, createGroupFinder, titlesOf } from '../library.js';
import { lineAt, oneLine, plainText } from '../markdown/headings.js';
import { ALIKE, nearestTo } from '../names.js';
import { headerKey } from '../phrases.js';
import type { DecisionFile, LegacyEntry, Library, Section } from '../types.js';
import { unreadFiles } from '../unread.js';
import type { UnresolvedEntry, UnresolvedReason } from './report.js';

const SUGGESTED = 3;

export type Resolved =
  | { section: Section; moved: boolean }
  | { reason: UnresolvedReason; suggestions: string[] };

/** The section that a key names: in its group's file, else in the one file that has it. */
export function createKeyResolver({ files, unread }: Library): (legacy: LegacyEntry) => Resolved {
  const titles = files.map(titlesOf);
  const withoutDot = (key: string) => key.replace(/^\.\s*/, '');
  const structural = new Set(titles.flatMap((one) => [...one.structural].map(withoutDot)));
  const read = new Set(files.map(({ path }) => path));
  const hidden = unreadFiles(unread);
  const isAllRead = !hidden.folders && hidden.paths.every((path) => read.has(path));
  const fileOf = createFileFinder([...new Set([...read, ...hidden.paths])]);
  return ({ key, description, group }) => {
    const file = fileOf(group);
    const all = titles.flatMap((one) => one.plain.get(headerKey(key)) ?? []);
    const own = all.find((section) => section.file === file);
    if (own !== undefined) return { section: own, moved: false };
    // A group that names no file may mean any of them.
    const isKnown = file === null ? isAllRead : read.has(file);
    if (!isKnown) return { reason: 'unread_file', suggestions: [] };
    const places = [...new Set(all.map((section) => section.file))];
    if (places.length === 0) {
      return structural.has(withoutDot(headerKey(key)))
        ? { reason: 'structural_header', suggestions: [] }
        : { reason: 'unknown_header', suggestions: closestTitles(files, key) };
    }
    // "Check entry for specific file": the description may name it.
    const named = places.filter((path) => description.includes(path.replace(/^.*\//, '')));
    const [only, ...more] = places.length === 1 ? places : named;
    const section = all.find((one) => one.file === only);
    return section === undefined || more.length > 0
      ? { reason: 'ambiguous_header', suggestions: places }
      : { section, moved: true };
  };
}

function closestTitles(files: readonly DecisionFile[], key: string): string[] {
  const sections = files.flatMap((file) => file.sections.filter((one) => !one.structural));
  const places = new Map(sections.map(({ title, file }) => [title, file]));
  return nearestTo(key, new Set(places.keys()), SUGGESTED, ALIKE).map(
    (title) => `"${title}" (${places.get(title)})`,
  );
}

/** A hyphen between spaces, or a longer dash with spaces or without. */
const KEY = /^(\S.*?)(?:\s+-|\s*[—–]|\s+--)(?:\s+|(?<=[—–])|$)(.*)$/;
const BULLET = /^ {0,3}[-*+][ \t]+\S/;
/** What stands before the dash of a sentence is longer. */
const MOST_WORDS = 8;

type UnclearLine = Omit<UnresolvedEntry, 'suggestions'>;

/**
 * Lines that are meant as entries and are not written like them, in order. In the group of a decision
 * file each item of a list is meant as one, however its parts are divided.
 */
export function unclearLines({ index, files }: Library): UnclearLine[] {
  const { text, entries, legacy, warnings, groups } = index;
  const malformed = new Set(warnings.map(({ line }) => line));
  const fileOf = createGroupFinder(files.map(({ path }) => path));
  const { starts, hidden, headings } = outlineOfIndex(text);
  const known = new Set([...entries, ...legacy].map(({ line }) => line));
  return starts.flatMap((start, at): UnclearLine[] => {
    const line = at + 1;
    const group = groups.findLast((one) => one.line <= line);
    const isTitle = headings.some((one) => one.start <= start && start < one.bodyStart);
    const source = lineAt(text, starts, at);
    const unclear = { line, group: group?.title ?? '', description: '' };
    if (malformed.has(line)) return [{ ...unclear, key: oneLine(source), reason: 'malformed' }];
    // Prose above the first group may have dashes, too.
    if (group === undefined || isTitle || known.has(line) || hidden.has(line)) return [];
    const plain = plainIndexLine(source) ?? '';
    const [, before = '', after = ''] = KEY.exec(plain) ?? [];
    if (before !== '' && before.trim().split(/\s+/).length <= MOST_WORDS) {
      const description = after.trim();
      const reason = description === '' ? 'no_description' : 'other_separator';
      return [{ ...unclear, key: plainText(before.trim()), description, reason }];
    }
    if (plain === '' || !BULLET.test(source) || fileOf(group) === null) return [];
    return [{ ...unclear, key: plainText(plain), reason: 'other_separator' }];
  });
}
