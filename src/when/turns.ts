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
import { isEntryToWrite } from './remember-words.js';
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
  const waiting = new Map<Uuid, Waiting>();
  /** Looks into what was said that are under way. */
  const reading = new Map<Uuid, Promise<void>>();
  const listed = new Map<Uuid, ShownLines>();

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
        put(waiting, roomId, { recalls, atMs, shownTo: undefined });
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
      put(listed, roomId, { messageId, lines, session });
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

function put<T>(rooms: Map<Uuid, T>, roomId: Uuid, value: T): void {
  rooms.delete(roomId);
  rooms.set(roomId, value);
  const [oldest] = rooms.keys();
  if (rooms.size > MOST_ROOMS && oldest !== undefined) rooms.delete(oldest);
}
