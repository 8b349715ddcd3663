/** CREATE_TRIGGER: from what a person says to a trigger, or to the question that is still open. */
import {
  isZoneUnknown,
  LIMITS,
  parseScheduleText,
  readBareSchedule,
  type Schedule,
  type TimezoneSource,
  timezoneSourceOf,
  validateSchedule,
} from '../../triggers/index.js';
import { example, type Outcome, triggerAction } from './action.js';
import { answerOf, withoutLead, yesOrNo } from './confirm-words.js';
import { nextRunSentence, plain, quoted, span } from './display.js';
import { codeOf, failureWords, findingWords } from './failure.js';
import { readByModel } from './model-reading.js';
import { ask, forget, type Pending, pendingOf } from './pending.js';
import { type ReadOptions, readBare } from './reading.js';
import { hasTimeSign, isClearlyNoRequest } from './request-signs.js';
import type { Turn } from './turn.js';
import { askZone, ZONE_QUESTION, zoneTold } from './zone-question.js';

export const CREATE_TRIGGER = 'CREATE_TRIGGER';

/** Longer messages are not read at all; the instructions of a trigger are shorter anyway. */
const LONGEST_MESSAGE = 2 * LIMITS.instructionsBytes;
const FORMS =
  'Tell me what to do and when, for example "in 20 minutes tell me to stretch", "every weekday at 9 summarize my inbox" or "on 1 December at 10am remind me to renew the domain".';

const VERB =
  /^(?:(?:please|can you|could you)[\s,]+)*(?:remind|tell|ping|notify|alert|wake|message|send|schedule|set up|create)\b/i;
const ENGLISH = 'I read English by myself, and other languages only as far as my model does.';

interface Wanted {
  instructions: string;
  schedule: Schedule;
  /** What it was read from; absent: a model has read it. */
  text?: string;
  confirmed?: boolean;
  timezoneSource?: TimezoneSource | undefined;
  /** Read by the model: the person may want to look twice. */
  guessed?: boolean;
}

export const createTriggerAction = triggerAction({
  name: CREATE_TRIGGER,
  similes: ['SCHEDULE_TRIGGER', 'CREATE_TRIGGER_TASK', 'SET_REMINDER', 'CREATE_REMINDER'],
  description:
    'Schedules something for later or again and again: reminders, timers, alarms, recurring tasks ("in 20 minutes tell me …", "every weekday at 9 …"). Also the right action when the user answers an open question about a trigger to be created: a day or time that was missing, or yes/no to a confirmation. Not for questions about schedules, and not for triggers that exist already.',
  examples: [
    example(
      'in 20 minutes tell me to stretch',
      'Done: once on Fri 27 Nov 2026 at 09:20 (Europe/Berlin), in 20 minutes.',
      CREATE_TRIGGER,
    ),
    example(
      'every weekday at 9 summarize my inbox',
      'Done: every weekday at 09:00 (Europe/Berlin).',
      CREATE_TRIGGER,
    ),
    [
      ...example(
        'ping me every minute to breathe',
        'That is every minute. Shall I set that up?',
        CREATE_TRIGGER,
      ),
      ...example('yes, go ahead', 'Done: every minute.', CREATE_TRIGGER),
    ],
  ],
  handle: createTrigger,
  commands: (turn) =>
    VERB.test(turn.text.trim()) &&
    parseScheduleText(turn.text, readOptions(turn)).kind === 'schedule',
});

export async function createTrigger(turn: Turn): Promise<Outcome> {
  const { text } = turn;
  if (Buffer.byteLength(text) > LONGEST_MESSAGE) {
    return refused(
      `That message is too long to schedule: what to do may have at most ${LIMITS.instructionsBytes / 1024} KB. I created nothing.`,
    );
  }
  if (text.includes('\u0000')) {
    return refused('What to do must not contain NUL characters. I created nothing.');
  }
  const pending = await pendingOf(turn);
  const answer = yesOrNo(text);
  if (pending?.kind === 'confirm-create') return answerToConfirm(turn, pending, answer);
  if (pending?.kind === 'question') return answerToQuestion(turn, pending, answer);
  if (pending?.kind === 'zone' && pending.action === CREATE_TRIGGER) {
    return answerToZone(turn, pending, answer);
  }
  if (answer !== null) {
    return refused(`There is nothing that waits for your ${answer}. ${FORMS}`);
  }
  return freshRequest(turn, text);
}

async function answerToConfirm(
  turn: Turn,
  pending: Extract<Pending, { kind: 'confirm-create' }>,
  answer: 'yes' | 'no' | null,
): Promise<Outcome> {
  if (answer === 'no') return dropped('All right, I did not set it up.', await forget(turn));
  if (answer === 'yes') return create(turn, { ...pending, confirmed: true }, await forget(turn));
  // "no, every 10 minutes", "yes, but every hour instead": the same thing at another time.
  const said = withoutLead(turn.text);
  const time = said.replace(/[\s,]*\b(?:instead|please|rather|then)[\s.!]*$/i, '');
  const instead = readBare(time, readOptions(turn));
  if (instead.ok) {
    const { instructions } = pending;
    const text = `${time} ${instructions}`;
    return create(turn, { instructions, schedule: instead.value, text }, await forget(turn));
  }
  if (answerOf(turn.text) === 'no' && !hasTimeSign(said)) {
    return dropped('All right, I did not set it up.', await forget(turn));
  }
  return freshRequest(turn, said, pending);
}

/**
 * The answer completes the request, unless it could be a request of its own: what is to be done must
 * come from one of the two, never from both.
 */
async function answerToQuestion(
  turn: Turn,
  pending: Extract<Pending, { kind: 'question' }>,
  answer: 'yes' | 'no' | null,
): Promise<Outcome> {
  if (answer === 'no') return dropped('All right, I leave it.', await forget(turn));
  if (answer === 'yes') return { text: pending.question, success: true, asked: true };
  const options = readOptions(turn);
  const said = withoutLead(turn.text);
  const alone = parseScheduleText(turn.text, options);
  if (alone.kind === 'schedule') {
    const isRestated = isPartOf(alone.instructions, pending.text);
    return freshRequest(turn, turn.text, isRestated ? await forget(turn) : pending);
  }
  const waiting = parseScheduleText(pending.text, options);
  const isTime = readBareSchedule(said, options).kind !== 'none';
  const corrected = isTime && waiting.kind === 'ambiguous' ? (waiting.rest ?? []) : [];
  let open: { text: string; question: string } | null = null;
  let isMixed = false;
  for (const { text, task } of [
    { text: `${pending.text} ${said}`, task: said },
    { text: `${said} ${pending.text}`, task: said },
    { text: `${pending.text} at ${said}`, task: said },
    { text: `${pending.text} on ${said}`, task: said },
    { text: `${pending.text} remind me to ${said}`, task: `remind me to ${said}` },
    ...corrected.map((rest) => ({ text: `${said} ${rest}`, task: rest })),
  ]) {
    const reading = parseScheduleText(text, options);
    if (reading.kind === 'ambiguous') open ??= { text, question: reading.question };
    if (reading.kind !== 'schedule') continue;
    const { instructions } = reading;
    if (isPartOf(instructions, pending.text) || isPartOf(instructions, task)) {
      return create(turn, { ...reading, text }, await forget(turn));
    }
    isMixed = true;
  }
  if (alone.kind === 'ambiguous' && hasTask(said, alone.question, options)) {
    return freshRequest(turn, turn.text, pending);
  }
  if (isMixed) {
    return {
      text: `Does ${quoted(said)} belong to ${quoted(pending.text)}, or is it something new? If it is new, say it with its time; else: ${pending.question}`,
      success: true,
      asked: true,
    };
  }
  if (open) {
    // A time may come in several answers; whatever else is said is not added to what is to be done.
    const joins = isTime || waiting.kind !== 'ambiguous' || waiting.rest === undefined;
    const text = joins ? open.text : pending.text;
    return askBack(turn, text, open.question, await forget(turn));
  }
  return freshRequest(turn, turn.text, pending);
}

/** Of words that raise a question: whether it is the same one as for their time alone. */
function hasTask(said: string, question: string, options: ReadOptions): boolean {
  const bare = readBareSchedule(said, options);
  return bare.kind === 'none' || (bare.kind === 'ambiguous' && bare.question === question);
}

/** Whether the words of the instructions `part` stand in `whole`, in that order. */
function isPartOf(part: string, whole: string): boolean {
  const words = wordsOf(whole);
  let at = -1;
  // "remember to …" is handed on as "remind me to …".
  const task = words[0] === 'remember' ? part.replace(/^remind me /, '') : part;
  return wordsOf(task).every((word) => {
    at = words.indexOf(word, at + 1);
    return at !== -1;
  });
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

async function answerToZone(
  turn: Turn,
  pending: Extract<Pending, { kind: 'zone' }>,
  answer: 'yes' | 'no' | null,
): Promise<Outcome> {
  if (answer === 'no') return dropped('All right, I leave it.', await forget(turn));
  const told = await zoneTold(turn);
  if (told === null) return freshRequest(turn, turn.text, pending);
  const left = await forget(turn);
  return freshRequest({ ...turn, text: pending.text, zone: told }, pending.text, left);
}

/** @param left the question that is open already and stays so */
async function freshRequest(
  turn: Turn,
  text: string,
  left: Pending | null = null,
): Promise<Outcome> {
  const reading = parseScheduleText(text, readOptions(turn));
  switch (reading.kind) {
    case 'schedule':
      return create(turn, { ...reading, text }, left);
    case 'ambiguous':
      return askBack(turn, text, reading.question, left);
    case 'none':
      return byModel(turn, text, left);
  }
}

async function byModel(turn: Turn, text: string, left: Pending | null): Promise<Outcome> {
  const unread = (hint = '') =>
    left === null
      ? refused(joined('I see nothing to schedule in that.', hint, FORMS))
      : { text: questionAgain(left), success: true, asked: true };
  if (isClearlyNoRequest(text)) return unread();
  if (!hasTimeSign(text)) {
    return left === null ? askBack(turn, text, 'When shall I do that?', null) : unread();
  }
  const reading = await readByModel(turn.runtime, text, readOptions(turn));
  if (reading.kind !== 'schedule') return unread(ENGLISH);
  const { minIntervalMs, allowSeconds } = turn.service.settings;
  const findings = validateSchedule(reading.schedule, {
    nowMs: turn.nowMs,
    minIntervalMs,
    allowSeconds,
  });
  if (findings.length > 0) {
    return askBack(turn, text, `${findingWords(findings)} When exactly shall I do it?`, left);
  }
  return create(turn, { ...reading, guessed: true }, left);
}

async function askBack(
  turn: Turn,
  text: string,
  question: string,
  left: Pending | null,
): Promise<Outcome> {
  await ask(turn, { kind: 'question', text: text.slice(0, 4_000), question }, left);
  return { text: question, success: true, asked: true, data: { created: false } };
}

/** @param left a question that is open all the same */
async function create(turn: Turn, wanted: Wanted, left: Pending | null): Promise<Outcome> {
  const { name } = turn.zone;
  const schedule: Schedule = { ...wanted.schedule, timezone: wanted.schedule.timezone ?? name };
  const timezoneSource = wanted.confirmed ? wanted.timezoneSource : zoneSource(turn, wanted);
  if (timezoneSource === 'host' && turn.run === null && isZoneUnknown(turn.zone)) {
    return askZone(turn, CREATE_TRIGGER, wanted.text ?? turn.text, left);
  }
  try {
    const result = await turn.service.create(
      {
        instructions: wanted.instructions,
        schedule,
        creatorEntityId: turn.requester.entityId,
        ...(timezoneSource === undefined ? {} : { timezoneSource }),
        ...(turn.roomId === undefined ? {} : { originRoomId: turn.roomId }),
        ...(turn.deliverTo === undefined ? {} : { deliverTo: turn.deliverTo }),
      },
      {
        requester: turn.requester,
        source: 'conversation',
        ...(wanted.confirmed ? { confirmed: true } : {}),
      },
    );
    if ('confirm' in result) {
      const pending = { ...wanted, schedule, ...(timezoneSource ? { timezoneSource } : {}) };
      return confirmFirst(turn, pending, result.confirm, left);
    }
    const { trigger } = result;
    const next = nextRunSentence(trigger, turn.nowMs, name);
    const data = {
      created: result.created,
      triggerId: trigger.id,
      nextRunAtMs: trigger.nextRunAtMs,
    };
    const open = left === null ? '' : questionAgain(left);
    if (!result.created) {
      const there = `That exists already: ${quoted(trigger.displayName)}, ${trigger.scheduleText}.`;
      return { text: joined(there, next, open), success: true, data };
    }
    const when =
      trigger.triggerType === 'once' && trigger.nextRunAtMs !== null
        ? `${trigger.scheduleText}, in ${span(trigger.nextRunAtMs - turn.nowMs)}.`
        : `${trigger.scheduleText}. ${next}`;
    const text = joined(
      `Done: ${when} What I will do: ${quoted(trigger.instructions, 200)}.`,
      zoneHint(turn, timezoneSource),
      wanted.guessed ? 'If I have misunderstood you, say "delete it".' : '',
      open,
    );
    return { text, success: true, data };
  } catch (error) {
    const words = failureWords(error);
    if (words === null) throw error;
    return {
      text: `${words} I created nothing.`,
      success: false,
      data: { code: codeOf(error), created: false },
    };
  }
}

/** Who has said in which zone the times are meant; `undefined` when they depend on none. */
function zoneSource(turn: Turn, { text, schedule }: Wanted): TimezoneSource | undefined {
  const own = schedule.timezone === undefined || schedule.timezone === turn.zone.name;
  const read = (timezone: string) => {
    // What the model has read is local to the zone it was told.
    if (text === undefined) return own ? { ...schedule, timezone } : schedule;
    const reading = parseScheduleText(text, { nowMs: turn.nowMs, timezone });
    return reading.kind === 'schedule' ? reading.schedule : null;
  };
  return timezoneSourceOf(read, turn.zone.source, turn.nowMs);
}

async function confirmFirst(
  turn: Turn,
  wanted: Wanted,
  confirm: { scheduleText: string; everyMs: number },
  left: Pending | null,
): Promise<Outcome> {
  const { instructions, schedule, timezoneSource } = wanted;
  const { scheduleText } = confirm;
  const kept = { instructions, schedule, scheduleText, ...(timezoneSource && { timezoneSource }) };
  await ask(turn, { kind: 'confirm-create', ...kept }, left);
  const perHour = Math.floor(3_600_000 / confirm.everyMs);
  return {
    text: `That is ${scheduleText}, up to ${perHour} runs an hour, to do this: ${quoted(instructions, 200)}. Shall I set it up? Say yes or no.`,
    success: true,
    asked: true,
    data: { created: false, confirm: scheduleText },
  };
}

/** Said only where it matters: a clock time was read in a zone that this person has not told. */
function zoneHint(turn: Turn, source: TimezoneSource | undefined): string {
  if (turn.run !== null || (source !== 'agent' && source !== 'host')) return '';
  const then = source === 'host' ? ', and I move it' : ' first';
  return `I took the time as ${plain(turn.zone.name)}; if yours is another, say for example "my time zone is Europe/Berlin"${then}.`;
}

/** What still waits for an answer. */
function questionAgain(pending: Pending): string {
  switch (pending.kind) {
    case 'question':
      return `Still open, ${quoted(pending.text)}: ${pending.question}`;
    case 'confirm-create':
      return `I still wait for your yes or no: ${pending.scheduleText}, ${quoted(pending.instructions)}.`;
    case 'zone':
      return `Still open, ${quoted(pending.text)}: ${ZONE_QUESTION}`;
    default:
      return '';
  }
}

async function dropped(text: string, left: Pending | null): Promise<Outcome> {
  const open = left === null ? '' : questionAgain(left);
  return { text: joined(text, open), success: true, data: { created: false } };
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function readOptions(turn: Turn): ReadOptions {
  return { nowMs: turn.nowMs, timezone: turn.zone.name };
}

function refused(text: string): Outcome {
  return { text, success: false, data: { created: false } };
}
