/**
 * Where entries of an index stand: in the group of the file that has their header, in the order of the
 * file (seed §3, §6). Lines move as they are; no other byte changes, and what was placed is read back.
 */
import { addTo } from '../shared/multimap.js';
import { outlineOfIndex, parseIndex, printEntry } from './index-file.js';
import { buildLibrary, createGroupFinder, titlesOf } from './library.js';
import { isBlank, lineBreakOf, lineOfOffset, unclosed } from './markdown/headings.js';
import { headerKey, INDEX_BULLET } from './phrases.js';
import type { DecisionFile, Entry, Library, LinkedEntry, Section } from './types.js';

/** Lines between two headings; `file` is the one that its heading, or one around it, names. */
interface Block {
  /** Line of its heading; 0 for what stands before the first. */
  line: number;
  /** Last line of the heading: an underlined one has two. */
  last: number;
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

/** Where an entry leads, for a caller who knows more than its header tells; undefined: not known. */
export type KnownSection = (entry: Entry) => Section | undefined;

/** Entries that lead somewhere, in the order of the index; the rest cannot be moved by rule. */
export function targetsOf(library: Library, known?: KnownSection): Target[] {
  const files = new Map(library.files.map((file) => [file.path, file]));
  return library.entries.flatMap((entry): Target[] => {
    if (entry.section !== null) return [{ entry, section: entry.section, misplaced: false }];
    // A header that its own file has as a structural one is a mistake of another kind.
    const own = files.get(entry.file ?? '');
    if (own && titlesOf(own).structural.has(headerKey(entry.header))) return [];
    const section = known?.(entry) ?? onlySection(library.files, entry.header);
    return section === null ? [] : [{ entry, section, misplaced: true }];
  });
}

/** The plain section that a header names, if one file alone has it. */
function onlySection(files: readonly DecisionFile[], header: string): Section | null {
  const found = files.flatMap((file) => titlesOf(file).find(header)[0] ?? []);
  return found.length === 1 ? (found[0] ?? null) : null;
}

/** The same files with another index. */
export function withIndex({ files }: Library, text: string): Library {
  return buildLibrary(parseIndex(text), files);
}

/** The blocks of the index, in order, each with its entries. */
export function blocksOf({ index, files, entries }: Library): Block[] {
  const find = createGroupFinder(files.map(({ path }) => path));
  const groups = new Map(index.groups.map((group) => [group.line, group]));
  const outline = outlineOfIndex(index.text);
  const blocks: Block[] = [{ line: 0, last: 0, file: null, entries: [] }];
  for (const { line, bodyStart } of outline.headings) {
    const group = groups.get(line);
    const file = group === undefined ? null : find(group);
    blocks.push({ line, last: lineOfOffset(outline, bodyStart) - 1, file, entries: [] });
  }
  let at = 0;
  for (const entry of entries) {
    while ((blocks[at + 1]?.line ?? Number.POSITIVE_INFINITY) < entry.line) at += 1;
    blocks[at]?.entries.push(entry);
  }
  return blocks;
}

/** Of equal lines all but one: the first that stands where it belongs stays, else the first. */
export function duplicateLines(targets: readonly Target[]): Set<number> {
  const kept = new Map<string, Target>();
  const repeated = new Set<number>();
  for (const target of targets) {
    const { entry, section, misplaced } = target;
    const key = [printEntry(entry), section.file, section.line].join('\n');
    const known = kept.get(key);
    if (known === undefined || (known.misplaced && !misplaced)) kept.set(key, target);
    const repeats = kept.get(key) === target ? known : target;
    if (repeats !== undefined) repeated.add(repeats.entry.line);
  }
  return repeated;
}

/** An entry's line for the group of the file that has its section. */
export interface Arrival {
  section: Pick<Section, 'file' | 'line'>;
  /** With the indented lines that belong to it, without the last break. */
  text: string;
}

/**
 * The index with misplaced entries in the groups of their files, the others of each group in the order of
 * their file, and repeated lines once.
 * @param isGone lines that are to go
 * @throws what `placeEntries` throws
 */
export function arrange(
  library: Library,
  targets: readonly Target[],
  isGone: (line: number) => boolean = () => false,
): string {
  const lines = linesOf(library);
  const dropped = duplicateLines(targets);
  const moving = targets.filter(({ entry, misplaced }) => misplaced && !dropped.has(entry.line));
  const arrivals = moving.map(
    ({ entry, section }): Arrival => ({ section, text: lines.get(entry.line)?.text ?? '' }),
  );
  for (const { entry } of moving) dropped.add(entry.line);
  const written = new Map(lines);
  for (const { entries } of blocksOf(library)) {
    const slots = entries.filter(({ line, section }) => section !== null && !dropped.has(line));
    const sorted = slots.toSorted((a, b) => rankOf(a) - rankOf(b));
    for (const [at, { line }] of slots.entries()) {
      const text = lines.get(sorted[at]?.line ?? line)?.text ?? '';
      written.set(line, { text, end: lines.get(line)?.end ?? '' });
    }
  }
  const staying = [...written].filter(([line]) => !dropped.has(line) && !isGone(line));
  const left = staying.map(([, { text, end }]) => text + end).join('');
  const placed = placeEntries(withIndex(library, left), arrivals);
  const isEnded = /\n$/.test(library.index.text);
  return isEnded ? placed : placed.replace(/\r?\n$/, '');
}

const rankOf = ({ section }: LinkedEntry) => section?.line ?? 0;

/** A line and its break, by line number; an entry with the indented lines below it, which belong to it. */
function linesOf({ index }: Library): Map<number, { text: string; end: string }> {
  const entries = new Set(index.entries.map(({ line }) => line));
  const lines = new Map<number, { text: string; end: string }>();
  let last = 0;
  for (const [at, whole] of index.text.split(/(?<=\n)/).entries()) {
    const [end = ''] = /[\r\n]*$/.exec(whole) ?? [];
    const text = whole.slice(0, whole.length - end.length);
    const item = lines.get(last);
    const continues = /^(?: {2}|\t)\s*\S/.test(text) && !entries.has(at + 1) && entries.has(last);
    if (continues && item) {
      item.text += item.end + text;
      item.end = end;
    } else {
      last = at + 1;
      lines.set(last, { text, end });
    }
  }
  return lines;
}

/**
 * The index with these lines: each in the first group of its file, behind the entry that it follows in
 * the file; a group that is missing is made at the end, named as the others are.
 * @throws AppError CONFLICT when a place lies in a code fence or comment that is never closed
 */
export function placeEntries(library: Library, arrivals: readonly Arrival[]): string {
  if (arrivals.length === 0) return library.index.text;
  const blocks = blocksOf(library);
  const lines = linesOf(library);
  const inserted = new Map<number, string[]>();
  const added = new Map<string, string[]>();
  for (const { section, text } of arrivals.toSorted((a, b) => a.section.line - b.section.line)) {
    const home = homeOf(blocks, section);
    if (home === undefined) addTo(added, section.file, text);
    else placeIn(home, lines, section.line, text, inserted);
  }
  const lineBreak = lineBreakOf(library.index.text);
  const isOpen = !/\n$/.test(library.index.text) && library.index.text !== '';
  const parts = [...(inserted.get(0) ?? []).map((one) => one + lineBreak)];
  for (const [line, { text, end }] of lines) {
    const more = inserted.get(line) ?? [];
    parts.push(text, end === '' && more.length > 0 ? lineBreak : end);
    parts.push(...more.map((one) => one + lineBreak));
  }
  let whole = parts.join('');
  for (const [file, texts] of [...added].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    const gap = whole === '' || whole === '\ufeff' ? '' : lineBreak;
    const isEnded = gap === '' || /\n$/.test(whole);
    const group = [titleFor(file, library), '', ...texts].join(lineBreak);
    whole += `${isEnded ? '' : lineBreak}${gap}${group}${lineBreak}`;
  }
  if (isOpen) whole = whole.replace(/\r?\n$/, '');
  checkPlaced(library, whole, arrivals);
  return whole;
}

/** The last group of the file with an entry that this one comes behind; else its first with entries. */
function homeOf(blocks: readonly Block[], section: Arrival['section']): Block | undefined {
  const own = blocks.filter(({ file }) => file === section.file);
  const isBefore = (entry: LinkedEntry) => entry.section !== null && rankOf(entry) <= section.line;
  return (
    own.findLast(({ entries }) => entries.some(isBefore)) ??
    own.find(({ entries }) => entries.some((entry) => entry.section !== null)) ??
    own[0]
  );
}

/** Right behind the entry before it, so that a remark stays above the one that it is about. */
function placeIn(
  { last: heading, entries }: Block,
  lines: ReadonlyMap<number, { text: string }>,
  rank: number,
  text: string,
  inserted: Map<number, string[]>,
): void {
  const previous = entries.findLast((one) => one.section !== null && rankOf(one) <= rank);
  const first = entries[0];
  if (previous !== undefined) addTo(inserted, previous.line, text);
  else if (first !== undefined) addTo(inserted, first.line - 1, text);
  else {
    const isFilled = inserted.has(heading);
    for (const one of isFilled ? [text] : ['', text]) addTo(inserted, heading, one);
    const follows = lines.get(heading + 1)?.text ?? '';
    if (!isFilled && !isBlank(follows)) addTo(inserted, heading, '');
  }
}

/** In the way the last group of a file is named: with the same folders in front, in backticks or not. */
function titleFor(file: string, { index, files }: Library): string {
  const find = createGroupFinder(files.map(({ path }) => path));
  const like = index.groups.findLast((group) => {
    const own = find(group);
    // A link says the name twice; its form is not followed.
    return own !== null && group.title.includes(own) && !group.title.includes('](');
  });
  if (like === undefined) return `## ${file}`;
  const own = find(like) ?? '';
  const at = like.title.lastIndexOf(own);
  const named = like.title.slice(0, at) + file + like.title.slice(at + own.length);
  return `${'#'.repeat(like.level)} ${named}`;
}

function checkPlaced(library: Library, text: string, arrivals: readonly Arrival[]): void {
  const { index, entries } = withIndex(library, text);
  const keyOf = ({ file, line }: Arrival['section']) => `${line} ${file}`;
  const there = new Set(entries.flatMap(({ section }) => (section ? [keyOf(section)] : [])));
  const isRead =
    entries.length === library.entries.length + arrivals.length &&
    arrivals.every(({ section }) => there.has(keyOf(section)));
  if (!isRead) throw unclosed('the index', outlineOfIndex(index.text).starts.length);
}

/** The entry's line, behind the bullet that others of the file, or else of the index, have. */
export function entryLine(library: Library, file: string, printed: string): string {
  const { entries } = library;
  const like = entries.findLast((one) => one.file === file) ?? entries.at(-1);
  const line = like && linesOf(library).get(like.line)?.text;
  const bullet = new RegExp(`^${INDEX_BULLET}(?=\\/)`).exec(line ?? '')?.[0] ?? '';
  return bullet + printed;
}
