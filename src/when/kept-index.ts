/**
 * What was worked out of index and decision files, in a file, so that not every command parses and indexes
 * all of them. It counts as long as each of them still is the one that was read, by its stamp: whoever
 * hands out a repository cannot know those of its copies. Never a source: with whatever is wrong, it is
 * left aside and written anew.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { packageVersion } from '../shared/package-version.js';
import { processName } from '../shared/process-life.js';
import { readWhole } from '../shared/read-whole.js';
import { makeDataFolder } from './data-folder.js';
import type { KnownFile } from './disk/read.js';
import type { SavedSearch } from './match/search-index.js';
import type { DiskState, Library } from './types.js';

/** Changes with the form of the file, and with what is worked out of the same texts. */
const FORM = 'cue-when-2';
const MOST_BYTES = 512 * 1024 * 1024;

/** What was read, and what was made of it. */
export interface Worked {
  known: ReadonlyMap<string, KnownFile>;
  state: DiskState;
  library: Library;
  /** `null`: nothing was asked that needs it. */
  search: SavedSearch | null;
}

export interface KeptIndex {
  /** Files as they were read, by their real path. */
  known: ReadonlyMap<string, KnownFile>;
  /** The library of what was read now, or `null` where it is another one. */
  libraryOf(state: DiskState, known: Worked['known'] | null): Library | null;
  /** Of that library. */
  search: SavedSearch | null;
}

/** `null`: there is none, or none that this version can use. */
export async function readKeptIndex(path: string): Promise<KeptIndex | null> {
  const read = await readWhole(path, MOST_BYTES);
  if (read === 'gone' || 'refused' in read) return null;
  const { bytes } = read;
  const end = bytes.indexOf('\n');
  const body = bytes.subarray(end + 1);
  const isWhole = end >= 0 && bytes.toString('utf8', 0, end) === headOf(body);
  const kept = isWhole ? keptIn(body) : null;
  return (
    kept && {
      known: kept.known,
      libraryOf(state, known) {
        const isSame =
          known !== null &&
          known.size === kept.known.size &&
          [...known].every(([real, file]) => kept.known.get(real) === file) &&
          outlineOf(state) === kept.read;
        return isSame ? withTexts(kept.library, state) : null;
      },
      search: kept.search,
    }
  );
}

/**
 * In one step: others find what was there, or this. @throws the file system's error
 * @param path whose folder is made where it is missing
 */
export function writeKeptIndex(path: string, worked: Worked): void {
  makeDataFolder(dirname(path));
  const beside = `${path}.${processName()}.tmp`;
  const body = serialize(keptOf(worked));
  try {
    rmSync(beside, { force: true });
    // It has the texts of the files: for the owner alone.
    const bytes = Buffer.concat([Buffer.from(`${headOf(body)}\n`), body]);
    writeFileSync(beside, bytes, { flag: 'wx', mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

interface Kept {
  known: ReadonlyMap<string, KnownFile>;
  /** `outlineOf` */
  read: string;
  /** Without the texts of its files, which `known` has. */
  library: Library;
  search: SavedSearch | null;
}

/** `null`: somebody else wrote it. */
function keptIn(body: Buffer): Kept | null {
  try {
    const kept: Kept | null = deserialize(body);
    return kept?.known instanceof Map ? kept : null;
  } catch {
    return null;
  }
}

function keptOf({ known, state, library, search }: Worked): Kept {
  return {
    // They were read side by side, in no order.
    known: new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1))),
    read: outlineOf(state),
    library: {
      ...library,
      index: { ...library.index, text: '' },
      files: library.files.map((file) => ({ ...file, text: '' })),
    },
    search,
  };
}

function withTexts(library: Library, { index, files }: DiskState): Library {
  return {
    ...library,
    index: { ...library.index, text: index?.text ?? '' },
    files: library.files.map((file, at) => ({ ...file, text: files[at]?.text ?? '' })),
  };
}

/** Which files there were, and what reading them found. */
function outlineOf({ index, files, warnings }: DiskState): string {
  return JSON.stringify([index !== null, files.map(({ path }) => path), warnings]);
}

function headOf(body: Buffer): string {
  return JSON.stringify([FORM, packageVersion(), crc32(body)]);
}
