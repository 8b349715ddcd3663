/** Which sections speak of a file: what an entry offers itself for when that file is touched. Pure. */
import { pathsIn } from '../shared/path-mentions.js';
import { isInEveryFolder, pathKeys } from '../shared/paths.js';
import { yieldToLoop } from '../shared/yield.js';
import type { Library, LinkedEntry, Section } from './types.js';

/** A file that more sections than this speak of is no sign of any one of them. */
const MOST_SPEAKING = 3;
/** Of a section only so much is looked at, characters. */
const MAX_READ = 16_000;
/** Entries and characters looked at between two turns of the event loop: some milliseconds. */
const ENTRIES = 200;
const CHARACTERS = 50_000;

export interface FileMentions {
  /** Entries whose section, or description, names the file; the one that names it alone first. */
  of(path: string): LinkedEntry[];
}

/** Kept per section, because files that did not change keep their section objects. */
const read = new WeakMap<Section, readonly string[]>();

/** In steps of some milliseconds; a section is looked through once in its life. */
export async function createFileMentions({ entries }: Library): Promise<FileMentions> {
  /** By the path as it was written, and by each of its endings. */
  const whole = new Map<string, Set<LinkedEntry>>();
  const ends = new Map<string, Set<LinkedEntry>>();
  let looked = 0;
  let characters = 0;
  for (const entry of entries) {
    if (entry.section === null) continue;
    looked += 1;
    if (!read.has(entry.section)) characters += Math.min(entry.section.content.length, MAX_READ);
    if (looked >= ENTRIES || characters >= CHARACTERS) {
      looked = 0;
      characters = 0;
      await yieldToLoop();
    }
    for (const path of [...pathsOf(entry.section), ...pathsIn(entry.description)]) {
      const keys = pathKeys(path);
      const [full] = keys;
      if (full === undefined || (keys.length === 1 && isInEveryFolder(full))) continue;
      add(whole, full, entry);
      for (const key of keys) add(ends, key, entry);
    }
  }
  return {
    of(path) {
      const keys = pathKeys(path);
      const [full] = keys;
      if (full === undefined) return [];
      const isBareCommon = keys.length === 1 && isInEveryFolder(full);
      const found = new Set<LinkedEntry>();
      // What was written ends the touched path, or the touched path ends what was written.
      for (const key of keys) for (const entry of whole.get(key) ?? []) found.add(entry);
      if (!isBareCommon) for (const entry of ends.get(full) ?? []) found.add(entry);
      return found.size > MOST_SPEAKING ? [] : [...found];
    },
  };
}

function pathsOf(section: Section): readonly string[] {
  const known = read.get(section);
  if (known !== undefined) return known;
  const paths = [...new Set(pathsIn(section.content.slice(0, MAX_READ)))];
  read.set(section, paths);
  return paths;
}

function add(map: Map<string, Set<LinkedEntry>>, key: string, entry: LinkedEntry): void {
  const set = map.get(key);
  if (set === undefined) map.set(key, new Set([entry]));
  else set.add(entry);
}
