/** What stands where in the text of each kind of offer, in the forms of the seed. Pure. */
import { ageOf, printedRecall } from '../../memory/index.js';
import { isInEveryFolder } from '../../shared/paths.js';
import { safePhrase } from '../../shared/safe-text.js';
import { countTokens } from '../../shared/tokens.js';
import type { OfferContent } from '../types.js';
import {
  authorOf,
  entryItem,
  type Form,
  failureItem,
  fileItem,
  hintItem,
  type Item,
  intentItem,
  patternItem,
  unfinishedItem,
} from './layout-items.js';
import { name, type Phrase, quoted, shorten } from './stored-text.js';

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
