/** Days that are said once: "tomorrow", "next Friday", "March 3rd", "2026-12-24", "the 15th". */
import { monthLength } from '../shared/zones.js';
import { readDuration } from './clock.js';
import { match, type Phrase, pattern, type Read, wordAt } from './phrase.js';
import type { DayRef, Nth } from './schedule-fields.js';
import { type DayPart, MONTH_NAMES, MONTHS, NAMED_DAYS, type Unit, WEEKDAYS } from './words.js';

export interface SaidDay {
  day: DayRef;
  part?: DayPart;
}

export const MONTH = `(${Object.keys(MONTHS).join('|')})`;
export const WEEKDAY = `(${Object.keys(WEEKDAYS).join('|')})`;
const PART = '(morning|afternoon|evening|night)';

const SKIP = pattern('(?:on(?: a)?|for|this coming|coming|upcoming)');
const RELATIVE = pattern(
  '(?:(?:later )?today|tonight|tomorrow(?: week)?|yesterday|the day after tomorrow|day after tomorrow|the day before yesterday|last night)',
);
const THIS_PART = pattern(`(?:this|later this) ${PART}`);
const LAST = pattern(
  `(?:last|this past|previous) (?:${WEEKDAY.slice(1, -1)}|week|month|year|weekend)`,
);
const WEEKENDS = pattern('(?:this|next|this coming) weekend');
const THIS_PERIOD = pattern('this (week|month|year)');
const NEXT_PERIOD = pattern('next (week|month|year)(?: ,)?(?: on)?');
const WEEKDAY_AT = pattern(
  `(this |next |the following |the next |the coming |coming |this coming )?${WEEKDAY}(?: \\.)?`,
);
const WEEK_BEHIND = pattern('(?:of )?(next week|this week|after next|week)');
const ORDINAL = '(\\d{1,2})(?:st|nd|rd|th)';
/** "March 3rd, 2027", "3rd of March", "the 22nd of June 2017". */
const MONTH_FIRST = pattern(
  `${MONTH}(?: \\.)?(?: the)? (\\d{1,2})(?:st|nd|rd|th)?(?:(?: ,)? ((?:19|20)\\d\\d))?`,
);
const DAY_FIRST = pattern(
  `(?:the )?(\\d{1,2})(?:st|nd|rd|th)?(?: day)?(?: of)? ${MONTH}(?: \\.)?(?:(?: ,)? ((?:19|20)\\d\\d))?`,
);
/** "the end of the month", "the last day of March", "the 2nd Friday of next month", "the 15th". */
const IN_MONTH = pattern(
  `(?:at )?(?:the )?(?:(end|start|beginning)|(?:${ORDINAL}|(second)|(last))(?: (?:${WEEKDAY}|(day)))?)(?: (?:of|in) (?:(this|next|the) month|${MONTH}))?`,
);
const FROM = pattern('(?:from|after)');
/** "a week on Friday", "a week today", but not "twice a week on Friday". */
const WEEK_ON = pattern('on(?= \\w+day(?: |$))');
const OF_A_WEEK = /^(?:once|twice|thrice|times?|x|\d+|hours?|days?|for)$/;
const PART_BEHIND = pattern(`(?:early |late )?${PART}`);
const FIRST_THING = pattern('1st thing(?: in the morning)?');

/** A day at `index`, with its preposition and the part of it that follows. */
export function readDay(phrase: Phrase, index: number): Read<SaidDay> | null {
  const at = match(phrase, index, SKIP)?.to ?? index;
  const found =
    readRelative(phrase, at) ??
    readDate(phrase, at) ??
    readNamedDay(phrase, at) ??
    readMonthDay(phrase, at, at > index) ??
    readWeekday(phrase, at) ??
    readFrom(phrase, at);
  if (!found || found.value.part) return found;
  const part = match(phrase, found.to, PART_BEHIND);
  if (part) return { value: { ...found.value, part: part.groups[1] as DayPart }, to: part.to };
  const thing = match(phrase, found.to, FIRST_THING);
  return thing ? { value: { ...found.value, part: 'morning' }, to: thing.to } : found;
}

const said = (day: DayRef, to: number, part?: DayPart): Read<SaidDay> => ({
  value: part ? { day, part } : { day },
  to,
});
const ask = (question: string, to: number): Read<SaidDay> => said({ type: 'ask', question }, to);

function readRelative(phrase: Phrase, index: number): Read<SaidDay> | null {
  const found = match(phrase, index, RELATIVE);
  if (found) {
    const days = { today: 0, 'later today': 0, tomorrow: 1, 'tomorrow week': 8 }[found.groups[0]];
    if (found.groups[0] === 'tonight') return said({ type: 'offset', days: 0 }, found.to, 'night');
    if (days !== undefined) return said({ type: 'offset', days }, found.to);
    const after = found.groups[0].endsWith('after tomorrow');
    return said(after ? { type: 'offset', days: 2 } : { type: 'past' }, found.to);
  }
  const part = match(phrase, index, THIS_PART);
  if (part) return said({ type: 'offset', days: 0 }, part.to, part.groups[1] as DayPart);
  const last = match(phrase, index, LAST);
  if (last) return said({ type: 'past' }, last.to);
  const weekend = match(phrase, index, WEEKENDS);
  if (weekend) return ask('Saturday or Sunday, and at what time?', weekend.to);
  const running = match(phrase, index, THIS_PERIOD);
  if (running) {
    const unit = running.groups[1] as Unit;
    const question = `Which day this ${unit}, and at what time?`;
    return said({ type: 'ask', question, period: { unit, ahead: 0 } }, running.to);
  }
  const period = match(phrase, index, NEXT_PERIOD);
  if (!period) return null;
  const unit = period.groups[1];
  const weekday = unit === 'week' ? match(phrase, period.to, WEEKDAY_AT) : null;
  if (weekday && !weekday.groups[1])
    return said({ type: 'weekday', weekday: dayNumber(weekday.groups[2]), week: 1 }, weekday.to);
  const day = unit === 'month' ? match(phrase, period.to, pattern(`(?:the )?${ORDINAL}`)) : null;
  if (day) return said({ type: 'monthDay', day: Number(day.groups[1]), monthOffset: 1 }, day.to);
  const bare = match(phrase, index, pattern('next (?:week|month|year)'));
  const question = `Which day next ${unit}, and at what time?`;
  const ahead = { unit: unit as Unit, ahead: 1 } as const;
  return said({ type: 'ask', question, period: ahead }, bare?.to ?? period.to);
}

const dayNumber = (name: string | undefined): number => WEEKDAYS[name ?? ''] ?? 0;

/** "a week from Monday", "two days after tomorrow", "two weeks from today". */
function readFrom(phrase: Phrase, index: number): Read<SaidDay> | null {
  const delay = readDuration(phrase, index);
  if (!delay || delay.value.ms > 0 || delay.value.months > 0) return null;
  const { days } = delay.value;
  const weeks = days % 7 === 0 && !OF_A_WEEK.test(wordAt(phrase, index - 1));
  const from = match(phrase, delay.to, FROM) ?? (weeks ? match(phrase, delay.to, WEEK_ON) : null);
  const near = weeks && /^to(?:day|morrow)$/.test(wordAt(phrase, delay.to));
  const base = from || near ? readDay(phrase, from?.to ?? delay.to) : null;
  if (!base) return null;
  const { day } = base.value;
  if (day.type === 'offset') return said({ type: 'offset', days: day.days + days }, base.to);
  if (day.type !== 'weekday' || days % 7 !== 0) return null;
  return said({ ...day, week: day.week + days / 7, sameWeek: day.week === 0 }, base.to);
}

function readWeekday(phrase: Phrase, index: number): Read<SaidDay> | null {
  const found = match(phrase, index, WEEKDAY_AT);
  if (!found) return null;
  const which = found.groups[1]?.trim();
  const weekday = dayNumber(found.groups[2]);
  const comma = wordAt(phrase, found.to) === ',' ? found.to + 1 : found.to;
  const dated = readDate(phrase, wordAt(phrase, comma) === 'the' ? comma + 1 : comma);
  // "Friday, March 6th": the date says more than the weekday.
  if (dated) {
    const { day } = dated.value;
    return said(day.type === 'date' ? { ...day, weekday } : day, dated.to);
  }
  const number = match(phrase, found.to, pattern(`the ${ORDINAL}`));
  if (number && !which)
    return said({ type: 'monthDay', day: Number(number.groups[1]), weekday }, number.to);
  const week = /following|next/.test(which ?? '') ? 1 : 0;
  const behind = match(phrase, found.to, WEEK_BEHIND);
  switch (behind?.groups[1]) {
    case 'next week':
      return said({ type: 'weekday', weekday, week: 1 }, behind.to);
    case 'this week':
      return said({ type: 'weekday', weekday, week: 0 }, behind.to);
    case 'after next':
      return said({ type: 'weekday', weekday, week: 2 }, behind.to);
    case 'week':
      if (!which) return said({ type: 'weekday', weekday, week: 1, sameWeek: true }, behind.to);
      break;
    default:
  }
  return said({ type: 'weekday', weekday, week }, found.to);
}

/** Christmas and the other days that are the same every year. */
export function readNamedDay(phrase: Phrase, index: number): Read<SaidDay> | null {
  for (let length = 3; length >= 1; length -= 1) {
    const words = phrase.words
      .slice(index, index + length)
      .map((word) => word.low)
      .join(' ');
    const date = Object.hasOwn(NAMED_DAYS, words) ? NAMED_DAYS[words] : undefined;
    if (date) return said({ type: 'date', month: date[0], day: date[1] }, index + length);
  }
  return null;
}

/** Dates with a month in them, in letters or figures. */
export function readDate(phrase: Phrase, index: number): Read<SaidDay> | null {
  const here = phrase.words[index];
  if (!here) return null;
  if (here.kind === 'iso') return readIso(here.text, index + 1);
  if (here.kind === 'date') return readFigures(here.text, index + 1);
  const first = match(phrase, index, MONTH_FIRST);
  const found = first ?? match(phrase, index, DAY_FIRST);
  if (!found) return null;
  const [, one = '', two = '', year] = found.groups;
  const month = MONTHS[first ? one : two] ?? 0;
  const day = Number(first ? two : one);
  if (!isDate(year === undefined ? 2024 : Number(year), month, day))
    return ask(`There is no ${MONTH_NAMES[month - 1]} ${day}. Which day do you mean?`, found.to);
  return said(
    { type: 'date', ...(year === undefined ? {} : { year: Number(year) }), month, day },
    found.to,
  );
}

function readIso(text: string, to: number): Read<SaidDay> | null {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  if (!isDate(year, month, day)) return ask(`There is no ${text}. Which day do you mean?`, to);
  if (text.length <= 10) return said({ type: 'date', year, month, day }, to);
  return said({ type: 'instant', iso: text }, to);
}

/** Which of day and month comes first is a matter of country: where both could be either, ask. */
function readFigures(text: string, to: number): Read<SaidDay> | null {
  const [a = 0, b = 0, c] = text.replace(/\.$/, '').split(/[/.]/).map(Number);
  if (a > 1000) {
    return isDate(a, b, c ?? 0) ? said({ type: 'date', year: a, month: b, day: c ?? 0 }, to) : null;
  }
  const year = c === undefined ? {} : { year: c < 100 ? 2000 + c : c };
  const checkYear = year.year ?? 2024;
  const dayFirst = isDate(checkYear, b, a);
  const monthFirst = isDate(checkYear, a, b);
  if (text.includes('.') || (dayFirst && (!monthFirst || a === b)))
    return dayFirst ? said({ type: 'date', ...year, month: b, day: a }, to) : null;
  if (dayFirst && monthFirst)
    return ask(`Is ${text} day/month or month/day? Please write the month as a word.`, to);
  return monthFirst ? said({ type: 'date', ...year, month: a, day: b }, to) : null;
}

/** "the 15th", "the last day of next month", "the 3rd of next month", "the end of March". */
function readMonthDay(phrase: Phrase, index: number, introduced: boolean): Read<SaidDay> | null {
  const found = match(phrase, index, IN_MONTH);
  if (!found) return null;
  const { to } = found;
  const [, edge, ordinal, second, last, weekday, dayWord, which, month] = found.groups;
  const ahead = { monthOffset: which === 'next' ? 1 : 0 };
  const number = ordinal === undefined ? undefined : Number(ordinal);
  if (weekday) {
    if (!month && (which === undefined || which === 'the')) return null;
    const nth: Nth = { nth: number ?? (second ? 2 : 'L'), weekday: dayNumber(weekday) };
    const at = month ? { month: MONTHS[month] ?? 1 } : ahead;
    return said({ type: 'nth', nth, ...at }, to);
  }
  const isLast = edge === 'end' || (last !== undefined && dayWord !== undefined);
  const isFirst = edge !== undefined || (number === 1 && dayWord !== undefined);
  if (isLast || isFirst) {
    const of = MONTHS[month ?? ''];
    if (of !== undefined) {
      return said({ type: 'date', month: of, day: isLast ? monthLength(2025, of) : 1 }, to);
    }
    if (which && (edge || which !== 'the'))
      return said({ type: 'monthDay', day: isLast ? 'L' : 1, ...ahead }, to);
  }
  if (number === undefined || number < 1 || number > 31 || which === 'the') return null;
  if (which) return said({ type: 'monthDay', day: number, ...ahead }, to);
  if (month || dayWord || !(wordAt(phrase, index) === 'the' || introduced)) return null;
  return BEHIND_A_DAY.test(wordAt(phrase, to)) ? said({ type: 'monthDay', day: number }, to) : null;
}

/** "on the 15th at 9", but not "on the 15th floor". */
const BEHIND_A_DAY =
  /^(?:|\n|[,.;:!?()-]|at|to|and|or|in|around|please|remind|every|until|for|about|that|i|we|noon|midnight|tell|ping|send|morning|afternoon|evening|\d.*)$/;

export function isDate(year: number, month: number, day: number): boolean {
  return month >= 1 && month <= 12 && day >= 1 && day <= monthLength(year, month);
}
