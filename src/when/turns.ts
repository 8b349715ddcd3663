/**
 * What `/when` has to say in the turns of conversations. Commands that the agent wrote in its own text
 * are kept from the end of the run that said them to its next turn in that room; what a turn was shown
 * is over, and its lines count as offered, when its run has ended well: a run that broke, or that
 * another message overtook, has perhaps reached no model.
 */

import type { Caller } from '../records/index.js';
import { type Clock, DAY_MS } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import { pathsIn } from '../shared/path-mentions.js';
import { RecencyCache } from '../shared/recency-cache.js';
import { parseEntryLine } from './index-file.js';
import type { Match, Recall, RelevantEntry } from './types.js';
import type { AskedBy } from './usage.js';

export interface ConversationTurn {
  messageId: Uuid;
  roomId: Uuid;
  caller: Caller;
  text: string;
}

/** Commands, and where they stood. */
export interface Commanded {
  by: 'agent' | 'message';
  recall: Recall;
}

export interface TurnKnowledge {
  /** The agent's own first. */
  commanded: Commanded[];
  /** Entries that bear on the message, best first. */
  lines: RelevantEntry[];
}

export interface WhenTurns {
  /** Looks into what the agent has said. Rejects when it cannot be found out or looked up. */
  agentSaid(said: { roomId: Uuid; words: Promise<string>; caller: Caller }): Promise<void>;
  /** Whether the agent waits for something there, so that its turn may, too. */
  isAwaited(roomId: Uuid): boolean;
  /** @param elsewhere entries that the turn shows in another place */
  knowledge(
    turn: ConversationTurn,
    elsewhere: () => Promise<readonly Uuid[]>,
  ): Promise<TurnKnowledge>;
  /** It reached the prompt, with these lines. */
  shown(turn: ConversationTurn, lines: readonly Uuid[]): void;
  ended(turn: { messageId: Uuid; roomId: Uuid; completed: boolean }): void;
}

export interface WhenTurnsDeps {
  clock: Clock;
  find: (text: string, caller: Caller, by: AskedBy) => Promise<Recall | null>;
  relevant: (
    moment: { text: string; files: readonly string[] },
    limit: number,
  ) => Promise<RelevantEntry[]>;
  /** Entries that lead to the section on this line. */
  entriesOf: (file: string, line: number) => readonly Uuid[];
  offered: (lines: readonly Uuid[], session: { roomId: Uuid; sessionId?: string }) => void;
}

interface Waiting {
  recalls: Recall[];
  atMs: number;
  /** The message whose turn shows it. */
  shownTo: Uuid | undefined;
}

interface ShownLines {
  messageId: Uuid;
  lines: readonly Uuid[];
  session: { roomId: Uuid; sessionId?: string };
}

/** Older recalls are dropped. */
const KEPT_MS = DAY_MS;
const MOST_ROOMS = 500;
const MOST_RECALLS = 3;
const MOST_LINES = 4;
/** A shorter message names nothing. */
const MIN_CHARACTERS = 8;
const MAX_CHARACTERS = 2_000;

export function createWhenTurns(deps: WhenTurnsDeps): WhenTurns {
  const { clock, find } = deps;
  const waiting = new RecencyCache<Uuid, Waiting>(MOST_ROOMS);
  /** Looks into what was said that are under way. */
  const reading = new Map<Uuid, Promise<void>>();
  const listed = new RecencyCache<Uuid, ShownLines>(MOST_ROOMS);

  async function ownOf(roomId: Uuid): Promise<Recall[]> {
    // The caller of `agentSaid` is told about its failure.
    await reading.get(roomId)?.catch(() => undefined);
    const found = waiting.get(roomId);
    if (found === undefined) return [];
    if (clock.now() - found.atMs <= KEPT_MS) return found.recalls;
    waiting.delete(roomId);
    return [];
  }

  async function linesFor(
    said: string,
    commanded: readonly Commanded[],
    elsewhere: () => Promise<readonly Uuid[]>,
  ): Promise<RelevantEntry[]> {
    const text = said.trim().slice(0, MAX_CHARACTERS);
    if (text.length < MIN_CHARACTERS) return [];
    const given = givenBy(commanded).flatMap(({ file, line }) => deps.entriesOf(file, line));
    const moment = { text, files: pathsIn(said) };
    const [found, others] = await Promise.all([
      deps.relevant(moment, 2 * MOST_LINES + given.length),
      elsewhere(),
    ]);
    const known = new Set([...given, ...others]);
    return found.filter(({ id }) => !known.has(id)).slice(0, MOST_LINES);
  }

  return {
    agentSaid({ roomId, words, caller }) {
      const atMs = clock.now();
      const work = words.then(async (text) => {
        const recall = text === '' ? null : await find(text, caller, 'agent');
        if (recall === null) return;
        const recalls = [...(waiting.get(roomId)?.recalls ?? []), recall].slice(-MOST_RECALLS);
        waiting.set(roomId, { recalls, atMs, shownTo: undefined });
      });
      const done = () => {
        if (reading.get(roomId) === work) reading.delete(roomId);
      };
      reading.set(roomId, work);
      work.then(done, done);
      return work;
    },
    isAwaited: (roomId) => waiting.has(roomId) || reading.has(roomId),
    async knowledge({ roomId, caller, text }, elsewhere) {
      const own = await ownOf(roomId);
      const commanded = own.map((recall): Commanded => ({ by: 'agent', recall }));
      // A message that writes an entry asks for nothing.
      const asked = isEntryToWrite(text) ? null : await find(text, caller, 'person');
      if (asked === null) return { commanded, lines: await linesFor(text, commanded, elsewhere) };
      // A message with a command gets no list: its answer names the related entries.
      return { commanded: [...commanded, { by: 'message', recall: asked }], lines: [] };
    },
    shown({ messageId, roomId, caller: { sessionId } }, lines) {
      const own = waiting.get(roomId);
      if (own !== undefined) own.shownTo = messageId;
      const session = { roomId, ...(sessionId === undefined ? {} : { sessionId }) };
      listed.set(roomId, { messageId, lines, session });
    },
    ended({ messageId, roomId, completed }) {
      const lines = listed.get(roomId);
      if (lines?.messageId === messageId) {
        listed.delete(roomId);
        if (completed && lines.lines.length > 0) deps.offered(lines.lines, lines.session);
      }
      if (completed && waiting.get(roomId)?.shownTo === messageId) waiting.delete(roomId);
    },
  };
}

/** The sections that commands gave. */
export function givenBy(commanded: readonly Commanded[]): Match[] {
  return commanded
    .flatMap(({ recall }) => recall.results)
    .flatMap(({ found, matches: [best] }) =>
      found === 'none' || best === undefined ? [] : [best],
    );
}

/**
 * `/remember …`, by which a person has an entry written: which message is one, and what it says. Pure.
 */

/** A longer line is data. */
const MAX_LINE = 4_000;

/** An entry as a message gives it; what the message does not say is ''. */
export interface EntryWords {
  prefix: 'when' | 'how';
  trigger: string;
  header: string;
  description: string;
  file: string | undefined;
  under: string | undefined;
  content: string | undefined;
}

const SLASH_REMEMBER = /^\s*(?:[-*+]\s+)?\/remember\b[\s:]*/i;
const SLASH_WHEN = /^.*?(?<![\w/])\/(when|how)(?=\s)\s*/i;
const PIPE = /(?<!\\)\|/g;
const FILE_AT_END = /\s+(?:in|into|to)\s+["'`]?([^\s"'`|]+\.(?:md|markdown))["'`]?\s*\.?\s*$/i;
const UNDER_AT_END = /\s+under\s+(?:§\s*)?(?:"([^"|]+)"|`([^`|]+)`|(\.[^|.]{1,200}?))\s*\.?\s*$/i;

/** Whether a message says that an entry is to be written, so that a command in it asks for nothing. */
export function isEntryToWrite(message: string): boolean {
  return linesOf(message).some((line) => SLASH_REMEMBER.test(line));
}

/**
 * `/remember writing x | Header | description in testing.md under .Section`, or an index line, in the
 * first line that looks like it; the lines below are the text of its section.
 */
export function readEntry(message: string): EntryWords {
  const lines = linesOf(message);
  const at = entryLine(lines);
  const { prefix, fields } = fieldsOf(lines[at] ?? '');
  const [trigger = '', header = '', last = ''] = fields;
  const { rest, file, under } = placeIn(last);
  const content = sectionText(lines.slice(at + 1), header) || undefined;
  return { prefix, trigger, header, description: rest.trim(), file, under, content };
}

function linesOf(message: string): string[] {
  return message.trim().split(/\r\n?|[\n\u2028\u2029]/);
}

/** The first line with `/remember`, or with three fields that are no row of a table; -1: none. */
function entryLine(lines: readonly string[]): number {
  return lines.findIndex(
    (line) =>
      line.length <= MAX_LINE &&
      (SLASH_REMEMBER.test(line) || (!/^\s*\|/.test(line) && (line.match(PIPE)?.length ?? 0) >= 2)),
  );
}

function fieldsOf(line: string): { prefix: 'when' | 'how'; fields: string[] } {
  const said = line.replace(SLASH_REMEMBER, '');
  const [lead = '', word = ''] = SLASH_WHEN.exec(said) ?? [];
  const prefix = word.toLowerCase() === 'how' ? 'how' : 'when';
  const text = said.slice(lead.length).trim();
  const whole = parseEntryLine(`/${prefix} ${text}`);
  if (whole !== null) return { prefix, fields: [whole.phrase, whole.header, whole.description] };
  const fields = text.split(PIPE).map((field) => field.trim());
  return { prefix, fields: [fields[0] ?? '', fields[1] ?? '', fields.slice(2).join(' | ')] };
}

/** `in testing.md` and `under .Section` behind a text, in either order. */
function placeIn(text: string): {
  rest: string;
  file: string | undefined;
  under: string | undefined;
} {
  let rest = text;
  let file: string | undefined;
  let under: string | undefined;
  for (let round = 0; round < 2; round += 1) {
    const named = file === undefined ? FILE_AT_END.exec(rest) : null;
    const placed = under === undefined ? UNDER_AT_END.exec(rest) : null;
    if (named !== null) file = named[1];
    else if (placed !== null) under = (placed[1] ?? placed[2] ?? placed[3])?.trim();
    rest = rest.slice(0, (named ?? placed)?.index ?? rest.length);
  }
  return { rest, file, under };
}

/** Without blank ends, and without the heading when it is there already: it is made of the header. */
function sectionText(lines: readonly string[], header: string): string {
  const start = lines.findIndex((line) => line.trim() !== '');
  if (start < 0) return '';
  const title = /^#{1,6}\s+(.*?)\s*#*$/.exec(lines[start] ?? '')?.[1];
  const isTitle = title?.toLowerCase() === header.toLowerCase();
  return lines
    .slice(isTitle ? start + 1 : start)
    .join('\n')
    .replace(/^(?:[ \t]*\n)+/, '')
    .trimEnd();
}
