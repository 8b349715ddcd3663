/**
 * Schedules out of English sentences, without a model. Whoever asks has decided that a schedule is wanted;
 * what is read here is which. Every word that could tell a time is either expressed by the schedule or
 * asked about. Pure and total: the same text, moment and zone give the same answer on every machine, and
 * no input makes it throw.
 */
import { readRequest, readTimeAlone } from '../language/index.js';
import { compose } from './compose.js';
import { describeSchedule } from './describe.js';
import type { Schedule } from './schema.js';

/** What a text says. `summary` is the schedule in words, for the confirmation. */
export type ScheduleReading =
  | { kind: 'schedule'; schedule: Schedule; instructions: string; summary: string }
  /** Something was asked for at a time that is not clear, or that cannot be expressed: ask this. */
  | {
      kind: 'ambiguous';
      question: string;
      /** The request without the time that is asked about, and without any: what a corrected time completes. */
      rest?: readonly string[];
    }
  /** No time is said in it, or it is no request. */
  | { kind: 'none' };

export interface ReadingContext {
  /** The moment that "tomorrow" is relative to. */
  nowMs: number;
  /** IANA name of the user's zone; a zone named in the text goes before it. */
  timezone: string;
}

/** Reads `text`. See the file header for what is promised, `compose.ts` for the defaults. */
export function parseScheduleText(text: string, context: ReadingContext): ScheduleReading {
  if (!Number.isFinite(context.nowMs)) return { kind: 'none' };
  const reading = readRequest(text, (fields, waking) => compose(fields, { ...context, waking }));
  if (reading.kind !== 'schedule') return reading;
  return { ...reading, summary: describeSchedule(reading.schedule, context.timezone) };
}

/** The schedule of a text that says when and nothing else: "every day at 9", "tomorrow at noon". */
export function parseTimeText(
  text: string,
  context: ReadingContext,
): ReturnType<typeof readTimeAlone<Schedule>> {
  if (!Number.isFinite(context.nowMs)) return { kind: 'none' };
  return readTimeAlone(text, (fields, waking) => compose(fields, { ...context, waking }));
}
