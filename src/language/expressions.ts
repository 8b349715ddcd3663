/**
 * Finds every piece of a text that speaks of time, longest reading first, left to right, and judges
 * what no piece has used: a word that could tell a time and was not read is never passed over.
 */
import { HOUR_MS } from '../shared/clock.js';
import { readBound } from './bounds.js';
import { partBehind, readDuration, readTimes } from './clock.js';
import { readDay } from './days.js';
import { match, type Phrase, pattern, type Range, type Read, requestAt, wordAt } from './phrase.js';
import { readRecurrence, type SaidRecurrence } from './recurrence.js';
import type { ScheduleFields, TimeExpression } from './schedule-fields.js';
import type { DayPart } from './words.js';
import { isZoneName, type NamedZone, readUnknownZone, readZone } from './zones.js';

/** The pieces between `from` and `to`, in order, not overlapping. */
export function findPieces(phrase: Phrase, from: number, to: number): TimeExpression[] {
  const pieces: TimeExpression[] = [];
  let at = from;
  while (at < to) {
    const piece = pieceAt(phrase, at, pieces, from);
    if (piece && piece.to <= to) pieces.push(piece);
    at = piece && piece.to <= to ? piece.to : at + 1;
  }
  return pieces;
}

function pieceAt(
  phrase: Phrase,
  index: number,
  before: readonly TimeExpression[],
  from: number,
): TimeExpression | null {
  const last = before.at(-1);
  const here = phrase.words[index];
  if (!here || here.kind === 'quote' || here.kind === 'break') return null;
  if (here.kind === 'cron')
    return withZone(phrase, {
      from: index,
      to: index + 1,
      facts: { cron: here.text.replaceAll('`', '') },
    });
  const touching = last !== undefined && last.to === index;
  if (touching && last.facts.zone === undefined) {
    const timed = before.some((piece) => piece.facts.times);
    const zone =
      readZone(phrase.words, index) ?? (timed ? readUnknownZone(phrase.words, index) : null);
    if (zone) return { from: index, to: zone.to, facts: zoneFacts(zone.value) };
  }
  const reads: (Read<Omit<TimeExpression, 'from' | 'to'>> | null)[] = [
    clockPiece(phrase, index),
    dayPiece(phrase, index),
    readRecurrence(phrase, index),
    delayPiece(phrase, index, from),
    facts(readBound(phrase, index)),
    partPiece(phrase, index, touching),
    offsetPiece(phrase, index),
  ];
  let best: TimeExpression | null = null;
  for (const read of reads) {
    if (read && read.to > (best?.to ?? index)) best = { from: index, to: read.to, ...read.value };
  }
  return best && withZone(phrase, best);
}

function facts(read: Read<ScheduleFields> | null): Read<{ facts: ScheduleFields }> | null {
  return read && { value: { facts: read.value }, to: read.to };
}

function zoneFacts({ zone, said, daylight }: NamedZone): ScheduleFields {
  if (zone === null) return { ask: `I cannot keep time in ${said}. Which place is that?` };
  return daylight ? { zone, daylight } : { zone };
}

function withZone(phrase: Phrase, piece: TimeExpression): TimeExpression {
  const { times, window, until, start, cron } = piece.facts;
  if (!times && !window && !until && !start && !cron) return piece;
  const zone =
    readZone(phrase.words, piece.to) ?? (cron ? null : readUnknownZone(phrase.words, piece.to));
  if (!zone) return piece;
  return { ...piece, to: zone.to, facts: { ...piece.facts, ...zoneFacts(zone.value) } };
}

function clockPiece(phrase: Phrase, index: number): Read<{ facts: ScheduleFields }> | null {
  // "timer 1h15" lasts that long.
  const lasts = /^(?:timer|countdown)$/.test(wordAt(phrase, index - 1));
  if (lasts && readDuration(phrase, index)) return null;
  const read = readTimes(phrase, index);
  if (!read) {
    const at = /^(?:at|by)$/.test(wordAt(phrase, index)) ? index + 1 : index;
    const said = phrase.words[at];
    if (said?.kind !== 'clock') return null;
    const ask = `There is no "${said.text}" on the clock. What time do you mean?`;
    return {
      value: { facts: { ask } },
      to: /^[ap]m$/.test(wordAt(phrase, at + 1)) ? at + 2 : at + 1,
    };
  }
  const { times, part, either } = read.value;
  const value: ScheduleFields = { times };
  if (part) value.part = part;
  if (either) value.ask = 'Which of the two times?';
  return { value: { facts: value }, to: read.to };
}

const ONLY = pattern('(?:(?:of )?(?:only|just))');

function dayPiece(phrase: Phrase, index: number): Read<{ facts: ScheduleFields }> | null {
  const only = match(phrase, index, ONLY);
  const read = readDay(phrase, only?.to ?? index);
  if (!read) return null;
  const { day, part } = read.value;
  return { value: { facts: part ? { day, part } : { day } }, to: read.to };
}

const IN = pattern(
  '(in|after)(?: (?:about|around|exactly|approximately|roughly|just|like|another))*',
);
const FROM_NOW = pattern('(?:from (?:now|today)|hence)');
const WEEKS_TIME = pattern("(?:time|['’]s? time|['’])");
const TIMER = pattern('(?:- )?(?:countdown |egg )?timer');
const FOR = pattern('for');
const ALONE = pattern('(?:[,:-]|please|then)');
const MINUTE_MARK = pattern("in (\\d{1,3}) ['’]");
const UNITLESS = pattern('in (\\d{1,2})');
const TODAY_IN = pattern('today in');

/** "in 20 minutes", "an hour from now", "in two weeks' time", "set a timer for 5 minutes". */
function delayPiece(phrase: Phrase, index: number, first: number): Read<SaidRecurrence> | null {
  const delayed = (value: ScheduleFields, to: number) => ({ value: { facts: value }, to });
  const today = match(phrase, index, TODAY_IN);
  const from = today ? today.to - 1 : index;
  const opening = match(phrase, from, IN);
  const minutes = match(phrase, index, MINUTE_MARK);
  if (minutes) {
    const ms = Number(minutes.groups[1]) * 60_000;
    return delayed({ delay: { ms, days: 0, months: 0, unit: 'minute', count: 1 } }, minutes.to);
  }
  const length =
    match(phrase, index, FOR) && /^(?:timer|countdown|alarm)$/.test(wordAt(phrase, index - 1));
  const timed = length ? readDuration(phrase, index + 1) : null;
  if (timed) return delayed({ delay: timed.value }, timed.to);
  const duration = readDuration(phrase, (opening ?? match(phrase, index, FOR))?.to ?? index);
  // "35 minutes, then tell me", "45 min - move the car": the length stands alone in front.
  const alone = index === first && duration && match(phrase, duration.to, ALONE);
  if (alone) return delayed({ delay: duration.value }, duration.to);
  if (!duration) {
    const bare = match(phrase, index, UNITLESS);
    if (!bare || !/^(?:|[.,!?]|please|thanks|to|and)$/.test(wordAt(phrase, bare.to))) return null;
    const ask = `In ${bare.groups[1]} minutes?`;
    return { value: { facts: { ask }, vague: true }, to: bare.to };
  }
  const facts: ScheduleFields = { delay: duration.value };
  const now = match(phrase, duration.to, FROM_NOW);
  if (now) return delayed(facts, now.to);
  if (match(phrase, duration.to, TIMER)) return delayed(facts, duration.to);
  if (/^(?:timer|countdown)$/.test(wordAt(phrase, index - 1))) return delayed(facts, duration.to);
  // "after 2 days of rain", "in 5 minutes of silence" measure something else.
  if (!opening || wordAt(phrase, duration.to) === 'of') return null;
  const time = match(phrase, duration.to, WEEKS_TIME);
  return delayed(facts, time?.to ?? duration.to);
}

const FIRST_THING = pattern('1st thing(?: (?:on|in))?(?: the)?');
const PART = pattern('(?:early |late )?(morning|afternoon|evening|night)');
const EARLY_PART = pattern('early (morning|evening)');

/** "in the morning" anywhere; "morning" right behind a day; "first thing tomorrow". */
function partPiece(
  phrase: Phrase,
  index: number,
  touching: boolean,
): Read<{ facts: ScheduleFields }> | null {
  const first = match(phrase, index, FIRST_THING);
  if (first) {
    const part = match(phrase, first.to, PART);
    if (part) return { value: { facts: { part: part.groups[1] as DayPart } }, to: part.to };
    const day = dayPiece(phrase, first.to);
    if (!day) return null;
    return { value: { facts: { part: 'morning', ...day.value.facts } }, to: day.to };
  }
  const behind = partBehind(phrase, index);
  if (behind) return { value: { facts: { part: behind.value } }, to: behind.to };
  const bare = touching ? match(phrase, index, PART) : match(phrase, index, EARLY_PART);
  return bare && { value: { facts: { part: bare.groups[1] as DayPart } }, to: bare.to };
}

/** Words that tell a time wherever they stand. */
const ALWAYS = pattern(
  "(?:today|tonight|tomorrow|yesterday|sundays?|mondays?|tuesdays?|wednesdays?|thursdays?|fridays?|saturdays?|january|february|april|june|july|august|september|october|november|december|noon|midnight|until|o'clock|weekdays|weekends|weeknights|fortnight|once (?:an?|every|per)|twice|thrice)",
);
/** "idk when": whoever asks has not made up their mind. */
const NOT_KNOWN = pattern(
  "(?:idk|dunno|not sure|unsure|no (?:idea|clue)|(?:do not|don['’]t|dont) know)(?: (?:exactly|yet|about))? (?:when|what time|which (?:day|time)|what day|how often)",
);
/** Days whose name ends in a weekday, and are not the next one of it. */
const FEAST = pattern(
  '(?:(?:black|good) friday|(?:easter|cyber|whit) monday|(?:ash|spy) wednesday|(?:palm|easter|whit) sunday|(?:shrove|super|fat) tuesday|maundy thursday)',
);
/** "m-f", "t/th", "mwf": days as a timetable has them, which are not read. */
const DAY_CODE = '(?:mon?|tue?|wed|thu?|fri?|sat?|sun?|[mtwrf])';
const TIMETABLE = pattern(`(?:${DAY_CODE}(?: ?[-/+] ?${DAY_CODE})+|m(?:t|tu)?w(?:th|r)?f?|tu?th)`);
const UNIT_WORD =
  /^(?:second|minute|hour|day|week|month|year|quarter|morning|afternoon|evening|night|decade)s?$/;
const TIME_NAME =
  /^(?:(?:sun|mon|tues|wednes|thurs|fri|satur)days?|january|february|march|april|may|june|july|august|september|october|november|december|weekdays?|weekends?|noon|midnight|today|tomorrow|tonight|spring|summer|autumn|winter|fall|easter|thanksgiving|christmas|halloween|ramadan|hanukkah|passover|diwali|pentecost|holidays?|vacations?)$/;
/** Words that bind what follows to a time. */
const BINDS =
  /^(?:at|by|before|after|since|until|except|excluding|besides|without|only|just|starting|beginning|ending|from|through|during|within|every|this|next|last|past|other|in|on|of|for|per|to|than|not|between|around|about)$/;
const SMALL = /^(?:the|an?|,|and|or|:|-)$/;

/**
 * The words between `from` and `to` that could tell a time and are in no piece of `used`. In what is to
 * be done ("tell me what I did this week") a name of a day or unit is one only beside a word of time.
 * @param content where what is to be done begins, if the pieces are a schedule without the rest
 */
export function leftOver(
  phrase: Phrase,
  { from, to }: { from: number; to: number },
  used: ReadonlySet<number>,
  kept: ReadonlySet<number>,
  content: number,
): string[] {
  const left: string[] = [];
  const request = requestAt(phrase, { from, to }) ?? from;
  let offsetTo = from;
  for (let index = from; index < to; index += 1) {
    if (used.has(index) || kept.has(index)) continue;
    offsetTo = Math.max(offsetTo, offsetAt(phrase, index) ?? 0, exceptionAt(phrase, index) ?? 0);
    const bare = index < request && isBareNumber(phrase, index, { from, to });
    if (index < offsetTo || bare || tellsTime(phrase, index, used, from, to, content))
      left.push(phrase.words[index]?.text ?? '');
  }
  return left;
}

const OF_AN_EVENT = pattern(
  "(?:['’] )?(?:(?:before|beforehand|(?:prior|ahead)(?: (?:to|of)(?= (?:the|my|our|an?|it)(?: |$)))?|earlier|early|in advance)|(after|afterwards?)|(notice|warning|heads))(?! (?:tomorrow|yesterday))",
);
const DAY_OF_AN_EVENT = pattern(
  '(?:on )?(?:the )?(?:very )?(?:(?:(hour|day|week)|(morning|afternoon|evening|night)|month) (?:before|prior|(after))(?! (?:tomorrow|yesterday))|(?:(?:that|same) )(?:day|(morning|afternoon|evening|night)))',
);
const COUNT_OF_AN_EVENT = pattern('\\d{1,3} (?:beforehand|before|prior)');

const COUNTDOWN = pattern('(?:at )?t -');

/** "20 minutes before", "T-30m", "the night before", "that day": a time that hangs on an event. */
function offsetPiece(phrase: Phrase, index: number): Read<{ facts: ScheduleFields }> | null {
  const said = match(phrase, index, DAY_OF_AN_EVENT);
  if (said) {
    const [all, unit, before, after, same] = said.groups;
    if (/month/.test(all) || (/^(?:the )?same/.test(all) && wordAt(phrase, index) !== 'the'))
      return null;
    const part = (before ?? same) as DayPart | undefined;
    const days = unit === 'week' ? 7 : unit === 'day' || before ? 1 : 0;
    const ms = unit === 'hour' ? HOUR_MS : 0;
    const offset = { ms, days, months: 0, sign: after ? 1 : -1, words: 1 } as const;
    return { value: { facts: { offset: { ...offset, ...(part && { part }) } } }, to: said.to };
  }
  const countdown = match(phrase, index, COUNTDOWN);
  const left = countdown && readDuration(phrase, countdown.to);
  if (left) {
    const { ms, days, months } = left.value;
    const offset = { ms, days, months, sign: -1, words: 0 } as const;
    return { value: { facts: { offset } }, to: left.to };
  }
  const length = readDuration(phrase, index);
  const of = length && match(phrase, length.to, OF_AN_EVENT);
  if (!of || of.groups[2]) return null;
  const { ms, days, months } = length.value;
  const sign = of.groups[1] ? 1 : -1;
  return {
    value: { facts: { offset: { ms, days, months, sign, words: of.to - length.to } } },
    to: of.to,
  };
}

/** "5 minutes before the match", "the evening before", "with an hour's notice": the index behind it. */
export function offsetAt(phrase: Phrase, index: number): number | null {
  const day = match(phrase, index, DAY_OF_AN_EVENT) ?? match(phrase, index, COUNT_OF_AN_EVENT);
  if (day) return day.to;
  const length = readDuration(phrase, index);
  return length && (match(phrase, length.to, OF_AN_EVENT)?.to ?? null);
}

const EXCEPTION = pattern(
  '(?:except|excluding|besides|apart from|other than|save for|but not|not|skip|skipping)(?: (?:for|on))?(?: the)?',
);

/** "except the 21st", "not on 6 November": the index behind it. */
export function exceptionAt(phrase: Phrase, index: number): number | null {
  const opening = match(phrase, index, EXCEPTION);
  if (!opening) return null;
  const here = phrase.words[opening.to];
  if (here?.kind === 'ordinal' && /^\d/.test(here.text)) return opening.to + 1;
  return readDay(phrase, opening.to)?.to ?? null;
}

/** "I work 4 on 4 off": a number that counts no thing and is the name of none. */
export function isBareNumber(phrase: Phrase, index: number, { from, to }: Range): boolean {
  const kind = phrase.words[index]?.kind;
  const before = index > from ? wordAt(phrase, index - 1) : '';
  const next = index + 1 < to ? wordAt(phrase, index + 1) : '';
  // "21.4." is a date in many countries.
  if (kind === 'decimal') return before === '' && /^[.!?;\n]?$/.test(next);
  if (kind !== 'number') return false;
  const binds = (word: string): boolean => word === 'off' || BINDS.test(word);
  const isName = isContent(before) && !binds(before);
  const counts = isContent(next) && !binds(next);
  return !isName && !counts && (binds(before) || binds(next));
}

function tellsTime(
  phrase: Phrase,
  index: number,
  used: ReadonlySet<number>,
  from: number,
  to: number,
  content: number,
): boolean {
  const here = phrase.words[index];
  if (!here || here.kind === 'quote' || here.kind === 'break') return false;
  const word = here.low;
  const before = index > from ? wordAt(phrase, index - 1) : '';
  const next = index + 1 < to ? wordAt(phrase, index + 1) : '';
  const beside = isUsedBeside(phrase, index, used, from, to);
  if (here.kind === 'clock' || here.kind === 'date' || here.kind === 'iso') return true;
  if (
    here.kind === 'decimal' &&
    /^(?:[01]?\d|2[0-3])\.[0-5]\d$/.test(word) &&
    /^[,;-]?$/.test(before)
  )
    return true;
  if (here.kind === 'number' || here.kind === 'decimal')
    return (
      (beside && !isLabel(phrase, index, used)) ||
      (isTimeWord(next) && !isLength(phrase, index, content)) ||
      (/^(?:at|by|until|past|since|before|after)$/.test(before) &&
        // "at 123 Main Street" is a place.
        !(word.length > 2 && isContent(next)))
    );
  if (/^[ap]m$/.test(word)) return /\d$/.test(before);
  if (FRACTION.test(word)) return beside && !match(phrase, index, FRACTION_OF);
  if (here.kind === 'ordinal')
    return (
      beside ||
      isTimeWord(next) ||
      /^(?:of|in|to|and|at|on|,|)$/.test(next) ||
      /^(?:on|by)$/.test(before)
    );
  if (match(phrase, index, ALWAYS) || match(phrase, index, NOT_KNOWN)) return true;
  if (used.has(index - 1) && isZoneName(word)) return true;
  if (/^[A-Z]{2,4}T$/.test(here.text)) return used.has(index - 1);
  if (UNIT_WORD.test(word)) {
    if (/^(?:my|our|your|good|happy|great|nice)$/.test(before)) return false;
    if (!beside && isSubordinate(phrase, index, from)) return false;
    if (!beside && /^\d+$/.test(before) && isLength(phrase, index - 1, content)) return false;
    return (
      beside ||
      (BINDS.test(before) &&
        /^(?:in|by|this|next|last|every|per|within|until|other)$/.test(before)) ||
      /^(?:\d+(?:st|nd|rd|th)?|few|several)$/.test(before) ||
      /^\d/.test(next)
    );
  }
  if (TIME_NAME.test(word)) {
    if (/^(?:may|march|spring|fall)$/.test(word))
      return (
        (beside && !/^(?:to|i|we|you|you|it)$/.test(before)) ||
        /^(?:in|during|until|by|since|next|last|every|of)$/.test(before)
      );
    return beside || BINDS.test(before);
  }
  if (match(phrase, index, FEAST)) return true;
  if (match(phrase, index, TIMETABLE) && !/^(?:the|an?|my)$/.test(before)) return true;
  if (/^(?:early|late)$/.test(word)) return used.has(index + 1);
  if (/^(?:birthday|anniversary|payday)$/.test(word))
    return [before, wordAt(phrase, index - 2)].includes('on');
  if (word === 'every') return beside || !isContent(next) || index === from || used.has(index + 2);
  if (/^(?:except|excluding|besides)$/.test(word))
    return beside || isTimeWord(next) || isTimeWord(before);
  if (/^(?:last|next|this|past|other)$/.test(word))
    return isTimeWord(next) && (beside || !isSubordinate(phrase, index, from));
  if (/^(?:only|starting|beginning|ending)$/.test(word)) return isTimeWord(next) || beside;
  if (/^(?:times|x|occurrences?|instances?)$/.test(word))
    return /^\d+$/.test(before) || used.has(index - 1);
  if (/^(?:before|after|by|since)$/.test(word)) {
    const binds = /^(?:before|after)$/.test(word) ? beside : used.has(index + 1);
    return binds || isTimeWord(next) || /^\d/.test(next);
  }
  if (/^(?:earlier|later|advance|beforehand|ago)$/.test(word)) return true;
  return false;
}

const FRACTION = /^(?:half|halves|quarters?|thirds?)$/;
/** "half a tablet" is no time; "half an hour" is. */
const FRACTION_OF = pattern(
  `half(?: of)? (?:an?|the|my) (?!(?:second|minute|hour|day|week|month|year)(?: |$))\\S{1,40}`,
);

/** "watch channel 5 at eight": the number of the thing before it. */
function isLabel(phrase: Phrase, index: number, used: ReadonlySet<number>): boolean {
  const before = wordAt(phrase, index - 1);
  return (
    !used.has(index - 1) &&
    isContent(before) &&
    !BINDS.test(before) &&
    /^(?:at|on|in|every|from|until|for)$/.test(wordAt(phrase, index + 1))
  );
}

const OF_ANOTHER_TIME = /^(?:before|after|earlier|early|later|late|ahead|prior|ago|in|from|until)$/;

/** "take a 10 minute break": how long something lasts, not when it is. */
function isLength(phrase: Phrase, index: number, content: number): boolean {
  return (
    index >= content &&
    UNIT_WORD.test(wordAt(phrase, index + 1)) &&
    !OF_ANOTHER_TIME.test(wordAt(phrase, index + 2))
  );
}

/** "… what I did this week": a clause of what is to be done. */
export function isSubordinate(phrase: Phrase, index: number, from: number): boolean {
  return phrase.words.slice(from + 1, index).some((word) => SUBORDINATES.test(word.low));
}

const SUBORDINATES =
  /^(?:what|what's|who|who's|whom|whose|which|how|why|where|whether|if|that|because|about|when)$/;

function isTimeWord(word: string): boolean {
  return UNIT_WORD.test(word) || TIME_NAME.test(word);
}

/** A word that can stand between two times of one schedule. */
export function isJoint(word: string): boolean {
  if (/^(?:for|of|about|to|than)$/.test(word)) return false;
  return BINDS.test(word) || SMALL.test(word) || isTimeWord(word);
}

/** A plain noun behind "every": "hug every kid". */
function isContent(word: string): boolean {
  return /^\p{L}{2,}$/u.test(word) && !isTimeWord(word);
}

/** Whether a piece stands directly beside the word, small words not counted. */
function isUsedBeside(
  phrase: Phrase,
  index: number,
  used: ReadonlySet<number>,
  from: number,
  to: number,
): boolean {
  let left = index - 1;
  while (left > from && !used.has(left) && SMALL.test(wordAt(phrase, left))) left -= 1;
  let right = index + 1;
  while (right < to - 1 && !used.has(right) && SMALL.test(wordAt(phrase, right))) right += 1;
  return (left >= from && used.has(left)) || (right < to && used.has(right));
}
