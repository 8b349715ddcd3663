/** What stands where in the text of each kind of offer, in the forms of the seed. Pure. */
import { ageOf, isGenerated, printedRecall, type WorkMemoryData } from '../../memory/index.js';
import type { Uuid } from '../../shared/ids.js';
import { isInEveryFolder } from '../../shared/paths.js';
import { safePhrase } from '../../shared/safe-text.js';
import { redactSecrets } from '../../shared/secrets.js';
import { countTokens } from '../../shared/tokens.js';
import type { Candidate, OfferContent, ShownEntry, ShownHint, UnfinishedWork } from '../types.js';
import { name, type Phrase, phrase, quoted, shorten } from './stored-text.js';

/** Of a path in a header. */
const PATH_WIDTH = 48;
/** Of a path in a command, which cannot be shortened. */
const MOST_TOKENS = 16;
const LEAST_WIDTH = 8;
/** The command is read back between quotation marks of any kind. */
const QUOTES = /["'“”‘’„‟`]/;

/** `auth.ts`; `users/index.ts` where the name alone says little. */
function fileEnd(path: string): string {
  const parts = path.split('/').filter((part) => part !== '');
  return parts.slice(isInEveryFolder(parts.at(-1) ?? '') ? -2 : -1).join('/');
}

/** What finds the file's memories when it is given back; `undefined`: it cannot be printed as it is. */
function fileReference(path: string): string | undefined {
  const end = fileEnd(path);
  const isFaithful =
    safePhrase(end) === end && !QUOTES.test(end) && countTokens(end) <= MOST_TOKENS;
  return end !== '' && isFaithful ? `file:${end}` : undefined;
}

/** As the header calls it. */
function fileName(path: string): Phrase {
  const called = name(fileEnd(path), 'the file');
  return (width) => called(Math.max(LEAST_WIDTH, Math.min(width * 2, PATH_WIDTH)));
}

/** A text before its length is settled. */
export interface Layout {
  /** @param shown how many of the items stand below */
  head(width: number, form: Form, shown: number): string[];
  /** In the order in which they stand. */
  items: Item[];
  /** The same items, the first to stay first. */
  byWorth: Item[];
  /** The last line: how to ask for more. */
  tail: ((form: Form) => string) | null;
}

type ContentOf<Kind extends OfferContent['kind']> = Extract<OfferContent, { kind: Kind }>;

/** Of a subject in a header. */
const TITLE_WIDTH = 48;
const LEAST_SUBJECT = 12;
/** What `recall("pattern:…")` reads back as it is. */
const PATTERN_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u;
const NAME_WIDTH = 40;

/** @param mark the prefix in its brackets. `null` when there is nothing to say. */
export function layoutOf(content: OfferContent, mark: string, nowMs: number): Layout | null {
  switch (content.kind) {
    case 'fileTouch':
      return fileLayout(content, mark, nowMs);
    case 'intentMatch':
      return intentLayout(content, mark, nowMs);
    case 'conflictWarning':
      return warningLayout(content, mark);
    case 'patternRecognition':
      return patternLayout(content, mark);
    case 'sessionStart':
      return sessionLayout(content, mark, nowMs);
    case 'hintMatch':
      return hintLayout(content, mark);
    case 'whenMatch':
      return whenLayout(content, mark);
  }
}

function fileLayout(content: ContentOf<'fileTouch'>, mark: string, nowMs: number): Layout | null {
  const { file, memories } = content;
  const [first] = memories;
  if (first === undefined) return null;
  const name = fileName(file);
  const items = memories.map((memory) => fileItem(memory, nowMs));
  // The newest, then the newest failure, however many successes came since.
  const failures = items.filter((_, at) => !memories[at]?.record.data.outcome.success);
  return {
    items,
    byWorth: [...new Set([...items.slice(0, 1), ...failures.slice(0, 1), ...items])],
    head: (width, { frame }, shown) => {
      // In the seed there are no numbers; failures have lines, and so has every memory as a rule.
      const counts = frame
        ? countsOf(content)
        : shown < content.total && countsOf({ ...content, failed: 0 });
      return [`${mark} ${name(width)} has history${counts ? ` (${counts})` : ''}:`];
    },
    tail: ({ frame }) => more(fileReference(file) ?? first.memoryId, frame ? 'details' : null),
  };
}

function intentLayout(
  { memories }: ContentOf<'intentMatch'>,
  mark: string,
  nowMs: number,
): Layout | null {
  const [first] = memories;
  if (first === undefined) return null;
  return {
    ...inOrder(memories.map((memory, at) => intentItem(memory, nowMs, at === 0))),
    head: () => [`${mark} Similar task found:`],
    tail: () => more(first.memoryId, 'full reasoning'),
  };
}

function warningLayout({ memories }: ContentOf<'conflictWarning'>, mark: string): Layout | null {
  const [first] = memories;
  if (first === undefined) return null;
  return {
    ...inOrder(memories.map(failureItem)),
    head: () => [`${mark} ⚠️ Warning: Similar action failed before`],
    tail: () => `  → ${printedRecall(first.memoryId, 'reasoning')} for details`,
  };
}

function patternLayout(content: ContentOf<'patternRecognition'>, mark: string): Layout | null {
  const { memories, pattern } = content;
  const [first] = memories;
  if (first === undefined) return null;
  const title = quoted(content.title);
  const isPrintable = PATTERN_NAME.test(pattern) && shorten(pattern, NAME_WIDTH) === pattern;
  const reference = isPrintable ? `pattern:${pattern}` : first.memoryId;
  return {
    ...inOrder(memories.map(patternItem)),
    head: (width) => [
      `${mark} Pattern recognized: ${title(titleWidth(width))}`,
      '  Related memories:',
    ],
    tail: () => more(reference, 'approach'),
  };
}

function sessionLayout(
  { lastSession, unfinished, learnings }: ContentOf<'sessionStart'>,
  mark: string,
  nowMs: number,
): Layout | null {
  const [source] = [...unfinished, ...learnings];
  if (source === undefined) return null;
  const open = unfinished.map(unfinishedItem);
  const learnt = learnings.map(({ candidate, text }): Item => {
    const learning = quoted(text);
    return {
      id: candidate.id,
      lines: (width) => [`  • Recent learning: ${learning(width)}`],
    };
  });
  // One of each in turn, so that neither crowds out the other.
  const turns = Math.max(open.length, learnt.length);
  const byWorth = Array.from({ length: turns }, (_, at) => [open[at], learnt[at]])
    .flat()
    .filter((item) => item !== undefined);
  const last = lastSession && {
    age: longAge(lastSession.atMs, nowMs),
    author: authorOf(lastSession),
  };
  return {
    head: (width) => [
      `${mark} Project context:`,
      ...(last === null ? [] : [`  • Last session: ${last.age} (${last.author(width)})`]),
    ],
    items: [...open, ...learnt],
    byWorth,
    tail: () => more(last === null ? source.candidate.memoryId : 'session:last', 'details'),
  };
}

/** A line for each hint, its command whole; what cannot be printed as it is has none. */
function hintLayout(content: ContentOf<'hintMatch'>, mark: string): Layout | null {
  const items = content.memories.flatMap((hint) => hintItem(hint) ?? []);
  if (items.length === 0) return null;
  const said = quoted(content.subject);
  const subject = (width: number) => said(Math.max(LEAST_SUBJECT, Math.min(width, TITLE_WIDTH)));
  return {
    ...inOrder(items),
    head: (width) => [`${mark} Hint for ${subject(width)}:`],
    tail: null,
  };
}

/** A line for each command, which is its own recall; what cannot be typed as it stands has none. */
function whenLayout(content: ContentOf<'whenMatch'>, mark: string): Layout | null {
  const items = content.memories.flatMap((entry) => entryItem(entry) ?? []);
  if (items.length === 0) return null;
  const named = fileName(content.subject);
  const said = quoted(content.subject);
  // The reader knows what it is about: what a command leads to has as much of the room.
  const subject = content.isFile
    ? named
    : (width: number) => said(Math.max(LEAST_SUBJECT, Math.min(width, TITLE_WIDTH)));
  return {
    ...inOrder(items),
    head: (width, { frame }, shown) => {
      const how = frame ? ` — write ${shown > 1 ? 'a' : 'the'} command to read it` : '';
      return [`${mark} Noted for ${subject(width)}${how}:`];
    },
    tail: null,
  };
}

function titleWidth(width: number): number {
  return Math.min(width * 2, TITLE_WIDTH);
}

function more(reference: string, what: string | null): string {
  return `${what === null ? ' ' : '  '}→ ${printedRecall(reference)}${what === null ? '' : ` for ${what}`}`;
}

function countsOf({ total, failed }: { total: number; failed: number }): string {
  const memories = `${total} ${total === 1 ? 'memory' : 'memories'}`;
  return failed === 0 ? memories : `${memories}, ${failed} failed`;
}

const LONG_UNITS: Readonly<Record<string, string>> = {
  m: 'minute',
  h: 'hour',
  d: 'day',
  w: 'week',
  y: 'year',
};

/** The seed writes the age of a session in words: "2 days ago". */
function longAge(thenMs: number, nowMs: number): string {
  return ageOf(thenMs, nowMs).replace(
    /^(\d+)([mhdwy]) ago$/,
    (_, count: string, unit: string) =>
      `${count} ${LONG_UNITS[unit] ?? unit}${count === '1' ? '' : 's'} ago`,
  );
}

function inOrder(items: Item[]): Pick<Layout, 'items' | 'byWorth'> {
  return { items, byWorth: items };
}

// --- The lines about one memory in each kind of offer. Pure.

export interface Item {
  /** `null`: a line that belongs to no memory. */
  id: Uuid | null;
  /** @param width of each stored phrase */
  lines(width: number, form: Form): string[];
}

/** How much of a text is written beside its stored phrases; what is left out, a recall tells. */
export interface Form {
  /** Reasons and approaches of those that are not the first; what a command leads to. */
  detail: boolean;
  /** Who did it. */
  authors: boolean;
  /**
   * Of a file's offer. Without: no number of failures, which have lines; no number of memories where
   * each has a line; "2d" for "2d ago"; an indentation of one; a recall that does not say what for.
   * Of commands: without saying what to do with them.
   */
  frame: boolean;
}

const AUTHOR_WIDTH = { least: 6, most: 24 } as const;
const NO_REASON = 'no reason recorded';

export function fileItem(memory: Candidate, nowMs: number): Item {
  const { outcome, intent } = memory.record.data;
  // A summary that gives the reason does not say what was done.
  const isReason = !outcome.success && reasonOf(outcome) === outcome.summary;
  const what = phrase(isReason ? intent.goal : doneIn(memory));
  const author = authorOf(memory);
  const verdict = verdictOf(outcome);
  const plainVerdict = outcome.success ? 'success' : 'failed';
  const age = ageOf(memory.createdAtMs, nowMs);
  return {
    id: memory.id,
    lines: (width, { detail, authors, frame }) => [
      `${frame ? '  ' : ' '}• ${authors ? `${author(width)} ` : ''}(${frame ? age : age.replace(/ ago$/, '')}): ` +
        `${what(width)} — ${detail ? verdict(width) : plainVerdict}`,
    ],
  };
}

/** @param isBest its approach stays, whatever else goes */
export function intentItem(memory: Candidate, nowMs: number, isBest: boolean): Item {
  const { outcome, intent, reasoning } = memory.record.data;
  const approach = reasoning.approach_chosen?.trim() ? reasoning.approach_chosen : doneIn(memory);
  const [label, told] = outcome.success ? ['Approach', approach] : ['Reason', reasonOf(outcome)];
  const goal = quoted(intent.goal);
  const author = authorOf(memory);
  const how = told === intent.goal ? null : phrase(told, NO_REASON);
  const age = ageOf(memory.createdAtMs, nowMs);
  const verdict = outcome.success ? 'success' : 'failed';
  return {
    id: memory.id,
    lines: (width, { detail, authors }) => [
      `  • ${goal(width)} (${authors ? `${author(width)}, ` : ''}${age}) — ${verdict}`,
      ...(how === null || !(detail || isBest) ? [] : [`    ${label}: ${how(width)}`]),
    ],
  };
}

export function failureItem(memory: Candidate): Item {
  const { outcome, intent } = memory.record.data;
  const author = authorOf(memory);
  const goal = quoted(intent.goal);
  const reason = phrase(reasonOf(outcome), NO_REASON);
  return {
    id: memory.id,
    lines: (width, { authors }) => [
      `  • ${authors ? `${author(width)} tried` : 'Tried'} ${goal(width)} — FAILED`,
      // Why it failed is what the warning is for: it gets twice the room of the rest.
      `    Reason: ${reason(width * 2)}`,
    ],
  };
}

export function patternItem(memory: Candidate & { learning?: string }): Item {
  const author = authorOf(memory);
  const what = phrase(doneIn(memory));
  const verdict = verdictOf(memory.record.data.outcome);
  const learning = memory.learning === undefined ? null : phrase(memory.learning);
  return {
    id: memory.id,
    lines: (width, { authors }) => [
      `  • ${authors ? `${author(width)}: ` : ''}${what(width)} — ` +
        (learning === null ? verdict(width) : `learned: ${learning(width)}`),
    ],
  };
}

export function unfinishedItem({
  candidate,
  what,
  blockedBy,
  failedBecause,
}: UnfinishedWork): Item {
  const left = quoted(what);
  const [label, told] =
    blockedBy === undefined ? ['failed: ', failedBecause] : ['blocked by ', blockedBy];
  const why = told === undefined ? null : phrase(told, NO_REASON);
  return {
    id: candidate.id,
    lines: (width, { detail }) => {
      // What it waits for says when to go on; why it failed is of use once somebody does.
      const isTold = why !== null && (detail || blockedBy !== undefined);
      return [`  • Unfinished: ${left(width)}${isTold ? ` (${label}${why(width)})` : ''}`];
    },
  };
}

/** `null`: nobody could type its command as it stands. */
export function entryItem({ id, memoryId, header, description }: ShownEntry): Item | null {
  const command = printedCommand(memoryId);
  if (command === undefined) return null;
  const what = phrase([header, description].filter((part) => part.trim() !== '').join(': '));
  return {
    id,
    lines: (width, { detail }) => [`  • ${command}${detail ? ` (${what(width)})` : ''}`],
  };
}

/** `null`: it is no hint, or its name cannot be printed as it is. */
export function hintItem(hint: ShownHint): Item | null {
  const printed = printedHint(hint);
  if (printed === null) return null;
  const why = phrase(hint.reasons.join('; '));
  return {
    id: hint.id,
    lines: (width, { detail }) => [`  • ${printed}${detail ? ` (${why(width)})` : ''}`],
  };
}

/** What was done, in few words: the summary unless it says nothing of it, else the goal. */
function doneIn({ record: { data } }: Candidate): string {
  const { summary, failure_reason, learnings } = data.outcome;
  // A missing summary was taken from these when the memory was stored.
  const isTaken = summary === failure_reason || learnings.includes(summary);
  return isGenerated(data.outcome) || isTaken ? data.intent.goal : summary;
}

function reasonOf(outcome: WorkMemoryData['outcome']): string {
  if (outcome.failure_reason?.trim()) return outcome.failure_reason;
  return isGenerated(outcome) ? NO_REASON : outcome.summary;
}

function verdictOf(outcome: WorkMemoryData['outcome']): Phrase {
  if (outcome.success) return () => 'success';
  const reason = phrase(reasonOf(outcome), NO_REASON);
  const whole = reason(Number.POSITIVE_INFINITY);
  const category = outcome.failure_category;
  return (width) => {
    const short = reason(width);
    // The kind of failure, whole, says more than half a sentence.
    const isNamed = short !== whole && category !== undefined && category !== 'other';
    return `failed (${isNamed ? category.replaceAll('_', ' ') : short})`;
  };
}

export function authorOf({ author }: { author: string }): Phrase {
  const called = name(author, 'somebody');
  return (width) => called(Math.max(AUTHOR_WIDTH.least, Math.min(width, AUTHOR_WIDTH.most)));
}

/* ---
 * Commands of `/when` entries and hints in an offer. What is cut or cleaned is another command: it is
 * printed only where it can be typed as it stands, else the line says where it is. Pure.
 */

/** So much is left to the rest of its line and to another one. */
const COMMAND_FITS = { tokens: 20, characters: 120 } as const;
const NAME_FITS = { tokens: 14, characters: 160 } as const;
const VALUE_FITS = { tokens: 24, characters: 160 } as const;
const COMMAND = /^\/(?:when|how) (?=[\p{L}\p{N}.])/u;
/** What follows a command in brackets must not pass for a part of it. */
const AMBIGUOUS = /[()"“”„‟`]/;
/** Component and key: words and what joins them. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/+-]*$/u;

/** The command itself; `undefined`: cleaning would change it, it holds a secret or is too long. */
export function printedCommand(command: string): string | undefined {
  const isOne = COMMAND.test(command) && !AMBIGUOUS.test(command);
  return isOne && isAsItIs(command, COMMAND_FITS) ? command : undefined;
}

/** `null`: its name cannot be printed as it is. */
export function printedHint({ memoryId, value }: ShownHint): string | null {
  if (!NAME.test(memoryId) || !isAsItIs(memoryId, NAME_FITS)) return null;
  if (value === undefined || !isAsItIs(value, VALUE_FITS)) return `${memoryId}: ask for it`;
  return `${memoryId}: \`${value}\``;
}

function isAsItIs(text: string, most: { tokens: number; characters: number }): boolean {
  if (text.length > most.characters || text.trim() === '') return false;
  if (safePhrase(text) !== text || redactSecrets(text).text !== text) return false;
  return countTokens(text) <= most.tokens;
}
