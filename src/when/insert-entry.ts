/** The insertion of an entry into the index (seed §3, §6). What was inserted is read back. */
import { InvalidInputError } from '../shared/errors.js';
import { outlineOfIndex, parseEntryLine, parseIndex, printEntry } from './index-file.js';
import { createFileFinder, createGroupFinder } from './library.js';
import { type Outline, plainText } from './markdown/headings.js';
import {
  type Edited,
  insertBlock,
  insertLines,
  isBlank,
  lastTextLine,
  lineOfOffset,
  mostCommon,
  unclosed,
} from './markdown/insertion.js';
import { lineAt } from './markdown/lines.js';
import { headerKey, INDEX_BULLET } from './phrases.js';
import type { Entry, EntryFields, Group, IndexDocument, Library } from './types.js';

const BULLET = new RegExp(`^${INDEX_BULLET}(?=\\/)`);

/**
 * The index with one more entry, in the group of `file` (made when missing: in order of the file
 * names if the groups are ordered, else at the end), ordered by the lines of the headers in the file
 * as the library knows it; an unknown header comes last. Bullets, line breaks and group titles as
 * the index has them. Throws INVALID_INPUT for fields that would not be read back, CONFLICT when the
 * place lies in a code fence or comment that is never closed.
 */
export function insertEntry(
  indexText: string,
  fields: EntryFields,
  file: string,
  library: Library,
): Edited {
  const line = printEntry(fields);
  checkFields(line);
  const index = library.index.text === indexText ? library.index : parseIndex(indexText);
  const outline = outlineOfIndex(indexText);
  const paths = [...new Set([file, ...library.files.map((one) => one.path)])];
  const fileOf = createFileFinder(paths);
  const fileOfGroup = createGroupFinder(paths);
  const ranks = ranksOf(file, fields, library);
  const own = index.groups.filter((group) => fileOfGroup(group) === file);
  const group = homeOf(own, index, ranks);
  const edited =
    group === undefined
      ? insertGroup({ index, outline, fileOf }, file, line)
      : insertIntoGroup({ index, outline, fileOf }, group, line, ranks);
  const { entries: added, groups } = parseIndex(edited.text);
  const there = added.find((entry) => entry.line === edited.line);
  const isRead =
    added.length === index.entries.length + 1 &&
    there !== undefined &&
    printEntry(there) === line &&
    groups.some((one) => one.title === there.group && fileOfGroup(one) === file);
  if (!isRead) throw unclosed('the index', edited.line);
  return edited;
}

interface Place {
  index: IndexDocument;
  outline: Outline;
  fileOf(title: string): string | null;
}

/** Line of a header in the decision file, `null` when it has none; the new entry's own beside it. */
interface Ranks {
  own: number | null;
  of(header: string): number | null;
}

function ranksOf(file: string, fields: EntryFields, library: Library): Ranks {
  const lines = new Map<string, number>();
  const known = library.files.find((one) => one.path === file);
  for (const section of known?.sections ?? []) {
    const key = headerKey(section.title);
    if (!section.structural && !lines.has(key)) lines.set(key, section.line);
  }
  const of = (header: string) =>
    lines.get(headerKey(header)) ?? lines.get(headerKey(plainText(header))) ?? null;
  return { own: of(fields.header), of };
}

/** Of the groups of a file the one with the entry that the new one comes behind. */
function homeOf(groups: readonly Group[], index: IndexDocument, ranks: Ranks): Group | undefined {
  let home = groups[0];
  let highest = 0;
  for (const group of groups) {
    const next = index.groups.find(({ line }) => line > group.line)?.line ?? Number.MAX_VALUE;
    for (const { line, header } of index.entries) {
      const rank = line > group.line && line < next ? ranks.of(header) : null;
      if (rank === null || rank < highest || rank > (ranks.own ?? rank)) continue;
      home = group;
      highest = rank;
    }
  }
  return home;
}

function insertIntoGroup(place: Place, group: Group, line: string, ranks: Ranks): Edited {
  const { index, outline } = place;
  const last = lastTextLine(index.text, outline, nextHeading(outline, group.line));
  const entries = index.entries.filter((entry) => entry.line > group.line && entry.line <= last);
  const first = entries[0];
  if (first === undefined) return insertFirst(place, group, last, line);
  const earlier = entries.filter((entry) => comesBefore(entry, ranks));
  const previous = earlier.at(-1);
  if (previous === undefined) {
    return insertLines(index.text, outline, first.line, [styled(index, outline, first) + line]);
  }
  const at = lastLineOfItem(index.text, outline, previous.line) + 1;
  return insertLines(index.text, outline, at, [styled(index, outline, previous) + line]);
}

/** Entries that lead nowhere keep their place behind what they follow. */
function comesBefore(entry: Entry, ranks: Ranks): boolean {
  const rank = ranks.of(entry.header);
  return ranks.own === null || (rank !== null && rank <= ranks.own);
}

/** Into a group that has no entries yet: below its heading, or below the text that it has. */
function insertFirst({ index, outline }: Place, group: Group, last: number, line: string): Edited {
  const bullet = styled(index, outline, index.entries.at(-1));
  const heading = outline.headings.find((one) => one.line === group.line);
  const isBare = lineOfOffset(outline, heading?.bodyStart ?? 0) > last;
  const isLegacy = index.legacy.some((one) => one.line === last);
  const isClose = isLegacy || (isBare && !hasBlankBelowHeadings(index, outline));
  const blank = isClose ? [] : [''];
  const edited = insertLines(index.text, outline, last + 1, [...blank, bullet + line]);
  return { text: edited.text, line: edited.line + blank.length };
}

function insertGroup(place: Place, file: string, line: string): Edited {
  const { index, outline, fileOf } = place;
  const level = mostCommon(fileGroups(index, fileOf).map(({ group }) => group.level)) ?? 2;
  const groups = fileGroups(index, fileOf).filter(({ group }) => group.level === level);
  const names = groups.map((one) => one.file);
  const isOrdered = names.every((name, at) => at === 0 || inOrder(names[at - 1] ?? '', name));
  const next = isOrdered ? groups.find((one) => !inOrder(one.file, file)) : undefined;
  const previous = isOrdered ? groups.at(-1) : undefined;
  let boundary = outline.starts.length + 1;
  if (next !== undefined) boundary = next.group.line;
  else if (previous !== undefined) boundary = nextHeading(outline, previous.group.line, level);

  const title = titleFor(file, groups);
  const bullet = styled(index, outline, index.entries.at(-1));
  const blank = hasBlankBelowHeadings(index, outline) ? [''] : [];
  const lines = [`${'#'.repeat(level)} ${title}`, ...blank, bullet + line];
  const edited = insertBlock(index.text, outline, boundary, lines);
  return { text: edited.text, line: edited.line + lines.length - 1 };
}

function fileGroups(index: IndexDocument, fileOf: (title: string) => string | null) {
  return index.groups.flatMap((group) => {
    const file = fileOf(group.title);
    return file === null ? [] : [{ group, file }];
  });
}

/** In the way the other groups name theirs: with the same folders in front, in backticks or not. */
function titleFor(file: string, groups: readonly { group: Group; file: string }[]): string {
  const forms = groups.flatMap(({ group: { title }, file: own }) => {
    const at = title.lastIndexOf(own);
    // A link says the name twice; its form is not followed.
    if (at < 0 || title.includes('](')) return [];
    return [`${title.slice(0, at)}\n${title.slice(at + own.length)}`];
  });
  const [before, after] = (mostCommon(forms) ?? '\n').split('\n');
  return `${before}${file}${after}`;
}

function inOrder(a: string, b: string): boolean {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  return first < second || (first === second && a <= b);
}

/** Whether a blank line follows the headings of groups; what most of those with entries do. */
function hasBlankBelowHeadings(index: IndexDocument, outline: Outline): boolean {
  const lines = new Set(index.entries.map((entry) => entry.line));
  const direct = index.groups.filter((group) => lines.has(group.line + 1)).length;
  const apart = index.groups.filter(
    (group) => lines.has(group.line + 2) && isBlank(lineAt(index.text, outline.starts, group.line)),
  ).length;
  return apart >= direct;
}

/** Indentation and bullet of an entry's line. */
function styled(index: IndexDocument, outline: Outline, entry: Entry | undefined): string {
  if (entry === undefined) return '';
  return BULLET.exec(lineAt(index.text, outline.starts, entry.line - 1))?.[0] ?? '';
}

/** Indented lines below an item of a list belong to it. */
function lastLineOfItem(text: string, outline: Outline, line: number): number {
  let last = line;
  while (last < outline.starts.length) {
    const below = lineAt(text, outline.starts, last);
    if (!/^[ \t]+\S/.test(below) || parseEntryLine(below) !== null) break;
    last += 1;
  }
  return last;
}

/** Line of the first heading below a line, of a level or above; one past the last line without. */
function nextHeading(outline: Outline, line: number, level = 6): number {
  const next = outline.headings.find((heading) => heading.line > line && heading.level <= level);
  return next?.line ?? outline.starts.length + 1;
}

function checkFields(line: string): void {
  if (parseEntryLine(line) !== null) return;
  throw new InvalidInputError([
    { field: 'entry', message: `"${line}" would not be read as an entry` },
  ]);
}
