/** `cue when "<trigger>" …` */
import { badInput, EXIT, type ExitCode } from '../exit-codes.js';
import { type Io, printJson, printText } from '../io.js';
import { existingPathsOf, placeOf, type WhenFlags, wordsOf } from './paths.js';
import { openIndex, type Recall, type Warning, type WhenPaths, whenRoom } from './room.js';
import { noteRecall } from './stats.js';

/** More of them are counted, not listed: the answer is what was asked for. */
const MOST_WARNINGS = 10;
const STANDARD_INPUT = '-';
const COMMAND = /^\/(?:when|how)$/i;

/** Done: every one of the queries was found. Bad input: none of them names anything. */
export async function recallCommand(
  triggers: readonly string[],
  io: Io,
  flags: WhenFlags,
): Promise<ExitCode> {
  const room = await whenRoom();
  const text = await commandText(triggers, io);
  const requests = room.parseRequests(text);
  if (requests.length === 0) throw badInput('name a trigger: cue when "writing mock tests"');
  if (flags.port !== undefined) {
    const recall = await askedAt(flags.port, text, io);
    if (flags.json) printJson(io, recall);
    else printText(io, room.printRecall(recall));
    return codeOf(recall, requests);
  }
  const paths = existingPathsOf(flags, io);
  const book = await openIndex(room, paths);
  const recall = await book.resolve(requests, { nearby: flags.json === true });
  const { warnings } = book.library;
  if (flags.json) {
    printJson(io, warnings.length > 0 ? { ...recall, warnings } : recall);
  } else {
    printText(io, room.printRecall(recall));
    printWarnings(warnings, paths, io);
  }
  if (flags.usage) noteRecall(room, recall, paths, io, flags);
  return codeOf(recall, requests);
}

function codeOf(recall: Recall, requests: readonly { kind: string }[]): ExitCode {
  if (requests.every(({ kind }) => kind === 'invalid')) return EXIT.badInput;
  return recall.results.every(({ found }) => found !== 'none') ? EXIT.done : EXIT.notFound;
}

/** The index of the server at that port, which counts the recall itself. */
async function askedAt(port: number, text: string, io: Io): Promise<Recall> {
  const { callServing } = await import('../server/call.js');
  const { askRest } = await import('../../../server/client.js');
  const { CUE_SESSION_ID: sessionId } = io.env;
  const query = { q: text, sessionId: sessionId || undefined };
  return callServing<Recall>(io, port, 'results', (address) =>
    askRest(address, { path: '/when', query }),
  );
}

/** One trigger a line. Words of which none has a space were typed without quotes: one trigger. */
async function commandText(triggers: readonly string[], io: Io): Promise<string> {
  const texts = COMMAND.test(triggers[0] ?? '') ? triggers.slice(1) : triggers;
  if (!texts.includes(STANDARD_INPUT)) return texts.join(isOnePhrase(texts) ? ' ' : '\n');
  const input = await io.stdin();
  return texts.map((text) => (text === STANDARD_INPUT ? input : text)).join('\n');
}

/** `§` may stand alone in front; `§a.md §b.md` are two. */
function isOnePhrase(texts: readonly string[]): boolean {
  return texts.every((text, at) => !/\s/.test(text) && (at === 0 || !text.startsWith('§')));
}

function printWarnings(warnings: readonly Warning[], paths: WhenPaths, io: Io): void {
  for (const warning of warnings.slice(0, MOST_WARNINGS)) {
    io.err(`${placeOf(warning, paths, io.cwd)}: ${wordsOf(warning)}\n`);
  }
  const more = warnings.length - MOST_WARNINGS;
  if (more > 0) io.err(`${more} more: cue when validate\n`);
}
