/** What is left to do once the schedule and the wrapping are taken out of the text. */
import type { Piece } from './facts.js';
import type { Head, Word } from './head.js';
import { lowAt, type Token } from './tokens.js';

const CLOSING =
  /(?:[\s,;:.!?\u2013\u2014-]|\b(?:please|pls|plz|thanks(?: a lot| so much)?|thank you(?: so much| very much)?|thx|ty|cheers|ok(?:ay)?\?|would you|will you|could you|can you|if you can|if possible|if you don['’]t mind|ok|okay))+$/iu;

/** The words of the request without the pieces used, as one line. `''` when nothing is left. */
export function instructionsOf(
  tokens: readonly Token[],
  words: readonly Word[],
  head: Head,
  used: readonly Piece[],
  to: number,
): string {
  if (head.selfSufficient) return head.selfSufficient;
  const dropped = new Set<number>();
  for (const piece of used) dropAround(tokens, piece, dropped);
  const first = words[head.keep]?.index ?? to;
  const parts: string[] = [];
  let lastEnd = -1;
  for (let index = first; index < to; index += 1) {
    const token = tokens[index];
    if (!token || dropped.has(index)) continue;
    if (token.kind === 'break' || (lastEnd >= 0 && lastEnd < token.start))
      parts.push(token.kind === 'break' ? '\n' : ' ');
    // A repaired "remnd" is not handed on; other words stay as they were written.
    if (token.kind !== 'break')
      parts.push(
        /^(?:remind|summarize|notify|check|send|write)$/.test(token.low)
          ? matchCase(token)
          : token.text,
      );
    lastEnd = token.end;
  }
  const kept = tidy(parts.join(''));
  if (kept === '' && head.keep < words.length) return '';
  const { prefix } = head;
  if (prefix === '') return lowered(kept);
  return kept === '' ? prefix : `${prefix} ${glued(prefix, kept)}`;
}

/** Drops a piece with the comma and the preposition that held it. */
function dropAround(tokens: readonly Token[], piece: Piece, dropped: Set<number>): void {
  for (let index = piece.from; index < piece.to; index += 1) dropped.add(index);
  let before = piece.from - 1;
  while (
    /^(?:,|and|&|-|–|—|\(|:|;|of|then|also)$/.test(lowAt(tokens, before)) &&
    (dropped.has(before - 1) || lowAt(tokens, before) === ',' || lowAt(tokens, before) === '(')
  ) {
    dropped.add(before);
    before -= 1;
  }
  if (/^(?:for|at|on|only|just|like|once)$/.test(lowAt(tokens, before))) dropped.add(before);
  if (/^(?:,|\)|:)$/.test(lowAt(tokens, piece.to))) dropped.add(piece.to);
}

function matchCase(token: Token): string {
  return token.text.toLowerCase() === token.low ? token.text : token.low;
}

function glued(prefix: string, kept: string): string {
  // "remind me" + "to call" / "about …"; a bare order behind it needs its "to".
  return prefix.endsWith(' to') && /^to\s/i.test(kept) ? kept.replace(/^to\s+/i, '') : kept;
}

function tidy(text: string): string {
  return text
    .replace(/[ \t]+/g, ' ')
    .replace(/ ?\n[ \n]*/g, '\n')
    .replace(/ ([,.;:!?])/g, '$1')
    .replace(/^[\s,;:.!?)–—-]+/u, '')
    .replace(CLOSING, '')
    .trim();
}

function lowered(text: string): string {
  const first = /^\p{L}+/u.exec(text)?.[0] ?? '';
  if (first === '' || (first.length > 1 && first === first.toUpperCase())) return text;
  return text.charAt(0).toLowerCase() + text.slice(1);
}
