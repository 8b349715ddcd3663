/** Times of day: "9am", "17:30", "half past nine", "at 8 and 20:00", "noon", "9 in the evening". */
import { type Read, readInteger } from './amounts.js';
import { type ClockTime, partAfter, readTime } from './one-time.js';
import { lowAt, type Token } from './tokens.js';
import type { DayPart } from './words.js';

export interface ClockTimes {
  times: ClockTime[];
  /** "in the evening" behind the time. */
  part?: DayPart;
  /** "9 or 10": which one is not said. */
  either?: boolean;
  /** No "at": "9am" alone may also be a name ("my 9am meeting"). */
  bare: boolean;
}

const PREPOSITIONS = new Set(['at', '@', 'around', 'approximately', 'precisely', 'exactly']);
/** One or several times of day at `index`, preposition included. */
export function readTimes(tokens: readonly Token[], index: number): Read<ClockTimes> | null {
  let at = index;
  let introduced = false;
  while (PREPOSITIONS.has(lowAt(tokens, at)) || (introduced && lowAt(tokens, at) === 'about')) {
    introduced = true;
    at += 1;
    if (at - index > 3) return null;
  }
  const first = readTime(tokens, at, introduced);
  if (!first) return null;
  const times = [first.value];
  let either = false;
  at = suffixEnd(tokens, first.to);
  let part = partAfter(tokens, at);
  if (part) at = part.to;
  while (times.length < 12) {
    const joint = joinEnd(tokens, at);
    if (!joint) break;
    let from = joint.to;
    const again = PREPOSITIONS.has(lowAt(tokens, from));
    while (PREPOSITIONS.has(lowAt(tokens, from))) from += 1;
    const next = readTime(tokens, from, again || endsList(tokens, from));
    if (!next) break;
    if (joint.value === 'or') either = true;
    times.push(next.value);
    at = suffixEnd(tokens, next.to);
    const later = partAfter(tokens, at);
    if (later) {
      if (part) return null;
      part = later;
      at = later.to;
    }
  }
  shareMeridiem(times);
  const value: ClockTimes = { times, bare: !introduced };
  if (part) value.part = part.value;
  if (either) value.either = true;
  return { value, to: at };
}

/** A list item may be a bare number only where the list, or the thought, ends behind it. */
function endsList(tokens: readonly Token[], index: number): boolean {
  const number = readInteger(tokens, index);
  if (!number) return true;
  return /^(?:|,|\.|!|\?|;|:|and|am|pm|on|every|each|daily|tomorrow|today|to|in|o'clock|\n)$/.test(
    lowAt(tokens, number.to),
  );
}

function joinEnd(tokens: readonly Token[], index: number): Read<'and' | 'or'> | null {
  let at = index;
  if (lowAt(tokens, at) === ',') at += 1;
  const low = lowAt(tokens, at);
  if (low === 'or') return { value: 'or', to: at + 1 };
  if (low === 'and' || low === '&' || low === 'plus' || low === 'then') {
    at += 1;
    while (/^(?:then|again|also)$/.test(lowAt(tokens, at))) at += 1;
  }
  return at > index ? { value: 'and', to: at } : null;
}

/** "at 9 and 11 am": the first time takes the am of the one behind it. */
function shareMeridiem(times: ClockTime[]): void {
  for (let index = times.length - 2; index >= 0; index -= 1) {
    const here = times[index];
    const next = times[index + 1];
    if (!here || !next || here.sure || !next.sure || next.hour > 23) continue;
    const candidate = next.hour >= 12 ? (here.hour % 12) + 12 : here.hour % 12;
    if (next.meridiem && candidate * 60 + here.minute < next.hour * 60 + next.minute) {
      here.hour = candidate;
      here.sure = true;
    }
  }
}

/** "sharp", "on the dot" and their like say nothing more. */
function suffixEnd(tokens: readonly Token[], index: number): number {
  const low = lowAt(tokens, index);
  if (low === 'sharp' || low === 'exactly' || low === 'precisely') return index + 1;
  if (low === 'on' && lowAt(tokens, index + 1) === 'the' && lowAt(tokens, index + 2) === 'dot')
    return index + 3;
  if (low === 'or' && /^(?:so|thereabouts)$/.test(lowAt(tokens, index + 1))) return index + 2;
  if (low === 'ish') return index + 1;
  return index;
}
