/**
 * Triggers that are written like what was asked for: mistyped, a word left out, begun but not
 * finished. Looks at spelling alone; what a trigger means is the search's business.
 */
import { normalizePhrase } from '../phrases.js';
import type { LinkedEntry } from '../types.js';
import type { Postings, Source } from './postings.js';

/** Likeness of spelling (0 to 1) below which a trigger is no suggestion. */
const LEAST = 0.35;
/** Letters and spaces of a piece. */
const PIECE = 3;
/** What a trigger gains that begins as the query does. */
const SAME_START = 0.15;

/** How a trigger is written. */
export interface Spelling {
  phrase: string;
  /** Each once. */
  pieces: readonly string[];
  /** Sum of the weights of its pieces. */
  size: number;
}

/** A trigger in the order of the index. */
export interface Spelled {
  slot: number;
  entry: LinkedEntry;
  spelling: Spelling;
}

export interface Suggester {
  /** Closest first; equals as they stand in the index. */
  suggest(query: string, limit: number): LinkedEntry[];
}

/** `null`: nothing is left of it that could be compared. */
export function spellingOf(trigger: string): Spelling | null {
  const phrase = normalizePhrase(trigger);
  if (phrase === '') return null;
  const pieces = piecesOf(phrase);
  return { phrase, pieces, size: sizeOf(pieces) };
}

/** The pieces of a trigger as postings have them. */
export function piecesIn(slot: number, { pieces }: Spelling): Source {
  return {
    slot,
    tell(note) {
      for (const piece of pieces) note(piece, weightOf(piece));
    },
  };
}

/** @param postings of the pieces of all triggers, by slot */
export function createSuggester(triggers: readonly Spelled[], postings: Postings): Suggester {
  const placeOf = new Map(triggers.map(({ slot }, place) => [slot, place]));
  return {
    suggest(query, limit) {
      const wanted = normalizePhrase(query);
      const pieces = piecesOf(wanted);
      const shared = new Map<number, number>();
      for (const piece of pieces) {
        const posting = postings.get(piece);
        for (const [at, slot] of posting?.slots.entries() ?? []) {
          shared.set(slot, (shared.get(slot) ?? 0) + (posting?.values[at] ?? 0));
        }
      }
      const asked = sizeOf(pieces);
      const start = wanted.slice(0, PIECE + 1);
      return [...shared]
        .flatMap(([slot, count]) => {
          const place = placeOf.get(slot);
          const trigger = place === undefined ? undefined : triggers[place];
          if (place === undefined || trigger === undefined) return [];
          const { phrase, size } = trigger.spelling;
          const likeness = Math.max(
            (2 * count) / (asked + size),
            // Few words of a long trigger, or a long question with a trigger in it.
            (0.8 * count) / Math.min(asked, size),
          );
          const score = likeness + (phrase.startsWith(start) ? SAME_START : 0);
          return score < LEAST ? [] : [{ place, entry: trigger.entry, score }];
        })
        .sort((a, b) => b.score - a.score || a.place - b.place)
        .slice(0, limit)
        .map(({ entry }) => entry);
    },
  };
}

/** Where a word begins, people make fewer mistakes. */
function weightOf(piece: string): number {
  return piece.startsWith(' ') ? 2 : 1;
}

function sizeOf(pieces: readonly string[]): number {
  let size = 0;
  for (const piece of pieces) size += weightOf(piece);
  return size;
}

/** Runs of letters, with the ends of each word marked, each once. */
function piecesOf(phrase: string): string[] {
  const pieces = new Set<string>();
  for (const word of phrase.split(' ')) {
    const marked = ` ${word} `;
    for (let at = 0; at + PIECE <= marked.length; at += 1) pieces.add(marked.slice(at, at + PIECE));
  }
  return [...pieces];
}
