/** What a key of the old format means: the section of that title, or why it is none. */
import { analyze } from '../../shared/text.js';
import { createFileFinder } from '../library.js';
import { headerKey } from '../phrases.js';
import type { DecisionFile, LegacyEntry, Library, Section } from '../types.js';
import { unreadFiles } from '../unread.js';
import type { UnresolvedReason } from './report.js';

const SUGGESTED = 3;
/** Share of words that a title has in common with the key to be suggested. */
const CLOSE = 0.3;

export type Resolved =
  | { section: Section; moved: boolean }
  | { reason: UnresolvedReason; suggestions: string[] };

/** The section that a key names: in its group's file, else in the one file that has it. */
export function createKeyResolver({ files, unread }: Library): (legacy: LegacyEntry) => Resolved {
  const plain = new Map<string, Section[]>();
  const structural = new Set<string>();
  for (const section of files.flatMap(({ sections }) => sections)) {
    const key = headerKey(section.title);
    if (section.structural) structural.add(key.replace(/^\.\s*/, ''));
    else plain.set(key, [...(plain.get(key) ?? []), section]);
  }
  const read = new Set(files.map(({ path }) => path));
  const hidden = unreadFiles(unread);
  const isAllRead = !hidden.folders && hidden.paths.every((path) => read.has(path));
  const fileOf = createFileFinder([...new Set([...read, ...hidden.paths])]);
  return ({ key, description, group }) => {
    const file = fileOf(group);
    const all = plain.get(headerKey(key)) ?? [];
    const own = all.find((section) => section.file === file);
    if (own !== undefined) return { section: own, moved: false };
    // A group that names no file may mean any of them.
    const isKnown = file === null ? isAllRead : read.has(file);
    if (!isKnown) return { reason: 'unread_file', suggestions: [] };
    const [first] = all;
    if (first === undefined) {
      return structural.has(headerKey(key).replace(/^\.\s*/, ''))
        ? { reason: 'structural_header', suggestions: [] }
        : { reason: 'unknown_header', suggestions: closestTitles(key, files, file) };
    }
    const places = [...new Set(all.map((section) => section.file))];
    if (places.length === 1) return { section: first, moved: true };
    // "Check entry for specific file": the description may name it.
    const named = places.filter((path) => description.includes(path.replace(/^.*\//, '')));
    const only = named.length === 1 ? all.find((section) => section.file === named[0]) : undefined;
    return only === undefined
      ? { reason: 'ambiguous_header', suggestions: places }
      : { section: only, moved: true };
  };
}

/** Titles that share words with the key, those of the group's own file first when equal. */
function closestTitles(key: string, files: readonly DecisionFile[], own: string | null): string[] {
  const words = new Set(analyze(key));
  return files
    .flatMap(({ sections }) => sections)
    .filter((section) => !section.structural)
    .map((section) => {
      const theirs = new Set(analyze(section.title));
      const shared = [...theirs].filter((word) => words.has(word)).length;
      const all = words.size + theirs.size - shared;
      return { section, score: all === 0 ? 0 : shared / all };
    })
    .filter(({ score }) => score > CLOSE)
    .sort(
      (a, b) =>
        b.score - a.score || Number(b.section.file === own) - Number(a.section.file === own),
    )
    .slice(0, SUGGESTED)
    .map(({ section }) => `"${section.title}" (${section.file})`);
}
