/** A time that is counted from an event: "the demo is at 3pm, remind me 10 minutes before". */
import { DAY_MS, MINUTE_MS } from '../shared/clock.js';
import { type ClockTime, hourOf } from './clock.js';
import { match, type Phrase, pattern } from './phrase.js';
import {
  type AnySchedule,
  isAnchored,
  isRecurring,
  type MadeBy,
  merged,
  mergedAll,
  type ScheduleFields,
  type TimeExpression,
} from './schedule-fields.js';
import type { Sentence } from './sentences.js';

export interface FromEvent {
  facts: ScheduleFields;
  used: TimeExpression[];
  /** The ones that are taken out of what is to be done. */
  dropped: TimeExpression[];
  /** The sentence that says when the event is, if it is another one. */
  event: Sentence | null;
}

/** Nothing else is named that the length could be counted from. */
const NO_OBJECT = pattern('(?:|[,.!?;:)\\n-]|to|it|that|this|then|please|so|and)');

/**
 * The facts of a request whose time is counted from an event of the same sentence or of the only other
 * one with a time. Null where nothing is counted; a question's words where the event has no clear time.
 */
export function fromEvent(
  phrase: Phrase,
  sentences: readonly Sentence[],
  sentence: Sentence,
  compose: MadeBy<AnySchedule>,
): FromEvent | { unclear: TimeExpression } | null {
  const { pieces, opening } = sentence;
  const count = pieces.filter((piece) => piece.facts.offset);
  const [counted] = count;
  const offset = counted?.facts.offset;
  if (!counted || !offset) return null;
  const unclear = { unclear: counted };
  if (count.length > 1) return unclear;
  const behind = pieces.filter((piece) => piece.from >= counted.to);
  const ahead = pieces.filter((piece) => piece.to <= counted.from && piece.from >= opening.content);
  const object = objectOf(phrase, counted, behind);
  const free = object.length > 0 || isFree(phrase, counted, behind);
  const others = sentences.filter(
    (other) =>
      other !== sentence &&
      other.pieces.some(({ facts }) => isAnchored(facts) || facts.start || facts.until),
  );
  const event = object.length > 0 || ahead.length > 0 ? null : (others[0] ?? null);
  const own = object.length > 0 ? object : ahead;
  const said = atBound(mergedAll(event ? event.pieces : own));
  const rest = pieces.filter((piece) => piece !== counted && !own.includes(piece));
  const asked = mergedAll(rest);
  if (!free || !said || !asked || (event && others.length > 1) || said.ask) return unclear;
  const facts =
    offset.ms === 0 ? ofDays(said, asked, offset) : ofClock(said, asked, offset, compose);
  if (!facts) return unclear;
  const to = object.length > 0 ? counted.to - offset.words : counted.to;
  return { facts, used: [counted, ...rest], dropped: [{ ...counted, to }, ...rest], event };
}

/** "service starts at 17:30", "my shift ends at 7pm": of an event that is its time. */
function atBound(facts: ScheduleFields | null): ScheduleFields | null {
  const { start, until, ...others } = facts ?? {};
  const bound = start ?? until;
  if (!facts || !bound || (start && until)) return facts;
  const { day, time, part, ...open } = bound;
  if (Object.keys(open).length > 0) return facts;
  const said: ScheduleFields = {
    ...(day && { day }),
    ...(time && { times: [time] }),
    ...(part && { part }),
  };
  return merged(others, said);
}

/** "before the 3pm call on Friday": the pieces that say when that is. */
function objectOf(
  phrase: Phrase,
  counted: TimeExpression,
  behind: readonly TimeExpression[],
): TimeExpression[] {
  const [first] = behind;
  if (!first) return [];
  const own = counted.facts.offset?.ms === 0 && first.from === counted.to && first.facts.times;
  if (own || !reaches(phrase, counted.to, first.from)) return [];
  let to = first.from;
  return behind.filter((piece) => {
    const touches = piece.from - to <= 1;
    if (touches) to = piece.to;
    return touches;
  });
}

const JOINS = /^(?:to|and|or|that|if|when|remind|then|[,;:.!?]|\n)$/;

function reaches(phrase: Phrase, from: number, to: number): boolean {
  return to - from <= 5 && !phrase.words.slice(from, to).some((word) => JOINS.test(word.low));
}

/** "an hour before", with nothing behind it that it could be before. */
function isFree(
  phrase: Phrase,
  counted: TimeExpression,
  behind: readonly TimeExpression[],
): boolean {
  const touching = behind.some((piece) => piece.from === counted.to);
  return (
    touching || counted.to >= phrase.words.length || match(phrase, counted.to, NO_OBJECT) !== null
  );
}

/** Days before: the time of day is the request's own, else that of the event. */
function ofDays(
  said: ScheduleFields,
  asked: ScheduleFields,
  offset: NonNullable<ScheduleFields['offset']>,
): ScheduleFields | null {
  if (!said.day || said.day.type === 'ask' || isRecurring(said) || isRecurring(asked)) return null;
  if (asked.day || asked.delay || offset.months > 0) return null;
  const { times, part, ...day } = said;
  const own = asked.times || asked.part || offset.part;
  const clock: ScheduleFields = own
    ? { ...(offset.part && { part: offset.part }), ...asked }
    : { ...(times && { times }), ...(part && { part }) };
  return { ...day, ...clock, dayShift: offset.sign * offset.days };
}

/** Minutes or hours before: only from a clear time, and within its day. */
function ofClock(
  event: ScheduleFields,
  asked: ScheduleFields,
  offset: NonNullable<ScheduleFields['offset']>,
  compose: MadeBy<AnySchedule>,
): ScheduleFields | null {
  // "every weekday 5 minutes before 17:30": the cycle may be said beside the length.
  const timed = asked.times ?? asked.part ?? asked.day ?? asked.delay;
  const said = timed ? null : merged(event, asked);
  const [time, second] = said?.times ?? [];
  if (!said || !time || second || offset.days + offset.months > 0) return null;
  const moved = shifted(time, said, offset);
  if (!moved) return null;
  const facts = { ...said, times: [moved] };
  const at = (each: ScheduleFields): number => {
    const made = compose(each);
    return 'schedule' in made ? Date.parse(made.schedule.scheduledAtIso ?? '') : Number.NaN;
  };
  // An event may be so near that the reminder would be that of the next day.
  const same = at(facts) - at(said) === offset.sign * offset.ms;
  return isRecurring(said) || same ? facts : null;
}

function shifted(
  time: ClockTime,
  { part }: ScheduleFields,
  { ms, sign }: { ms: number; sign: number },
): ClockTime | null {
  const hour = hourOf(time, part, false);
  const total = hour * 60 + time.minute + (sign * ms) / MINUTE_MS;
  if (!Number.isInteger(total) || total < 0 || total * MINUTE_MS >= DAY_MS) return null;
  const moved = { ...time, hour: Math.floor(total / 60), minute: total % 60 };
  if (time.sure) return moved;
  const unsure = { ...moved, hour: moved.hour % 12 || 12 };
  return hourOf(unsure, part, false) === moved.hour ? unsure : null;
}
