/** `cue when "<trigger>" …` */

import { resolve } from 'node:path';
import { type Finding, InvalidInputError } from '../../../shared/errors.js';
import type * as Offline from '../../../when/offline.js';
import type {
  OfflineIndex,
  Problem,
  Recall,
  RememberDraft,
  Validation,
  WhenPaths,
} from '../../../when/offline.js';
import { readTextFile, STANDARD_INPUT } from '../input.js';
import { badInput, EXIT, type ExitCode, type Io, printJson, printText } from '../io.js';
import { changedLines, counted } from '../lines.js';
import {
  existingPathsOf,
  indexOf,
  pathOf,
  placeOf,
  shownPath,
  type WhenFlags,
  whenPathsOf,
  wordsOf,
} from './paths.js';
import {
  commandText,
  journalOf,
  keptFileOf,
  recallFrom,
  requestsIn,
  tellAnswer,
  tellRecall,
} from './recall.js';

export async function recallCommand(
  io: Io,
  flags: WhenFlags,
  triggers: readonly string[],
): Promise<ExitCode> {
  const input = triggers.includes(STANDARD_INPUT) ? await io.stdin() : '';
  const text = commandText(triggers.map((word) => (word === STANDARD_INPUT ? input : word)));
  const requests = requestsIn(text);
  if (flags.port !== undefined) {
    return tellAnswer(await askedAt(flags.port, text, io), requests, io, flags);
  }
  const paths = existingPathsOf(flags, io);
  const { openForRecall, indexFault } = await whenRoom();
  const book = await openForRecall({ paths, keptAt: keptFileOf(paths, io), clock: io.clock });
  const fault = indexFault(book.library, book.library.warnings, paths.index);
  if (fault !== null) throw fault;
  return tellRecall(await recallFrom({ book, requests, paths }, flags), io, flags);
}

/** The index of the server at that port, which counts the recall itself. */
async function askedAt(port: number, text: string, io: Io): Promise<Recall> {
  const { callServing } = await import('../ask-server.js');
  const { askRest } = await import('../../../server/client.js');
  const { CUE_SESSION_ID: sessionId } = io.env;
  const query = { q: text, sessionId: sessionId || undefined };
  return callServing<Recall>(io, port, 'results', (address) =>
    askRest(address, { path: '/when', query }),
  );
}

interface RememberFlags {
  trigger?: string;
  header?: string;
  description?: string;
  file?: string;
  content?: string;
  contentFile?: string;
  under?: string;
  how?: true;
}

/** @param line the entry as it stands in an index; options say the same and more */
export async function rememberCommand(
  io: Io,
  flags: WhenFlags & RememberFlags,
  [line]: readonly string[],
): Promise<ExitCode> {
  const paths = whenPathsOf(flags, io);
  const room = await whenRoom();
  const draft = await draftOf(line, room, io, flags);
  const book = await room.openOfflineIndex({ paths });
  const remembered = await book.remember(draft);
  if (flags.json) {
    printJson(io, remembered);
    return EXIT.done;
  }
  const { entry, file, header, sectionAdded, changed } = remembered;
  const place = `${shownPath(paths.index, io.cwd)}:${remembered.line}`;
  printText(io, `${place}: ${entry}`);
  if (!changed) io.err('it was there already\n');
  else if (sectionAdded) io.err(`section "${header}" added to ${file}\n`);
  return EXIT.done;
}

async function draftOf(
  line: string | undefined,
  room: WhenRoom,
  io: Io,
  flags: RememberFlags,
): Promise<RememberDraft> {
  const written = line === undefined ? undefined : entryOf(line, room);
  const { how, file, under } = flags;
  const trigger = flags.trigger ?? written?.phrase;
  const header = flags.header ?? written?.header;
  const description = flags.description ?? written?.description;
  if (trigger === undefined || header === undefined || description === undefined) {
    const named = Object.entries({ trigger, header, description });
    const missing = named.flatMap(([field, value]): Finding[] =>
      value === undefined ? [{ field, message: `is missing: --${field}` }] : [],
    );
    throw new InvalidInputError(missing);
  }
  const prefix = how ? 'how' : (written?.prefix ?? 'when');
  const content = await contentOf(io, flags);
  return { prefix, trigger, header, description, file, content, under };
}

/** With the slash command or without. */
function entryOf(line: string, { parseEntryLine }: WhenRoom) {
  const entry = parseEntryLine(/^\s*(?:[-*+]\s+)?\//.test(line) ? line : `/when ${line}`);
  if (entry) return entry;
  throw badInput('an entry is one line "trigger | header | description"', { line });
}

async function contentOf(io: Io, flags: RememberFlags): Promise<string | undefined> {
  const { content, contentFile } = flags;
  if (content !== undefined && contentFile !== undefined) {
    throw badInput('give --content or --content-file, not both');
  }
  if (contentFile !== undefined) return readTextFile(resolve(io.cwd, contentFile), contentFile);
  return content === STANDARD_INPUT ? io.stdin() : content;
}

/** With errors that are left it is a failure; warnings alone are none. */
export async function validateCommand(
  io: Io,
  flags: WhenFlags & { fix?: true },
): Promise<ExitCode> {
  const paths = existingPathsOf(flags, io);
  const book = await openIndex(await whenRoom(), paths);
  const fixed = flags.fix ? await book.fix() : [];
  const validation = await book.validate();
  if (flags.json) {
    const placed = (problem: Problem) => ({ ...problem, path: pathOf(problem, paths) });
    const document = { ...validation, problems: validation.problems.map(placed) };
    printJson(io, flags.fix ? { ...document, fixed: fixed.map(placed) } : document);
  } else printText(io, validationText(validation, fixed, paths, io.cwd));
  return validation.problems.some(isError) ? EXIT.failure : EXIT.done;
}

function validationText(
  { problems, counts }: Validation,
  fixed: readonly Problem[],
  paths: WhenPaths,
  cwd: string,
): string {
  const lineOf = (problem: Problem, word: string) =>
    `${placeOf(problem, paths, cwd)}: ${word}: ${wordsOf(problem)} (${problem.code})`;
  const lines = [
    ...fixed.map((problem) => lineOf(problem, 'mended')),
    ...problems.map((problem) => lineOf(problem, problem.severity)),
  ];
  const errors = problems.filter(isError).length;
  const fixable = problems.filter((problem) => problem.fixable).length;
  const found = [counted(errors, 'error'), counted(problems.length - errors, 'warning')];
  if (fixable > 0) found.push(`--fix mends ${fixable}`);
  const looked = [
    counted(counts.entries, 'entry', 'entries'),
    counted(counts.files, 'file'),
    counted(counts.sections, 'section'),
  ];
  return [...lines, `${looked.join(', ')}: ${found.join(', ')}`].join('\n');
}

function isError({ severity }: Problem): boolean {
  return severity === 'error';
}

/** Prints what a person should look at; the index as it was stays beside it. */
export async function migrateCommand(
  io: Io,
  flags: WhenFlags & { dryRun?: true },
): Promise<ExitCode> {
  const paths = existingPathsOf(flags, io);
  const room = await whenRoom();
  const book = await openIndex(room, paths);
  const before = book.library.index.text;
  const { report, changed, text, backup } = await book.migrate({ dryRun: flags.dryRun ?? false });
  const isOld = report.unresolved.length > 0;
  // Nothing in it is an entry, and nothing became one.
  const isUnread = isOld && !changed && book.library.entries.length === 0;
  const end = isUnread ? EXIT.failure : EXIT.done;
  if (flags.json) {
    printJson(io, flags.dryRun ? { changed, report, text } : { changed, report, backup });
    return end;
  }
  if (flags.dryRun) printText(io, changedLines(before, text));
  printText(io, room.reportText(report));
  const index = shownPath(paths.index, io.cwd);
  if (!changed && isOld) io.err(`${index} was left as it is: no rule can decide what is listed\n`);
  else if (!changed) io.err(`${index} needs no migration\n`);
  else if (backup === null) io.err(`${index} was left as it is (--dry-run)\n`);
  else io.err(`${index} is migrated; as it was: ${shownPath(backup, io.cwd)}\n`);
  return end;
}

/** Needs no index: what was counted stays when it is gone. */
export async function statsCommand(io: Io, flags: WhenFlags): Promise<ExitCode> {
  const room = await whenRoom();
  const { events, damaged } = await journalOf(indexOf(flags, io), io).read();
  const stats = room.usageStats(events, damaged);
  if (flags.json) printJson(io, stats);
  else printText(io, room.printUsage(stats));
  return EXIT.done;
}

export type WhenRoom = typeof Offline;

export function whenRoom(): Promise<WhenRoom> {
  return import('../../../when/offline.js');
}

/** @throws AppError when there is an index that may not or cannot be read */
export async function openIndex(room: WhenRoom, paths: WhenPaths): Promise<OfflineIndex> {
  const book = await room.openOfflineIndex({ paths });
  const fault = room.indexFault(book.library, book.library.warnings, paths.index);
  if (fault !== null) throw fault;
  return book;
}
