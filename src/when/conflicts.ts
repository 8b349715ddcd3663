/** What a merge that is not resolved leaves in index and decision files. */
import { join } from 'node:path';
import { AppError } from '../shared/errors.js';
import { outlineOf } from './markdown/headings.js';
import { lineAt } from './markdown/lines.js';
import type { Library, WhenPaths } from './types.js';

const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?:\s|$)/;
const HAS_MARKERS = /^(?:<{7}|>{7})(?:\s|$)/m;
const SHOWN = 5;

export interface ConflictMarker {
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
    const more = lines.length > SHOWN ? ', …' : '';
    const where = `${lines.length === 1 ? 'line' : 'lines'} ${lines.slice(0, SHOWN).join(', ')}${more}`;
    const message = `${path} has merge conflict markers (${where}): resolve the merge first; nothing was written`;
    throw new AppError('CONFLICT', message, { path, lines: lines.slice(0, 50) });
  }
}
