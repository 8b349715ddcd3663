/**
 * What was worked out of index and decision files, in a file, so that not every command parses and indexes
 * all of them. It counts as long as each of them still is the one that was read, by its stamp: whoever
 * hands out a repository cannot know those of its copies. Never a source: with whatever is wrong, it is
 * left aside and written anew.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { dirname } from 'node:path';
import { crc32 } from 'node:zlib';
import { packageVersion } from '../shared/package-version.js';
import { processName } from '../shared/process-life.js';
import { readWhole } from '../shared/read-whole.js';
import { makeDataFolder } from './data-folder.js';
import type { KnownFile } from './disk/read.js';
import type { SavedSearch } from './match/search-index.js';
import type {
  DecisionFile,
  DiskState,
  IndexDocument,
  Library,
  LinkedEntry,
  Section,
  Warning,
} from './types.js';

/** Changes with the form of the file, and with what is worked out of the same texts. */
const FORM = 'cue-when-1';
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
  search(): SavedSearch | null;
}

/** `null`: there is none, or none that this version can use. */
export async function readKeptIndex(path: string): Promise<KeptIndex | null> {
  const read = await readWhole(path, MOST_BYTES);
  if (read === 'gone' || 'refused' in read) return null;
  const parts = partsIn(read.bytes);
  try {
    return parts === null ? null : keptIn(parts);
  } catch {
    // Of another form than its head says: not ours.
    return null;
  }
}

/**
 * In one step: others find what was there, or this. @throws the file system's error
 * @param path whose folder is made where it is missing
 */
export function writeKeptIndex(path: string, worked: Worked): void {
  makeDataFolder(dirname(path));
  const beside = `${path}.${processName()}.tmp`;
  try {
    rmSync(beside, { force: true });
    // It has the texts of the files: for the owner alone.
    writeFileSync(beside, bytesOf(worked), { flag: 'wx', mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** The library as JSON has it; sections by their place in the text, and entries by that of their section. */
interface Plain {
  known: [real: string, stamp: string, text: string][];
  hasIndex: boolean;
  told: readonly Warning[];
  index: Omit<IndexDocument, 'text'>;
  files: { path: string; hash: string; sections: PlainSection[] }[];
  links: PlainLink[];
  warnings: readonly Warning[];
  unread: readonly Warning[];
}

type PlainSection = [
  ...[title: string, level: number, structural: boolean, path: readonly string[]],
  ...[ordinal: number, line: number, from: number, length: number],
];

/** Of an entry: its file, the numbers of its section (-1: none), whether that is not known. */
type PlainLink = [file: string | null, at: number, section: number, unread: boolean];

/** The library, then what is to be searched: words, lists, their bytes, lengths, vectors. */
const SEARCH_PARTS = 5;

function bytesOf({ known, state, library, search }: Worked): Buffer {
  const { text: _, ...index } = library.index;
  const places = new Map<Section, [at: number, section: number]>();
  for (const [at, { sections }] of library.files.entries()) {
    for (const [place, section] of sections.entries()) places.set(section, [at, place]);
  }
  const plain: Plain = {
    // They were read side by side, in no order.
    known: [...known]
      .map(([real, { stamp, text }]): Plain['known'][0] => [real, stamp, text])
      .sort(),
    hasIndex: state.index !== null,
    told: state.warnings,
    index,
    files: library.files.map(plainFile),
    links: library.entries.map(({ file, section, unread }) => {
      const [at, place] = (section === null ? undefined : places.get(section)) ?? [-1, -1];
      return [file, at, place, unread === true];
    }),
    warnings: library.warnings,
    unread: library.unread,
  };
  const parts: Buffer[] = [json(plain)];
  if (search !== null) {
    const { words, lists, bytes, lengths, vectors } = search;
    parts.push(json(words), ...[lists, bytes, lengths, vectors].map(rawBytes));
  }
  const body = Buffer.concat(parts);
  const head = [FORM, versionOfPackage(), crc32(body), parts.map(({ length }) => length)];
  return Buffer.concat([json(head), Buffer.from('\n'), body]);
}

/** Numbers lie in the file as this machine has them. */
const versionOfPackage = () => `${packageVersion()} ${endianness()}`;

const json = (value: unknown) => Buffer.from(JSON.stringify(value));

function rawBytes({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function plainFile({ path, hash, text, sections }: DecisionFile): Plain['files'][number] {
  let from = 0;
  return {
    path,
    hash,
    sections: sections.map((section): PlainSection => {
      const { title, level, structural, ordinal, line, content } = section;
      // Sections stand in the order of the text: the first place behind the last one has the same content.
      from = text.indexOf(content, from);
      return [title, level, structural, section.path, ordinal, line, from, content.length];
    }),
  };
}

/** `null`: of another form or version, cut off, or damaged. */
function partsIn(bytes: Buffer): Buffer[] | null {
  const end = bytes.indexOf('\n');
  const [form, version, sum, lengths] = headIn(bytes.toString('utf8', 0, Math.max(0, end)));
  if (form !== FORM || version !== versionOfPackage() || !Array.isArray(lengths)) return null;
  const body = bytes.subarray(end + 1);
  if (crc32(body) !== sum) return null;
  let at = 0;
  return lengths.map((length: number) => {
    at += length;
    return body.subarray(at - length, at);
  });
}

function headIn(line: string): unknown[] {
  try {
    const head: unknown = JSON.parse(line);
    return Array.isArray(head) ? head : [];
  } catch {
    return [];
  }
}

function keptIn([first, ...others]: readonly Buffer[]): KeptIndex {
  const plain: Plain = JSON.parse(String(first));
  const before = new Map(plain.known.map(([real, stamp, text]) => [real, { stamp, text }]));
  return {
    known: before,
    libraryOf(state, known) {
      const isSame =
        known !== null &&
        known.size === before.size &&
        [...known].every(([real, file]) => before.get(real) === file) &&
        (state.index !== null) === plain.hasIndex &&
        state.files.length === plain.files.length &&
        state.files.every(({ path }, at) => path === plain.files[at]?.path) &&
        JSON.stringify(state.warnings) === JSON.stringify(plain.told);
      return isSame ? libraryFrom(plain, state) : null;
    },
    search: () => (others.length === SEARCH_PARTS ? searchFrom(others) : null),
  };
}

function libraryFrom(plain: Plain, state: DiskState): Library {
  const files = plain.files.map(({ path, hash, sections }, at): DecisionFile => {
    const text = state.files[at]?.text ?? '';
    return {
      ...{ path, text, hash },
      sections: sections.map(([title, level, structural, above, ordinal, line, from, length]) => ({
        ...{ file: path, title, level, structural, path: above, ordinal, line },
        content: text.slice(from, from + length),
      })),
    };
  });
  const index = { ...plain.index, text: state.index?.text ?? '' };
  const entries = index.entries.map((entry, at): LinkedEntry => {
    const [file, inFile, place, unread] = plain.links[at] as PlainLink;
    const section = files[inFile]?.sections[place] ?? null;
    return { ...entry, file, section, ...(unread ? { unread } : {}) };
  });
  return { index, files, entries, warnings: plain.warnings, unread: plain.unread };
}

function searchFrom(parts: readonly Buffer[]): SavedSearch {
  // Copies: numbers of four bytes must not begin anywhere.
  const [words, lists, bytes, lengths, vectors] = parts.map((part) => new Uint8Array(part).buffer);
  return {
    words: JSON.parse(Buffer.from(words as ArrayBuffer).toString()),
    lists: new Int32Array(lists as ArrayBuffer),
    bytes: new Uint8Array(bytes as ArrayBuffer),
    lengths: new Int32Array(lengths as ArrayBuffer),
    vectors: new Float32Array(vectors as ArrayBuffer),
  };
}
