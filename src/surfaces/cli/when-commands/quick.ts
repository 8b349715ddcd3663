/**
 * `cue when <trigger>…` where its index is kept: agents wait for it in the middle of a turn. It takes what
 * needs no reader of command lines, and leaves all else to the whole command.
 */
import { indexFault, openRecallIndex } from '../../../when/offline.js';
import { plainLine } from '../flags.js';
import type { ExitCode, Io } from '../io.js';
import { existingPathsOf, FILE_FLAGS, type Place, type WhenFlags } from './paths.js';
import { commandText, keptFileOf, recallFrom, requestsIn, tellRecall } from './recall.js';

/** `null`: the whole command has to answer. @param args behind `cue when` */
export async function quickRecall(
  args: readonly string[],
  place: Place & Pick<Io, 'clock'>,
): Promise<((io: Io) => ExitCode) | null> {
  const line = lineOf(args);
  if (line === null) return null;
  const { triggers, flags } = line;
  const requests = requestsIn(commandText(triggers));
  const paths = existingPathsOf(flags, place);
  const { clock } = place;
  const book = await openRecallIndex({ paths, keptAt: keptFileOf(paths, place), clock });
  if (book === null || indexFault(book.library, book.library.warnings, paths.index)) return null;
  const found = await recallFrom({ book, requests, paths }, flags);
  return (io) => tellRecall(found, io, flags);
}

/** Triggers that may be meant as commands. */
const COMMANDS = new Set(['validate', 'migrate', 'remember', 'stats', 'help']);

/** Triggers and options; `null`: something that only the whole command reads. */
function lineOf(args: readonly string[]): { triggers: string[]; flags: WhenFlags } | null {
  const line = plainLine(args, FILE_FLAGS);
  if (line === null || line.operands.length === 0) return null;
  const { operands: triggers, given } = line;
  if (triggers.some((word) => COMMANDS.has(word))) return null;
  return { triggers, flags: { usage: true, ...given } };
}
