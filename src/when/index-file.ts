/**
 * The index file (seed `when-recall.md` §2): groups are headings of level 2 or deeper, entries are
 * lines `/when <trigger> | <header> | <description>` in them, with a list bullet or without. A pipe
 * that belongs to a trigger or header is written `\|`.
 */

import { createHash } from 'node:crypto';
import { lineAt, type Outline, oneLine, outlineOf, plainText } from './markdown/headings.js';
import { INDEX_BULLET } from './phrases.js';
import type {
  DecisionFile,
  Entry,
  EntryFields,
  Group,
  IndexDocument,
  LegacyEntry,
  Section,
  Warning,
} from './types.js';

const COMMAND = new RegExp(`^${INDEX_BULLET}\\/(when|how)(?=[\\s|]|$)(.*)$`, 'i');
const UNESCAPED_PIPE = /(?<!\\)\|/;
const PLACEHOLDER = /^<[^<>]+>$/;
/**
 * The old format's em dash, and what editors and keyboards make of it. A single hyphen separates
 * too much else. The first of the kinds that the line has counts.
 */
const LEGACY_SEPARATORS = [' — ', ' – ', ' -- '];
const LEGACY_BULLET = new RegExp(`^${INDEX_BULLET}(?=\\S)`);
/** Lines that are another block of markdown, and no line of a list of keys. */
const OTHER_BLOCK = /^(?:[>|<#]|\d+[.)]\s|(?:[-*_][ \t]*){3,}$)/;

/** A line as an entry, what it lacks, or neither (usage text, or no command at all). */
type Read = { fields: EntryFields } | { lacking: string } | null;

/**
 * The index from its text. Lines that are meant as entries and are none are warnings
 * (`malformed_entry`) with what is missing. Lines in fenced code, comments and front matter, and
 * lines that show the form (`/when <trigger> | <header> | <description>`) are neither. Never throws.
 */
export function parseIndex(text: string): IndexDocument {
  const { headings, starts, hidden } = outlineOfIndex(text);
  const groups: Group[] = [];
  const entries: Entry[] = [];
  const legacy: LegacyEntry[] = [];
  const warnings: Warning[] = [];
  /** Group that begins on a line of a heading; its other lines, too. */
  const groupAt = new Map<number, string>();
  const open: Group[] = [];
  for (const { level, raw, line, bodyStart } of headings) {
    const title = level < 2 ? '' : oneLine(raw);
    while ((open.at(-1)?.level ?? 0) >= level) open.pop();
    if (level > 1) {
      const above = open.map((one) => one.title);
      const begun = { title, line, level, ...(above.length > 0 ? { above } : {}) };
      groups.push(begun);
      open.push(begun);
    }
    for (let at = line; at <= starts.length && (starts[at - 1] ?? 0) < bodyStart; at += 1) {
      groupAt.set(at, title);
    }
  }

  let group = '';
  for (let line = 1; line <= starts.length; line += 1) {
    const begun = groupAt.get(line);
    group = begun ?? group;
    if (begun !== undefined || hidden.has(line)) continue;
    const source = lineAt(text, starts, line - 1);
    const command = COMMAND.exec(source);
    if (command === null) {
      // Prose above the first group may have dashes, too.
      const old = group === '' && groups.length > 0 ? null : readLegacy(source);
      if (old !== null) legacy.push({ ...old, line, group });
      continue;
    }
    const read = readEntry(command[1] ?? '', command[2] ?? '');
    if (read === null) continue;
    if ('fields' in read) {
      entries.push({ ...read.fields, line, group });
    } else if (group !== '' || UNESCAPED_PIPE.test(source)) {
      warnings.push({
        file: 'index',
        line,
        code: 'malformed_entry',
        message: `line ${line}: ${read.lacking}`,
      });
    }
  }
  return { text, hash: hashOf(text), groups, entries, legacy, warnings };
}

/**
 * Outline of an index. A rule right below entries underlines them, which makes them a heading for
 * markdown; here they are entries.
 */
export function outlineOfIndex(text: string): Outline {
  const outline = outlineOf(text);
  const headings = outline.headings.filter(({ start, bodyStart }) =>
    text
      .slice(start, bodyStart)
      .split(/[\r\n]+/)
      .every((line) => !COMMAND.test(line)),
  );
  return { ...outline, headings };
}

/** The line of an entry, without bullet and line break; what parses back to the same fields. */
export function printEntry(fields: EntryFields): string {
  const { prefix, phrase, header, description } = fields;
  return `/${prefix} ${escaped(phrase)} | ${escaped(header)} | ${oneLine(description)}`;
}

/** The fields of one line, bullet and all; `null` when it is no well-formed entry. */
export function parseEntryLine(line: string): EntryFields | null {
  const command = COMMAND.exec(line);
  const read = command === null ? null : readEntry(command[1] ?? '', command[2] ?? '');
  return read !== null && 'fields' in read ? read.fields : null;
}

function readEntry(command: string, rest: string): Read {
  const prefix = command.toLowerCase() === 'how' ? 'how' : 'when';
  const [phrase = '', header, description] = threeFields(rest);
  const fields = [phrase, header ?? '', description ?? ''];
  if (fields.every((field) => PLACEHOLDER.test(field))) return null;
  if (phrase.startsWith('§')) {
    return { lacking: 'a command with § leads to a section or file and is no entry' };
  }
  const missing = ['trigger', 'header title', 'description'].filter((_, at) => fields[at] === '');
  if (missing.length > 0) {
    const form = `/${prefix} <trigger> | <header-title> | <description>`;
    return { lacking: `no ${missing.join(' and no ')}; an entry is "${form}"` };
  }
  return { fields: { prefix, phrase, header: header ?? '', description: description ?? '' } };
}

/** Split at the first two pipes; the description keeps those it has. */
function threeFields(rest: string): string[] {
  const fields: string[] = [];
  let left = rest;
  while (fields.length < 2) {
    const at = left.search(UNESCAPED_PIPE);
    if (at < 0) break;
    fields.push(unescaped(left.slice(0, at)));
    left = left.slice(at + 1);
  }
  fields.push(fields.length < 2 ? unescaped(left) : left.trim());
  return fields;
}

/** A line that may be one of a list of keys, without its bullet; `null`: another block of markdown. */
export function plainIndexLine(source: string): string | null {
  const line = source.replace(LEGACY_BULLET, '').trim();
  return /^(?: {4}|\t)/.test(source) || OTHER_BLOCK.test(line) ? null : line;
}

function readLegacy(source: string): { key: string; description: string } | null {
  const line = plainIndexLine(source);
  if (line === null) return null;
  const separator = LEGACY_SEPARATORS.find((one) => line.includes(one));
  if (separator === undefined) return null;
  const at = line.indexOf(separator);
  const key = plainText(line.slice(0, at).trim());
  const description = line.slice(at + separator.length).trim();
  return key === '' || description === '' ? null : { key, description };
}

function escaped(field: string): string {
  return oneLine(field).replaceAll('|', '\\|');
}

function unescaped(field: string): string {
  return field.trim().replaceAll('\\|', '|');
}

/**
 * A decision file from its text. A heading of level 1 is its title and no section; one whose text
 * begins with a dot groups others. Never throws. `path`: below the decisions folder, POSIX.
 */
export function parseDecisionFile(path: string, text: string): DecisionFile {
  const sections: Section[] = [];
  const above: { level: number; title: string }[] = [];
  const seen = new Map<string, number>();
  for (const heading of outlineOf(text).headings) {
    while ((above.at(-1)?.level ?? 0) >= heading.level) above.pop();
    if (heading.level < 2) continue;
    const parents = above.map((one) => one.title);
    above.push(heading);
    const key = [...parents, heading.title].join('\n');
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    sections.push({
      file: path,
      title: heading.title,
      level: heading.level,
      // As written: `.env` in backticks is a file and groups nothing.
      structural: heading.raw.startsWith('.'),
      path: parents,
      ordinal,
      line: heading.line,
      content: text.slice(heading.bodyStart, heading.end),
    });
  }
  return { path, text, hash: hashOf(text), sections };
}

/** SHA-256 of a text in UTF-8, hex: what tells one version of a file from another. */
export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
