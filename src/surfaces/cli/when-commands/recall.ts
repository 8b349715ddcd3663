/** What a recall prints and counts: shared by the whole command and its short way. */
import { join } from 'node:path';
import { isAppError, messageOf } from '../../../shared/errors.js';
import {
  createUsageJournal,
  parseRequests,
  printRecall,
  type Recall,
  type RecallIndex,
  type Request,
  recallEvents,
  USAGE_FILE,
  type UsageJournal,
  type Warning,
  type WhenPaths,
} from '../../../when/offline.js';
import { badInput, EXIT, type ExitCode, type Io, printJson, printText } from '../io.js';
import { journalFolderOf, type Place, placeOf, type WhenFlags, wordsOf } from './paths.js';

/** More of them are counted, not listed: the answer is what was asked for. */
const MOST_WARNINGS = 10;
const COMMAND = /^\/(?:when|how)$/i;
/** Beside the journal. */
const KEPT_FILE = 'when-index.bin';

/** One trigger a line. Words of which none has a space were typed without quotes: one trigger. */
export function commandText(triggers: readonly string[]): string {
  const texts = COMMAND.test(triggers[0] ?? '') ? triggers.slice(1) : triggers;
  // `§` may stand alone in front; `§a.md §b.md` are two.
  const isOne = texts.every((text, at) => !/\s/.test(text) && (at === 0 || !text.startsWith('§')));
  return texts.join(isOne ? ' ' : '\n');
}

/** @throws AppError INVALID_INPUT for a text that asks for nothing */
export function requestsIn(text: string): Request[] {
  const requests = parseRequests(text);
  if (requests.length === 0) throw badInput('name a trigger: cue when "writing mock tests"');
  return requests;
}

/** A recall from the files of the project. */
export interface OwnRecall {
  book: RecallIndex;
  requests: readonly Request[];
  recall: Recall;
  paths: WhenPaths;
}

export async function recallFrom(
  { book, requests, paths }: Omit<OwnRecall, 'recall'>,
  { json }: WhenFlags,
): Promise<OwnRecall> {
  const recall = await book.resolve(requests, { nearby: json === true });
  return { book, requests, recall, paths };
}

/** Done: every one of the queries was found. Bad input: none of them names anything. */
export function tellRecall(
  { book, requests, recall, paths }: OwnRecall,
  io: Io,
  flags: WhenFlags,
): ExitCode {
  const { warnings } = book.library;
  if (flags.json) {
    printJson(io, warnings.length > 0 ? { ...recall, warnings } : recall);
  } else {
    printText(io, printRecall(recall));
    printWarnings(warnings, paths, io);
  }
  if (flags.usage) noteRecall(recall, paths, io, flags);
  keepIndex(book, io, flags);
  return codeOf(recall, requests);
}

/** The same of what a server has recalled, which counts it itself. */
export function tellAnswer(
  recall: Recall,
  requests: readonly Request[],
  io: Io,
  flags: WhenFlags,
): ExitCode {
  if (flags.json) printJson(io, recall);
  else printText(io, printRecall(recall));
  return codeOf(recall, requests);
}

function codeOf(recall: Recall, requests: readonly Request[]): ExitCode {
  if (requests.every(({ kind }) => kind === 'invalid')) return EXIT.badInput;
  return recall.results.every(({ found }) => found !== 'none') ? EXIT.done : EXIT.notFound;
}

function printWarnings(warnings: readonly Warning[], paths: WhenPaths, io: Io): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) {
    io.err(`${placeOf(warning, paths, io.cwd)}: ${wordsOf(warning)}\n`);
  }
  const more = warnings.length - MOST_WARNINGS;
  if (more > 0) io.err(`${more} more: cue when validate\n`);
}

/** Writes a recall down. That it cannot be is no reason to fail: the recall has been answered. */
function noteRecall(recall: Recall, paths: WhenPaths, io: Io, flags: WhenFlags): void {
  const nowMs = io.clock.now();
  try {
    // An agent that names no session calls from one process that lives as long as its session; process ids
    // are used again, seldom on the same day.
    const day = new Date(nowMs).toISOString().slice(0, 10);
    const session = io.env.CUE_SESSION_ID || `${day}/${io.parentPid}`;
    const events = recallEvents(recall, session, nowMs);
    journalOf(paths.index, io).append(events);
  } catch (error) {
    if (flags.verbose) io.err(`cue: this recall was not counted: ${messageOf(error)}\n`);
  }
}

export function journalOf(index: string | null, place: Place): UsageJournal {
  return createUsageJournal({ path: join(journalFolderOf(index, place), USAGE_FILE) });
}

/** Where the index of these paths is kept; `null` where nothing may be written. */
export function keptFileOf({ index }: WhenPaths, place: Place): string | null {
  try {
    return join(journalFolderOf(index, place), KEPT_FILE);
  } catch (error) {
    if (isAppError(error) && error.code === 'PERMISSION_DENIED') return null;
    throw error;
  }
}

/** For the next recall: that it cannot be kept only costs that one its time. */
function keepIndex(book: RecallIndex, io: Io, flags: WhenFlags): void {
  try {
    book.keep();
  } catch (error) {
    if (flags.verbose) io.err(`cue: the index was not kept: ${messageOf(error)}\n`);
  }
}
