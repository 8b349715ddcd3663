/** Sessions, what words are common in them, and the same sessions with other memories. */
import { readdirSync, readFileSync } from 'node:fs';
import {
  readSessions,
  type ScriptedSession,
  type ScriptedTurn,
} from '../../eval/proactive/shape.js';
import type { WorkMemoryData } from '../../src/memory/index.js';
import { analyze } from '../../src/shared/text.js';
import { dataOf, momentOf } from './pairs.js';

export interface Voiced {
  voice: string;
  session: ScriptedSession;
}

/** Ours, and those of authors who saw neither code nor examples. */
const FOLDERS = {
  sessions: '../../eval/proactive/sessions/',
  blind: '../../eval/proactive/blind/',
  unseen: '../../eval/proactive/unseen/',
  training: './sessions/',
} as const;

export function trainingSessions(): Voiced[] {
  return Object.entries(FOLDERS).flatMap(([folder, path]) => {
    const url = new URL(path, import.meta.url);
    return readdirSync(url)
      .filter((name) => name.endsWith('.json'))
      .sort()
      .flatMap((name) =>
        readSessions(readFileSync(new URL(name, url), 'utf8'), name).map((session) => ({
          voice: `${folder}/${name}`,
          session,
        })),
      );
  });
}

/** A turn in which nothing is said that a memory could answer. */
const SILENT = { kind: 'session_start', session_start: {} } as const;
const IDLE: ScriptedTurn = {
  kind: 'message',
  after: 60_000,
  expect: { nothing: true, must: [], any: [], may: [], must_not: [], kinds: {} },
};

function saying(turn: ScriptedTurn, text: string): ScriptedTurn {
  const field = { intent_stated: 'intent', task_start: 'task', action_planned: 'action' } as const;
  const { kind } = turn;
  if (kind === 'message' || kind === 'agent') return { ...turn, [kind]: text };
  if (kind === 'file_touch' || kind === 'session_start') return turn;
  return { ...turn, [kind]: { ...turn[kind], [field[kind]]: text } };
}

/** In how many texts a term stands. */
export function documentFrequencies(all: readonly Voiced[]): {
  texts: number;
  of: Map<string, number>;
} {
  const of = new Map<string, number>();
  let texts = 0;
  const count = (text: string) => {
    texts += 1;
    for (const term of new Set(analyze(text))) of.set(term, (of.get(term) ?? 0) + 1);
  };
  for (const { session } of all) {
    for (const { draft } of session.memories) {
      const { intent, outcome } = dataOf(draft);
      count(`${intent.goal} ${outcome.failure_reason ?? outcome.summary ?? ''}`);
    }
    for (const turn of session.turns) {
      const text = momentOf(turn)?.text ?? '';
      if (text !== '') count(text);
    }
  }
  return { texts, of };
}

/** Words that goals begin with, and how many do. */
export function openers(all: readonly Voiced[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { session } of all) {
    for (const { draft } of session.memories) {
      const [first = ''] =
        dataOf(draft)
          .intent.goal.toLowerCase()
          .match(/[\p{L}'’]+/u) ?? [];
      if (first !== '') counts.set(first, (counts.get(first) ?? 0) + 1);
    }
  }
  return counts;
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function chance(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Memories of other sessions. */
export function strangersTo(
  session: ScriptedSession,
  all: readonly Voiced[],
  count: number,
  random: () => number,
): { data: WorkMemoryData; ageMs: number }[] {
  const others = all
    .filter(({ session: { id } }) => id !== session.id)
    .flatMap(({ session: { memories } }) =>
      memories.filter(({ privateTo }) => privateTo === undefined),
    );
  const taken = new Set<number>();
  while (taken.size < Math.min(count, others.length))
    taken.add(Math.floor(random() * others.length));
  return [...taken].map((at) => {
    const { draft, ageMs } = others[at] as (typeof others)[number];
    return { data: dataOf(draft), ageMs };
  });
}

const linesOf = (name: string) =>
  readFileSync(new URL(name, import.meta.url), 'utf8')
    .split('\n')
    .filter(Boolean);

/** Session, number of the turn or `-`, and what is said instead, or beside, without a wish. */
const REWORDING = /^(\S+) (\d+|-): (.+)$/;

/** The sessions with their turns in other words, for the n-th time, and with idle talk of near words. */
export function reworded(all: readonly Voiced[], nth: number): Voiced[] {
  const told = new Map<string, string[]>();
  for (const line of linesOf('rewordings.txt')) {
    const [, session, turn, text] = REWORDING.exec(line) ?? [];
    if (text === undefined) throw new Error(`rewordings.txt: "${line}" is no rewording`);
    const key = `${session} ${turn}`;
    told.set(key, [...(told.get(key) ?? []), text]);
  }
  return all.map(({ voice, session }) => {
    const turns = session.turns.map((turn, at): ScriptedTurn => {
      const text = told.get(`${session.id} ${at}`)?.[nth];
      return text === undefined ? { ...turn, ...SILENT } : saying(turn, text);
    });
    const idle = nth > 0 ? [] : (told.get(`${session.id} -`) ?? []);
    const beside = idle.map((message): ScriptedTurn => ({ ...IDLE, message }));
    return { voice, session: { ...session, turns: [...turns, ...beside] } };
  });
}

/** The sessions with memories that say when they matter. */
export function reminding(all: readonly Voiced[]): Voiced[] {
  const phrases = new Map(
    linesOf('remind-when.txt').map((line) => {
      const [goal = '', told = ''] = line.split(' => ');
      return [goal, told.split('|')];
    }),
  );
  return all.map(({ voice, session }) => {
    const memories = session.memories.map((memory) => ({
      ...memory,
      draft: { ...memory.draft, remind_when: phrases.get(dataOf(memory.draft).intent.goal) ?? [] },
    }));
    return { voice, session: { ...session, memories } };
  });
}

const KEPT = 0.35;

/** The session with few of its memories: a store that has just begun. */
export function thinned(session: ScriptedSession, random: () => number): ScriptedSession {
  const memories = session.memories.filter(() => random() < KEPT);
  return { ...session, memories: memories.length > 0 ? memories : session.memories.slice(0, 1) };
}
