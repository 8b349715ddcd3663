/** What limits a recurrence: "between 9 and 17", "until Friday", "for a week", "starting Monday", "except Sunday". */
import { type Read, readDuration } from './amounts.js';
import { readTimes } from './clock-time.js';
import { readDay } from './dates.js';
import { readExcept, readRuns } from './exceptions.js';
import type { Bound, DayRef, Facts } from './facts.js';
import { type ClockTime, partAfter, readTime, readWindowEnd } from './one-time.js';
import { lowAt, type Token } from './tokens.js';
import { type DayPart, MONTHS, PARTS, type Unit } from './words.js';

/** Any limit at `index`. */
export function readBound(tokens: readonly Token[], index: number): Read<Facts> | null {
  return (
    readWindow(tokens, index) ??
    readUntil(tokens, index) ??
    readStart(tokens, index) ??
    readSpan(tokens, index) ??
    readExcept(tokens, index) ??
    readRuns(tokens, index)
  );
}

function readWindow(tokens: readonly Token[], index: number): Read<Facts> | null {
  const low = lowAt(tokens, index);
  if (low === 'during' || low === 'in' || low === 'within') {
    const the = /^(?:the|my|our)$/.test(lowAt(tokens, index + 1)) ? 1 : 0;
    const kind = lowAt(tokens, index + 1 + the);
    if (low === 'during' && the === 1 && /^(?:day|daytime|night|morning|afternoon)$/.test(kind))
      return { value: { ask: 'Between which hours should that be?' }, to: index + 3 };
    if (
      /^(?:business|working|work|office)$/.test(kind) &&
      lowAt(tokens, index + 2 + the) === 'hours'
    ) {
      return {
        value: { window: { from: whole(9), to: whole(17) }, weekdays: [1, 2, 3, 4, 5] },
        to: index + 3 + the,
      };
    }
    return null;
  }
  const between = low === 'between';
  if (!between && low !== 'from') {
    // "9-17", "9am to 5pm" without a word in front: only when both ends are clearly times.
    const first =
      tokens[index]?.kind === 'number' || tokens[index]?.kind === 'clock'
        ? readWindowEnd(tokens, index)
        : null;
    if (!first || !/^(?:-|–|—|to)$/.test(lowAt(tokens, first.to))) return null;
    const last = readWindowEnd(tokens, first.to + 1);
    const clear =
      last &&
      (last.value.sure || first.value.sure) &&
      (first.value.meridiem || last.value.meridiem || tokens[index]?.kind === 'clock');
    return last && clear ? windowOf(first.value, last.value, last.to) : null;
  }
  const from = readWindowEnd(tokens, skipAt(tokens, index + 1));
  if (!from) return null;
  const joint = between ? /^(?:and|to|-|–|&)$/ : /^(?:to|until|till|til|through|thru|-|–)$/;
  let at = from.to;
  if (!joint.test(lowAt(tokens, at))) return null;
  at = skipAt(tokens, at + 1);
  const to = readWindowEnd(tokens, at);
  return to ? windowOf(from.value, to.value, to.to) : null;
}

const whole = (hour: number): ClockTime => ({ hour, minute: 0, second: 0, sure: true });

function skipAt(tokens: readonly Token[], index: number): number {
  return lowAt(tokens, index) === 'at' ? index + 1 : index;
}

/** "9 to 5" is from morning to afternoon; the end lies after the beginning where am/pm is open. */
function windowOf(from: ClockTime, to: ClockTime, end: number): Read<Facts> {
  const first = { ...from };
  const last = { ...to };
  if (!first.sure) {
    const shared =
      last.meridiem === true &&
      last.hour >= 12 &&
      (first.hour % 12) + 12 < last.hour &&
      first.hour < 7;
    first.hour = first.hour === 12 ? 12 : shared ? first.hour + 12 : first.hour;
    first.sure = true;
  }
  if (!last.sure) {
    if (last.hour <= first.hour) last.hour = (last.hour % 12) + 12;
    last.sure = true;
  }
  return { value: { window: { from: first, to: last } }, to: end };
}

/** A day, a time, both, or "the end of the week" at `index`. */
function readPoint(tokens: readonly Token[], index: number): Read<Bound> | null {
  const the = lowAt(tokens, index) === 'the' ? 1 : 0;
  if (lowAt(tokens, index + the) === 'end' && lowAt(tokens, index + the + 1) === 'of') {
    const which = /^(?:the|this|today|next)$/.test(lowAt(tokens, index + the + 2)) ? 1 : 0;
    const unit = lowAt(tokens, index + the + 2 + which);
    if (lowAt(tokens, index + the + 2) === 'today')
      return { value: { endOf: 'day' }, to: index + the + 3 };
    if (/^(?:day|week|month|year)$/.test(unit) && lowAt(tokens, index + the + 2) !== 'next') {
      return { value: { endOf: unit as Unit }, to: index + the + 3 + which };
    }
    const month = Object.hasOwn(MONTHS, unit) ? MONTHS[unit] : undefined;
    if (month === undefined || which > 0) return null;
    return { value: { day: lastDayOf(month) }, to: index + the + 3 };
  }
  if (lowAt(tokens, index) === 'next' && /^(?:week|month|year)$/.test(lowAt(tokens, index + 1))) {
    const day = readDay(tokens, index);
    if (!day || day.value.day.type === 'ask')
      return { value: { next: lowAt(tokens, index + 1) as Unit }, to: index + 2 };
  }
  const month = Object.hasOwn(MONTHS, lowAt(tokens, index)) ? MONTHS[lowAt(tokens, index)] : null;
  if (month && !readDay(tokens, index) && !/^\d/.test(lowAt(tokens, index + 1)))
    return { value: { day: { type: 'date', month, day: 1 } }, to: index + 1 };
  const bound: Bound = {};
  let at = index;
  for (let round = 0; round < 2; round += 1) {
    if (!bound.day) {
      const day = readDay(tokens, at);
      if (day && day.value.day.type !== 'past') {
        bound.day = day.value.day;
        at = day.to;
        const word = lowAt(tokens, at);
        const part = day.value.part ?? (Object.hasOwn(PARTS, word) ? PARTS[word] : undefined);
        if (part) bound.part = part;
        if (part && !day.value.part) at += 1;
      }
    }
    if (!bound.time) {
      const times = readTimes(tokens, at) ?? bareTime(tokens, at);
      if (times && times.value.times.length === 1) {
        bound.time = times.value.times[0] as ClockTime;
        if (times.value.part) bound.part = times.value.part;
        at = times.to;
      }
    }
  }
  if (!bound.day && !bound.time) {
    const delay = lowAt(tokens, at) === 'in' ? readDuration(tokens, at + 1) : null;
    if (!delay) return null;
    return { value: { delay: delay.value }, to: delay.to };
  }
  return { value: bound, to: at };
}

function lastDayOf(month: number): DayRef {
  const day = month === 2 ? 28 : /^(?:4|6|9|11)$/.test(String(month)) ? 30 : 31;
  return { type: 'date', month, day };
}

/** "until 5": behind such words a number is an hour. */
function bareTime(
  tokens: readonly Token[],
  index: number,
): Read<{ times: ClockTime[]; part?: DayPart }> | null {
  const time = readTime(tokens, index, true);
  if (!time) return null;
  const part = partAfter(tokens, time.to);
  return {
    value: part ? { times: [time.value], part: part.value } : { times: [time.value] },
    to: part?.to ?? time.to,
  };
}

function readUntil(tokens: readonly Token[], index: number): Read<Facts> | null {
  let at = index;
  if (/^(?:up|right|all)$/.test(lowAt(tokens, at))) at += 1;
  if (lowAt(tokens, at) === 'and') at += 1;
  const low = lowAt(tokens, at);
  if (/^(?:ending|stopping|stop|ends|ceasing)$/.test(low)) {
    at += 1;
    if (/^(?:on|at|by)$/.test(lowAt(tokens, at))) at += 1;
    else if (low === 'stop') return null;
  } else if (/^(?:until|till|til|'til|through|thru)$/.test(low)) at += 1;
  else return null;
  if (lowAt(tokens, at) === 'further' && lowAt(tokens, at + 1) === 'notice')
    return { value: {}, to: at + 2 };
  const point = readPoint(tokens, at);
  if (!point) return null;
  const month = point.to === at + 1 ? MONTHS[lowAt(tokens, at)] : undefined;
  if (month !== undefined) {
    // "until February" ends before it, "through February" with it.
    const day = lastDayOf(/^thr/.test(lowAt(tokens, at - 1)) ? month : ((month + 10) % 12) + 1);
    return { value: { until: { day } }, to: point.to };
  }
  return { value: { until: point.value }, to: point.to };
}

function readStart(tokens: readonly Token[], index: number): Read<Facts> | null {
  const low = lowAt(tokens, index);
  let at = index + 1;
  const verb = /^(?:starting|beginning|commencing|effective|start|begin|starts|begins)$/.test(low);
  if (verb) {
    if (lowAt(tokens, at) === 'off') at += 1;
    while (
      /^(?:on|from|at|the)$/.test(lowAt(tokens, at)) &&
      at < index + 3 &&
      lowAt(tokens, at + 1) !== 'end'
    ) {
      if (lowAt(tokens, at) === 'at' || lowAt(tokens, at) === 'the') break;
      at += 1;
    }
  } else if (low === 'as' && lowAt(tokens, at) === 'of') at += 1;
  else if (low !== 'from' && low !== 'between') return null;
  const short = low === 'start' || low === 'begin' || low === 'starts' || low === 'begins';
  if (
    /^(?:now|today)$/.test(lowAt(tokens, at)) ||
    (lowAt(tokens, at) === 'right' && lowAt(tokens, at + 1) === 'now')
  ) {
    if (lowAt(tokens, at) === 'today' && readTimes(tokens, at + 1)) {
      const point = readPoint(tokens, at);
      if (point) return { value: { start: point.value }, to: point.to };
    }
    let to = lowAt(tokens, at) === 'right' ? at + 2 : at + 1;
    if (/^(?:on|onwards|onward)$/.test(lowAt(tokens, to))) to += 1;
    return { value: {}, to };
  }
  const point = readPoint(tokens, at);
  if (!point || (low === 'from' && !point.value.day && !point.value.next)) return null;
  if (short && !point.value.day && !point.value.next && !point.value.time) return null;
  const range = rangeEnd(tokens, point);
  if (range || low === 'between') return range;
  let to = point.to;
  if (/^(?:onwards|onward|forward)$/.test(lowAt(tokens, to))) to += 1;
  else if (lowAt(tokens, to) === 'on' && /^(?:|[.,;!]|to)$/.test(lowAt(tokens, to + 1))) to += 1;
  // "from Monday to Friday" is a range of weekdays, read elsewhere.
  if (low === 'from' && /^(?:to|until|till|through|thru|-)$/.test(lowAt(tokens, to))) return null;
  return { value: { start: point.value }, to };
}

/** "from July 1 to July 5", "from tomorrow until Friday": both ends are days. */
function rangeEnd(tokens: readonly Token[], start: Read<Bound>): Read<Facts> | null {
  const day = start.value.day?.type;
  if (!day || day === 'weekday' || start.value.time) return null;
  if (!/^(?:to|until|till|til|through|thru|and|-|–|—)$/.test(lowAt(tokens, start.to))) return null;
  const end = readPoint(tokens, start.to + 1);
  const clear = end?.value.day && (day !== 'offset' || lowAt(tokens, start.to) !== 'and');
  return end && clear ? { value: { start: start.value, until: end.value }, to: end.to } : null;
}

/** "for the next 3 days", "for a week", "over the next two hours", "for the rest of the week". */
function readSpan(tokens: readonly Token[], index: number): Read<Facts> | null {
  const low = lowAt(tokens, index);
  if (!/^(?:for|over|during|in)$/.test(low)) return null;
  let at = index + 1;
  let next = false;
  if (
    lowAt(tokens, at) === 'the' &&
    lowAt(tokens, at + 1) === 'rest' &&
    lowAt(tokens, at + 2) === 'of'
  ) {
    const which = /^(?:the|this)$/.test(lowAt(tokens, at + 3)) ? 1 : 0;
    const today = lowAt(tokens, at + 3) === 'today';
    const unit = lowAt(tokens, at + 3 + which);
    if (today) return { value: { until: { endOf: 'day' } }, to: at + 4 };
    return /^(?:day|week|month|year)$/.test(unit)
      ? { value: { until: { endOf: unit as Unit } }, to: at + 4 + which }
      : null;
  }
  if (lowAt(tokens, at) === 'the' && /^(?:next|following|coming)$/.test(lowAt(tokens, at + 1))) {
    at += 2;
    next = true;
  }
  if (/^(?:another|exactly)$/.test(lowAt(tokens, at))) at += 1;
  if (low !== 'for' && !next) return null;
  const duration =
    readDuration(tokens, at) ??
    (next || lowAt(tokens, at - 1) === 'another' ? bareUnit(tokens, at) : null);
  return duration ? { value: { span: duration.value }, to: duration.to } : null;
}

/** "the next hour": one of them. */
function bareUnit(tokens: readonly Token[], index: number): ReturnType<typeof readDuration> {
  const here = tokens[index];
  if (here?.kind !== 'word') return null;
  const one: Token = { kind: 'number', text: '1', low: '1', start: here.start, end: here.start };
  const read = readDuration([one, ...tokens.slice(index, index + 1)], 0);
  return read ? { value: read.value, to: index + 1 } : null;
}
