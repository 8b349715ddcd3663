/** Where index, decision files and the journal of recalls are, when nobody says so. */
import { existsSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { AppError } from '../../../shared/errors.js';
import { dataDirectoryOf, isBelow, realPath } from '../../../shared/folders.js';
import {
  DECISIONS,
  foundIndex,
  INDEX_PLACES,
  repositoryOf,
  type Warning,
  type WhenPaths,
} from '../../../when/offline.js';
import type { Flags } from '../flags.js';
import { badInput, type Io } from '../io.js';

/** Options that every command of the group has. */
export const FILE_FLAGS: Flags = [
  ['index', '--index <file>', 'the index (else agents/memory-index.md and the like, upwards)'],
  ['decisions', '--decisions <folder>', 'the decision files (else "decisions" beside the index)'],
  ['json', '--json', 'print one JSON document'],
  ['usage', '--no-usage', 'do not count this recall'],
  ['verbose', '--verbose', 'also say what went wrong beside the result'],
];

export interface WhenFlags {
  index?: string;
  decisions?: string;
  json?: true;
  verbose?: true;
  /** `--no-usage` */
  usage: boolean;
  /** The server whose index is asked, instead of the files of the project. */
  port?: number;
}

const MAKES_ONE = '"cue when remember --index FILE …" makes one';
/** A line break, say, in the name of a file. */
const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
const JOURNAL_FOLDER = '.cue';
/** Where the host keeps its own, the database among it, when it is told no other place. */
const HOST_FOLDER = '.eliza';
const HOST_DATABASE = '.elizadb';

type PlaceFlags = Pick<WhenFlags, 'index' | 'decisions'>;

export type Place = Pick<Io, 'cwd' | 'env'>;

/**
 * Flag, then setting, then the first of `INDEX_PLACES` in the current directory or one above it, up
 * to the one with `.git`; outside of a repository only in the current one, since what lies above
 * may be anybody's. Decision files are beside the index. What nobody named is held within the
 * repository: a link in it may lead anywhere.
 * @throws AppError INVALID_INPUT when there is no index
 */
export function whenPathsOf(flags: PlaceFlags, place: Place): WhenPaths {
  const { cwd, env } = place;
  const index = indexOf(flags, place);
  if (index === null) {
    throw badInput(
      `no index: none of ${INDEX_PLACES.join(', ')} exists here or above; name one with --index or CUE_WHEN_INDEX (${MAKES_ONE})`,
      { searched: [...INDEX_PLACES] },
    );
  }
  const folder = flags.decisions || env.CUE_WHEN_DECISIONS;
  const isIndexNamed = Boolean(flags.index || env.CUE_WHEN_INDEX);
  const start = isIndexNamed ? dirname(index) : cwd;
  const roots = (env.CUE_FILE_ROOTS ?? '').split(',').flatMap((root) => root.trim() || []);
  return {
    index,
    decisions: folder ? resolve(cwd, folder) : join(dirname(index), DECISIONS),
    named: [
      ...(isIndexNamed ? (['index'] as const) : []),
      ...(folder ? (['decisions'] as const) : []),
    ],
    within: repositoryOf(start) ?? start,
    ...(roots.length === 0 ? {} : { roots: roots.map((root) => resolve(cwd, root)) }),
  };
}

/** The index alone, whether it exists or not; `null` when none is named and none was found. */
export function indexOf(flags: PlaceFlags, { cwd, env }: Place): string | null {
  const named = flags.index || env.CUE_WHEN_INDEX;
  return named ? resolve(cwd, named) : foundIndex(cwd);
}

/** The paths, where the index has to be there already. */
export function existingPathsOf(flags: PlaceFlags, place: Place): WhenPaths {
  const paths = whenPathsOf(flags, place);
  if (existsSync(paths.index)) return paths;
  throw badInput(`no index: ${paths.index} does not exist; ${MAKES_ONE}`, { index: paths.index });
}

/**
 * The folder of the journal: `CUE_DATA_DIR`, else where an agent of this project keeps its data,
 * else `.cue` in the project.
 * @param index of the project, `null` when there is none
 * @throws AppError PERMISSION_DENIED where a link of the project leads out of it
 */
export function journalFolderOf(index: string | null, { cwd, env }: Place): string {
  if (env.CUE_DATA_DIR) return resolve(cwd, env.CUE_DATA_DIR);
  if (env.PGLITE_DATA_DIR) {
    return dataDirectoryOf(undefined, resolve(cwd, env.PGLITE_DATA_DIR)).path;
  }
  const root = projectOf(index, cwd);
  const host = join(root, HOST_FOLDER);
  const folder = existsSync(host)
    ? dataDirectoryOf(undefined, join(host, HOST_DATABASE)).path
    : join(root, JOURNAL_FOLDER);
  if (isBelow(realPath(folder), realPath(root))) return folder;
  const message = `${folder} leads out of ${root}: name it with CUE_DATA_DIR if the journal belongs there`;
  throw new AppError('PERMISSION_DENIED', message, { folder });
}

/** Of the index, the decisions folder or a file in it. */
export function pathOf({ file }: Warning, paths: WhenPaths): string {
  return file === 'index' ? paths.index : join(paths.decisions, file);
}

/** `agents/decisions/testing.md:12`: as editors and pre-commit checks read it. */
export function placeOf(warning: Warning, paths: WhenPaths, cwd: string): string {
  const path = pathOf(warning, paths);
  const { line } = warning;
  return line === undefined ? shownPath(path, cwd) : `${shownPath(path, cwd)}:${line}`;
}

/** On one line, without the number of the line that its place names already. */
export function wordsOf({ message }: Warning): string {
  return message.replace(/^line \d+: /, '').replace(CONTROLS, '\ufffd');
}

/** From the current directory where it lies below that. */
export function shownPath(path: string, cwd: string): string {
  const below = relative(cwd, path);
  const shown = below === '' || below.startsWith('..') || isAbsolute(below) ? path : below;
  return shown.replace(CONTROLS, '\ufffd');
}

/** The repository, else the directory that `INDEX_PLACES` counts from. */
function projectOf(index: string | null, cwd: string): string {
  const start = index === null ? cwd : dirname(index);
  const repository = repositoryOf(start);
  if (repository) return repository;
  const isPlace = INDEX_PLACES.some((place) => dirname(place) === basename(start));
  return isPlace ? dirname(start) : start;
}
