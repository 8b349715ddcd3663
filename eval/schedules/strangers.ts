/**
 * Messages of three authors who saw neither code nor examples, with what a person would understand: the
 * local times of the first runs. Sets `a` and `b` were seen by whoever changed the reader afterwards,
 * `c` was not.
 */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { nextRunAfter, parseScheduleText, type Schedule } from '../../src/index.js';

const messageSchema = z.strictObject({
  text: z.string(),
  /** What a person would do: set it up, ask back, or nothing of the kind. */
  kind: z.enum(['schedule', 'ask', 'none']),
  /** The first three runs, or the only one, as `2026-03-13 09:00`. */
  next: z.array(z.string()).optional(),
  /** Other readings that are as good. */
  also: z.array(z.array(z.string())).optional(),
  /** To ask back is as good. */
  mayAsk: z.literal(true).optional(),
});
const setsSchema = z.array(
  z.strictObject({
    name: z.string(),
    timezone: z.string(),
    nowIso: z.string(),
    seen: z.boolean(),
    messages: z.array(messageSchema),
  }),
);
type Message = z.output<typeof messageSchema>;

export type Outcome = 'right' | 'wrong' | 'asked' | 'none';

export interface JudgedMessage {
  kind: Message['kind'];
  text: string;
  /** `wrong`: set up as it was not meant, or where nothing was to be set up, without a question. */
  outcome: Outcome;
}

export interface StrangersResult {
  name: string;
  seen: boolean;
  judged: JudgedMessage[];
}

export function judgeStrangers(): StrangersResult[] {
  const file = new URL('strangers.json', import.meta.url);
  return setsSchema
    .parse(JSON.parse(readFileSync(file, 'utf8')))
    .map(({ name, seen, nowIso, timezone, messages }) => ({
      name,
      seen,
      judged: messages.map((message) => ({
        kind: message.kind,
        text: message.text,
        outcome: outcomeOf(message, Date.parse(nowIso), timezone),
      })),
    }));
}

function outcomeOf(message: Message, nowMs: number, timezone: string): Outcome {
  const { text, kind, mayAsk } = message;
  const reading = parseScheduleText(text, { nowMs, timezone });
  if (reading.kind === 'none') return kind === 'none' ? 'right' : 'none';
  if (reading.kind === 'ambiguous') return kind === 'ask' || mayAsk ? 'right' : 'asked';
  if (kind !== 'schedule') return 'wrong';
  const { next = [], also = [] } = message;
  const runs = runsOf(reading.schedule, nowMs, timezone);
  const isSame = (wanted: readonly string[]) =>
    wanted.length > 0 && wanted.every((run, at) => runs[at] === run);
  const isOneTime = reading.schedule.triggerType === 'once';
  const isMeantOnce = next.length === 1;
  if (isOneTime !== isMeantOnce && also.length === 0) return 'wrong';
  return [next, ...also].some(isSame) ? 'right' : 'wrong';
}

/** In local time, as the references are written. */
function runsOf(schedule: Schedule, nowMs: number, timezone: string): string[] {
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  });
  const runs: string[] = [];
  for (let at = nextRunAfter(schedule, nowMs); at !== null && runs.length < 3; ) {
    runs.push(format.format(at));
    at = nextRunAfter(schedule, at);
  }
  return runs;
}
