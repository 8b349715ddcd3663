/** Index and decision files, linked: each entry to the section it names (seed §1, "Core flow"). */

import { addTo } from '../shared/multimap.js';
import { pathKeys } from '../shared/paths.js';
import { linksOf, plainText } from './markdown/headings.js';
import { ALIKE, nearestTo } from './names.js';
import { headerKey } from './phrases.js';
import type {
  DecisionFile,
  Entry,
  Group,
  IndexDocument,
  Library,
  LinkedEntry,
  Section,
  Warning,
} from './types.js';

/** Closest titles are looked for this often; an index in which nothing fits needs no more of them. */
const MAX_HINTS = 50;
const NAMED = 3;

/**
 * Links entries to files and sections; linear in both. What leads nowhere stays in `entries`, with
 * `null`, and is a warning: `unknown_file`, `unknown_header`, `structural_header`,
 * `ambiguous_header` (several of one title: the first counts). `more`: what reading the files found, put
 * first.
 */
export function buildLibrary(
  index: IndexDocument,
  files: readonly DecisionFile[],
  more: readonly Warning[] = [],
): Library {
  const warnings: Warning[] = [...more, ...index.warnings];
  const link = createLinker(index, files, warnings);
  return { index, files, entries: index.entries.map(link), warnings };
}

/**
 * The path that the title of a group means, or `null`. It may have folders in front (`agents/decisions/
 * testing.md`), be in backticks or a link, leave out the folders if the name is unique, or the `.md`.
 */
export function fileOfGroup(title: string, paths: readonly string[]): string | null {
  return createFileFinder(paths)(title);
}

/** `fileOfGroup` for many titles. */
export function createFileFinder(paths: readonly string[]): (title: string) => string | null {
  const exact = new Set(paths);
  const whole = new Map<string, string[]>();
  const ends = new Map<string, string[]>();
  for (const path of paths) {
    const keys = pathKeys(path);
    if (keys[0] !== undefined) addTo(whole, keys[0], path);
    for (const key of keys) addTo(ends, key, path);
  }
  return (title) => {
    for (const name of namesIn(title)) {
      const plainName = name.replaceAll('\\', '/').replace(/^(?:\.{1,2}\/)+/, '');
      for (let at = 0; at >= 0; ) {
        const end = plainName.slice(at);
        if (exact.has(end)) return end;
        const slash = plainName.indexOf('/', at);
        at = slash < 0 ? -1 : slash + 1;
      }
      const keys = pathKeys(plainName);
      const found = only(keys, whole) ?? only(keys, ends);
      if (found !== null) return found;
    }
    return null;
  };
}

/**
 * The file of a group: the one that its title names, or else that of the nearest group around it. So a
 * group may be divided (`## testing.md`, `### Mocks`).
 */
export function createGroupFinder(paths: readonly string[]): (group: Group) => string | null {
  const find = createFileFinder(paths);
  const known = new Map<string, string | null>();
  const named = (title: string) => {
    const before = known.get(title);
    if (before !== undefined) return before;
    const file = find(title);
    known.set(title, file);
    return file;
  };
  return ({ title, above = [] }) => {
    for (const one of [title, ...above.toReversed()]) {
      const file = named(one);
      if (file !== null) return file;
    }
    return null;
  };
}

/** Sections of a file by what an entry may call them; structural ones are reached by `§` only. */
export interface Titles {
  plain: ReadonlyMap<string, Section[]>;
  structural: ReadonlySet<string>;
  /**
   * Plain sections of this header, as it is written or without markup: a title copied with its backticks is
   * the same title.
   */
  find(header: string): readonly Section[];
}

/** Files that did not change keep their objects. */
const known = new WeakMap<DecisionFile, Titles>();

export function titlesOf(file: DecisionFile): Titles {
  const before = known.get(file);
  if (before !== undefined) return before;
  const plain = new Map<string, Section[]>();
  const structural = new Set<string>();
  for (const section of file.sections) {
    const key = headerKey(section.title);
    if (section.structural) structural.add(key);
    else if (key !== '') addTo(plain, key, section);
  }
  const find = (header: string) =>
    plain.get(headerKey(header)) ?? plain.get(headerKey(plainText(header))) ?? [];
  const titles = { plain, structural, find };
  known.set(file, titles);
  return titles;
}

function createLinker(
  index: IndexDocument,
  files: readonly DecisionFile[],
  warnings: Warning[],
): (entry: Entry) => LinkedEntry {
  const titles = new Map(files.map((file) => [file.path, titlesOf(file)]));
  const elsewhere = new Map<string, string>();
  for (const [path, { plain }] of titles) {
    for (const key of plain.keys()) if (!elsewhere.has(key)) elsewhere.set(key, path);
  }
  const fileOf = createGroupFinder([...titles.keys()]);
  const groups = new Map<string, Group[]>();
  for (const group of index.groups) addTo(groups, group.title, group);
  const groupOf = ({ group, line }: Entry): Group | undefined =>
    groups.get(group)?.findLast((one) => one.line <= line);
  let hints = 0;

  return (entry) => {
    const warn = (code: string, message: string) =>
      warnings.push({
        file: 'index',
        line: entry.line,
        code,
        message: `line ${entry.line}: ${message}`,
      });
    const group = groupOf(entry);
    const file = group === undefined ? null : fileOf(group);
    const known = file === null ? undefined : titles.get(file);
    if (file === null || known === undefined) {
      const where = entry.group === '' ? 'stands in no group' : `is in "${entry.group}"`;
      warn('unknown_file', `the entry ${where}, which names no decision file`);
      return { ...entry, file: null, section: null };
    }
    const found = known.find(entry.header);
    const section = found[0] ?? null;
    const keys = [headerKey(entry.header), headerKey(plainText(entry.header))];
    if (found.length > 1) {
      const lines = found.map((one) => one.line).join(', ');
      warn('ambiguous_header', `${file} has "${entry.header}" on lines ${lines}; the first counts`);
    } else if (section === null && keys.some((key) => known.structural.has(key))) {
      warn('structural_header', `"${entry.header}" groups others and is reached by § only`);
    } else if (section === null) {
      const other = keys.map((key) => elsewhere.get(key)).find((path) => path !== undefined);
      hints += 1;
      const hint = other === undefined && hints <= MAX_HINTS ? closestIn(known, entry.header) : '';
      const instead = other === undefined ? hint : `; ${other} has it`;
      warn('unknown_header', `${file} has no "${entry.header}"${instead}`);
    }
    return { ...entry, file, section };
  };
}

/** `; closest: "…"`: titles of the file that are spelled alike. */
function closestIn({ plain }: Titles, header: string): string {
  const titles = new Set([...plain.values()].flatMap(([first]) => first?.title ?? []));
  const best = nearestTo(header, titles, NAMED, ALIKE);
  return best.length === 0 ? '' : `; closest: ${best.map((title) => `"${title}"`).join(', ')}`;
}

/** What in a title may be a path: all of it, where its links lead, its one word that ends in `.md`. */
function namesIn(title: string): string[] {
  const shown = plainText(title);
  const links = linksOf(title).map((link) => link.replace(/[?#].*$/, ''));
  const words = shown.split(/[\s()[\],;:]+/).filter((word) => /\.(?:md|markdown)$/i.test(word));
  const names = [title.trim(), shown, ...links, ...(words.length === 1 ? words : [])];
  return [...new Set(names.flatMap((name) => (name === '' ? [] : [name, `${name}.md`])))];
}

/** The one path that the longest of the keys stands for. */
function only(keys: readonly string[], paths: ReadonlyMap<string, string[]>): string | null {
  for (const key of keys) {
    const found = paths.get(key);
    if (found?.length === 1) return found[0] ?? null;
  }
  return null;
}
