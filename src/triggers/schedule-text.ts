/**
 * Schedules out of English sentences, without a model. Whoever asks has decided that a schedule is wanted;
 * what is read here is which. Every word that could tell a time is either expressed by the schedule or
 * asked about. Pure and total: the same text, moment and zone give the same answer on every machine, and
 * no input makes it throw.
 */
import {
  type RequestReading,
  readOtherLanguage,
  readRequest,
  readTimeAlone,
} from '../language/index.js';
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
  /** What is to be done may be code or markup: the text is known to be a request, and no chat. */
  mayHoldCode?: boolean;
}

/** Reads `text`. See the file header for what is promised, `compose.ts` for the defaults. */
export function parseScheduleText(text: string, context: ReadingContext): ScheduleReading {
  if (!Number.isFinite(context.nowMs)) return { kind: 'none' };
  const english = readRequest(
    text,
    (fields, waking) => compose(fields, { ...context, waking }),
    context.mayHoldCode,
  );
  const left = english.kind === 'schedule' ? english.instructions : null;
  const reading = inOtherLanguage(text, context, left) ?? english;
  if (reading.kind === 'schedule' && reading.instructions === '')
    return { kind: 'ambiguous', question: 'What should I do then?' };
  if (reading.kind !== 'schedule') return reading;
  return { ...reading, summary: describeSchedule(reading.schedule, context.timezone) };
}

/** The schedule of a text that says when and nothing else: "every day at 9", "tomorrow at noon". */
export function parseTimeText(
  text: string,
  context: ReadingContext,
): ReturnType<typeof readTimeAlone<Schedule>> {
  if (!Number.isFinite(context.nowMs)) return { kind: 'none' };
  const other = inOtherLanguage(text, context, null);
  if (other)
    return other.kind === 'schedule' && other.instructions !== '' ? { kind: 'none' } : other;
  return readTimeAlone(text, (fields, waking) => compose(fields, { ...context, waking }));
}

/**
 * "Erinnere mich morgen um 15 Uhr an den Zahnarzt"; `null`: no such time is told. One that is not
 * understood whole is `none`, whatever an English reading makes of its figures.
 * @param left what an English reading leaves to be done: a word that is not in it is an English one
 */
function inOtherLanguage(
  text: string,
  context: ReadingContext,
  left: string | null,
): RequestReading<Schedule> | null {
  const read = readOtherLanguage(text, context);
  const said = left?.toLowerCase();
  if (!read || (said !== undefined && !read.words.some((word) => said.includes(word)))) return null;
  if (read.date === null) return { kind: 'none' };
  const { fields, instructions } = read.date;
  const composed = compose(fields, { ...context, waking: false });
  return 'question' in composed
    ? { kind: 'ambiguous', question: composed.question }
    : { kind: 'schedule', schedule: composed.schedule, instructions };
}
