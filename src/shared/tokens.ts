/**
 * Tokens as the o200k_base encoding counts them. Markup of special tokens is text like any other: what a user
 * stored must never make a count throw.
 */
import { O200K_TOKEN_SPLIT_REGEX } from 'gpt-tokenizer/encodingParams/constants';
import { loadTokens, type TokenTable } from './token-table.js';

/**
 * Longest stretch that is counted at once: a run without a space costs more than its length, so runs are cut
 * there.
 */
const STRETCH = 1_024;
/** No text of words has so many characters a token; what lies behind is cut before counting. */
const CHARACTERS_PER_TOKEN = 16;
/** How far back from a cut a word may begin to be left out whole. */
const WORD_REACH = 24;
const ELLIPSIS = '…';
/** Longer pieces are seldom met twice. */
const KEPT_LENGTH = 32;
const MOST_KEPT = 20_000;

let table: TokenTable | undefined;
/** How many tokens a piece has. */
const counts = new Map<string, number>();
const encoder = new TextEncoder();
/** A character has at most three bytes. */
const bytes = new Uint8Array(3 * STRETCH);

/**
 * Number of tokens. Exact for text whose longest run without a space is under 1,024 characters;
 * beyond, runs are counted in stretches, which differs by at most a token or two per stretch.
 */
export function countTokens(text: string): number {
  let count = 0;
  for (let start = 0; start < text.length; ) {
    const end = stretchEnd(text, start);
    for (const [piece] of text.slice(start, end).matchAll(O200K_TOKEN_SPLIT_REGEX)) {
      count += countOf(piece);
    }
    start = end;
  }
  return count;
}

/** @param piece that the encoding takes by itself: a word, say, with the space before it */
function countOf(piece: string): number {
  const known = counts.get(piece);
  if (known !== undefined) return known;
  table ??= loadTokens();
  const { written } = encoder.encodeInto(piece, bytes);
  const count = table.rankOf(bytes, 0, written) >= 0 ? 1 : mergedCount(table, written);
  if (piece.length <= KEPT_LENGTH) {
    if (counts.size >= MOST_KEPT) counts.clear();
    counts.set(piece, count);
  }
  return count;
}

/** Two neighbours that are a token together become one, that of the lowest rank first, until there are none. */
function mergedCount({ rankOf }: TokenTable, length: number): number {
  const ends = Array.from({ length }, (_, at) => at + 1);
  const startOf = (at: number): number => (at === 0 ? 0 : (ends[at - 1] as number));
  /** Of the part with the one behind it; `-1`: they are no token. */
  const rankAt = (at: number): number =>
    at + 1 < ends.length ? rankOf(bytes, startOf(at), ends[at + 1] as number) : -1;
  const ranks = ends.map((_, at) => rankAt(at));
  for (;;) {
    let best = -1;
    for (let at = 0; at < ranks.length; at += 1) {
      const rank = ranks[at] as number;
      if (rank >= 0 && (best < 0 || rank < (ranks[best] as number))) best = at;
    }
    if (best < 0) return ends.length;
    ends.splice(best, 1);
    ranks.splice(best + 1, 1);
    ranks[best] = rankAt(best);
    if (best > 0) ranks[best - 1] = rankAt(best - 1);
  }
}

/**
 * The text itself when it has at most `max` tokens, else its beginning and `…`, together at most
 * `max`. Cuts between words where one is near, never inside a surrogate pair. `max` below 1: ''.
 */
export function truncateToTokens(text: string, max: number): string {
  const budget = Math.floor(max);
  if (!(budget >= 1)) return '';
  const reach = budget * CHARACTERS_PER_TOKEN + STRETCH;
  const head = text.length > reach ? text.slice(0, reach) : text;
  if (head.length === text.length && countTokens(text) <= budget) return text;
  // Largest cut whose text fits: longer beginnings rarely have fewer tokens, and the last check
  // below holds whatever the search found.
  let low = 0;
  let high = head.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (countTokens(cutAt(head, middle)) <= budget) low = middle;
    else high = middle - 1;
  }
  for (let at = low; at > 0; at -= 1) {
    const short = cutAt(head, wordEdge(head, at));
    if (countTokens(short) <= budget) return short;
  }
  return ELLIPSIS;
}

function cutAt(text: string, at: number): string {
  const last = text.charCodeAt(at - 1);
  const end = last >= 0xd800 && last <= 0xdbff ? at - 1 : at;
  return text.slice(0, end).trimEnd() + ELLIPSIS;
}

/** The cut itself, or the space shortly before it when the cut is inside a word. */
function wordEdge(text: string, at: number): number {
  if (at >= text.length || /\s/.test(text.charAt(at))) return at;
  for (let back = at; back > Math.max(0, at - WORD_REACH); back -= 1) {
    if (/\s/.test(text.charAt(back - 1))) return back;
  }
  return at;
}

/**
 * Where the stretch from `start` ends: at the text's end, else before the last single space, where
 * the encoding never joins two words into one token.
 */
function stretchEnd(text: string, start: number): number {
  const limit = start + STRETCH;
  if (limit >= text.length) return text.length;
  for (let at = limit; at > start + 1; at -= 1) {
    if (text[at] === ' ' && isWord(text, at - 1) && isWord(text, at + 1)) return at;
  }
  const last = text.charCodeAt(limit - 1);
  return last >= 0xd800 && last <= 0xdbff ? limit - 1 : limit;
}

function isWord(text: string, at: number): boolean {
  return /[\p{L}\p{N}]/u.test(text.charAt(at));
}
