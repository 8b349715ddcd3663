/** UPDATE_TRIGGER: pause, resume, snooze, skip next, rename, change text, reschedule. */
import type { TriggerSummary } from '../../triggers/index.js';
import { askUser, type Outcome, refuse, succeed } from './action-frame.js';
import { answerOf, placeNamed, refuses, yesOrNo } from './confirm-words.js';
import { counted, nextRunSentence, quoted } from './display.js';
import { isUpdateCommand, readUpdateIntent, type UpdateIntent } from './intent.js';
import { stillOpen } from './open-questions.js';
import { forget, type Pending, pendingOf } from './pending.js';
import { applyReschedule, pauseUntil, reschedule, skipNext, snooze } from './reschedule.js';
import { chooseTrigger, settle, triggerAction, visibleTriggers } from './trigger-action.js';
import type { Turn } from './turn.js';
import { zoneTold } from './zone-question.js';

export const UPDATE_TRIGGER = 'UPDATE_TRIGGER';

const HELP =
  'Tell me what to change: pause, resume, snooze ("snooze it for 10 minutes"), skip the next one, rename ("rename X to Y"), change the text ("change the text of X to …") or move it ("move X to 10am", "change X to every Friday at 9").';

export const updateTriggerAction = triggerAction({
  name: UPDATE_TRIGGER,
  similes: ['PAUSE_TRIGGER', 'RESUME_TRIGGER', 'SNOOZE_TRIGGER', 'RESCHEDULE_TRIGGER'],
  description:
    'Changes a trigger that exists: pause, resume, snooze ("for 10 minutes", "until tomorrow 9am"), skip the next run, rename, change its text, move it to another time or schedule. Also the right action when the user answers an open question about such a change: which trigger is meant, or yes/no.',
  examples: [
    ['pause the stretch reminder', 'Paused "stretch".'],
    ['snooze it for 10 minutes', '"stretch" is put off to Fri 27 Nov 2026, 09:10 Europe/Berlin.'],
    ['move the standup reminder to 10am', '"standup" runs every weekday at 10:00.'],
    ['pause the report', 'Which one do you mean? …', 'the second one', 'Paused "weekly report".'],
  ],
  handle: updateTrigger,
  commands: (turn) => isUpdateCommand(turn.text),
});

export async function updateTrigger(turn: Turn): Promise<Outcome> {
  const pending = await pendingOf(turn, UPDATE_TRIGGER);
  const answer = yesOrNo(turn.text);
  if (pending?.kind === 'confirm-reschedule' && answer !== null) {
    return answerToConfirm(turn, pending, answer);
  }
  const zone = pending?.kind === 'zone' ? await zoneTold(turn) : null;
  if (pending?.kind === 'zone' && zone !== null) {
    await forget(turn, pending);
    return updateTrigger({ ...turn, text: pending.text, zone });
  }
  const which = pending?.kind === 'which' ? pending : null;
  const own = readUpdateIntent(turn.text);
  const isNo = answer === 'no' || (own === null && answerOf(turn.text) === 'no');
  if (pending && (isNo || (!own && refuses(turn.text)))) {
    await forget(turn, pending);
    return succeed('All right, I changed nothing.');
  }
  const intent = own ?? (which ? readUpdateIntent(which.text) : null);
  if (!intent) return pending ? askUser(stillOpen([pending])) : refuse(HELP);
  if ((intent.kind === 'pause' || intent.kind === 'resume') && intent.all)
    return forAll(turn, intent);

  // "the second one" as an answer, or "pause the second one" with the command repeated.
  const answersList =
    which !== null && (own === null || placeNamed(own.target, which.ids.length) !== null);
  const choice = await chooseTrigger(turn, {
    action: UPDATE_TRIGGER,
    target: own === null ? turn.text : intent.target,
    text: own === null && which ? which.text : turn.text,
    prefer: (one) => (intent.kind === 'resume' ? !one.enabled : one.enabled),
    ...(answersList && which ? { among: which.ids } : {}),
  });
  if ('outcome' in choice) return choice.outcome;
  await settle(turn, which);
  return apply(turn, intent, choice.trigger);
}

async function apply(turn: Turn, intent: UpdateIntent, trigger: TriggerSummary): Promise<Outcome> {
  switch (intent.kind) {
    case 'pause':
      return intent.until === undefined
        ? pause(turn, trigger)
        : pauseUntil(turn, trigger, intent.until);
    case 'resume':
      return resume(turn, trigger);
    case 'skip':
      return skipNext(turn, trigger, intent.day);
    case 'snooze':
      return snooze(turn, trigger, intent);
    case 'rename':
      return rename(turn, trigger, intent.to);
    case 'text':
      return changeText(turn, trigger, intent.to);
    case 'reschedule':
      return reschedule(turn, trigger, intent.to, UPDATE_TRIGGER);
  }
}

async function pause(turn: Turn, trigger: TriggerSummary): Promise<Outcome> {
  const before = trigger.state;
  const paused = await turn.service.pause(trigger.id, turn.requester);
  const text =
    before === 'paused' || before === 'disabled'
      ? `${quoted(paused.displayName)} is paused already.`
      : `Paused ${quoted(paused.displayName)}, ${paused.scheduleText}. Say "resume" when it shall go on.`;
  return succeed(text, { triggerId: paused.id, state: paused.state });
}

async function resume(turn: Turn, trigger: TriggerSummary): Promise<Outcome> {
  const wasOn = trigger.enabled;
  const resumed = await turn.service.resume(trigger.id, turn.requester);
  const name = quoted(resumed.displayName);
  return succeed(
    `${wasOn ? `${name} is not paused` : `Resumed ${name}, ${resumed.scheduleText}`}. ${nextRunSentence(resumed, turn.nowMs, turn.zone.name)}`,
    { triggerId: resumed.id, state: resumed.state, nextRunAtMs: resumed.nextRunAtMs },
  );
}

async function rename(turn: Turn, trigger: TriggerSummary, to: string): Promise<Outcome> {
  const before = trigger.displayName;
  const renamed = await turn.service.update(trigger.id, { displayName: to }, turn.requester);
  return succeed(`Renamed ${quoted(before)} to ${quoted(renamed.displayName, 120)}.`, {
    triggerId: renamed.id,
  });
}

async function changeText(turn: Turn, trigger: TriggerSummary, to: string): Promise<Outcome> {
  const changed = await turn.service.update(trigger.id, { instructions: to }, turn.requester);
  return succeed(
    `Changed ${quoted(trigger.displayName)}: what I will do now is ${quoted(changed.instructions, 200)}. ${nextRunSentence(changed, turn.nowMs, turn.zone.name)}`,
    { triggerId: changed.id },
  );
}

/** Only one's own: "all my reminders" is not everybody's. */
async function forAll(
  turn: Turn,
  intent: Extract<UpdateIntent, { kind: 'pause' | 'resume' }>,
): Promise<Outcome> {
  const pausing = intent.kind === 'pause';
  const own = (await visibleTriggers(turn)).filter(
    (one) =>
      one.creatorEntityId === turn.requester.entityId &&
      one.state !== 'invalid' &&
      one.enabled === pausing,
  );
  if (own.length === 0) {
    return succeed(
      pausing ? 'You have no trigger that could be paused.' : 'None of your triggers is paused.',
      { changed: 0 },
    );
  }
  if (pausing && intent.until !== undefined) {
    return refuse(
      'I can put off one trigger at a time; to stop all of them say "pause all my reminders", and "resume all" later.',
    );
  }
  const failed: string[] = [];
  for (const one of own) {
    try {
      if (pausing) await turn.service.pause(one.id, turn.requester);
      else await turn.service.resume(one.id, turn.requester);
    } catch {
      // One that has nothing left to run, or that was changed meanwhile, does not stop the others.
      failed.push(quoted(one.displayName, 40));
    }
  }
  const changed = own.length - failed.length;
  const text = `${pausing ? 'Paused' : 'Resumed'} ${counted(changed)}.`;
  return {
    text:
      failed.length === 0
        ? text
        : `${text} This did not work for ${failed.slice(0, 5).join(', ')}.`,
    success: changed > 0,
    data: { changed },
  };
}

async function answerToConfirm(
  turn: Turn,
  pending: Extract<Pending, { kind: 'confirm-reschedule' }>,
  answer: 'yes' | 'no',
): Promise<Outcome> {
  await forget(turn, pending);
  if (answer === 'no') return succeed('All right, I changed nothing.');
  return applyReschedule(turn, pending.id, pending.schedule, pending.timezoneSource);
}
