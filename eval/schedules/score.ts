/**
 * Judges what the reader made of strangers' phrases. The reference of two sets is a list of runs or
 * one instant; requests that only carry annotated slots are judged by those, with a small reader of
 * their own that shares nothing with the one under test.
 */
import { z } from 'zod';
import { nextRunAfter, parseScheduleText, type Schedule } from '../../src/index.js';

const setOf = <Case extends z.ZodType>(shape: Case) =>
  z.object({ nowIso: z.string(), timezone: z.string(), cases: z.array(shape) });

const recurrentSchema = z.object({
  text: z.string(),
  rrule: z.looseObject({ freq: z.string(), count: z.number().optional() }),
  nextRuns: z.array(z.string()),
  anchorFree: z.boolean(),
});
const instantSchema = z.object({ text: z.string(), utc: z.string() });
const slotSchema = z.object({ text: z.string(), annotation: z.string() });

export const phrasesSchema = z.object({
  recurrent: setOf(recurrentSchema),
  duckling: setOf(instantSchema),
  slurp: setOf(slotSchema),
});
export type Phrases = z.output<typeof phrasesSchema>;
type Recurrent = z.output<typeof recurrentSchema>;

export type Verdict = 'right' | 'wrong' | 'asked' | 'none';

export interface Judged {
  text: string;
  verdict: Verdict;
  said: string;
}

export interface SetResult {
  name: string;
  judged: Judged[];
}

/** All sets; the requests that name a clock time stand once more by themselves. */
export function judgePhrases(phrases: Phrases): SetResult[] {
  const { recurrent, duckling, slurp } = phrases;
  const timed = slurp.cases.filter((row) => slotsOf(row.annotation).some(isClockSlot));
  return [
    judgeSet('recurrent', recurrent, (row, schedule, nowMs) => sameRuns(row, schedule, nowMs)),
    judgeSet(
      'duckling',
      duckling,
      (row, schedule) =>
        schedule.triggerType === 'once' &&
        Date.parse(schedule.scheduledAtIso ?? '') === Date.parse(row.utc),
      (text) => `remind me to move the car ${text}`,
    ),
    judgeSet('slurp', slurp, followsSlots),
    judgeSet('slurp, with a clock time', { ...slurp, cases: timed }, followsSlots),
  ];
}

function judgeSet<Row extends { text: string }>(
  name: string,
  set: { nowIso: string; timezone: string; cases: Row[] },
  isRight: (row: Row, schedule: Schedule, nowMs: number, instructions: string) => boolean,
  phrase = (text: string) => text,
): SetResult {
  const nowMs = Date.parse(set.nowIso);
  const judged = set.cases.map((row) => {
    const text = phrase(row.text);
    const reading = parseScheduleText(text, { nowMs, timezone: set.timezone });
    if (reading.kind === 'none') return { text, verdict: 'none' as const, said: '' };
    if (reading.kind === 'ambiguous')
      return { text, verdict: 'asked' as const, said: reading.question };
    const right = isRight(row, reading.schedule, nowMs, reading.instructions);
    return {
      text,
      verdict: right ? ('right' as const) : ('wrong' as const),
      said: `${reading.summary} | ${reading.instructions}`,
    };
  });
  return { name, judged };
}

function runsOf(schedule: Schedule, nowMs: number, count: number): number[] {
  const runs: number[] = [];
  let at: number | null = nowMs;
  while (runs.length < count && at !== null) {
    at = nextRunAfter(schedule, at);
    if (at !== null) runs.push(at);
  }
  return runs;
}

/** Where the phrase does not say which of several weeks is meant, only the steps are compared. */
function sameRuns({ rrule, nextRuns, anchorFree }: Recurrent, schedule: Schedule, nowMs: number) {
  const wanted = nextRuns.map((iso) => Date.parse(`${iso}Z`));
  const full = 6;
  const runs = runsOf(schedule, nowMs, full + 1);
  const ends = wanted.length < full;
  const firsts = runs.slice(0, full);
  if (String(firsts) === String(wanted) && (!ends || runs.length === wanted.length)) return true;
  if (!anchorFree) return false;
  if (ends && runs.length !== wanted.length && runs.length !== rrule.count) return false;
  const same = (a: Step[], b: Step[]) =>
    a.slice(0, b.length).every((step, index) => String(step) === String(b[index]));
  const expected = steps(wanted, rrule.freq);
  const actual = steps(firsts, rrule.freq);
  return [0, 1, 2].some(
    (turn) => same(expected.slice(turn), actual) || same(actual.slice(turn), expected),
  );
}

type Step = [gap: number, day: number, time: string];

function steps(runs: readonly number[], freq: string): Step[] {
  const calendar = freq === 'monthly' || freq === 'yearly';
  return runs.slice(1).map((ms, index) => {
    const date = new Date(ms);
    const before = new Date(runs[index] ?? ms);
    const months =
      (date.getUTCFullYear() - before.getUTCFullYear()) * 12 +
      date.getUTCMonth() -
      before.getUTCMonth();
    return [
      calendar ? months : ms - before.getTime(),
      freq === 'hourly' ? 0 : calendar ? 0 : date.getUTCDay(),
      freq === 'hourly' ? '' : date.toISOString().slice(11, 16),
    ];
  });
}

interface Slot {
  name: string;
  words: string;
}

/** The annotators forgot some delays. */
const BARE_DELAY = /(?:in|after) (?:half an|an?|one|two|three) (?:minute|hour)s?\b(?![^[]*\])/g;

function slotsOf(annotation: string): Slot[] {
  const slots = [...annotation.matchAll(/\[(\w+) : ([^\]]*)\]/g)].map(
    ([, name = '', words = '']) => ({
      name,
      words: words
        .trim()
        .toLowerCase()
        .replace(/^(?:in|at|by) /, ''),
    }),
  );
  for (const [words] of annotation.matchAll(BARE_DELAY))
    slots.push({ name: 'time', words: words.replace(/^\w+ /, '') });
  return slots;
}

const TIME_SLOTS = new Set(['time', 'date', 'timeofday', 'general_frequency']);
const isClockSlot = (slot: Slot) => slot.name === 'time';

/** No slot is left in the instructions, none is contradicted, and no time is made up. */
function followsSlots(
  row: { annotation: string },
  schedule: Schedule,
  nowMs: number,
  instructions: string,
): boolean {
  const said = slotsOf(row.annotation).filter((slot) => TIME_SLOTS.has(slot.name));
  const kept = ` ${instructions.toLowerCase().replace(/[^a-z0-9' ]/g, ' ')} `;
  const slots = said.filter((slot) => !kept.includes(` ${slot.words} `));
  // A second time may be part of what is to be done: "in two hours that … is at four pm".
  if (said.some((slot) => !slots.some((used) => used.name === slot.name))) return false;
  const [next] = runsOf(schedule, nowMs, 1);
  if (next === undefined) return false;
  const recurring = slots.some(
    (slot) => slot.name === 'general_frequency' || slot.words.startsWith('every'),
  );
  const plural = slots.some((slot) =>
    /(?:mon|tues|wednes|thurs|fri|satur|sun)days$/.test(slot.words),
  );
  if ((schedule.triggerType !== 'once') !== (recurring || plural || isEvery(row.annotation)))
    return false;
  const times = slots.filter(isClockSlot);
  const parts = slots.filter((slot) => slot.name === 'timeofday');
  if (times.length === 0 && parts.length === 0) return false;
  return (
    times.every((slot) => agreesWithTime(slot.words, schedule, next, nowMs)) &&
    parts.every((slot) => agreesWithPart(slot.words, next)) &&
    slots.every((slot) => slot.name !== 'date' || agreesWithDate(slot.words, next, nowMs))
  );
}

const isEvery = (annotation: string) => /\b(?:every|each) \[/.test(annotation);

const NUMBERS = new Map(
  (
    'zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen ' +
    'sixteen seventeen eighteen nineteen twenty'
  )
    .split(' ')
    .map((word, index) => [word, index]),
);
NUMBERS.set('thirty', 30).set('forty', 40).set('fifty', 50);

const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1_440, week: 10_080 };

/** "six thirty am", "half an hour", "two hours from now", "noon". */
function agreesWithTime(words: string, schedule: Schedule, next: number, nowMs: number): boolean {
  const length = /^(half an|an|a|one|[a-z]+) (minute|hour|day|week)s?\b/.exec(words);
  if (length) {
    const count =
      length[1] === 'half an'
        ? 0.5
        : /^an?$/.test(length[1] ?? '')
          ? 1
          : NUMBERS.get(length[1] ?? '');
    const ms = (count ?? 0) * (MINUTES[length[2] ?? ''] ?? 0) * 60_000;
    return schedule.triggerType === 'interval' ? schedule.intervalMs === ms : next - nowMs === ms;
  }
  const date = new Date(next);
  const clock = date.getUTCHours() * 60 + date.getUTCMinutes();
  if (/\b(?:noon|midday)\b/.test(words)) return clock === 720;
  const numbers = words.split(/[^a-z]+/).flatMap((word) => NUMBERS.get(word) ?? []);
  const hour = numbers[0] ?? Number.NaN;
  const minute = numbers.slice(1).reduce((sum, value) => sum + value, 0);
  if (minute > 59) return false;
  const half = /\bpm\b/.test(words) ? 720 : 0;
  const wanted = (hour % 12) * 60 + minute;
  return /\b[ap]m\b/.test(words) ? clock === wanted + half : clock % 720 === wanted;
}

const PARTS: readonly (readonly [RegExp, number, number])[] = [
  [/morning/, 3, 12],
  [/noon/, 12, 12],
  [/afternoon/, 12, 19],
  [/evening/, 16, 24],
  [/night/, 17, 24],
];

function agreesWithPart(words: string, next: number): boolean {
  const hour = new Date(next).getUTCHours();
  const part = [...PARTS].reverse().find(([pattern]) => pattern.test(words));
  return part !== undefined && hour >= part[1] && hour <= part[2];
}

const WEEKDAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ');

function agreesWithDate(words: string, next: number, nowMs: number): boolean {
  const date = new Date(next);
  const days = Math.floor(next / 86_400_000) - Math.floor(nowMs / 86_400_000);
  if (/\bweek from today/.test(words)) return days === 7;
  if (/\btoday/.test(words)) return days === 0;
  if (/\btomorrow/.test(words)) return days === 1;
  const weekday = WEEKDAYS.findIndex((name) => words.includes(name));
  if (weekday >= 0) return date.getUTCDay() === weekday && days <= 14;
  const month = MONTHS.findIndex((name) => new RegExp(`\\b${name}`).test(words));
  if (month >= 0) return date.getUTCMonth() === month;
  return true;
}
