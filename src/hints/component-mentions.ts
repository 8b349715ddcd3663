/**
 * Which components a text names: in words, or as a folder of a file. "The HTTP proxy", `httpProxy` and
 * `http-proxy` are one name. Pure.
 */
import { pathsIn } from '../shared/path-mentions.js';
import { analyze } from '../shared/text.js';

/** Parts of a component's name that are looked for side by side. */
const MOST_PARTS = 8;
/** Characters that are read; a longer text is no sentence but data. */
const MAX_TEXT = 20_000;
const MOST_KNOWN = 5_000;
const WORD = /[\p{L}\p{N}]+/gu;
const NEW_PART = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;

/** A component's name in the words of a text. */
export interface SaidName {
  /** As written, lower case. */
  words: string[];
  /** Places of its first and last part among the parts of the text. */
  from: number;
  to: number;
  /** "auth" is only a part of the word `AuthService`. */
  isWhole: boolean;
}

/** A component that a text names. At least one of `said` and `folder` is given. */
export interface ComponentMention {
  name: string;
  said: SaidName | null;
  /** The path up to the first folder that is called so. */
  folder: string | null;
}

/** Letters and digits alone, lower case. */
export function bareName(name: string): string {
  const known = bareNames.get(name);
  if (known !== undefined) return known;
  const letters = (name.normalize('NFKC').toLowerCase().match(WORD) ?? []).join('');
  if (bareNames.size >= MOST_KNOWN) bareNames.clear();
  bareNames.set(name, letters);
  return letters;
}
const bareNames = new Map<string, string>();

/**
 * In the order of `known`. Names that say nothing ("the") are found as folders only.
 *
 * @param text at most 20,000 characters of it
 * @param files that are touched or named beside the text
 */
export function componentMentions(
  text: string,
  known: readonly string[],
  files: readonly string[] = [],
): ComponentMention[] {
  if (known.length === 0) return [];
  const read = text.slice(0, MAX_TEXT);
  const inText = /[./\\]/.test(read) ? pathsIn(read) : [];
  const spoken = inText.reduce((rest, path) => rest.replaceAll(path, ' '), read);
  const folders = foldersOf([...files, ...inText]);
  const runs = runsOf(spoken, new Set(known.map(bareName)));
  return known.flatMap((name): ComponentMention[] => {
    const letters = bareName(name);
    if (letters === '') return [];
    const isTelling = letters.length > 3 || analyze(name).length > 0;
    const said = (isTelling && runs.get(letters)) || null;
    const folder = folders.get(letters) ?? null;
    return said === null && folder === null ? [] : [{ name, said, folder }];
  });
}

/** Folders of the paths by bare name, each as the path up to it. */
function foldersOf(paths: readonly string[]): ReadonlyMap<string, string> {
  const folders = new Map<string, string>();
  for (const path of paths) {
    const parts = path.split(/[\\/]/).slice(0, -1);
    for (const [at, part] of parts.entries()) {
      const letters = bareName(part);
      if (!folders.has(letters)) folders.set(letters, parts.slice(0, at + 1).join('/'));
    }
  }
  return folders;
}

/** Where each name occurs first, by its letters; an occurrence as whole words wins over an earlier part of a word. */
function runsOf(text: string, names: ReadonlySet<string>): ReadonlyMap<string, SaidName> {
  const longest = [...names].reduce((most, { length }) => Math.max(most, length), 0);
  const words = text.normalize('NFKC').match(WORD) ?? [];
  const parts = words.flatMap((word, at) =>
    word.split(NEW_PART).map((part) => ({ letters: part.toLowerCase(), word: at })),
  );
  const runs = new Map<string, SaidName>();
  for (const [from, first] of parts.entries()) {
    let letters = '';
    for (let to = from; to < Math.min(parts.length, from + MOST_PARTS); to += 1) {
      const last = parts[to] ?? first;
      letters += last.letters;
      if (letters.length > longest) break;
      if (!names.has(letters)) continue;
      const isWhole = parts[from - 1]?.word !== first.word && parts[to + 1]?.word !== last.word;
      const before = runs.get(letters);
      if (before !== undefined && (before.isWhole || !isWhole)) continue;
      const own = words.slice(first.word, last.word + 1).map((word) => word.toLowerCase());
      runs.set(letters, { words: own, from, to, isWhole });
    }
  }
  return runs;
}
