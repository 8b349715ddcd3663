/** The insertion of an entry into the index (seed §3, §6). What was inserted is read back. */
import { AppError, InvalidInputError } from '../shared/errors.js';
import { outlineOfIndex, parseEntryLine, parseIndex, printEntry } from './index-file.js';
import { createFileFinder, createGroupFinder, titlesOf } from './library.js';
import {
  type Edited,
  type Heading,
  headingsOf,
  insertBlock,
  insertLines,
  isBlank,
  lastTextLine,
  lineAt,
  lineOfOffset,
  mostCommon,
  type Outline,
  oneLine,
  outlineOf,
  plainText,
  unclosed,
} from './markdown/headings.js';
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
  const known = library.files.find((one) => one.path === file);
  const of = (header: string) => (known && titlesOf(known).find(header)[0]?.line) ?? null;
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

/** The insertion of a section into a decision file (seed §6). What was inserted is read back. */

interface SectionDraft {
  /** One line of markdown, without `#`. */
  title: string;
  /** Markdown; its headings are shifted below the section's own level. May be ''. */
  content: string;
  /** Title of the section to put it into, its leading dot optional; absent: at the end of the file. */
  under?: string | undefined;
}

const DEEPEST = 6;
/** Without blank lines: between two rules there may be prose. */
const FRONT_MATTER =
  /^\ufeff?---[ \t]*\n([^\n]*)\n(?:(?![ \t]*\n)[^\n]*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)/;
const YAML_KEY = /^["']?[\w.-]+["']?:(?:\s|$)/;

/**
 * A decision file with one more section: at the end of the one it goes under, else of the file; one
 * level below that one (or as its other children are), else as the last section that is in no other.
 * Each heading of a decision file is a section with an entry of its own (seed §3), so those of the
 * content become bold lines; one that repeats the title and front matter are dropped. Throws NOT_FOUND
 * when there is no section `under`, INVALID_INPUT for a title that is none and for content that leaves a fence or
 * comment open, CONFLICT when the file itself does, or has several sections `under`.
 */
export function addSection(fileText: string, draft: SectionDraft): Edited {
  const outline = outlineOf(fileText);
  const parent = draft.under === undefined ? null : parentOf(outline, draft.under);
  const level = levelOf(outline, parent);
  const title = headingText(draft.title);
  const body = bodyOf(draft.content, plainText(title));
  const lines = [
    `${'#'.repeat(level)} ${title}`,
    ...(body === '' ? [] : ['', ...body.split('\n')]),
  ];
  const boundary = lineOfOffset(outline, parent?.end ?? fileText.length);
  const edited = insertBlock(fileText, outline, boundary, lines);

  const before = outline.headings;
  const after = headingsOf(edited.text);
  const own = after.findIndex((heading) => heading.line === edited.line);
  const isRead = after.length === before.length + 1 && after[own]?.level === level;
  if (!isRead) throw unclosed('the file', edited.line);
  return edited;
}

function parentOf(outline: Outline, under: string): Heading {
  const wanted = headerKey(under).replace(/^\./, '');
  const found = outline.headings.filter(
    ({ level, title }) => level > 1 && headerKey(title).replace(/^\./, '') === wanted,
  );
  const structural = found.filter(({ raw }) => raw.startsWith('.'));
  const meant = structural.length > 0 ? structural : found;
  const [parent, second] = meant;
  if (parent !== undefined && second !== undefined) {
    const lines = meant.map(({ line }) => line);
    const places = `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
    const message = `several sections are named "${parent.title}" (lines ${places} of the file): give one of them another title`;
    throw new AppError('CONFLICT', message, { under, lines });
  }
  if (parent === undefined) {
    const sections = outline.headings
      .filter(({ raw }) => raw.startsWith('.'))
      .map((one) => one.title);
    throw new AppError('NOT_FOUND', `no section "${under}" in the file`, { under, sections });
  }
  if (parent.level === DEEPEST) {
    throw new InvalidInputError([
      { field: 'under', message: `"${parent.title}" is of level 6, which can hold no section` },
    ]);
  }
  return parent;
}

function levelOf(outline: Outline, parent: Heading | null): number {
  if (parent !== null) {
    return lastChildOf(outline, parent)?.level ?? parent.level + 1;
  }
  let level = 2;
  let open = DEEPEST + 1;
  for (const heading of outline.headings) {
    if (heading.level === 1) open = DEEPEST + 1;
    else if (heading.level <= open) {
      open = heading.level;
      level = heading.level;
    }
  }
  return level;
}

/** The last heading right below one, whatever levels are left out: what follows it is beside it. */
function lastChildOf(outline: Outline, parent: Heading): Heading | null {
  let last: Heading | null = null;
  for (const heading of outline.headings) {
    const isInside = heading.start > parent.start && heading.start < parent.end;
    if (isInside && heading.start >= (last?.end ?? 0)) last = heading;
  }
  return last;
}

/** A title that is read back as it is: on one line, a closing ` #` escaped. */
function headingText(title: string): string {
  const line = asHeading(title);
  const [heading, ...others] = outlineOf(`## ${line}\n`, true).headings;
  if (heading === undefined || heading.title === '' || others.length > 0) {
    throw new InvalidInputError([{ field: 'title', message: 'must be a line of text' }]);
  }
  return line;
}

function asHeading(text: string): string {
  return oneLine(text).replace(/(^| )(#+)$/, '$1\\$2');
}

/** Content with LF, without blank lines around it, its headings in bold. */
function bodyOf(content: string, title: string): string {
  let text = trimBlank(withoutFrontMatter(content.replaceAll(/\r\n?/g, '\n')));
  let { headings } = outlineOf(text, true);
  if (headings[0]?.start === 0 && headerKey(headings[0].title) === headerKey(title)) {
    text = trimBlank(text.slice(headings[0].bodyStart));
    headings = outlineOf(text, true).headings;
  }
  if (outlineOf(`${text}\n\n# end\n`, true).headings.length !== headings.length + 1) {
    throw new InvalidInputError([
      { field: 'content', message: 'has a code fence, comment or tag that is never closed' },
    ]);
  }
  return trimBlank(inBold(text, headings));
}

/** What stands above a whole file says nothing in a section; `---` above prose is a rule. */
function withoutFrontMatter(content: string): string {
  const [front = '', first = ''] = FRONT_MATTER.exec(content) ?? [];
  return YAML_KEY.test(first) ? content.slice(front.length) : content.replace(/^\ufeff/, '');
}

/** Headings as paragraphs of their own, apart from the text around them. */
function inBold(text: string, headings: readonly Heading[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const { start, bodyStart, raw } of headings) {
    const words = asHeading(raw)
      .replaceAll(/\*\*|__/g, '')
      .trim();
    const before = text.slice(at, start);
    const isApart = /(?:^|\n[ \t]*\n)$/.test(pieces.length === 0 ? before : `\n\n${before}`);
    const bold = words === '' ? [] : [`**${words}**\n`];
    const isFollowed = words !== '' && !/^[ \t]*(?:\n|$)/.test(text.slice(bodyStart));
    pieces.push(before, ...(isApart ? [] : ['\n']), ...bold, ...(isFollowed ? ['\n'] : []));
    at = bodyStart;
  }
  return pieces.join('') + text.slice(at);
}

function trimBlank(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
