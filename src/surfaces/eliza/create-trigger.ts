/** CREATE_TRIGGER: from what a person says to a trigger, or to the question that is still open. */
import {
  LIMITS,
  parseScheduleText,
  type Schedule,
  validateSchedule,
} from '../../triggers/index.js';
import { example, type Outcome, triggerAction } from './action.js';
import { withoutLead, yesOrNo } from './confirm-words.js';
import { nextRunSentence, plain, quoted, span } from './display.js';
import { codeOf, failureWords, findingWords } from './failure.js';
import { readByModel } from './model-reading.js';
import { ask, forget, type Pending, pendingOf } from './pending.js';
import { readBare } from './reading.js';
import { hasTimeSign, isClearlyNoRequest } from './request-signs.js';
import type { Turn } from './turn.js';

export const CREATE_TRIGGER = 'CREATE_TRIGGER';

/** Longer messages are not read at all; the instructions of a trigger are shorter anyway. */
const LONGEST_MESSAGE = 2 * LIMITS.instructionsBytes;
const FORMS =
  'Tell me what to do and when, for example "in 20 minutes tell me to stretch", "every weekday at 9 summarize my inbox" or "on 1 December at 10am remind me to renew the domain".';

interface Wanted {
  instructions: string;
  schedule: Schedule;
  confirmed?: boolean;
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
});

async function createTrigger(turn: Turn): Promise<Outcome> {
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
  if (answer === 'no') {
    await forget(turn);
    return { text: 'All right, I did not set it up.', success: true, data: { created: false } };
  }
  if (answer === 'yes') {
    await forget(turn);
    return create(turn, { ...pending, confirmed: true });
  }
  const whole = parseScheduleText(turn.text, readOptions(turn));
  if (whole.kind === 'none') {
    // "no, every 10 minutes": the same thing at another time.
    const instead = readBare(withoutLead(turn.text), readOptions(turn));
    if (instead.ok) {
      await forget(turn);
      return create(turn, { instructions: pending.instructions, schedule: instead.value });
    }
  }
  return freshRequest(
    turn,
    turn.text,
    `I still wait for your yes or no: ${pending.scheduleText}, ${quoted(pending.instructions)}.`,
  );
}

async function answerToQuestion(
  turn: Turn,
  pending: Extract<Pending, { kind: 'question' }>,
  answer: 'yes' | 'no' | null,
): Promise<Outcome> {
  if (answer === 'no') {
    await forget(turn);
    return { text: 'All right, I leave it.', success: true, data: { created: false } };
  }
  if (answer === 'yes') return { text: pending.question, success: true, asked: true };
  const options = readOptions(turn);
  const said = withoutLead(turn.text);
  const alone = parseScheduleText(turn.text, options);
  if (alone.kind === 'schedule') return freshRequest(turn, turn.text);
  let open: { text: string; question: string } | null = null;
  for (const text of [
    `${pending.text} ${said}`,
    `${said} ${pending.text}`,
    `${pending.text} at ${said}`,
    `${pending.text} on ${said}`,
    `${pending.text} remind me to ${said}`,
  ]) {
    const reading = parseScheduleText(text, options);
    if (reading.kind === 'schedule') {
      await forget(turn);
      return create(turn, reading);
    }
    if (reading.kind === 'ambiguous') open ??= { text, question: reading.question };
  }
  if (alone.kind === 'ambiguous') return askBack(turn, turn.text, alone.question);
  if (open) return askBack(turn, open.text, open.question);
  return freshRequest(turn, turn.text, pending.question);
}

async function freshRequest(turn: Turn, text: string, otherwise?: string): Promise<Outcome> {
  const reading = parseScheduleText(text, readOptions(turn));
  switch (reading.kind) {
    case 'schedule':
      await forget(turn);
      return create(turn, reading);
    case 'ambiguous':
      return askBack(turn, text, reading.question);
    case 'none':
      return byModel(turn, text, otherwise);
  }
}

async function byModel(
  turn: Turn,
  text: string,
  otherwise = `I see nothing to schedule in that. ${FORMS}`,
): Promise<Outcome> {
  if (!hasTimeSign(text) || isClearlyNoRequest(text)) return refused(otherwise);
  const reading = await readByModel(turn.runtime, text, readOptions(turn));
  if (reading.kind !== 'schedule') return refused(otherwise);
  const { minIntervalMs, allowSeconds } = turn.service.settings;
  const findings = validateSchedule(reading.schedule, {
    nowMs: turn.nowMs,
    minIntervalMs,
    allowSeconds,
  });
  if (findings.length > 0) {
    return askBack(turn, text, `${findingWords(findings)} When exactly shall I do it?`);
  }
  await forget(turn);
  return create(turn, { ...reading, guessed: true });
}

async function askBack(turn: Turn, text: string, question: string): Promise<Outcome> {
  await ask(turn, { kind: 'question', text: text.slice(0, 4_000), question });
  return { text: question, success: true, asked: true, data: { created: false } };
}

async function create(turn: Turn, wanted: Wanted): Promise<Outcome> {
  const schedule: Schedule = {
    ...wanted.schedule,
    timezone: wanted.schedule.timezone ?? turn.zone.name,
  };
  try {
    const result = await turn.service.create(
      {
        instructions: wanted.instructions,
        schedule,
        creatorEntityId: turn.requester.entityId,
        ...(turn.roomId === undefined ? {} : { originRoomId: turn.roomId }),
        ...(turn.deliverTo === undefined ? {} : { deliverTo: turn.deliverTo }),
      },
      {
        requester: turn.requester,
        source: 'conversation',
        ...(wanted.confirmed ? { confirmed: true } : {}),
      },
    );
    if ('confirm' in result) return confirmFirst(turn, wanted, schedule, result.confirm);
    const { trigger } = result;
    const next = nextRunSentence(trigger, turn.nowMs, turn.zone.name);
    const data = {
      created: result.created,
      triggerId: trigger.id,
      nextRunAtMs: trigger.nextRunAtMs,
    };
    if (!result.created) {
      return {
        text: `That exists already: ${quoted(trigger.displayName)}, ${trigger.scheduleText}. ${next}`,
        success: true,
        data,
      };
    }
    const when =
      trigger.triggerType === 'once' && trigger.nextRunAtMs !== null
        ? `${trigger.scheduleText}, in ${span(trigger.nextRunAtMs - turn.nowMs)}.`
        : `${trigger.scheduleText}. ${next}`;
    const text = [
      `Done: ${when} What I will do: ${quoted(trigger.instructions, 200)}.`,
      zoneHint(turn, wanted.schedule),
      wanted.guessed ? 'If I have misunderstood you, say "delete it".' : '',
    ];
    return { text: text.filter((part) => part !== '').join(' '), success: true, data };
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

async function confirmFirst(
  turn: Turn,
  wanted: Wanted,
  schedule: Schedule,
  confirm: { scheduleText: string; everyMs: number },
): Promise<Outcome> {
  await ask(turn, {
    kind: 'confirm-create',
    instructions: wanted.instructions,
    schedule,
    scheduleText: confirm.scheduleText,
  });
  const perHour = Math.floor(3_600_000 / confirm.everyMs);
  return {
    text: `That is ${confirm.scheduleText}, up to ${perHour} runs an hour, to do this: ${quoted(wanted.instructions, 200)}. Shall I set it up? Say yes or no.`,
    success: true,
    asked: true,
    data: { created: false, confirm: confirm.scheduleText },
  };
}

/** Said only where it matters: a clock time was read in a zone that nobody has told us. */
function zoneHint(turn: Turn, schedule: Schedule): string {
  const relative =
    /\b(?:in|after|for) (?:\d|an? |half|one|two|three|four|five|ten)|\bfrom now\b|\btimer\b/i;
  const readsClock =
    schedule.triggerType === 'cron' ||
    schedule.wallClock === true ||
    (schedule.triggerType === 'once' && !relative.test(turn.text));
  const own = schedule.timezone === undefined || schedule.timezone === turn.zone.name;
  if (turn.zone.told || turn.run !== null || !readsClock || !own) return '';
  return `I took the time as ${plain(turn.zone.name)}; if yours is another, say for example "my time zone is Europe/Berlin" first.`;
}

function readOptions(turn: Turn): { nowMs: number; timezone: string } {
  return { nowMs: turn.nowMs, timezone: turn.zone.name };
}

function refused(text: string): Outcome {
  return { text, success: false, data: { created: false } };
}
