/** What `§` names: a section by its title, a file by its name; and what comes closest when none. */
import { addTo } from '../shared/multimap.js';
import { pathKeys } from '../shared/paths.js';
import { headerKey, normalizePhrase } from './phrases.js';
import { namesMarkdown } from './requests.js';
import type { DecisionFile, Library, LinkedEntry, Section } from './types.js';

/** Looked up in maps; made once for a library. */
export type Names = ReturnType<typeof createNames>;

/** Entries of this trigger, or else of this title; in the order of the index. */
export type Triggers = (phrase: string) => readonly LinkedEntry[];

/** Of entries that lead to a section. */
export function createTriggers({ entries }: Pick<Library, 'entries'>): Triggers {
  const byPhrase = new Map<string, LinkedEntry[]>();
  const byTitle = new Map<string, LinkedEntry[]>();
  for (const entry of entries) {
    if (entry.section === null) continue;
    addTo(byPhrase, normalizePhrase(entry.phrase), entry);
    addTo(byTitle, headerKey(entry.header), entry);
  }
  return (phrase) => {
    const wanted = normalizePhrase(phrase);
    if (wanted === '') return [];
    return byPhrase.get(wanted) ?? byTitle.get(headerKey(phrase)) ?? [];
  };
}

export function createNames({ files }: Pick<Library, 'files'>) {
  const sectionsByTitle = new Map<string, Section[]>();
  const filesByPath = new Map<string, DecisionFile[]>();
  const filesByEnd = new Map<string, DecisionFile[]>();
  for (const file of files) {
    for (const [index, key] of pathKeys(file.path).entries()) {
      if (index === 0) addTo(filesByPath, key, file);
      addTo(filesByEnd, key, file);
    }
    for (const section of file.sections) addTo(sectionsByTitle, titleKey(section.title), section);
  }

  /**
   * Files of this path below the decisions folder, or else with it at the end of their path
   * (`auth.md`), or else at the end of it (`agents/decisions/auth.md`). `.md` may be left out.
   */
  function filesNamed(name: string): readonly DecisionFile[] {
    const wanted = pathKeys(namesMarkdown(name) ? name : `${name}.md`);
    const [whole = ''] = wanted;
    const found = filesByPath.get(whole) ?? filesByEnd.get(whole);
    if (found !== undefined) {
      // Where letter case tells files apart, it is what was typed.
      const exact = found.length > 1 ? found.filter(({ path }) => path === name) : [];
      return exact.length > 0 ? exact : found;
    }
    const longest = wanted.find((key) => filesByPath.has(key));
    return longest === undefined ? [] : (filesByPath.get(longest) ?? []);
  }

  /** How a file is called in commands: by its name when that leads to it, else by its path. */
  function fileName(path: string): string {
    const name = path.slice(path.lastIndexOf('/') + 1);
    const [first, second] = filesNamed(name);
    return first?.path === path && second === undefined ? name : path;
  }

  return {
    /**
     * Sections of this title, in the order of the files. Letter case and the dot of structural
     * sections make no difference, but where there are structural ones, they are meant.
     */
    sections(title: string): readonly Section[] {
      const named = sectionsByTitle.get(titleKey(title)) ?? [];
      const structural = named.filter((section) => section.structural);
      return structural.length > 0 ? structural : named;
    },
    files: filesNamed,
    fileName,
    /** Titles of sections, most alike to this one first, and how many there are. */
    titlesLike: (title: string, most: number) =>
      likeOf(
        new Set(files.flatMap(({ sections }) => sections.map((one) => one.title))),
        title,
        most,
      ),
    /** The same of files, as `fileName` calls them. */
    filesLike: (name: string, most: number) =>
      likeOf(new Set(files.map(({ path }) => fileName(path))), name, most),
  };
}

function likeOf(names: ReadonlySet<string>, asked: string, most: number) {
  return { near: nearestTo(asked, names, most), total: names.size };
}

/** Likeness of titles of which one may be meant for the other. */
export const ALIKE = 0.4;

/** Names that are spelled like the one asked for, most alike first; equals as they stand. `least`: 0 to 1. */
export function nearestTo(
  asked: string,
  names: ReadonlySet<string>,
  most: number,
  least = 0,
): string[] {
  const wanted = pairsOf(titleKey(asked));
  return [...names]
    .map((name) => ({ name, alike: likeness(wanted, knownPairsOf(name)) }))
    .filter(({ alike }) => alike >= least)
    .sort((a, b) => b.alike - a.alike)
    .slice(0, most)
    .map(({ name }) => name);
}

/** Making them is most of the work, and the same names are asked again. Forgotten all at once when full. */
const pairs = new Map<string, Set<string>>();
const MOST_PAIRS = 10_000;

function knownPairsOf(name: string): Set<string> {
  const known = pairs.get(name);
  if (known !== undefined) return known;
  if (pairs.size >= MOST_PAIRS) pairs.clear();
  const made = pairsOf(titleKey(name));
  pairs.set(name, made);
  return made;
}

function titleKey(title: string): string {
  return headerKey(title.trim().replace(/^\.\s*/, ''));
}

/** Pairs of neighbouring characters, words apart: forgives typing errors, endings and word order. */
function pairsOf(key: string): Set<string> {
  const found = new Set<string>();
  for (const word of key.split(/[^\p{L}\p{M}\p{N}]+/u)) {
    const marked = ` ${word} `;
    for (let at = 0; at + 1 < marked.length; at += 1) found.add(marked.slice(at, at + 2));
  }
  return found;
}

function likeness(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of a) if (b.has(pair)) shared += 1;
  return (2 * shared) / (a.size + b.size || 1);
}
