/**
 * Files that exist and could not be read: too large, not text, locked, a link that leads out. They do
 * not count as missing: their known text is kept, and entries that lead to them stay. Pure.
 */

import { join } from 'node:path';
import { AppError } from '../shared/errors.js';
import { FOLDER, INDEX } from './disk/bounds.js';
import { lineAt, outlineOf } from './markdown/headings.js';
import type { DiskState, Library, Warning, WhenPaths } from './types.js';

/** These codes mean that nothing is there. Files below a linked folder are read under their own names. */
const NOT_UNREAD = new Set(['no_index', 'no_folder', 'linked_folder']);

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

const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/;
const HAS_MARKERS = /^(?:<{7}|>{7})(?:\s|$)/m;
const SHOWN_MARKERS = 5;

interface ConflictMarker {
  /** 1-based. */
  line: number;
  mark: string;
}

/** `=======` alone underlines a title; between the other two it is theirs. In fenced code it is an example. */
export function conflictMarkers(text: string): ConflictMarker[] {
  if (!HAS_MARKERS.test(text)) return [];
  const { starts, hidden } = outlineOf(text);
  const markers: ConflictMarker[] = [];
  let isOpen = false;
  for (let at = 0; at < starts.length; at += 1) {
    const line = at + 1;
    const [mark] = hidden.has(line) ? [] : (MARKER.exec(lineAt(text, starts, at)) ?? []);
    if (mark === undefined) continue;
    if (mark.startsWith('<')) isOpen = true;
    if (!isOpen && !mark.startsWith('>')) continue;
    if (mark.startsWith('>')) isOpen = false;
    markers.push({ line, mark: mark.trim() });
  }
  return markers;
}

/**
 * Called before anything is worked out that is to be written: between the markers stand two versions of
 * one text, and lines that move across them belong to neither.
 * @throws AppError CONFLICT naming the first file that has markers
 */
export function requireMerged(
  { index, files }: Pick<Library, 'index' | 'files'>,
  paths: WhenPaths,
): void {
  const texts = [
    { path: paths.index, text: index.text },
    ...files.map(({ path, text }) => ({ path: join(paths.decisions, ...path.split('/')), text })),
  ];
  for (const { path, text } of texts) {
    const lines = conflictMarkers(text).map(({ line }) => line);
    if (lines.length === 0) continue;
    const more = lines.length > SHOWN_MARKERS ? ', …' : '';
    const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, SHOWN_MARKERS).join(', ')}${more}`;
    const message = `${path} has merge conflict markers (${where}): resolve the merge first; nothing was written`;
    throw new AppError('CONFLICT', message, { path, lines: lines.slice(0, 50) });
  }
}

/** @throws AppError UNAVAILABLE naming the first file that is there and could not be read */
export function requireRead(warnings: readonly Warning[]): void {
  const [first] = unreadOf(warnings);
  if (first === undefined) return;
  const message = `${first.message}: entries may lead to it, so that nothing was written`;
  throw new AppError('UNAVAILABLE', message, { file: first.file, reason: first.code });
}
