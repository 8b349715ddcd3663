/** Index and decision files, linked: each entry to the section it names (seed §1, "Core flow"). */

import { pathKeys } from '../shared/paths.js';
import { linksOf, plainText } from './markdown/headings.js';
import { headerKey } from './phrases.js';
import type {
  DecisionFile,
  Entry,
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
 * `ambiguous_header` (several of one title: the first counts). `more`: what reading the files found,
 * put first.
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
    if (keys[0] !== undefined) push(whole, keys[0], path);
    for (const key of keys) push(ends, key, path);
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

/** Sections by what an entry may call them; structural ones are reached by `§` only. */
interface Titles {
  plain: ReadonlyMap<string, Section[]>;
  structural: ReadonlySet<string>;
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
  const find = createFileFinder(files.map((file) => file.path));
  const groups = new Map(index.groups.map(({ title }) => [title, find(title)]));
  let hints = 0;

  return (entry) => {
    const warn = (code: string, message: string) =>
      warnings.push({
        file: 'index',
        line: entry.line,
        code,
        message: `line ${entry.line}: ${message}`,
      });
    const file = groups.get(entry.group) ?? null;
    const known = file === null ? undefined : titles.get(file);
    if (file === null || known === undefined) {
      const where = entry.group === '' ? 'stands in no group' : `is in "${entry.group}"`;
      warn('unknown_file', `the entry ${where}, which names no decision file`);
      return { ...entry, file: null, section: null };
    }
    const keys = keysOf(entry.header);
    const found = keys.map((key) => known.plain.get(key)).find((one) => one !== undefined);
    const section = found?.[0] ?? null;
    if (found !== undefined && found.length > 1) {
      const lines = found.map((one) => one.line).join(', ');
      warn('ambiguous_header', `${file} has "${entry.header}" on lines ${lines}; the first counts`);
    } else if (section === null && keys.some((key) => known.structural.has(key))) {
      warn('structural_header', `"${entry.header}" groups others and is reached by § only`);
    } else if (section === null) {
      const other = keys.map((key) => elsewhere.get(key)).find((path) => path !== undefined);
      hints += 1;
      const hint = other === undefined && hints <= MAX_HINTS ? closest(keys[0] ?? '', known) : '';
      const instead = other === undefined ? hint : `; ${other} has it`;
      warn('unknown_header', `${file} has no "${entry.header}"${instead}`);
    }
    return { ...entry, file, section };
  };
}

function titlesOf(file: DecisionFile): Titles {
  const plain = new Map<string, Section[]>();
  const structural = new Set<string>();
  for (const section of file.sections) {
    const key = headerKey(section.title);
    if (section.structural) structural.add(key);
    else if (key !== '') push(plain, key, section);
  }
  return { plain, structural };
}

/** As written, and without markup: a title copied with its backticks is the same title. */
function keysOf(header: string): string[] {
  const written = headerKey(header);
  const plain = headerKey(plainText(header));
  return plain === written ? [written] : [written, plain];
}

/** `; closest: "…"`: titles of the file that share the most words. */
function closest(key: string, known: Titles): string {
  const words = new Set(key.split(' '));
  const best = [...known.plain.values()]
    .map(([section]) => section?.title ?? '')
    .map((title) => {
      const own = headerKey(title).split(' ');
      const shared = own.filter((word) => words.has(word)).length;
      return { title, score: shared / (words.size + own.length - shared) };
    })
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, NAMED);
  return best.length === 0 ? '' : `; closest: ${best.map(({ title }) => `"${title}"`).join(', ')}`;
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

function push<T>(lists: Map<string, T[]>, key: string, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}
