/** What a new entry has to be like before anything is written (seed §6). Pure. */
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { hidesCharacters } from '../shared/safe-text.js';
import { redactSecrets } from '../shared/secrets.js';
import { conflictMarkers } from './conflicts.js';
import { isDecisionPath } from './disk/walk.js';
import type { EntryFields, RememberDraft } from './types.js';
import { countWords, MAX_FIELD, MAX_WORDS, MIN_WORDS, wordCount } from './validate/entries.js';

export const MAX_CONTENT_BYTES = 256 * 1024;
const MAX_TRIGGER_WORDS = 8;
/** Of one name, in UTF-8: what file systems take. */
const MAX_NAME_BYTES = 255;

/** A draft whose fields are each as they will be written. */
export interface CheckedDraft {
  fields: EntryFields;
  /** POSIX, relative, as given otherwise. */
  file?: string | undefined;
  content?: string | undefined;
  under?: string | undefined;
}

/**
 * Trims and checks. Throws InvalidInputError with a finding per fault, TOO_LARGE for the content,
 * AppError SECRET_REJECTED naming the field.
 */
export function checkDraft(draft: RememberDraft): CheckedDraft {
  const findings: Finding[] = [];
  const fields: EntryFields = {
    prefix: draft.prefix ?? 'when',
    phrase: withPipes(lineOf('trigger', draft.trigger, findings)).toLowerCase(),
    header: withPipes(lineOf('header', draft.header, findings)),
    description: lineOf('description', draft.description, findings),
  };
  const say = (field: string, message: string | null) => {
    if (message !== null) findings.push({ field, message });
  };
  say('trigger', faultOfTrigger(fields.phrase));
  say('header', faultOfHeader(fields.header));
  if (findings.length === 0) say('description', faultOfCount(fields));

  const { content } = draft;
  const file = draft.file === undefined ? undefined : fileOf(draft.file, findings);
  const under = draft.under === undefined ? undefined : lineOf('under', draft.under, findings);
  if (under !== undefined && content === undefined) {
    say('under', 'is only for a new section: give its content, too');
  }
  if (content !== undefined) say('content', faultOfContent(content));
  if (findings.length > 0) throw new InvalidInputError(findings);
  if (content !== undefined && Buffer.byteLength(content) > MAX_CONTENT_BYTES) {
    const message = `must have at most ${MAX_CONTENT_BYTES / 1024} KB`;
    throw new InvalidInputError([{ field: 'content', message }], 'TOO_LARGE');
  }
  const { phrase: trigger, header, description } = fields;
  refuseSecrets({ trigger, header, description, file, content, under });
  return { fields, file, content, under };
}

/** One line without white space around it or doubled in it. */
function lineOf(field: string, value: string, findings: Finding[]): string {
  const line = value.trim();
  const say = (message: string) => void findings.push({ field, message });
  if (line === '') say('must not be empty');
  else if (line.length > MAX_FIELD) say(`must have at most ${MAX_FIELD} characters`);
  else if (/[\r\n\u2028\u2029]/.test(line)) say('must be one line');
  else if (/[^\P{Cc}\t]/u.test(line)) say('must not have control characters');
  else if (hidesCharacters(line))
    say('must not have invisible characters, or ones that turn text around');
  return line.replaceAll(/\s+/g, ' ');
}

/** `\|`, as the index has it, is a pipe. */
function withPipes(field: string): string {
  return field.replaceAll('\\|', '|');
}

function faultOfTrigger(trigger: string): string | null {
  if (/^\/(?:when|how)\b/.test(trigger)) return 'must not have the slash command in front';
  if (trigger.startsWith('§')) return 'must not begin with "§", which leads to sections and files';
  if (trigger !== '' && !/^[\p{L}\p{N}]/u.test(trigger)) {
    return 'must begin with a letter or a digit: what one is about to do, "writing mock tests"';
  }
  const words = countWords(trigger);
  if (words > MAX_TRIGGER_WORDS) {
    return `has ${words} words: 2 to 5 are usual, ${MAX_TRIGGER_WORDS} the most`;
  }
  return null;
}

function faultOfHeader(header: string): string | null {
  if (header.startsWith('#')) return 'must be the title alone, without "#"';
  if (header.startsWith('.')) {
    return 'must not begin with a dot: such sections group others, are reached by "§" and have no entry';
  }
  return null;
}

function faultOfCount(fields: EntryFields): string | null {
  const words = wordCount(fields);
  if (words >= MIN_WORDS && words <= MAX_WORDS) return null;
  const advice =
    words < MIN_WORDS
      ? 'add the words that one would search for'
      : 'shorten it, the section has room for the rest';
  const range = `${MIN_WORDS} to ${MAX_WORDS}`;
  return `makes ${words} words together with trigger and header, not ${range}: ${advice}`;
}

function faultOfContent(content: string): string | null {
  if (content.trim() === '') return 'must not be empty';
  if (conflictMarkers(content).length > 0) {
    return 'must not have merge conflict markers: resolve the merge first, or show them in a code block';
  }
  return content.includes('\0') ? 'must not have NUL characters' : null;
}

/** Slashes as POSIX has them; that it lies in the folder by its name. Links are looked at later. */
function fileOf(value: string, findings: Finding[]): string {
  const path = lineOf('file', value, findings)
    .replaceAll('\\', '/')
    .replace(/^(?:\.\/+)+/, '');
  const isElsewhere = /^[/~]|^[a-z][a-z0-9+.-]*:/i.test(path) || path.split('/').includes('..');
  if (isElsewhere) findings.push({ field: 'file', message: 'must lie below the decisions folder' });
  return path;
}

/** What is wrong with the name of a file that is to be made; `null`: nothing. */
export function faultOfNewFile(path: string): string | null {
  if (!/[^/]\.md$/i.test(path)) return 'must end in ".md"';
  const parts = path.split('/');
  if (!isDecisionPath(path) || parts.some((part) => part === '' || part !== part.trim())) {
    return 'has a part that is empty, hidden or never read';
  }
  if (parts.some((part) => Buffer.byteLength(part) > MAX_NAME_BYTES)) {
    return `has a name of more than ${MAX_NAME_BYTES} bytes: choose a shorter one`;
  }
  return /[<>:"|?*`[\]#]/.test(path) ? 'must not have any of < > : " | ? * ` [ ] #' : null;
}

function refuseSecrets(values: Record<string, string | undefined>): void {
  for (const [field, value] of Object.entries(values)) {
    const kinds = redactSecrets(value ?? '').found.map(({ kind }) => kind);
    if (kinds.length === 0) continue;
    const message = `${field} has what looks like a secret (${kinds.join(', ')}): nothing was written`;
    throw new AppError('SECRET_REJECTED', message, { field, kinds });
  }
}
