/** What stands where in the text of each kind of offer, in the forms of the seed. Pure. */
import { ageOf, isGenerated, printedRecall, type WorkMemoryData } from '../../memory/index.js';
import type { Uuid } from '../../shared/ids.js';
import { isInEveryFolder } from '../../shared/paths.js';
import { safePhrase } from '../../shared/safe-text.js';
import { redactSecrets } from '../../shared/secrets.js';
import { countTokens } from '../../shared/tokens.js';
import type { Candidate, OfferContent, ShownHint } from '../types.js';
import { name, type Phrase, phrase, quoted, shorten } from './stored-text.js';

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

/** The lines about one memory. */
export interface Item {
  id: Uuid;
  /** @param width of each stored phrase */
  lines(width: number, form: Form): string[];
}

/** A text before its length is settled. */
export interface Layout {
  /** @param shown how many of the items stand below */
  head(width: number, form: Form, shown: number): string[];
  /** In the order in which they stand. */
  items: Item[];
  /** The same items, the first to stay first; absent: the order in which they stand. */
  byWorth?: Item[];
  /** The last line, how to ask for more; absent: there is none. */
  tail?: (form: Form) => string;
}

type ContentOf<Kind extends OfferContent['kind']> = Extract<OfferContent, { kind: Kind }>;
type Outcome = WorkMemoryData['outcome'];

/** @param mark the prefix in its brackets. `null` when there is nothing to say. */
export function layoutOf(content: OfferContent, mark: string, nowMs: number): Layout | null {
  const layout = written(content, mark, nowMs);
  return layout.items.length === 0 ? null : layout;
}

function written(content: OfferContent, mark: string, nowMs: number): Layout {
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

function fileLayout(content: ContentOf<'fileTouch'>, mark: string, nowMs: number): Layout {
  const { file, memories } = content;
  const called = fileName(file);
  const items = memories.map((memory): Item => {
    const { outcome, intent } = memory.record.data;
    // A summary that gives the reason does not say what was done.
    const isReason = !outcome.success && reasonOf(outcome) === outcome.summary;
    const what = phrase(isReason ? intent.goal : doneIn(memory));
    const author = authorOf(memory);
    const verdict = verdictOf(outcome);
    const age = ageOf(memory.createdAtMs, nowMs);
    return {
      id: memory.id,
      lines: (width, { detail, authors, frame }) => {
        const who = authors ? `${author(width)} ` : '';
        const when = frame ? age : age.replace(/ ago$/, '');
        const how = detail ? verdict(width) : plainVerdict(outcome);
        return [`${frame ? '  ' : ' '}• ${who}(${when}): ${what(width)} — ${how}`];
      },
    };
  });
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
      return [`${mark} ${called(width)} has history${counts ? ` (${counts})` : ''}:`];
    },
    tail: ({ frame }) => more(fileReference(file) ?? firstOf(memories), frame ? 'details' : null),
  };
}

function intentLayout({ memories }: ContentOf<'intentMatch'>, mark: string, nowMs: number): Layout {
  return {
    items: memories.map((memory, at): Item => {
      const { outcome, intent, reasoning } = memory.record.data;
      const chosen = reasoning.approach_chosen;
      const approach = chosen?.trim() ? chosen : doneIn(memory);
      const [label, told] = outcome.success
        ? ['Approach', approach]
        : ['Reason', reasonOf(outcome)];
      const goal = quoted(intent.goal);
      const author = authorOf(memory);
      const how = told === intent.goal ? null : phrase(told, NO_REASON);
      const age = ageOf(memory.createdAtMs, nowMs);
      return {
        id: memory.id,
        lines: (width, { detail, authors }) => {
          const who = authors ? `${author(width)}, ` : '';
          // The approach of the best stays, whatever else goes.
          const isTold = how !== null && (detail || at === 0);
          return [
            `  • ${goal(width)} (${who}${age}) — ${plainVerdict(outcome)}`,
            ...(isTold ? [`    ${label}: ${how(width)}`] : []),
          ];
        },
      };
    }),
    head: () => [`${mark} Similar task found:`],
    tail: () => more(firstOf(memories), 'full reasoning'),
  };
}

function warningLayout({ memories }: ContentOf<'conflictWarning'>, mark: string): Layout {
  return {
    items: memories.map((memory): Item => {
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
    }),
    head: () => [`${mark} ⚠️ Warning: Similar action failed before`],
    tail: () => `  → ${printedRecall(firstOf(memories), 'reasoning')} for details`,
  };
}

/** What `recall("pattern:…")` reads back as it is. */
const PATTERN_NAME = /^[\p{L}\p{N}][\p{L}\p{N}_-]*$/u;
const NAME_WIDTH = 40;
/** Of a subject in a header. */
const TITLE_WIDTH = 48;
const LEAST_SUBJECT = 12;

function patternLayout(content: ContentOf<'patternRecognition'>, mark: string): Layout {
  const { memories, pattern } = content;
  const title = quoted(content.title);
  const isPrintable = PATTERN_NAME.test(pattern) && shorten(pattern, NAME_WIDTH) === pattern;
  return {
    items: memories.map((memory): Item => {
      const author = authorOf(memory);
      const what = phrase(doneIn(memory));
      const verdict = verdictOf(memory.record.data.outcome);
      const learning = memory.learning === undefined ? null : phrase(memory.learning);
      return {
        id: memory.id,
        lines: (width, { authors }) => {
          const who = authors ? `${author(width)}: ` : '';
          const how = learning === null ? verdict(width) : `learned: ${learning(width)}`;
          return [`  • ${who}${what(width)} — ${how}`];
        },
      };
    }),
    head: (width) => [
      `${mark} Pattern recognized: ${title(Math.min(width * 2, TITLE_WIDTH))}`,
      '  Related memories:',
    ],
    tail: () => more(isPrintable ? `pattern:${pattern}` : firstOf(memories), 'approach'),
  };
}

function sessionLayout(
  { lastSession, unfinished, learnings }: ContentOf<'sessionStart'>,
  mark: string,
  nowMs: number,
): Layout {
  const open = unfinished.map(({ candidate, what, blockedBy, failedBecause }): Item => {
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
  });
  const learnt = learnings.map(({ candidate, text }): Item => {
    const learning = quoted(text);
    return { id: candidate.id, lines: (width) => [`  • Recent learning: ${learning(width)}`] };
  });
  const last = lastSession && {
    age: longAge(lastSession.atMs, nowMs),
    author: authorOf(lastSession),
  };
  const [source] = [...unfinished, ...learnings];
  // One of each in turn, so that neither crowds out the other.
  const turns = Array.from({ length: Math.max(open.length, learnt.length) }, (_, at) => at);
  return {
    head: (width) => [
      `${mark} Project context:`,
      ...(last === null ? [] : [`  • Last session: ${last.age} (${last.author(width)})`]),
    ],
    items: [...open, ...learnt],
    byWorth: turns.flatMap((at) => [...open.slice(at, at + 1), ...learnt.slice(at, at + 1)]),
    tail: () =>
      more(last === null ? (source?.candidate.memoryId ?? '') : 'session:last', 'details'),
  };
}

/** A line for each hint, its command whole; what cannot be printed as it is has none. */
function hintLayout({ memories, subject }: ContentOf<'hintMatch'>, mark: string): Layout {
  const called = subjectName(subject);
  return {
    items: memories.flatMap((hint): Item[] => {
      const printed = printedHint(hint);
      if (printed === null) return [];
      const why = phrase(hint.reasons.join('; '));
      const lines: Item['lines'] = (width, { detail }) => [
        `  • ${printed}${detail ? ` (${why(width)})` : ''}`,
      ];
      return [{ id: hint.id, lines }];
    }),
    head: (width) => [`${mark} Hint for ${called(width)}:`],
  };
}

/** A line for each command, which is its own recall; what cannot be typed as it stands has none. */
function whenLayout(content: ContentOf<'whenMatch'>, mark: string): Layout {
  const { subject, isFile } = content;
  const called = isFile ? fileName(subject) : subjectName(subject);
  return {
    items: content.memories.flatMap(({ id, memoryId, header, description }): Item[] => {
      const command = printedCommand(memoryId);
      if (command === undefined) return [];
      const what = phrase([header, description].filter((part) => part.trim() !== '').join(': '));
      const lines: Item['lines'] = (width, { detail }) => [
        `  • ${command}${detail ? ` (${what(width)})` : ''}`,
      ];
      return [{ id, lines }];
    }),
    head: (width, { frame }, shown) => {
      const how = frame ? ` — write ${shown > 1 ? 'a' : 'the'} command to read it` : '';
      return [`${mark} Noted for ${called(width)}${how}:`];
    },
  };
}

/** The reader knows what it is about: what a command leads to has as much of the room. */
function subjectName(subject: string): Phrase {
  const said = quoted(subject);
  return (width) => said(Math.max(LEAST_SUBJECT, Math.min(width, TITLE_WIDTH)));
}

/** What asks for the first. */
function firstOf([first]: readonly Candidate[]): string {
  return first?.memoryId ?? '';
}

function more(reference: string, what: string | null): string {
  const recall = printedRecall(reference);
  return what === null ? ` → ${recall}` : `  → ${recall} for ${what}`;
}

function countsOf({ total, failed }: { total: number; failed: number }): string {
  const memories = `${total} ${total === 1 ? 'memory' : 'memories'}`;
  return failed === 0 ? memories : `${memories}, ${failed} failed`;
}

const LONG_UNITS = new Map(
  Object.entries({ m: 'minute', h: 'hour', d: 'day', w: 'week', y: 'year' }),
);

/** The seed writes the age of a session in words: "2 days ago". */
function longAge(thenMs: number, nowMs: number): string {
  return ageOf(thenMs, nowMs).replace(
    /^(\d+)([mhdwy]) ago$/,
    (_, count: string, unit: string) =>
      `${count} ${LONG_UNITS.get(unit) ?? unit}${count === '1' ? '' : 's'} ago`,
  );
}

const NO_REASON = 'no reason recorded';

/** What was done, in few words: the summary unless it says nothing of it, else the goal. */
function doneIn({ record: { data } }: Candidate): string {
  const { summary, failure_reason, learnings } = data.outcome;
  // A missing summary was taken from these when the memory was stored.
  const isTaken = summary === failure_reason || learnings.includes(summary);
  return isGenerated(data.outcome) || isTaken ? data.intent.goal : summary;
}

function reasonOf(outcome: Outcome): string {
  if (outcome.failure_reason?.trim()) return outcome.failure_reason;
  return isGenerated(outcome) ? NO_REASON : outcome.summary;
}

const plainVerdict = ({ success }: Outcome): string => (success ? 'success' : 'failed');

function verdictOf(outcome: Outcome): Phrase {
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

const AUTHOR_WIDTH = { least: 6, most: 24 } as const;

function authorOf({ author }: { author: string }): Phrase {
  const called = name(author, 'somebody');
  return (width) => called(Math.max(AUTHOR_WIDTH.least, Math.min(width, AUTHOR_WIDTH.most)));
}

/** Of a path in a header. */
const PATH_WIDTH = 48;
const LEAST_PATH = 8;
/** Of a path in a command, which cannot be shortened. */
const MOST_TOKENS = 16;
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
  return (width) => called(Math.max(LEAST_PATH, Math.min(width * 2, PATH_WIDTH)));
}

/** So much is left to the rest of its line and to another one. */
const COMMAND_FITS = { tokens: 20, characters: 120 } as const;
const NAME_FITS = { tokens: 14, characters: 160 } as const;
const VALUE_FITS = { tokens: 24, characters: 160 } as const;
const COMMAND = /^\/(?:when|how) (?=[\p{L}\p{N}.])/u;
/** What follows a command in brackets must not pass for a part of it. */
const AMBIGUOUS = /[()"“”„‟`]/;
/** Component and key: words and what joins them. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._:@/+-]*$/u;

/** What is cut or cleaned is another command: `undefined` where it cannot be printed as it stands. */
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
