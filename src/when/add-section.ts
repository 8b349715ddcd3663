/** The insertion of a section into a decision file (seed §6). What was inserted is read back. */
import { AppError, InvalidInputError } from '../shared/errors.js';
import {
  type Heading,
  headingsOf,
  type Outline,
  outlineOf,
  plainText,
} from './markdown/headings.js';
import { type Edited, insertBlock, lineOfOffset, unclosed } from './markdown/insertion.js';
import { headerKey } from './phrases.js';

export interface SectionDraft {
  /** One line of markdown, without `#`. */
  title: string;
  /** Markdown; its headings are shifted below the section's own level. May be ''. */
  content: string;
  /** Title of the section to put it into, its leading dot optional; absent: at the end of the file. */
  under?: string | undefined;
}

const DEEPEST = 6;

/**
 * A decision file with one more section: at the end of the one it goes under, else of the file; one
 * level below that one (or as its other children are), else as the last section that is in no other.
 * A heading of the content that repeats the title is dropped. Throws NOT_FOUND when there is no
 * section `under`, INVALID_INPUT for a title that is none and for content that leaves a fence or
 * comment open, CONFLICT when the file itself does.
 */
export function addSection(fileText: string, draft: SectionDraft): Edited {
  const outline = outlineOf(fileText);
  const parent = draft.under === undefined ? null : parentOf(outline, draft.under);
  const level = levelOf(outline, parent);
  const title = headingText(draft.title);
  const body = bodyOf(draft.content, plainText(title), level);
  const lines = [
    `${'#'.repeat(level)} ${title}`,
    ...(body === '' ? [] : ['', ...body.split('\n')]),
  ];
  const boundary = lineOfOffset(outline, parent?.end ?? fileText.length);
  const edited = insertBlock(fileText, outline, boundary, lines);

  const before = outline.headings;
  const after = headingsOf(edited.text);
  const own = after.findIndex((heading) => heading.line === edited.line);
  const inside = outlineOf(body, true).headings.length;
  const isRead =
    after.length === before.length + 1 + inside &&
    after[own]?.level === level &&
    after.slice(own + 1, own + 1 + inside).every((heading) => heading.level > level);
  if (!isRead) throw unclosed('the file', edited.line);
  return edited;
}

function parentOf(outline: Outline, under: string): Heading {
  const wanted = headerKey(under).replace(/^\./, '');
  const found = outline.headings.filter(
    ({ level, title }) => level > 1 && headerKey(title).replace(/^\./, '') === wanted,
  );
  const parent = found.find(({ raw }) => raw.startsWith('.')) ?? found[0];
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
  return text
    .replaceAll(/\s+/g, ' ')
    .trim()
    .replace(/(^| )(#+)$/, '$1\\$2');
}

/** Content with LF, without blank lines around it, its headings below `level`. */
function bodyOf(content: string, title: string, level: number): string {
  let text = trimBlank(content.replace(/^\ufeff/, '').replaceAll(/\r\n?/g, '\n'));
  let { headings } = outlineOf(text, true);
  if (headings[0]?.start === 0 && headerKey(headings[0].title) === headerKey(title)) {
    text = trimBlank(text.slice(headings[0].bodyStart));
    headings = outlineOf(text, true).headings;
  }
  const highest = Math.min(...headings.map((heading) => heading.level));
  const shift = Math.max(0, level + 1 - highest);
  if (shift > 0 && highest <= DEEPEST && level === DEEPEST) {
    throw new InvalidInputError([
      { field: 'content', message: 'a section of level 6 can have no headings' },
    ]);
  }
  const shifted = shift === 0 ? text : shiftHeadings(text, headings, shift);
  const probe = outlineOf(`${shifted}\n\n# end\n`, true).headings;
  if (probe.length !== headings.length + 1) {
    throw new InvalidInputError([
      { field: 'content', message: 'has a code fence, comment or tag that is never closed' },
    ]);
  }
  return shifted;
}

function shiftHeadings(text: string, headings: readonly Heading[], shift: number): string {
  const pieces: string[] = [];
  let at = 0;
  for (const heading of headings) {
    const marks = '#'.repeat(Math.min(DEEPEST, heading.level + shift));
    const source = text.slice(heading.start, heading.bodyStart);
    const atx = /^( {0,3})#{1,6}(?=[ \t\n]|$)/.exec(source);
    // Underlined headings have two levels only, so that they become the other kind.
    const moved =
      atx === null
        ? `${marks} ${asHeading(heading.raw)}${source.endsWith('\n') ? '\n' : ''}`
        : `${atx[1]}${marks}${source.slice(atx[0].length)}`;
    pieces.push(text.slice(at, heading.start), moved);
    at = heading.bodyStart;
  }
  return pieces.join('') + text.slice(at);
}

function trimBlank(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
