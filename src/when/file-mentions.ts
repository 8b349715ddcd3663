/** Which sections speak of a file: what an entry offers itself for when that file is touched. Pure. */

import { yieldToLoop } from '../shared/async.js';
import { addTo } from '../shared/multimap.js';
import { pathsIn } from '../shared/path-mentions.js';
import { isInEveryFolder, pathKeys } from '../shared/paths.js';
import type { Library, LinkedEntry, Section } from './types.js';

/** Characters of a section that are searched for paths. */
const MAX_READ = 16_000;
/** Entries and characters looked at between two turns of the event loop: some milliseconds. */
const ENTRIES = 200;
const CHARACTERS = 50_000;

export interface FileMentions {
  /**
   * Entries whose own words or section name the file, all of them: first those that name most of its
   * path, among these those that name it in trigger, title or description, among these those that name
   * the fewest files; else as in the index.
   */
  of(path: string): LinkedEntry[];
}

/** One file that an entry names. */
interface Mention {
  entry: LinkedEntry;
  /** Place in the index. */
  at: number;
  /** Components of the path as it was written. */
  parts: number;
  /** In trigger, title or description. */
  isOwn: boolean;
  /** Files that the entry and its section name. */
  files: number;
}

/** Kept per section, because files that did not change keep their section objects. */
const read = new WeakMap<Section, readonly string[]>();
/** Kept per text: entries are other objects after every edit. Forgotten all at once when full. */
const said = new Map<string, readonly string[]>();
const MOST_SAID = 20_000;

/** In steps of some milliseconds; a section is looked through once in its life. */
export async function createFileMentions({ entries }: Library): Promise<FileMentions> {
  /** By the path as it was written, and by each of its endings. */
  const whole = new Map<string, Mention[]>();
  const ends = new Map<string, Mention[]>();
  let looked = 0;
  let characters = 0;
  for (const [at, entry] of entries.entries()) {
    if (entry.section === null) continue;
    looked += 1;
    if (!read.has(entry.section)) characters += Math.min(entry.section.content.length, MAX_READ);
    if (looked >= ENTRIES || characters >= CHARACTERS) {
      looked = 0;
      characters = 0;
      await yieldToLoop();
    }
    const own = pathsSaid(wordsOf(entry));
    const paths = new Set([...own, ...pathsOf(entry.section)]);
    for (const path of paths) {
      const keys = pathKeys(path);
      const [full] = keys;
      if (full === undefined || (keys.length === 1 && isInEveryFolder(full))) continue;
      const mention = {
        entry,
        at,
        parts: keys.length,
        isOwn: own.includes(path),
        files: paths.size,
      };
      addTo(whole, full, mention);
      for (const key of keys) addTo(ends, key, mention);
    }
  }
  return {
    of(path) {
      const keys = pathKeys(path);
      const [full] = keys;
      if (full === undefined) return [];
      const isBareCommon = keys.length === 1 && isInEveryFolder(full);
      // What was written ends the touched path, or the touched path ends what was written.
      const found = [
        ...keys.flatMap((key) => whole.get(key) ?? []),
        ...(isBareCommon ? [] : (ends.get(full) ?? [])),
      ];
      found.sort((a, b) => bySharpness(a, b, keys.length));
      return [...new Set(found.map(({ entry }) => entry))];
    },
  };
}

/** @param asked components of the touched path: more than those cannot agree */
function bySharpness(a: Mention, b: Mention, asked: number): number {
  return (
    Math.min(b.parts, asked) - Math.min(a.parts, asked) ||
    Number(b.isOwn) - Number(a.isOwn) ||
    a.files - b.files ||
    a.at - b.at
  );
}

function wordsOf({ phrase, header, description }: LinkedEntry): string {
  return [phrase, header, description].join('\n');
}

function pathsSaid(words: string): readonly string[] {
  const known = said.get(words);
  if (known !== undefined) return known;
  const paths = pathsIn(words);
  if (said.size >= MOST_SAID) said.clear();
  said.set(words, paths);
  return paths;
}

function pathsOf(section: Section): readonly string[] {
  const known = read.get(section);
  if (known !== undefined) return known;
  const paths = [...new Set(pathsIn(section.content.slice(0, MAX_READ)))];
  read.set(section, paths);
  return paths;
}
