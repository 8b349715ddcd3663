/**
 * Holds back what takes content away from a file. Editors and version control write in steps (empty,
 * then half, then whole; delete, then add), and a reader that believes each step forgets what is about
 * to come back. An addition or change counts at once. A loss counts when it still stands after a while.
 * A file that is there but cannot be read keeps its known text. Pure: time is handed in. (Waiting until a
 * file stops growing, as chokidar can, would delay every edit and does not see "delete, then add".)
 */
import type { DiskState } from '../types.js';
import { isUnread, unreadOf } from '../unread.js';
import { INDEX } from './bounds.js';

/** Longer than an editor or a checkout takes between two steps. */
export const SETTLE_MS = 300;

export interface Filtered {
  /** What to go by; the same object as long as nothing in it changes. */
  state: DiskState;
  /** Look again after this time, whatever is reported meanwhile; `null`: no need. */
  againInMs: number | null;
}

interface ShrinkFilter {
  see(seen: DiskState, nowMs: number): Filtered;
}

/** A loss that does not count yet: what was seen instead (`null`: nothing), and since when. */
interface Loss {
  seen: string | null;
  sinceMs: number;
}

/** No path of a decision file is empty. */
const INDEX_KEY = '';

export function createShrinkFilter({
  settleMs = SETTLE_MS,
}: {
  settleMs?: number;
} = {}): ShrinkFilter {
  let believed: DiskState | null = null;
  let losses = new Map<string, Loss>();

  return {
    see(seen, nowMs) {
      if (believed === null) {
        believed = seen;
        return { state: seen, againInMs: null };
      }
      const unread = unreadOf(seen.warnings);
      const before = textsOf(believed);
      const now = textsOf(seen);
      const added = new Set([...now].flatMap(([key, text]) => (before.has(key) ? [] : [text])));
      const next = new Map(now);
      const pending = new Map<string, Loss>();
      for (const [key, old] of before) {
        const text = now.get(key) ?? null;
        const isMoved = text === null && added.has(old);
        if (isMoved || !losesContent(old, text)) continue;
        const isUnreadable = text === null && isUnread(key === INDEX_KEY ? INDEX : key, unread);
        const loss = losses.get(key);
        const sinceMs = loss?.seen === text ? loss.sinceMs : nowMs;
        if (!isUnreadable && nowMs - sinceMs >= settleMs) continue;
        next.set(key, old);
        if (!isUnreadable) pending.set(key, { seen: text, sinceMs });
      }
      losses = pending;
      const state = stateOf(next, believed, seen);
      if (!isSame(believed, state)) believed = state;
      const waits = [...pending.values()].map(({ sinceMs }) => sinceMs + settleMs - nowMs);
      // Nothing reports that the system can open files again.
      if (unread.some(({ code }) => code === 'busy')) waits.push(settleMs);
      return { state: believed, againInMs: waits.length > 0 ? Math.min(...waits) : null };
    },
  };
}

function textsOf({ index, files }: DiskState): Map<string, string> {
  const texts = new Map(files.map(({ path, text }) => [path, text]));
  if (index !== null) texts.set(INDEX_KEY, index.text);
  return texts;
}

function stateOf(texts: Map<string, string>, before: DiskState, seen: DiskState): DiskState {
  const indexText = texts.get(INDEX_KEY);
  const path = (seen.index ?? before.index)?.path;
  const files = [...texts].filter(([key]) => key !== INDEX_KEY);
  return {
    index: indexText === undefined || path === undefined ? null : { path, text: indexText },
    files: files
      .map(([file, text]) => ({ path: file, text }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
    // A file that still counts as present is not reported as missing.
    warnings: seen.warnings.filter(
      ({ code }) =>
        !(code === 'no_index' && indexText !== undefined) &&
        !(code === 'no_folder' && files.length > 0),
    ),
  };
}

/** Headings and entries: what a file is taken apart by. Underlines stand for their headings. */
const LANDMARK = /^ {0,3}(?:#{1,6}[ \t]|(?:[-*+] +)?\/(?:when|how) |=+[ \t]*$|-+[ \t]*$)/gm;

/** Gone, empty, cut off, without some of its headings or entries, or less than half of it. */
function losesContent(before: string, after: string | null): boolean {
  if (after === null) return true;
  if (before === after || before.trim() === '') return false;
  if (after.length < before.length / 2 || before.startsWith(after)) return true;
  return countOf(after) < countOf(before);
}

function countOf(text: string): number {
  return text.match(LANDMARK)?.length ?? 0;
}

/** Whether both are of the same files with the same texts and warnings. */
export function isSame(one: DiskState, other: DiskState): boolean {
  return (
    one.index?.text === other.index?.text &&
    one.index?.path === other.index?.path &&
    one.files.length === other.files.length &&
    one.files.every(({ path, text }, at) => {
      const file = other.files[at];
      return file?.path === path && file.text === text;
    }) &&
    JSON.stringify(one.warnings) === JSON.stringify(other.warnings)
  );
}
