/** Moments, clock times and schedules in a few words, all read by the one reader of schedules. Pure. */
import {
  readBareSchedule,
  type Schedule,
  type TimeOfDay,
  timeOfDayAt,
} from '../../triggers/index.js';

export interface ReadOptions {
  nowMs: number;
  timezone: string;
}

export type Read<T> = { ok: true; value: T } | { ok: false; question: string | null };

/** A schedule that stands alone: "every Friday at 9", "tomorrow at noon". */
export function readBare(words: string, options: ReadOptions): Read<Schedule> {
  if (words.length > 200) return { ok: false, question: null };
  const reading = readBareSchedule(words, options);
  if (reading.kind === 'schedule') return { ok: true, value: reading.schedule };
  return { ok: false, question: reading.kind === 'ambiguous' ? reading.question : null };
}

/** "10am", "at half past nine", "noon": a clock time and nothing else, in the zone that is given. */
export function readTimeOfDay(words: string, options: ReadOptions): TimeOfDay | null {
  const said = words
    .trim()
    .replace(/^(?:at|to)\s+/i, '')
    .replace(/[.,;:!?\s]+$/, '');
  // A day in it would be a moment or another pattern.
  if (said === '' || said.length > 40 || HAS_DAY.test(said)) return null;
  const read = readBare(`every day at ${said}`, options);
  if (!read.ok || read.value.triggerType !== 'cron' || read.value.timezone !== options.timezone)
    return null;
  if (read.value.startAtIso !== undefined || read.value.untilIso !== undefined) return null;
  const fields = /^(\d+) (\d+) \* \* \*$/.exec(read.value.cronExpression ?? '');
  return fields ? { minute: Number(fields[1]), hour: Number(fields[2]) } : null;
}

const HAS_DAY =
  /\b(?:today|tonight|tomorrow|next|every|each|daily|weekly|monthly|hourly|(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:days?)?|weekdays?|weekends?|week|month|year|in|for|on|until|before|after|later|and|or|jan\w*|feb\w*|mar\w*|apr\w*|may|june?|july?|aug\w*|sep\w*|oct\w*|nov\w*|dec\w*)\b|\d(?:st|nd|rd|th)\b|\d{4}-|\//i;

/**
 * One moment: "tomorrow at 9am", "in 10 minutes", and with `like` also "tomorrow" (at the same time
 * of day as `like`) and "5pm" (the next one).
 */
export function readMoment(words: string, options: ReadOptions, likeMs?: number): Read<number> {
  const time = readTimeOfDay(words, options);
  if (time) {
    for (const day of ['today', 'tomorrow']) {
      const read = readBare(`${day} at ${clock(time)}`, options);
      const atMs = read.ok ? momentOf(read.value) : null;
      if (atMs !== null && atMs > options.nowMs) return { ok: true, value: atMs };
    }
  }
  const read = readBare(words, options);
  if (read.ok) {
    const atMs = momentOf(read.value);
    return atMs === null ? { ok: false, question: null } : { ok: true, value: atMs };
  }
  if (likeMs !== undefined) {
    const same = timeOfDayAt(likeMs, options.timezone);
    for (const prefix of ['', 'on ']) {
      const filled = readBare(`${prefix}${words} at ${clock(same)}`, options);
      const atMs = filled.ok ? momentOf(filled.value) : null;
      if (atMs !== null) return { ok: true, value: atMs };
    }
  }
  return { ok: false, question: read.question };
}

export function momentOf(schedule: Schedule): number | null {
  if (schedule.triggerType !== 'once') return null;
  const atMs = Date.parse(schedule.scheduledAtIso ?? '');
  return Number.isNaN(atMs) ? null : atMs;
}

export function clock({ hour, minute }: TimeOfDay): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`;
}
