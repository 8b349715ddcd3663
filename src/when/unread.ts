/**
 * Files that exist and could not be read: too large, not text, locked, a link that leads out. They do
 * not count as missing: their known text is kept, and entries that lead to them stay. Pure.
 */
import { AppError } from '../shared/errors.js';
import { FOLDER, INDEX } from './disk/bounds.js';
import type { DiskState, Library, Warning } from './types.js';

/** These codes mean that nothing is there. Files below a linked folder are read under their own names. */
const NOT_UNREAD = new Set(['no_index', 'no_folder', 'linked_folder']);
const DECISION_FILE = /\.md$/i;

/** Those of the reader's warnings that are about something that is there and was not read. */
export function unreadOf(warnings: readonly Warning[]): Warning[] {
  return warnings.filter(({ code, line }) => line === undefined && !NOT_UNREAD.has(code));
}

/** Whether a decision file, or the index (`INDEX`), may be there though it was not read. */
export function isUnread(file: string, unread: readonly Warning[]): boolean {
  return unread.some((one) => {
    if (one.file === file) return true;
    if (one.file === INDEX || file === INDEX) return false;
    return one.file === FOLDER || file.startsWith(`${one.file}/`);
  });
}

/**
 * Why nothing can be found by its trigger: the index was not read, and no entry of it is known. To answer
 * that there is no entry would be taken for "no rule".
 * @param among of the library's warnings those that count
 */
export function indexFault(
  { index, entries }: Pick<Library, 'index' | 'entries'>,
  among: readonly Warning[],
  path: string,
): AppError | null {
  const fault = among.find(({ file, line }) => file === INDEX && line === undefined);
  if (fault === undefined || index.text !== '' || entries.length > 0) return null;
  const code = fault.code === 'outside' ? 'PERMISSION_DENIED' : 'UNAVAILABLE';
  return new AppError(code, fault.message, { index: path, reason: fault.code });
}

/** Paths of unread decision files, and whether whole folders were not looked into. */
export function unreadFiles(unread: readonly Warning[]): { paths: string[]; folders: boolean } {
  const files = unread.map(({ file }) => file).filter((file) => file !== INDEX);
  const paths = files.filter((file) => DECISION_FILE.test(file));
  return { paths: [...new Set(paths)], folders: files.length > paths.length };
}

/** The state with what is known of files that could not be read, where it has nothing of them. */
export function withKnown(state: DiskState, known: DiskState['files']): DiskState {
  const unread = unreadOf(state.warnings);
  if (unread.length === 0) return state;
  const read = new Set(state.files.map(({ path }) => path));
  const kept = known
    .filter(({ path }) => !read.has(path) && isUnread(path, unread))
    .map(({ path, text }) => ({ path, text }));
  if (kept.length === 0) return state;
  const files = [...state.files, ...kept].sort((a, b) => (a.path < b.path ? -1 : 1));
  return { ...state, files };
}

const SHOWN = 3;

/** In words, for whoever is answered from what was known; undefined: everything was read. */
export function unreadText(unread: readonly Warning[]): string | undefined {
  if (unread.length === 0) return undefined;
  const names = [...new Set(unread.map(nameOf))];
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : '';
  return `${names.slice(0, SHOWN).join(', ')}${more} cannot be read; what was known before answers`;
}

function nameOf({ file }: Warning): string {
  if (file === INDEX) return 'the index';
  return file === FOLDER ? 'some of the files' : file;
}
