/** Finds every piece of a sentence that speaks of time, longest reading first, left to right. */
import { readDuration } from './amounts.js';
import { readBound } from './bounds.js';
import { readTimes } from './clock-time.js';
import { readDay } from './dates.js';
import type { Facts, Piece } from './facts.js';
import { partAfter } from './one-time.js';
import { readRecurrence } from './recurrence.js';
import { lowAt, type Token } from './tokens.js';
import { PARTS } from './words.js';
import { readZone } from './zone-names.js';

/** "my 9am call", "the Monday meeting": names of things, not times to act at. */
const NAMING = new Set([
  'the',
  'my',
  'our',
  'your',
  'his',
  'her',
  'their',
  'its',
  'a',
  'an',
  'that',
  'another',
]);

/** The pieces between `from` and `to`, in order, not overlapping. */
export function findPieces(tokens: readonly Token[], from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  const scope = tokens.slice(0, to);
  let at = from;
  while (at < to) {
    const piece = pieceAt(scope, at, pieces.at(-1));
    if (piece) pieces.push(piece);
    at = piece ? piece.to : at + 1;
  }
  return pieces;
}

function pieceAt(tokens: readonly Token[], index: number, last: Piece | undefined): Piece | null {
  const here = tokens[index];
  if (!here || here.kind === 'quote' || here.kind === 'break') return null;
  if (here.kind === 'mark' && !/^[@(,:'’]$/.test(here.low)) return null;
  if (here.kind === 'cron')
    return withZone(tokens, { from: index, to: index + 1, facts: { cron: here.low } });
  const touching = last !== undefined && last.to === index;
  if (touching && !last.adjective && !last.vague) {
    const zone = readZone(tokens, index);
    if (zone && last.facts.zone === undefined) {
      return { from: index, to: zone.to, facts: zoneFacts(zone.value) };
    }
  }
  const candidates = [
    readTimesPiece(tokens, index),
    readDayPiece(tokens, index),
    readRecurrencePiece(tokens, index),
    readDelay(tokens, index),
    bound(tokens, index),
    readPart(tokens, index, touching),
  ];
  let best: Piece | null = null;
  for (const candidate of candidates) {
    if (candidate && (!best || candidate.to > best.to)) best = candidate;
  }
  if (!best) return null;
  if (best.bare && NAMING.has(lowAt(tokens, index - 1))) return null;
  return best;
}

function zoneFacts(named: { zone: string | null; said: string }): Facts {
  return named.zone === null
    ? { ask: `I cannot keep time in ${named.said}. Which place is that?` }
    : { zone: named.zone };
}

function withZone(tokens: readonly Token[], piece: Piece): Piece {
  const zone = readZone(tokens, piece.to);
  if (!zone) return piece;
  return { ...piece, to: zone.to, facts: { ...piece.facts, ...zoneFacts(zone.value) } };
}

function readTimesPiece(tokens: readonly Token[], index: number): Piece | null {
  const times = readTimes(tokens, index);
  if (!times) return null;
  const facts: Facts = { times: times.value.times };
  if (times.value.part) facts.part = times.value.part;
  if (times.value.either) facts.ask = 'Which of the two times?';
  const piece: Piece = { from: index, to: times.to, facts };
  if (times.value.bare) piece.bare = true;
  return withZone(tokens, piece);
}

function readDayPiece(tokens: readonly Token[], index: number): Piece | null {
  const day = readDay(tokens, index);
  if (!day) return null;
  const facts: Facts = { day: day.value.day };
  let to = day.to;
  const word = lowAt(tokens, to);
  const early =
    /^(?:early|late)$/.test(word) && Object.hasOwn(PARTS, lowAt(tokens, to + 1)) ? 1 : 0;
  const part =
    day.value.part ??
    (Object.hasOwn(PARTS, lowAt(tokens, to + early))
      ? PARTS[lowAt(tokens, to + early)]
      : undefined);
  if (part) facts.part = part;
  if (part && !day.value.part) to += early + 1;
  else if (/^first$/.test(word) && lowAt(tokens, to + 1) === 'thing') {
    facts.part = 'morning';
    to += 2;
    if (lowAt(tokens, to) === 'in' && lowAt(tokens, to + 2) === 'morning') to += 3;
  }
  return { from: index, to, facts, ...(day.value.bare ? { bare: true } : {}) };
}

function readRecurrencePiece(tokens: readonly Token[], index: number): Piece | null {
  const read = readRecurrence(tokens, index);
  return read ? { from: index, to: read.to, ...read.value } : null;
}

/** "in 20 minutes", "an hour from now", "after two days", "in two weeks' time". */
function readDelay(tokens: readonly Token[], index: number): Piece | null {
  let at = index;
  const introduced = /^(?:in|after)$/.test(lowAt(tokens, at));
  if (introduced) at += 1;
  while (
    introduced &&
    /^(?:about|around|exactly|approximately|roughly|just|like|another)$/.test(lowAt(tokens, at)) &&
    at < index + 3
  )
    at += 1;
  const duration = readDuration(tokens, at);
  if (!duration) return lowAt(tokens, index) === 'in' ? readUnitless(tokens, index) : null;
  let to = duration.to;
  const last = tokens[to - 1];
  if (lowAt(tokens, to) === 'from' && /^(?:now|today)$/.test(lowAt(tokens, to + 1))) to += 2;
  else if (lowAt(tokens, to) === 'hence') to += 1;
  else if (!introduced) return null;
  else if (/^(?:time|['’]s?)$/.test(lowAt(tokens, to)) && /['’]?s?$/.test(last?.low ?? '')) {
    to += lowAt(tokens, to) === 'time' ? 1 : 2;
  }
  // "after 2 days of rain", "in 5 minutes of silence" measure something else.
  if (lowAt(tokens, to) === 'of') return null;
  if (
    lowAt(tokens, index) === 'after' &&
    !/^(?:|[.,;!?]|please|remind|tell|ping|notify|\n)$/.test(lowAt(tokens, to)) &&
    index > 0
  ) {
    if (!/^(?:to|about|that)$/.test(lowAt(tokens, to))) return null;
  }
  return { from: index, to, facts: { delay: duration.value } };
}

/** "in 15" at the end: minutes, most likely, but it is not said. */
function readUnitless(tokens: readonly Token[], index: number): Piece | null {
  const number = tokens[index + 1];
  if (number?.kind !== 'number' || !/^(?:5|10|15|20|25|30|40|45|60|90)$/.test(number.low))
    return null;
  if (!/^(?:|[.!?]|please|thanks)$/.test(lowAt(tokens, index + 2))) return null;
  return { from: index, to: index + 2, facts: { ask: `In ${number.low} minutes?` } };
}

function bound(tokens: readonly Token[], index: number): Piece | null {
  const read = readBound(tokens, index);
  if (!read) return null;
  const piece: Piece = { from: index, to: read.to, facts: read.value };
  return read.value.window || read.value.until || read.value.start
    ? withZone(tokens, piece)
    : piece;
}

/** "in the morning" anywhere; "morning" right behind a day; "first thing in the morning". */
function readPart(tokens: readonly Token[], index: number, touching: boolean): Piece | null {
  let at = index;
  if (lowAt(tokens, at) === 'first' && lowAt(tokens, at + 1) === 'thing') {
    at += 2;
    const part = partAfter(tokens, at);
    if (part) return { from: index, to: part.to, facts: { part: part.value } };
    const day = readDayPiece(tokens, lowAt(tokens, at) === 'on' ? at + 1 : at);
    if (day && day.facts.part === undefined)
      return { from: index, to: day.to, facts: { ...day.facts, part: 'morning' } };
    if (day) return { from: index, to: day.to, facts: day.facts };
    return touching ? { from: index, to: at, facts: { part: 'morning' } } : null;
  }
  const part = partAfter(tokens, at);
  if (part) return { from: index, to: part.to, facts: { part: part.value } };
  const word = lowAt(tokens, index);
  const said = touching && Object.hasOwn(PARTS, word) ? PARTS[word] : undefined;
  return said ? { from: index, to: index + 1, facts: { part: said } } : null;
}
