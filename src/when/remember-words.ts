/**
 * `/remember …` and other words by which a person has an entry written: which message is one, and
 * what it says. Pure.
 */
import { parseEntryLine } from './index-file.js';

/** A longer line is data. */
const MAX_LINE = 4_000;

/** An entry as a message gives it; what the message does not say is ''. */
export interface EntryWords {
  prefix: 'when' | 'how';
  trigger: string;
  header: string;
  description: string;
  file: string | undefined;
  under: string | undefined;
  content: string | undefined;
}

const WRITE =
  /\b(?:remember|add|index|note|store|save|record|keep|memori[sz]e|write(?: (?:this|that|it))? down)\b/i;
const SLASH_REMEMBER = /^\s*(?:[-*+]\s+)?`?\/remember\b[\s:]*/i;
const SLASH_WHEN = /^(.*?)(?<![\w/])\/(when|how)(?=\s)\s*/i;
const PIPE = /(?<!\\)\|/g;
/** "please add to the index:", "remember this:". */
const LEAD =
  /^\s*(?:[-*+]\s+)?(?:(?=[^|:]{0,100}\b(?:remember|add|index|note|store|save|record|write)\b)[^|:]{0,100}:\s+|(?:please\s+)?(?:remember|add|index|note|store|save|record)(?=[\s:,]|$)(?:\s+(?:this|that|it|down|entry|an?|the|to|into|in|our|your|when|index)\b)*\s*)/i;
const FILE_AT_END =
  /\s+(?:in|into|to)\s+(?:(?:the|an?)\s+)?(?:new\s+)?(?:file\s+)?["'`]?([^\s"'`|]+\.(?:md|markdown))["'`]?\s*\.?\s*$/i;
const UNDER_AT_END =
  /\s+under\s+(?:§\s*)?(?:"([^"|]+)"|“([^”|]+)”|`([^`|]+)`|(\.[^|.]{1,200}?))\s*\.?\s*$/i;

/** Whether a message says that an entry is to be written, so that a command in it asks for nothing. */
export function isEntryToWrite(message: string): boolean {
  const lines = linesOf(message);
  const at = entryLine(lines);
  const entry = lines[at];
  if (entry === undefined) return false;
  if (SLASH_REMEMBER.test(entry)) return true;
  // In the words of the person, not in those of the entry.
  const before = SLASH_WHEN.exec(entry)?.[1] ?? LEAD.exec(entry)?.[0] ?? '';
  return WRITE.test([...lines.slice(0, at), before].join('\n'));
}

/**
 * `/remember writing x | Header | description in testing.md under .Section`, or the same as an index
 * line, in the first line that looks like it; the lines below are the text of its section.
 */
export function readEntry(message: string): EntryWords {
  const lines = linesOf(message);
  const at = entryLine(lines);
  const { prefix, fields } = fieldsOf(lines[at] ?? '');
  const [trigger = '', header = '', last = ''] = fields;
  const below = lines.slice(at + 1);
  const told = placeIn(last);
  const first = below.findIndex((line) => line.trim() !== '');
  // A place on a line of its own.
  const own = placeIn(` ${below[first] ?? ''}`);
  const isOwn = first >= 0 && own.rest.trim() === '' && (own.file ?? own.under) !== undefined;
  const content = sectionText(isOwn ? below.slice(first + 1) : below, header);
  return {
    prefix,
    trigger,
    header,
    description: told.rest.trim(),
    file: told.file ?? (isOwn ? own.file : undefined),
    under: told.under ?? (isOwn ? own.under : undefined),
    content: content === '' ? undefined : content,
  };
}

function linesOf(message: string): string[] {
  return message.trim().split(/\r\n?|[\n\u2028\u2029]/);
}

/** The first line with `/remember`, or with three fields that are no row of a table; -1: none. */
function entryLine(lines: readonly string[]): number {
  return lines.findIndex(
    (line) =>
      line.length <= MAX_LINE &&
      (SLASH_REMEMBER.test(line) || (!/^\s*\|/.test(line) && (line.match(PIPE)?.length ?? 0) >= 2)),
  );
}

function fieldsOf(line: string): { prefix: 'when' | 'how'; fields: string[] } {
  const command = line.replace(SLASH_REMEMBER, '');
  const named = SLASH_WHEN.exec(command);
  const prefix = named?.[2]?.toLowerCase() === 'how' ? 'how' : 'when';
  const lead = named?.[0] ?? (command === line ? (LEAD.exec(line)?.[0] ?? '') : '');
  const isQuoted = /`\s*$/.test(named?.[1] ?? '') || /^\s*(?:[-*+]\s+)?`\/remember/i.test(line);
  const bare = command.slice(lead.length).trim();
  const text = isQuoted ? bare.replace(/`(?=\s|$)/, '') : bare;
  const whole = parseEntryLine(`/${prefix} ${text}`);
  if (whole !== null) return { prefix, fields: [whole.phrase, whole.header, whole.description] };
  const fields = text.split(PIPE).map((field) => field.trim());
  return { prefix, fields: [fields[0] ?? '', fields[1] ?? '', fields.slice(2).join(' | ')] };
}

/** `in testing.md` and `under .Section` behind a text, in either order. */
function placeIn(text: string): {
  rest: string;
  file: string | undefined;
  under: string | undefined;
} {
  let rest = text;
  let file: string | undefined;
  let under: string | undefined;
  for (let round = 0; round < 2; round += 1) {
    const named = file === undefined ? FILE_AT_END.exec(rest) : null;
    const placed = under === undefined ? UNDER_AT_END.exec(rest) : null;
    if (named !== null) file = named[1];
    else if (placed !== null) under = (placed[1] ?? placed[2] ?? placed[3] ?? placed[4])?.trim();
    rest = rest.slice(0, (named ?? placed)?.index ?? rest.length);
  }
  return { rest, file, under };
}

/** Without blank ends, and without the heading when it is there already: it is made of the header. */
function sectionText(lines: readonly string[], header: string): string {
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start < 0) return '';
  const title = /^#{1,6}\s+(.*?)\s*#*$/.exec(lines[start] ?? '')?.[1];
  const isTitle = title?.toLowerCase() === header.toLowerCase();
  return lines
    .slice(isTitle ? start + 1 : start)
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}
