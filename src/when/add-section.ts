/** The insertion of a section into a decision file (seed §6). What was inserted is read back. */
import { AppError, wrongField } from '../shared/errors.js';
import { listed } from '../shared/text.js';
import {
  type Edited,
  type Heading,
  insertBlock,
  lineOfOffset,
  type Outline,
  oneLine,
  outlineOf,
  plainText,
  unclosed,
} from './markdown/headings.js';
import { headerKey } from './phrases.js';

interface SectionDraft {
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
 * level below that one, else of level 2. Each heading of a decision file is a section with an entry of its
 * own (seed §3), so the content has none; one that repeats the title is dropped. Throws NOT_FOUND
 * when there is no section `under`, INVALID_INPUT for a title that is none and for content with headings
 * or one that leaves a fence or comment open, CONFLICT when the file itself does, or has several sections
 * `under`.
 */
export function addSection(fileText: string, draft: SectionDraft): Edited {
  const outline = outlineOf(fileText);
  const parent = draft.under === undefined ? null : parentOf(outline, draft.under);
  const level = parent === null ? 2 : parent.level + 1;
  const title = headingText(draft.title);
  const body = sectionBody(draft.content, title);
  const lines = [
    `${'#'.repeat(level)} ${title}`,
    ...(body === '' ? [] : ['', ...body.split('\n')]),
  ];
  const boundary = lineOfOffset(outline, parent?.end ?? fileText.length);
  const edited = insertBlock(fileText, outline, boundary, lines);
  const after = outlineOf(edited.text).headings;
  const own = after.find((heading) => heading.line === edited.line);
  const isRead = after.length === outline.headings.length + 1 && own?.level === level;
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
    const message = `several sections are named "${parent.title}" (lines ${listed(lines.map(String))} of the file): give one of them another title`;
    throw new AppError('CONFLICT', message, { under, lines });
  }
  if (parent === undefined) {
    const sections = outline.headings
      .filter(({ raw }) => raw.startsWith('.'))
      .map((one) => one.title);
    throw new AppError('NOT_FOUND', `no section "${under}" in the file`, { under, sections });
  }
  if (parent.level === DEEPEST) {
    throw wrongField('under', `"${parent.title}" is of level 6, which can hold no section`);
  }
  return parent;
}

/** A title that is read back as it is: on one line, a closing ` #` escaped. */
function headingText(title: string): string {
  const line = oneLine(title).replace(/(^| )(#+)$/, '$1\\$2');
  const [heading, ...others] = outlineOf(`## ${line}\n`, true).headings;
  if (heading === undefined || heading.title === '' || others.length > 0) {
    throw wrongField('title', 'must be a line of text');
  }
  return line;
}

/** Content as it is written: with LF, without blank lines around it, and without its title. */
export function sectionBody(content: string, title: string): string {
  let text = trimBlank(content.replaceAll(/\r\n?/g, '\n').replace(/^\ufeff/, ''));
  const refuse = (message: string) => {
    throw wrongField('content', message);
  };
  const [first] = outlineOf(text, true).headings;
  if (first?.start === 0 && headerKey(first.title) === headerKey(plainText(title))) {
    text = trimBlank(text.slice(first.bodyStart));
  }
  const [heading, ...others] = outlineOf(`${text}\n\n# end\n`, true).headings;
  if (heading === undefined) refuse('has a code fence, comment or tag that is never closed');
  if (others.length > 0) {
    refuse(
      `has the heading "${heading?.title}", which would be a section without an entry: write it in bold`,
    );
  }
  return text;
}

function trimBlank(text: string): string {
  return text.replace(/^(?:[ \t]*\n)+/, '').trimEnd();
}
