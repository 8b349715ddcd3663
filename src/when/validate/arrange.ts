/**
 * Moves entries of an index to where they belong: into the group of the file that has their header,
 * in the order of the file (seed §3). Lines move as they are; no other byte changes.
 */
import { isAppError } from '../../shared/errors.js';
import { parseIndex, printEntry } from '../index-file.js';
import { insertEntry } from '../insert-entry.js';
import { buildLibrary, createGroupFinder, titlesOf } from '../library.js';
import { lineBreakOf, outlineOf } from '../markdown/headings.js';
import { headerKey } from '../phrases.js';
import type { DecisionFile, Entry, Library, LinkedEntry, Section } from '../types.js';
import { unreadFiles } from '../unread.js';

/** Lines between two headings; `file` is the one that its heading, or one around it, names. */
export interface Block {
  /** Line of its heading; 0 for what stands before the first. */
  line: number;
  file: string | null;
  entries: LinkedEntry[];
}

/** Where an entry leads, wherever it stands. */
export interface Target {
  entry: LinkedEntry;
  section: Section;
  /** It stands in another group than that of the section's file. */
  misplaced: boolean;
}

/** The plain section that a header names, if one file alone has it. */
function onlySection(files: readonly DecisionFile[], header: string): Section | null {
  const found = files.flatMap((file) => titlesOf(file).find(header)[0] ?? []);
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** Where an entry leads, for a caller who knows more than its header tells; undefined: not known. */
export type KnownSection = (entry: Entry) => Section | undefined;

/** Entries that lead somewhere, in the order of the index; the rest cannot be moved by rule. */
export function targetsOf(library: Library, known?: KnownSection): Target[] {
  const files = new Map(library.files.map((file) => [file.path, file]));
  return library.entries.flatMap((entry): Target[] => {
    if (entry.section !== null) return [{ entry, section: entry.section, misplaced: false }];
    // The file that it stands under may have the header all the same.
    if (entry.unread) return [];
    // A header that its own file has as a structural one is a mistake of another kind.
    const own = files.get(entry.file ?? '');
    if (own && titlesOf(own).structural.has(headerKey(entry.header))) return [];
    const section = known?.(entry) ?? onlySection(library.files, entry.header);
    return section === null ? [] : [{ entry, section, misplaced: true }];
  });
}

/** The same files with another index. */
export function withIndex({ files, unread }: Library, text: string): Library {
  return buildLibrary(parseIndex(text), files, unread);
}

/** The blocks of the index, in order, each with its entries. */
export function blocksOf(library: Library): Block[] {
  const { index, files, unread } = library;
  const paths = [...files.map(({ path }) => path), ...unreadFiles(unread).paths];
  const find = createGroupFinder([...new Set(paths)]);
  const entryLines = new Set(index.entries.map((entry) => entry.line));
  const titles = outlineOf(index.text)
    .headings.filter(({ level, line }) => level === 1 && !entryLines.has(line))
    .map(({ line }): Block => ({ line, file: null, entries: [] }));
  const groups = index.groups.map(
    (group): Block => ({ line: group.line, file: find(group), entries: [] }),
  );
  const blocks = [{ line: 0, file: null, entries: [] }, ...titles, ...groups].sort(
    (a, b) => a.line - b.line,
  );
  let at = 0;
  for (const entry of library.entries) {
    while ((blocks[at + 1]?.line ?? Number.POSITIVE_INFINITY) < entry.line) at += 1;
    blocks[at]?.entries.push(entry);
  }
  return blocks;
}

/** Two lines that say the same of the same section. */
function sameLine(target: Target): string {
  const { section } = target;
  return [printEntry(target.entry), section.file, section.line].join('\n');
}

/** Of equal lines the one that stays: the first that stands where it belongs, else the first. */
export function duplicateLines(targets: readonly Target[]): Set<number> {
  const kept = new Map<string, Target>();
  for (const target of targets) {
    const key = sameLine(target);
    const known = kept.get(key);
    if (known === undefined || (known.misplaced && !target.misplaced)) kept.set(key, target);
  }
  return new Set(
    targets
      .filter((target) => kept.get(sameLine(target)) !== target)
      .map(({ entry }) => entry.line),
  );
}

/** What `arrange` may move. */
export interface Wanted {
  which(entry: Entry): boolean;
  known?: KnownSection;
  /** What else to take out of the index once they are out of it. */
  tidy?(text: string): string;
}

/**
 * The index with misplaced entries in the groups of their files (made when missing), groups in the order of
 * their files, and repeated lines once. A place that cannot be written to (a code fence that is never closed) leaves its
 * entries where they are.
 */
export function arrange(start: Library, wanted: Wanted): string {
  const { which, known, tidy = (text: string) => text } = wanted;
  const all = targetsOf(start, known);
  const chosen = all.filter(({ entry }) => which(entry));
  const repeated = duplicateLines(all.filter((one) => !one.misplaced || which(one.entry)));
  const dropped = new Set(
    chosen.map(({ entry }) => entry.line).filter((line) => repeated.has(line)),
  );
  const moving = chosen.filter(({ entry, misplaced }) => misplaced && !repeated.has(entry.line));
  const items = itemsOf(start);
  const textOf = new Map(items.map(({ line, text }) => [line, text]));
  const leaving = new Set([...dropped, ...moving.map(({ entry }) => entry.line)]);
  const staying = items.filter(({ line }) => !leaving.has(line)).map(({ text }) => text);

  const grouped = withGroups(withIndex(start, tidy(staying.join(''))), moving);
  if (grouped.refused.size > 0) {
    const refused = new Set(
      moving
        .filter(({ section }) => grouped.refused.has(section.file))
        .map(({ entry }) => entry.line),
    );
    return arrange(start, {
      ...wanted,
      which: (entry) => which(entry) && !refused.has(entry.line),
    });
  }
  const whole = filled(
    grouped.library,
    grouped.left.map(({ entry, section }) => ({ section, text: textOf.get(entry.line) ?? '' })),
  );
  return endsWithBreak(start.index.text) ? whole : whole.replace(/(?:\r\n|\n|\r)$/, '');
}

/** A line for a group that exists. */
interface Arrival {
  section: Section;
  text: string;
}

function filled(library: Library, arrivals: readonly Arrival[]): string {
  const items = itemsOf(library);
  const textOf = new Map(items.map(({ line, text }) => [line, text]));
  const written = new Map(textOf);
  const rank = new Map<number, number>();
  for (const { line, section } of library.entries) {
    if (section !== null) rank.set(line, section.line);
  }
  const homes = homesOf(library);
  const arriving = new Map<number, Arrival[]>();
  for (const arrival of arrivals) {
    push(arriving, homes.get(arrival.section.file)?.line ?? 0, arrival);
  }
  const before = new Map<number, string[]>();
  const after = new Map<number, string[]>();
  for (const block of blocksOf(library)) {
    const slots = block.entries.map(({ line }) => line);
    const order = inOrder(slots, rank);
    slots.forEach((slot, at) => {
      written.set(slot, textOf.get(order[at] ?? slot) ?? '');
    });
    const byRank = (arriving.get(block.line) ?? []).toSorted(
      (a, b) => a.section.line - b.section.line,
    );
    for (const { section, text } of byRank) {
      const later = order.findIndex((line) => (rank.get(line) ?? 0) > section.line);
      // Right behind the entry before it, so that a remark stays above the one that it is about.
      const behind = slots[(later < 0 ? slots.length : later) - 1];
      if (behind === undefined) push(before, slots[0] ?? block.line, text);
      else push(after, behind, text);
    }
  }
  return items
    .flatMap(({ line }) => [
      ...(before.get(line) ?? []),
      written.get(line) ?? '',
      ...(after.get(line) ?? []),
    ])
    .join('');
}

function push<T>(lists: Map<number, T[]>, key: number, value: T): void {
  const list = lists.get(key);
  if (list === undefined) lists.set(key, [value]);
  else list.push(value);
}

/** Those that lead somewhere in the order of the file; the others keep their places. */
function inOrder(slots: readonly number[], rank: ReadonlyMap<number, number>): number[] {
  const rankOf = (line: number) => rank.get(line) ?? 0;
  const sorted = slots.filter((line) => rank.has(line)).sort((a, b) => rankOf(a) - rankOf(b));
  return slots.map((line) => (rank.has(line) ? (sorted.shift() ?? line) : line));
}

/** The block that entries of a file go to: its first that has entries of its own. */
function homesOf(library: Library): Map<string, Block> {
  const homes = new Map<string, Block>();
  for (const block of blocksOf(library)) {
    const lived = block.entries.some(({ section }) => section !== null);
    if (block.file !== null && lived && !homes.has(block.file)) homes.set(block.file, block);
  }
  return homes;
}

/** With a first entry in each group that gets some and has none; `left`: the others. */
function withGroups(
  start: Library,
  moving: readonly Target[],
): { library: Library; left: Target[]; refused: Set<string> } {
  let library = start;
  const present = new Set(homesOf(start).keys());
  const left: Target[] = [];
  const refused = new Set<string>();
  for (const target of moving) {
    const { file } = target.section;
    if (present.has(file)) {
      left.push(target);
      continue;
    }
    present.add(file);
    try {
      const { text } = insertEntry(library.index.text, target.entry, file, library);
      library = withIndex(library, text);
    } catch (error) {
      if (!isAppError(error)) throw error;
      refused.add(file);
    }
  }
  return { library, left, refused };
}

/** A line with its break; for an entry, with the indented lines that belong to it. */
interface Item {
  line: number;
  text: string;
}

function itemsOf({ index }: Library): Item[] {
  const { text } = index;
  const whole = endsWithBreak(text) ? text : text + lineBreakOf(text);
  const entries = new Set(index.entries.map(({ line }) => line));
  const items: Item[] = [];
  for (const [at, one] of whole.split(/(?<=\r\n|\n|\r(?!\n))/).entries()) {
    const previous = items.at(-1);
    const continues = /^(?: {2}|\t)\s*\S/.test(one) && !entries.has(at + 1);
    if (previous !== undefined && continues && entries.has(previous.line)) previous.text += one;
    else items.push({ line: at + 1, text: one });
  }
  return items;
}

function endsWithBreak(text: string): boolean {
  return /[\r\n]$/.test(text);
}
