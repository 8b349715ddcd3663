/** CREATE_TRIGGER: from what a person says to a trigger, or to the question that is still open. */
import { asksForNothing, asksForSomething, LANGUAGES } from '../../language/index.js';
import {
  isZoneUnknown,
  LIMITS,
  parseScheduleText,
  type Schedule,
  type TimezoneSource,
  timezoneSourceOf,
  validateSchedule,
} from '../../triggers/index.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { answerOf, placeNamed, withoutLead, yesOrNo } from './confirm-words.js';
import { nextRunSentence, plain, quoted, span } from './display.js';
import { codeOf, failureWords, findingWords } from './failure.js';
import { hasTimeSign } from './intent.js';
import { readByModel } from './model-reading.js';
import { askAbout, stillOpen } from './open-questions.js';
import { actionOf, ask, forget, openQuestions, type Pending, takesYesOrNo } from './pending.js';
import { type ReadOptions, readBare } from './reading.js';
import { triggerAction } from './trigger-action.js';
import type { Turn } from './turn.js';
import {
  type Fit,
  fitOf,
  hasTask,
  isPartOf,
  namedBy,
  textOf,
  timeBesideName,
  type Waiting,
} from './waiting-request.js';
import { askZone, zoneTold } from './zone-question.js';

export const CREATE_TRIGGER = 'CREATE_TRIGGER';

/** Longer messages are not read at all; the instructions of a trigger are shorter anyway. */
const LONGEST_MESSAGE = 2 * LIMITS.instructionsBytes;
const FORMS =
  'Tell me what to do and when, for example "in 20 minutes tell me to stretch", "every weekday at 9 summarize my inbox" or "on 1 December at 10am remind me to renew the domain".';

const VERB =
  /^(?:(?:please|can you|could you)[\s,]+)*(?:remind|tell|ping|notify|alert|wake|message|send|schedule|set up|create)\b/i;
const INSTEAD = /[\s,]*\b(?:instead|please|rather|then)[\s.!]*$/i;
/** A request that waits, and what the message is to it. */
interface Answering {
  one: Waiting;
  fit: Fit;
  guessed?: boolean;
}

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
    [
      'in 20 minutes tell me to stretch',
      'Done: once on Fri 27 Nov 2026 at 09:20 (Europe/Berlin), in 20 minutes.',
    ],
    ['every weekday at 9 summarize my inbox', 'Done: every weekday at 09:00 (Europe/Berlin).'],
    [
      'ping me every minute to breathe',
      'That is every minute. Shall I set that up?',
      'yes, go ahead',
      'Done: every minute.',
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
  const all = await openQuestions(turn);
  const open = all.filter((one) => actionOf(one) === CREATE_TRIGGER);
  const answer = yesOrNo(text);
  if (answer !== null) return answerYesOrNo(turn, open, answer, all.find(takesYesOrNo));
  const zones = open.filter((one) => one.kind === 'zone');
  const zone = zones.length === 0 ? null : await zoneTold(turn);
  if (zone !== null) {
    await forget(turn, ...zones);
    // Those that waited for the zone only, in the order in which they were said.
    return inTurn(zones.toReversed(), ({ text: said }) =>
      freshRequest({ ...turn, zone, text: said }, said),
    );
  }
  const waiting = open.filter((one) => one.kind === 'question' || one.kind === 'confirm-create');
  const [last] = open;
  if (last?.kind === 'for-which') {
    await forget(turn, last);
    const asked = waiting.filter((one) => last.requests.includes(textOf(one)));
    const place = placeNamed(text, asked.length);
    const one = place === null ? namedBy(text, asked) : asked[place];
    const meant = /^\W*(?:both|all)\b/i.test(text) ? asked : one ? [one] : [];
    if (meant.length > 0) {
      return inTurn(meant, (each) => answerTo({ ...turn, text: last.said }, [each]));
    }
  }
  return waiting.length === 0 ? freshRequest(turn, text) : answerTo(turn, waiting);
}

async function answerYesOrNo(
  turn: Turn,
  open: readonly Pending[],
  answer: 'yes' | 'no',
  confirm: Pending | undefined,
): Promise<Outcome> {
  const [last] = open;
  if (last === undefined)
    return refused(`There is nothing that waits for your ${answer}. ${FORMS}`);
  if (answer === 'no') return drop(turn, last, open.length > 1);
  if (confirm?.kind !== 'confirm-create') return askUser(stillOpen(open));
  await forget(turn, confirm);
  return create(turn, { ...confirm, confirmed: true });
}

/** @param isOneOf other requests wait, too, so that this one has to be named */
async function drop(turn: Turn, pending: Pending, isOneOf: boolean): Promise<Outcome> {
  await forget(turn, pending);
  const data = { created: false };
  switch (pending.kind) {
    case 'confirm-create': {
      const what = isOneOf ? quoted(pending.instructions) : 'it';
      return succeed(`All right, I did not set ${what} up.`, data);
    }
    case 'question':
    case 'zone': {
      const what = isOneOf ? quoted(pending.text) : 'it';
      return succeed(`All right, I leave ${what}.`, data);
    }
    default:
      return succeed('All right, for none of them.', data);
  }
}

/** Carries out several requests, and tells of all. */
async function inTurn<One>(
  all: readonly One[],
  carryOut: (one: One) => Promise<Outcome>,
): Promise<Outcome> {
  const outcomes: Outcome[] = [];
  for (const one of all) outcomes.push(await carryOut(one));
  const last = outcomes.at(-1) as Outcome;
  return { ...last, text: outcomes.map(({ text }) => text).join('\n') };
}

/** The message as the answer to one of the requests that wait, unless it is a request of its own. */
async function answerTo(turn: Turn, waiting: readonly Waiting[]): Promise<Outcome> {
  const options = readOptions(turn);
  const said = withoutLead(turn.text).replace(INSTEAD, '');
  const lead = answerOf(turn.text);
  const alone = parseScheduleText(turn.text, options);
  const confirms = waiting.filter(({ kind }) => kind === 'confirm-create');
  // "no, every 10 minutes" answers what takes a yes or no.
  const asked = lead !== null && confirms.length > 0 ? confirms : waiting;
  const named = namedBy(said, waiting);
  const time = named && timeBesideName(said, named, options);
  if (named && time !== null) {
    const fit = fitOf(named, time, options);
    if (fit.kind === 'whole' || fit.kind === 'part') return take(turn, [{ one: named, fit }]);
  }
  const isTime = readBare(said, options).ok;
  if (alone.kind === 'schedule' && !isTime) {
    const repeated = waiting.find((one) => isPartOf(alone.instructions, textOf(one)));
    if (repeated) await forget(turn, repeated);
    return create(turn, { ...alone, text: turn.text });
  }
  const fits = asked.map((one) => ({ one, fit: fitOf(one, said, options) }));
  const wholes = fits.filter(({ fit }) => fit.kind === 'whole');
  const completed = wholes.filter(({ fit }) => fit.kind === 'whole' && !fit.replaces);
  if (wholes.length > 0) return take(turn, completed.length > 0 ? completed : wholes);
  if (alone.kind === 'ambiguous' && hasTask(said, alone.question, options)) {
    return askBack(turn, turn.text, alone.question);
  }
  const mixed = fits.find(({ fit }) => fit.kind === 'mixed')?.one;
  if (mixed?.kind === 'question') {
    return askUser(
      `Does ${quoted(said)} belong to ${quoted(mixed.text)}, or is it something new? If it is new, say it with its time; else: ${mixed.question}`,
    );
  }
  const part = fits.filter(({ fit }) => fit.kind === 'part');
  if (part.length > 0) return take(turn, part);
  const [last] = waiting;
  if (last?.kind === 'confirm-create' && lead === 'no' && !hasTimeSign(said)) {
    return drop(turn, last, waiting.length > 1);
  }
  return freshRequest(turn, last?.kind === 'confirm-create' ? said : turn.text);
}

/** Answers the one request that it fits; of several it asks which. */
async function take(turn: Turn, fits: readonly Answering[]): Promise<Outcome> {
  const [only, ...others] = fits;
  if (only === undefined || others.length > 0) {
    const requests = fits.map(({ one }) => textOf(one));
    await ask(turn, { kind: 'for-which', said: turn.text.slice(0, 4_000), requests });
    const lines = requests.map((request, index) => `${index + 1}. ${quoted(request)}`);
    return askUser([`Which one is ${quoted(turn.text)} for?`, ...lines].join('\n'));
  }
  const { one, fit, guessed = false } = only;
  await forget(turn, one);
  if (fit.kind === 'whole') return create(turn, { ...fit, guessed });
  return fit.kind === 'part'
    ? askBack(turn, fit.text, fit.question)
    : freshRequest(turn, turn.text);
}

async function freshRequest(turn: Turn, text: string): Promise<Outcome> {
  const reading = parseScheduleText(text, readOptions(turn));
  switch (reading.kind) {
    case 'schedule':
      return create(turn, { ...reading, text });
    case 'ambiguous':
      return askBack(turn, text, reading.question);
    case 'none':
      return withoutTime(turn, text);
  }
}

/** In which the rules read no time: a request that lacks it, or words that only the model may read. */
async function withoutTime(turn: Turn, text: string): Promise<Outcome> {
  const open = (await openQuestions(turn)).filter((one) => actionOf(one) === CREATE_TRIGGER);
  const isTimed = hasTimeSign(text);
  const isNoRequest = asksForNothing(text);
  if (!isTimed && (asksForSomething(text) || (open.length === 0 && !isNoRequest))) {
    return askBack(turn, text, 'When shall I do that?');
  }
  const unread = (...why: string[]): Outcome =>
    open.length === 0
      ? refused(joined('I see nothing to schedule in that.', ...why, FORMS))
      : askUser(joined(...why, stillOpen(open)));
  if (isNoRequest) return unread();
  const options = readOptions(turn);
  const { minIntervalMs, allowSeconds } = turn.service.settings;
  const findingsOf = (schedule: Schedule) =>
    validateSchedule(schedule, { nowMs: turn.nowMs, minIntervalMs, allowSeconds });
  if (isTimed) {
    const reading = await readByModel(turn.runtime, text, options);
    if (reading.kind === 'schedule') {
      const findings = findingsOf(reading.schedule);
      if (findings.length === 0) return create(turn, { ...reading, guessed: true });
      return askBack(turn, text, `${findingWords(findings)} When exactly shall I do it?`);
    }
  }
  const fits: Answering[] = [];
  for (const one of open) {
    if (one.kind !== 'question') continue;
    const reading = await readByModel(turn.runtime, `${one.text} ${text}`, options);
    if (reading.kind !== 'schedule' || findingsOf(reading.schedule).length > 0) continue;
    fits.push({ one, fit: { ...reading, kind: 'whole' }, guessed: true });
  }
  if (fits.length > 0) return take(turn, fits);
  if (asksForSomething(text)) return askBack(turn, text, 'When shall I do that?');
  return open.length === 0
    ? unread(LANGUAGES)
    : unread(`I do not understand ${quoted(text, 60)}; if it is new, say when, too.`, LANGUAGES);
}

function askBack(turn: Turn, text: string, question: string): Promise<Outcome> {
  return askAbout(turn, { kind: 'question', text, question }, question);
}

async function create(turn: Turn, wanted: Wanted): Promise<Outcome> {
  const { name } = turn.zone;
  const schedule: Schedule = { ...wanted.schedule, timezone: wanted.schedule.timezone ?? name };
  const timezoneSource = wanted.confirmed ? wanted.timezoneSource : zoneSource(turn, wanted);
  if (timezoneSource === 'host' && turn.run === null && isZoneUnknown(turn.zone)) {
    return askZone(turn, CREATE_TRIGGER, wanted.text ?? turn.text);
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
      return confirmFirst(turn, pending, result.confirm);
    }
    const { trigger } = result;
    const next = nextRunSentence(trigger, turn.nowMs, name);
    const data = {
      created: result.created,
      triggerId: trigger.id,
      nextRunAtMs: trigger.nextRunAtMs,
    };
    if (!result.created) {
      const there = `That exists already: ${quoted(trigger.displayName)}, ${trigger.scheduleText}.`;
      return succeed(joined(there, next), data);
    }
    const when =
      trigger.triggerType === 'once' && trigger.nextRunAtMs !== null
        ? `${trigger.scheduleText}, in ${span(trigger.nextRunAtMs - turn.nowMs)}.`
        : `${trigger.scheduleText}. ${next}`;
    // Said only where it matters: a clock time was read in a zone that this person has not told.
    const told = turn.run !== null || (timezoneSource !== 'agent' && timezoneSource !== 'host');
    const text = joined(
      `Done: ${when} What I will do: ${quoted(trigger.instructions, 200)}.`,
      told
        ? ''
        : `I took the time as ${plain(name)}; if yours is another, say for example "my time zone is Europe/Berlin"${timezoneSource === 'host' ? ', and I move it' : ' first'}.`,
      wanted.guessed ? 'If I have misunderstood you, say "delete it".' : '',
    );
    return succeed(text, data);
  } catch (error) {
    const words = failureWords(error);
    if (words === null) throw error;
    return refuse(`${words} I created nothing.`, { code: codeOf(error), created: false });
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
): Promise<Outcome> {
  const { instructions, schedule, timezoneSource } = wanted;
  const { scheduleText } = confirm;
  const kept = { instructions, schedule, scheduleText, ...(timezoneSource && { timezoneSource }) };
  await ask(turn, { kind: 'confirm-create', ...kept });
  const perHour = Math.floor(3_600_000 / confirm.everyMs);
  return askUser(
    `That is ${scheduleText}, up to ${perHour} runs an hour, to do this: ${quoted(instructions, 200)}. Shall I set it up? Say yes or no.`,
    { created: false, confirm: scheduleText },
  );
}

function joined(...parts: string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function readOptions(turn: Turn): ReadOptions {
  return { nowMs: turn.nowMs, timezone: turn.zone.name };
}

function refused(text: string): Outcome {
  return refuse(text, { created: false });
}
