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
import { oneLine } from './markdown/lines.js';
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
