/** Schedules, instants and durations in the English words people use for them. Pure; never throws. */
import { MONTH_NAMES, WEEKDAY_NAMES } from '../language/index.js';
import { counted, DAY_MS, formatDuration, HOUR_MS, MINUTE_MS } from '../shared/clock.js';
import { listed, ordinal } from '../shared/text.js';
import { isTimeZone, localParts } from '../shared/zones.js';
import { type Cron, readCron, runsEveryHour } from './cron.js';
import { parseIso } from './schedule.js';
import type { Schedule } from './schema.js';

const NTH = ['', 'first', 'second', 'third', 'fourth', 'fifth'];
/** More clock times or days than this read worse than the cron expression does. */
const MAX_LISTED = 4;

/** A phrase, and whether it speaks of clock times, which mean nothing without their zone. */
interface Phrase {
  words: string;
  hasClockTime: boolean;
}

/**
 * A schedule in words: "every weekday at 09:00 (Europe/Berlin), until 31 Dec 2026". Clock times are
 * those of the schedule's own zone, which is named. A cron schedule without a zone runs on UTC, and
 * that is named when a reader's `timezone` is given; single instants without a zone are shown in
 * the reader's. What has no plain words reads `on the cron schedule "…"`.
 */
export function describeSchedule(schedule: Schedule, timezone?: string): string {
  const own = schedule.timezone;
  const zone = [own, timezone].find((name) => name !== undefined && isTimeZone(name)) ?? 'UTC';
  if (schedule.triggerType === 'once') {
    const ms = parseIso(schedule.scheduledAtIso ?? '', readingZone(own));
    if (ms === null) return `once at ${JSON.stringify(schedule.scheduledAtIso ?? '')}`;
    return `once on ${weekdayDate(ms, zone)} at ${clockTime(ms, zone)} (${zone})`;
  }
  const phrase =
    schedule.triggerType === 'cron' ? cronPhrase(schedule) : intervalPhrase(schedule, zone);
  const label =
    own ?? (timezone === undefined ? undefined : schedule.triggerType === 'cron' ? 'UTC' : zone);
  const named =
    phrase.hasClockTime && label !== undefined ? `${phrase.words} (${label})` : phrase.words;
  return named + boundsWords(schedule, zone, phrase.hasClockTime);
}

/** An instant as "Fri 27 Nov 2026, 09:00 Europe/Berlin"; an unknown zone counts as UTC. */
export function formatInstant(ms: number, timezone: string): string {
  const zone = readingZone(timezone);
  return `${weekdayDate(ms, zone)}, ${clockTime(ms, zone)} ${zone}`;
}

function readingZone(timezone: string | undefined): string {
  return timezone !== undefined && isTimeZone(timezone) ? timezone : 'UTC';
}

function boundsWords(schedule: Schedule, zone: string, zoneIsNamed: boolean): string {
  const start = parseIso(schedule.startAtIso ?? '', readingZone(schedule.timezone));
  const until = parseIso(schedule.untilIso ?? '', readingZone(schedule.timezone), true);
  let words = '';
  let namesClockTime = false;
  if (start !== null) {
    words += `, starting ${date(start, zone)}`;
    // "every other Friday at 09:00" has said the time of its start already.
    if (!schedule.wallClock && secondOfDay(start, zone) !== 0) {
      words += ` at ${clockTime(start, zone)}`;
      namesClockTime = true;
    }
  }
  if (until !== null) {
    words += `, until ${date(until, zone)}`;
    if (secondOfDay(until, zone) < 86_340) {
      words += ` at ${clockTime(until, zone)}`;
      namesClockTime = true;
    }
  }
  return namesClockTime && !zoneIsNamed ? `${words} (${zone})` : words;
}

function intervalPhrase(schedule: Schedule, zone: string): Phrase {
  const intervalMs = schedule.intervalMs ?? 0;
  const days = intervalMs / DAY_MS;
  const anchorMs =
    parseIso(schedule.startAtIso ?? '', readingZone(schedule.timezone)) ?? schedule.anchorMs;
  if (!schedule.wallClock || anchorMs === undefined || !Number.isInteger(days)) {
    const length = evenLength(intervalMs) ?? formatDuration(intervalMs);
    return { words: `every ${length.replace(/^1 (\w+)$/, '$1')}`, hasClockTime: false };
  }
  const weekday = WEEKDAY_NAMES[localParts(anchorMs, zone).weekday] ?? '';
  let words = days === 1 ? 'every day' : days === 2 ? 'every other day' : `every ${days} days`;
  if (days === 7) words = `every ${weekday}`;
  else if (days === 14) words = `every other ${weekday}`;
  else if (days % 7 === 0) words = `every ${days / 7} weeks on ${weekday}`;
  return { words: `${words} at ${clockTime(anchorMs, zone)}`, hasClockTime: true };
}

/** The length in one unit where that reads well: "90 minutes" and "36 hours", but not "1501 minutes". */
function evenLength(ms: number): string | null {
  const units: [number, string][] = [
    [7 * DAY_MS, 'week'],
    [DAY_MS, 'day'],
    [HOUR_MS, 'hour'],
    [MINUTE_MS, 'minute'],
  ];
  const even = units.find(([unitMs]) => ms > 0 && ms % unitMs === 0);
  if (!even) return null;
  const count = ms / even[0];
  return count <= 120 ? counted(count, even[1]) : null;
}

function cronPhrase(schedule: Schedule): Phrase {
  const expression = schedule.cronExpression ?? '';
  const reading = readCron(expression);
  const exotic: Phrase = {
    words: `on the cron schedule ${JSON.stringify(expression)}`,
    hasClockTime: true,
  };
  if (!reading.ok) return exotic;
  const { cron } = reading;
  const days = dayWords(cron);
  if (days === null) return exotic;
  const times = clockTimes(cron);
  if (times !== null) return { words: `${days.each} at ${listed(times)}`, hasClockTime: true };
  const frequency = frequencyPhrase(cron);
  if (frequency === null) return exotic;
  if (days.within === '') return frequency;
  return { words: `${frequency.words} ${days.within}`, hasClockTime: true };
}

/** The clock times of a day when they are few enough to be listed. */
function clockTimes(cron: Cron): string[] | null {
  const { hours, minutes, seconds } = cron;
  if (hours.length * minutes.length * seconds.length > MAX_LISTED) return null;
  return hours.flatMap((hour) =>
    minutes.flatMap((minute) =>
      seconds.map(
        (second) => hourMinute(hour, minute) + (second === 0 ? '' : `:${padded(second)}`),
      ),
    ),
  );
}

function frequencyPhrase(cron: Cron): Phrase | null {
  const { minutes, seconds } = cron;
  const everyHour = runsEveryHour(cron);
  if (seconds.length > 1) {
    const step = wholeStep(seconds, 60);
    if (step === null || !everyHour || minutes.length !== 60) return null;
    return { words: every(step, 'second'), hasClockTime: false };
  }
  if (seconds[0] !== 0) return null;
  const [minute = 0] = minutes;
  const step = minutes.length === 1 ? null : wholeStep(minutes, 60);
  if (step !== null) {
    const words = every(step, 'minute');
    return everyHour ? { words, hasClockTime: false } : withinHours(cron, words);
  }
  if (minutes.length > MAX_LISTED) return null;
  const marks =
    minutes.length === 1 && minute === 0
      ? ''
      : ` at ${listed(minutes.map((value) => `:${padded(value)}`))}`;
  if (everyHour) return { words: `every hour${marks}`, hasClockTime: false };
  const hourStep = wholeStep(cron.hours, 24);
  if (hourStep !== null) return { words: `every ${hourStep} hours${marks}`, hasClockTime: false };
  const even = evenStep(cron.hours);
  if (minutes.length !== 1 || even === null) return null;
  return spanWords(every(even, 'hour'), cron);
}

function withinHours(cron: Cron, words: string): Phrase | null {
  return cron.hours.length === 1 || evenStep(cron.hours) === 1 ? spanWords(words, cron) : null;
}

function spanWords(words: string, cron: Cron): Phrase {
  const from = hourMinute(cron.hours[0] ?? 0, cron.minutes[0] ?? 0);
  const to = hourMinute(cron.hours.at(-1) ?? 0, cron.minutes.at(-1) ?? 0);
  return { words: `${words} from ${from} to ${to}`, hasClockTime: true };
}

/**
 * Which days, in two forms: `each` before clock times ("every Monday"), `within` after a frequency
 * ("on Mondays", empty for every day). Null when the two day fields are mixed or too many.
 */
function dayWords(cron: Cron): { each: string; within: string } | null {
  const everyDate = cron.anyDayOfMonth && cron.daysOfMonth.length >= 28;
  const everyWeekday = cron.anyWeekday && cron.weekdays.length === 7;
  const everyMonth = cron.months.length === 12;
  if (!everyMonth && cron.months.length > MAX_LISTED) return null;
  const months = listed(cron.months.map((month) => MONTH_NAMES[month - 1] ?? ''));
  const inMonths = everyMonth ? '' : `in ${months}`;
  const ofMonths = everyMonth ? 'of every month' : `of ${months}`;
  if (everyDate && everyWeekday) return { each: joined('every day', inMonths), within: inMonths };
  if (everyDate) {
    const nth = nthWeekdayWords(cron);
    if (nth !== null)
      return { each: `on the ${nth} ${ofMonths}`, within: `on the ${nth} ${ofMonths}` };
    if (cron.lastWeekdays.length + cron.nthWeekdays.length > 0) return null;
    const { each, within } = weekdayWords(cron.weekdays);
    return { each: joined(each, inMonths), within: joined(within, inMonths) };
  }
  if (!everyWeekday || cron.daysOfMonth.length > MAX_LISTED) return null;
  const [day] = cron.daysOfMonth;
  if (cron.daysOfMonth.length === 1 && cron.months.length === 1 && !cron.lastDayOfMonth) {
    return { each: `every year on ${day} ${months}`, within: `on ${day} ${months}` };
  }
  const dates = cron.daysOfMonth.map(ordinal);
  if (cron.lastDayOfMonth) dates.push('last day');
  const words = `on the ${listed(dates)} ${ofMonths}`;
  return { each: words, within: words };
}

function nthWeekdayWords(cron: Cron): string | null {
  const last = cron.lastWeekdays.map((weekday) => `last ${WEEKDAY_NAMES[weekday]}`);
  const nth = cron.nthWeekdays.map((each) => `${NTH[each.nth]} ${WEEKDAY_NAMES[each.weekday]}`);
  const words = [...nth, ...last];
  return cron.weekdays.length === 0 && words.length > 0 ? listed(words) : null;
}

function weekdayWords(weekdays: readonly number[]): { each: string; within: string } {
  const key = weekdays.join('');
  if (key === '0123456') return { each: 'every day', within: '' };
  if (key === '12345') return { each: 'every weekday', within: 'on weekdays' };
  // Weeks are read from Monday, so Saturday comes before Sunday.
  const names = [...weekdays]
    .sort((a, b) => ((a + 6) % 7) - ((b + 6) % 7))
    .map((day) => WEEKDAY_NAMES[day] ?? '');
  return {
    each: `every ${listed(names)}`,
    within: `on ${listed(names.map((name) => `${name}s`))}`,
  };
}

/** The step of values that divide the whole evenly from 0 (0,15,30,45 of 60), else null. */
function wholeStep(values: readonly number[], whole: number): number | null {
  const step = evenStep(values);
  return step !== null && values[0] === 0 && step * values.length === whole ? step : null;
}

function evenStep(values: readonly number[]): number | null {
  const step = (values[1] ?? 0) - (values[0] ?? 0);
  const even = values.every((value, index) => value === (values[0] ?? 0) + index * step);
  return values.length > 1 && even ? step : null;
}

function every(step: number, unit: string): string {
  return step === 1 ? `every ${unit}` : `every ${step} ${unit}s`;
}

function joined(words: string, more: string): string {
  return [words, more].filter((part) => part !== '').join(' ');
}

function padded(value: number): string {
  return String(value).padStart(2, '0');
}

function hourMinute(hour: number, minute: number): string {
  return `${padded(hour)}:${padded(minute)}`;
}

function secondOfDay(ms: number, zone: string): number {
  const { hour, minute, second } = localParts(ms, zone);
  return hour * 3600 + minute * 60 + second;
}

function clockTime(ms: number, zone: string): string {
  const { hour, minute, second } = localParts(ms, zone);
  return hourMinute(hour, minute) + (second === 0 ? '' : `:${padded(second)}`);
}

function date(ms: number, zone: string): string {
  const { day, month, year } = localParts(ms, zone);
  return `${day} ${(MONTH_NAMES[month - 1] ?? '').slice(0, 3)} ${year}`;
}

function weekdayDate(ms: number, zone: string): string {
  return `${(WEEKDAY_NAMES[localParts(ms, zone).weekday] ?? '').slice(0, 3)} ${date(ms, zone)}`;
}
