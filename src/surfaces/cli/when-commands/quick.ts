/**
 * `cue when <trigger>…` where its index is kept: agents wait for it in the middle of a turn. It takes what
 * needs no reader of command lines, and leaves all else to the whole command.
 */
import { indexFault, openRecallIndex } from '../../../when/offline.js';
import type { ExitCode, Io } from '../io.js';
import { existingPathsOf, type Place, type WhenFlags } from './paths.js';
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

const SWITCHES: Readonly<Record<string, Partial<WhenFlags>>> = {
  '--json': { json: true },
  '--no-usage': { usage: false },
  '--verbose': { verbose: true },
};
const VALUED: Readonly<Record<string, 'index' | 'decisions'>> = {
  '--index': 'index',
  '--decisions': 'decisions',
};
/** Triggers that may be meant as commands. */
const COMMANDS = new Set(['validate', 'migrate', 'remember', 'stats', 'help']);

/** Triggers and options as anybody writes them; `null`: something that only the whole command reads. */
function lineOf(args: readonly string[]): { triggers: string[]; flags: WhenFlags } | null {
  const triggers: string[] = [];
  let flags: WhenFlags = { usage: true };
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] ?? '';
    if (!word.startsWith('-')) {
      if (COMMANDS.has(word)) return null;
      triggers.push(word);
      continue;
    }
    const valued = VALUED[word];
    const value = args[at + 1];
    if (valued !== undefined && value && !value.startsWith('-')) {
      flags = { ...flags, [valued]: value };
      at += 1;
    } else if (SWITCHES[word] !== undefined) flags = { ...flags, ...SWITCHES[word] };
    else return null;
  }
  return triggers.length === 0 ? null : { triggers, flags };
}
