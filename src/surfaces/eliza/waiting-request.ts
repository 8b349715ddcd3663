/** What a message is to a request that waits for its time, its task or a yes. Pure. */
import {
  matchTrigger,
  parseScheduleText,
  readBareSchedule,
  type Schedule,
} from '../../triggers/index.js';
import type { Pending } from './pending.js';
import { type ReadOptions, readBare } from './reading.js';

export type Waiting = Extract<Pending, { kind: 'question' | 'confirm-create' }>;

export type Fit =
  /** `replaces`: it takes the place of a time that the request has already. */
  | {
      kind: 'whole';
      schedule: Schedule;
      instructions: string;
      text?: string;
      replaces?: boolean;
    }
  /** The request and the message need one more answer. */
  | { kind: 'part'; text: string; question: string }
  /** A schedule, but what to do would be taken from both. */
  | { kind: 'mixed' }
  | { kind: 'none' };

export function textOf(waiting: Waiting): string {
  return waiting.kind === 'question' ? waiting.text : waiting.instructions;
}

/** What is to be done must come from the request or from the message, never from both. */
export function fitOf(waiting: Waiting, said: string, options: ReadOptions): Fit {
  if (waiting.kind === 'confirm-create') {
    // "every 10 minutes", as an answer to "every minute, shall I?".
    const { instructions } = waiting;
    const read = readBare(said, options);
    if (!read.ok) return { kind: 'none' };
    return { kind: 'whole', schedule: read.value, instructions, text: `${said} ${instructions}` };
  }
  const request = waiting.text;
  const reading = parseScheduleText(request, options);
  const isTime = readBareSchedule(said, options).kind !== 'none';
  const corrected = isTime && reading.kind === 'ambiguous' ? (reading.rest ?? []) : [];
  const tasks = [request, ownTask(request, reading, options)];
  let open: { text: string; question: string } | null = null;
  let isMixed = false;
  const ways: { text: string; task: string; replaces?: boolean }[] = [
    { text: `${request} ${said}`, task: said },
    { text: `${said} ${request}`, task: said },
    { text: `${request} at ${said}`, task: said },
    { text: `${request} on ${said}`, task: said },
    { text: `${request} remind me to ${said}`, task: `remind me to ${said}` },
    ...corrected.map((rest) => ({ text: `${said} ${rest}`, task: rest, replaces: true })),
  ];
  for (const { text, task, replaces = false } of ways) {
    const joined = parseScheduleText(text, options);
    if (joined.kind === 'ambiguous') open ??= { text, question: joined.question };
    if (joined.kind !== 'schedule') continue;
    const { schedule, instructions } = joined;
    if ([...tasks, task].some((words) => isPartOf(instructions, words))) {
      return { kind: 'whole', schedule, instructions, text, replaces };
    }
    isMixed = true;
  }
  if (isMixed) return { kind: 'mixed' };
  // A time may come in several answers; whatever else is said is not added to what is to be done.
  const joins = isTime || reading.kind !== 'ambiguous' || reading.rest === undefined;
  return open !== null && joins ? { kind: 'part', ...open } : { kind: 'none' };
}

/** What is to be done as the reader words it: "remember to …" is handed on as "remind me to …". */
function ownTask(
  request: string,
  reading: ReturnType<typeof parseScheduleText>,
  options: ReadOptions,
): string {
  if (reading.kind === 'ambiguous') return reading.rest?.at(-1) ?? request;
  const timed = parseScheduleText(`${request} in 1 hour`, options);
  return timed.kind === 'schedule' ? timed.instructions : request;
}

/** Of words that raise a question: whether it is the same one as for their time alone. */
export function hasTask(said: string, question: string, options: ReadOptions): boolean {
  const bare = readBareSchedule(said, options);
  return bare.kind === 'none' || (bare.kind === 'ambiguous' && bare.question === question);
}

/** Whether the words of `part` stand in `whole`, in that order. */
export function isPartOf(part: string, whole: string): boolean {
  const words = wordsOf(whole);
  let at = -1;
  return wordsOf(part).every((word) => {
    at = words.indexOf(word, at + 1);
    return at !== -1;
  });
}

/** The one request that a message names by its words. */
export function namedBy(said: string, waiting: readonly Waiting[]): Waiting | null {
  const items = waiting.map((one) => {
    const text = textOf(one);
    return { id: '', taskId: '', displayName: text, instructions: text, one };
  });
  const match = matchTrigger(said, items);
  return match.kind === 'one' ? match.item.one : null;
}

/** "the milk at 5", beside a request to buy milk, is the time of that request: "at 5"; `null`: it is not. */
export function timeBesideName(
  said: string,
  waiting: Waiting,
  options: ReadOptions,
): string | null {
  const named = new Set(wordsOf(textOf(waiting)));
  const words = said.split(/\s+/);
  const rest = words.filter((word) => !wordsOf(word).every((each) => named.has(each)));
  const time = rest.join(' ');
  if (rest.length === words.length || readBareSchedule(time, options).kind === 'none') return null;
  return time;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}
