/**
 * `/remember`: one new entry in the index and, when its content is given, the section it leads to.
 * Worked out on what was read, checked by reading it back, then written together. The section comes
 * first: of a process that dies in between a section without entry is left, and the same call again
 * adds what is missing.
 */
import { existsSync } from 'node:fs';
import { basename, dirname, join, resolve, sep } from 'node:path';
import {
  AppError,
  type Finding,
  InvalidInputError,
  retryConflicts,
  wrongField,
} from '../shared/errors.js';
import { hidesCharacters } from '../shared/safe-text.js';
import { redactSecrets } from '../shared/secrets.js';
import { addSection, sectionBody } from './add-section.js';
import { FOLDER, INDEX } from './disk/bounds.js';
import type { readFolder } from './disk/read.js';
import { isDecisionPath } from './disk/read.js';
import { exclusively, type FileChange, writeLocked } from './disk/write.js';
import { parseDecisionFile, parseEntryLine, parseIndex, printEntry } from './index-file.js';
import { buildLibrary, fileOfGroup, titlesOf } from './library.js';
import { plainText } from './markdown/headings.js';
import { CONSUMPTION_HEADER } from './migrate/consumption-header.js';
import { nearestTo } from './names.js';
import { headerKey, normalizePhrase } from './phrases.js';
import { entryLine, placeEntries, withIndex } from './place-entries.js';
import type {
  DiskState,
  EntryFields,
  Library,
  LinkedEntry,
  RememberDraft,
  Remembered,
  Section,
  WhenPaths,
} from './types.js';
import { conflictMarkers, requireMerged, unreadOf } from './unread.js';

import { countWords, MAX_WORDS, MIN_WORDS, wordCount } from './validate.js';

export interface RememberDeps {
  paths: WhenPaths;
  read: typeof readFolder;
  /** For tests: ends the process in the middle. */
  write?: typeof writeLocked | undefined;
  /** Paths of the decision files that were there before: one of them that is gone is away, not new. */
  known?: (() => readonly string[]) | undefined;
}

const MOST_NAMED = 5;
/** What is missing can be made. */
const MISSING = new Set(['no_index', 'no_folder']);

/**
 * Writes the entry of a draft, once however often it is called.
 * @throws InvalidInputError with findings (TOO_LARGE for the content); SECRET_REJECTED naming the
 * field; NOT_FOUND when the header is in no file and there is no content; DUPLICATE when trigger or
 * header has another entry (`details.line`); CONFLICT when the section is there with other content, or
 * while a file has the markers of a merge; PERMISSION_DENIED for a file that leads out of the folder or
 * is read-only; UNAVAILABLE when the disk refuses, when the file is away that entries lead to, or may be
 * one that cannot be read. Then nothing was changed.
 */
export async function remember(deps: RememberDeps, draft: RememberDraft): Promise<Remembered> {
  const { write = writeLocked } = deps;
  const checked = checkDraft(draft);
  const planned = async () => plan(checked, await deps.read(deps.paths), deps);
  // The lock makes the folder, and one that is away could not be moved back to where another one is.
  if (!existsSync(dirname(deps.paths.index))) await planned();
  return exclusively(deps.paths, () =>
    retryConflicts(async () => {
      const { changes, remembered } = await planned();
      if (changes.length > 0) await write(changes, { paths: deps.paths });
      return remembered;
    }),
  );
}

interface Plan {
  changes: FileChange[];
  remembered: Remembered;
}

function plan(
  draft: CheckedDraft,
  disk: DiskState,
  { paths, known: knownFiles }: RememberDeps,
): Plan {
  refuseUnread(disk, INDEX, paths.index, disk.index !== null);
  refuseUnread(disk, FOLDER, paths.decisions, disk.files.length > 0);
  const index = parseIndex(disk.index?.text ?? `# Memory Index\n\n${CONSUMPTION_HEADER}\n`);
  const files = disk.files.map(({ path, text }) => parseDecisionFile(path, text));
  const library = buildLibrary(index, files);
  requireMerged(library, paths);
  const file = fileFor(draft, library, disk, paths);
  const before = library.files.find(({ path }) => path === file);
  if (before === undefined) refuseNew(file, draft, library, disk, knownFiles?.() ?? []);
  const there = (before && titlesOf(before).find(draft.fields.header)[0]) ?? null;
  const known = knownEntry(draft.fields, file, there, library);
  if (there !== null) refuseOtherContent(draft, there);

  const changes: FileChange[] = [];
  let linked = library;
  let section: Section | null = there;
  if (section === null) {
    const { content, under, fields } = draft;
    if (content === undefined) throw noSection(fields.header, library, file);
    const text = before?.text ?? `# ${titleOf(file)}\n`;
    const edited = addSection(text, { title: fields.header, content, under });
    const written = parseDecisionFile(file, edited.text);
    section = written.sections.find(({ line }) => line === edited.line) ?? null;
    linked = buildLibrary(index, [...files.filter(({ path }) => path !== file), written]);
    const expected = before?.hash ?? null;
    changes.push({
      path: join(paths.decisions, ...file.split('/')),
      text: edited.text,
      expected,
    });
  }
  const fields = { ...draft.fields, header: section?.title ?? '' };
  const printed = printEntry(fields);
  if (section === null || parseEntryLine(printed) === null) throw notReadBack(fields, file);
  if (known === null) {
    const text = placeEntries(linked, [{ section, text: entryLine(linked, file, printed) }]);
    linked = withIndex(linked, text);
    const expected = disk.index === null ? null : index.hash;
    changes.push({ path: paths.index, text, expected });
  }
  const entry = linked.entries.find(
    (one) => one.file === file && (one.line === known?.line || printEntry(one) === printed),
  );
  if (entry?.section == null) throw notReadBack(fields, file);
  return {
    changes,
    remembered: {
      entry: printEntry(entry),
      line: entry.line,
      file,
      header: entry.section.title,
      sectionAdded: there === null,
      changed: changes.length > 0,
    },
  };
}

/** The file named, or the one that has the header; a new one when it may be made. */
function fileFor(
  { fields, file, content }: CheckedDraft,
  library: Library,
  disk: DiskState,
  paths: WhenPaths,
): string {
  const known = library.files.map(({ path }) => path);
  if (file !== undefined) {
    const path = belowFolder(file, paths.decisions);
    const found = known.find((one) => one.toLowerCase() === path.toLowerCase());
    if (found !== undefined) return found;
    const fault = faultOfNewFile(path);
    if (fault !== null) throw wrongField('file', fault);
    return path;
  }
  if (content === undefined) refuseGuess(fields.header, disk);
  const having = library.files.filter((one) => titlesOf(one).find(fields.header).length > 0);
  const [first, second] = having;
  if (first !== undefined && second === undefined) return first.path;
  if (first === undefined && content === undefined) throw noSection(fields.header, library);
  const message =
    first === undefined
      ? 'is missing: say into which file the new section goes'
      : `is missing, and several have "${fields.header}": ${having.map(({ path }) => path).join(', ')}`;
  throw wrongField('file', message);
}

/** A file may be made where none is: neither one that cannot be read, nor one that is away. */
function refuseNew(
  file: string,
  { content }: CheckedDraft,
  library: Library,
  disk: DiskState,
  knownFiles: readonly string[],
): void {
  refuseUnread(disk, file, file, false);
  refuseAway(file, library, disk, knownFiles);
  const known = library.files.map(({ path }) => path);
  refuseTakenName(file, known);
  if (content !== undefined) return;
  const message = `there is no file ${file}: give the content of its first section`;
  throw new AppError('NOT_FOUND', message, { file, files: known.slice(0, 50) });
}

/** Made new with one section, it would be all that is left of the one that entries lead to. */
function refuseAway(
  file: string,
  { index, files, entries }: Library,
  disk: DiskState,
  knownFiles: readonly string[],
): void {
  const made = buildLibrary(index, [...files, parseDecisionFile(file, '')], disk.warnings);
  const lines = made.entries
    .filter((entry, at) => entry.file === file && entries[at]?.file === null)
    .map(({ line }) => line);
  if (lines.length > 0) {
    const where = lines.slice(0, MOST_NAMED).join(', ');
    const message = `${file} is not there, and entries of the index lead to it (lines: ${where}): bring it back, or remove them, first`;
    throw new AppError('UNAVAILABLE', message, { file, lines: lines.slice(0, 50) });
  }
  const gone = knownFiles.find((path) => headerKey(path) === headerKey(file));
  if (gone === undefined) return;
  throw new AppError('UNAVAILABLE', `${gone} was there and is not now: bring it back first`, {
    file,
  });
}

/** Which file has the header: one that cannot be read may have it, too. */
function refuseGuess(header: string, { warnings }: DiskState): void {
  const unread = unreadOf(warnings).find((one) => one.file !== INDEX);
  if (unread === undefined) return;
  const what = unread.file === FOLDER ? 'some of the files' : unread.file;
  const message = `which file has "${header}" is not known while ${what} cannot be read: name the file`;
  throw new AppError('UNAVAILABLE', message, { file: unread.file, reason: unread.code });
}

/** `§ file.md` needs one file of that name. */
function refuseTakenName(path: string, known: readonly string[]): void {
  const name = basename(path);
  const taken = known.find((one) => headerKey(basename(one)) === headerKey(name));
  if (taken === undefined) return;
  const message = `${taken} has this name, and "§ ${name}" leads to one file: name that one, or choose another name`;
  throw wrongField('file', message);
}

/** `agents/decisions/new.md` for a folder `…/agents/decisions` is `new.md` in it. */
function belowFolder(path: string, decisions: string): string {
  const folder = resolve(decisions).split(sep);
  const parts = path.split('/').filter((part) => part !== '.');
  for (let count = parts.length - 1; count > 0; count--) {
    const isFolder = parts.slice(0, count).join('/') === folder.slice(-count).join('/');
    if (isFolder) return parts.slice(count).join('/');
  }
  return parts.join('/');
}

function plainKey(header: string): string {
  return headerKey(plainText(header));
}

/** The same entry, if it is there. Each header has one entry, and each trigger leads to one. */
function knownEntry(
  fields: EntryFields,
  file: string,
  section: Section | null,
  library: Library,
): LinkedEntry | null {
  const paths = [...new Set([...library.files.map((one) => one.path), file])];
  const isIn = (entry: LinkedEntry) =>
    entry.section === null
      ? (entry.file ?? fileOfGroup(entry.group, paths)) === file &&
        plainKey(entry.header) === plainKey(fields.header)
      : entry.section === section;
  const trigger = normalizePhrase(fields.phrase);
  for (const entry of library.entries) {
    const sameTrigger = normalizePhrase(entry.phrase) === trigger;
    const sameHeader = isIn(entry);
    if (!sameTrigger && !sameHeader) continue;
    if (sameTrigger && sameHeader && entry.description === fields.description) return entry;
    const what = !sameHeader
      ? `the trigger "${fields.phrase}" leads to "${entry.header}" already`
      : sameTrigger
        ? 'this entry has another description already'
        : `"${entry.header}" has an entry already`;
    const where = { line: entry.line, entry: printEntry(entry), header: entry.header };
    throw new AppError('DUPLICATE', `${what} (line ${entry.line}: ${where.entry})`, where);
  }
  return null;
}

/** What a call before this one has written is not written again. */
function refuseOtherContent({ content }: CheckedDraft, section: Section): void {
  if (content === undefined) return;
  const there = section.content.replaceAll('\r\n', '\n').trim();
  if (sectionBody(content, section.title).trim() === there) return;
  const message = `${section.file} has a section "${section.title}" with other content (line ${section.line}): leave out the content, or choose another header`;
  throw new AppError('CONFLICT', message, { file: section.file, line: section.line });
}

/** `api/error-handling.md` → `Error Handling`. */
function titleOf(file: string): string {
  const words = basename(file)
    .replace(/\.md$/i, '')
    .split(/[-_ ]+/);
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' ');
}

/** What is there but was not read must not be written over. */
function refuseUnread(disk: DiskState, file: string, shown: string, isRead: boolean): void {
  const warning = disk.warnings.find((one) => one.file === file && !MISSING.has(one.code));
  if (warning === undefined || isRead) return;
  const code = warning.code === 'outside' ? 'PERMISSION_DENIED' : 'UNAVAILABLE';
  throw new AppError(code, `${shown} cannot be written: ${warning.message}`, { file });
}

function noSection(header: string, library: Library, file?: string): AppError {
  const files = library.files.filter(({ path }) => file === undefined || path === file);
  const titles = files.flatMap(({ sections }) => sections.filter((one) => !one.structural));
  const like = nearestTo(header, new Set(titles.map(({ title }) => title)), MOST_NAMED);
  const have = like.length > 0 ? `; there are: ${like.join(', ')}` : '';
  const message = `${file ?? 'no file'} has ${file === undefined ? 'a' : 'no'} section "${header}": give its content${have}`;
  return new AppError('NOT_FOUND', message, { header, like });
}

function notReadBack({ header }: EntryFields, file: string): InvalidInputError {
  const message = `"${header}" in ${file} would not be found by this entry: use a plain title and file name`;
  return wrongField('header', message);
}

/** What a new entry has to be like before anything is written (seed §6). Pure. */

export const MAX_CONTENT_BYTES = 256 * 1024;
/** Characters of a field; words of a sane length come nowhere near. */
const MAX_FIELD = 300;
const MAX_TRIGGER_WORDS = 8;
/** Of one name, in UTF-8: what file systems take. */
const MAX_NAME_BYTES = 255;

/** A draft whose fields are each as they will be written. */
interface CheckedDraft {
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
function checkDraft(draft: RememberDraft): CheckedDraft {
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
function faultOfNewFile(path: string): string | null {
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
