/**
 * Triggers that are written like what was asked for: mistyped, a word left out, begun but not
 * finished. Looks at spelling alone; what a trigger means is the search's business.
 */
import { yieldToLoop } from '../../shared/yield.js';
import { normalizePhrase } from '../phrases.js';
import type { LinkedEntry } from '../types.js';

/** Likeness of spelling (0 to 1) below which a trigger is no suggestion. */
const LEAST = 0.35;
/** Letters and spaces of a piece. */
const PIECE = 3;
/** What a trigger gains that begins as the query does. */
const SAME_START = 0.15;
/** Entries between two turns of the event loop. */
const STEP = 200;

export interface Suggester {
  /** Closest first; equals as they stand in the index. */
  suggest(query: string, limit: number): LinkedEntry[];
}

/** Built in steps of a few milliseconds. */
export async function createSuggester(entries: readonly LinkedEntry[]): Promise<Suggester> {
  const known = entries.flatMap((entry) => {
    const phrase = normalizePhrase(entry.phrase);
    return entry.section === null || phrase === '' ? [] : [{ entry, phrase }];
  });
  const sizes: number[] = [];
  const byPiece = new Map<string, number[]>();
  const sizeOf = (pieces: ReadonlySet<string>) =>
    [...pieces].reduce((sum, piece) => sum + weightOf(piece), 0);
  for (const [at, { phrase }] of known.entries()) {
    const pieces = piecesOf(phrase);
    sizes.push(sizeOf(pieces));
    for (const piece of pieces) {
      const list = byPiece.get(piece);
      if (list === undefined) byPiece.set(piece, [at]);
      else list.push(at);
    }
    if (at % STEP === STEP - 1) await yieldToLoop();
  }
  return {
    suggest(query, limit) {
      const wanted = normalizePhrase(query);
      const pieces = piecesOf(wanted);
      const shared = new Map<number, number>();
      for (const piece of pieces) {
        const weight = weightOf(piece);
        for (const at of byPiece.get(piece) ?? []) shared.set(at, (shared.get(at) ?? 0) + weight);
      }
      const asked = sizeOf(pieces);
      const start = wanted.slice(0, PIECE + 1);
      return [...shared]
        .map(([at, count]) => {
          const size = sizes[at] ?? 1;
          const likeness = Math.max(
            (2 * count) / (asked + size),
            // Few words of a long trigger, or a long question with a trigger in it.
            (0.8 * count) / Math.min(asked, size),
          );
          const begins = known[at]?.phrase.startsWith(start) ? SAME_START : 0;
          return { at, score: likeness + begins };
        })
        .filter(({ score }) => score >= LEAST)
        .sort((a, b) => b.score - a.score || a.at - b.at)
        .slice(0, limit)
        .flatMap(({ at }) => known[at]?.entry ?? []);
    },
  };
}

/** Where a word begins, people make fewer mistakes. */
function weightOf(piece: string): number {
  return piece.startsWith(' ') ? 2 : 1;
}

/** Runs of letters, with the ends of each word marked. */
function piecesOf(phrase: string): Set<string> {
  const pieces = new Set<string>();
  for (const word of phrase.split(' ')) {
    const marked = ` ${word} `;
    for (let at = 0; at + PIECE <= marked.length; at += 1) pieces.add(marked.slice(at, at + PIECE));
  }
  return pieces;
}
