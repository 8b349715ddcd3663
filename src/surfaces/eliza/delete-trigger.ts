/** DELETE_TRIGGER: one at once, all of one's own only after a clear yes. */
import { isAppError } from '../../shared/errors.js';
import { askUser, type Outcome, succeed } from './action-frame.js';
import { answerOf, placeNamed, refuses } from './confirm-words.js';
import { counted, namesOf, quoted } from './display.js';
import { isAll } from './intent.js';
import { ask, forget, pendingOf } from './pending.js';
import { chooseTrigger, settle, triggerAction, visibleTriggers } from './trigger-action.js';
import type { Turn } from './turn.js';

const DELETE_TRIGGER = 'DELETE_TRIGGER';

const VERB =
  /^(?:(?:please|hey|ok|okay|and|can you|could you|would you|will you|i want you to|you can|cue)[\s,]+)*(?:delete|remove|cancel|drop|get rid of|kill|erase|clear|unschedule|forget(?: about)?|stop|end|call off)\b/i;
/** "all but the first": names what is to stay. */
const SPARES =
  /^(?:all|every\w*|any\w*|them|both)\b.*\b(?:except|but|apart from|other than|besides|keep|not)\b/is;
const SPEAKING =
  /^\s*(?:reminding|telling|pinging|notifying|asking|messaging|sending) (?:me|us)?\s*(?:to|about|of)?\b/i;

export const deleteTriggerAction = triggerAction({
  name: DELETE_TRIGGER,
  similes: ['REMOVE_TRIGGER', 'CANCEL_TRIGGER', 'CANCEL_REMINDER', 'DELETE_REMINDER'],
  description:
    'Deletes a trigger (reminder, timer, recurring task) for good, named by its name or id, or all of the user\'s own after a confirmation. Also the right action when the user answers yes or no to "shall I delete them?". To stop it for a while only, use UPDATE_TRIGGER.',
  examples: [
    ['delete the stretch reminder', 'Deleted "stretch", every 20 minutes.'],
    [
      'cancel all my reminders',
      'That deletes 3 triggers for good. Shall I? Say yes or no.',
      'yes',
      'Deleted 3 triggers.',
    ],
  ],
  handle: deleteTrigger,
  commands: (turn) => isDeleteCommand(turn.text),
});

async function deleteTrigger(turn: Turn): Promise<Outcome> {
  const pending = await pendingOf(turn, DELETE_TRIGGER);
  const answer = answerOf(turn.text);
  const confirm = pending?.kind === 'confirm-delete' ? pending : null;
  const which = pending?.kind === 'which' ? pending : null;
  if (pending && answer === 'no') {
    await forget(turn, pending);
    return succeed('All right, I deleted nothing.', { deleted: 0 });
  }
  if (confirm && answer === 'yes') {
    await forget(turn, confirm);
    return deleteMany(turn, confirm.ids);
  }
  const said = turn.text.trim().slice(0, 500);
  const rest = said.replace(VERB, '').replace(SPEAKING, '').trim();
  // Only a command names what is to go; "yes, but keep the standup" names what is to stay.
  if (confirm && (answer === 'partly' || !isDeleteCommand(said))) return askPlainly(confirm.ids);
  if (SPARES.test(rest) || (which && refuses(said))) return askPlainly(confirm?.ids);
  if (isAll(rest.replace(/[.!?]+$/, ''))) return askForAll(turn);

  // "the second one" and "delete the second one" answer; "delete the standup" may be another one.
  const answersList =
    which !== null && (!isDeleteCommand(said) || placeNamed(rest, which.ids.length) !== null);
  const choice = await chooseTrigger(turn, {
    action: DELETE_TRIGGER,
    target: rest,
    text: turn.text,
    ...(answersList ? { among: which.ids } : {}),
  });
  if ('outcome' in choice) return choice.outcome;
  const gone = await turn.service.delete(choice.trigger.id, turn.requester);
  await settle(turn, which ?? confirm);
  return succeed(
    `Deleted ${quoted(gone.displayName)}, ${gone.scheduleText}. It will not run again.`,
    { triggerId: gone.id, deleted: 1 },
  );
}

function isDeleteCommand(text: string): boolean {
  return VERB.test(text.trim());
}

/** @param ids what a yes would delete; absent: nothing waits for one */
function askPlainly(ids?: string[]): Outcome {
  const yes = ids === undefined ? 'Name' : `Say yes to delete ${counted(ids.length)}, or name`;
  return askUser(`I deleted nothing. ${yes} one to delete, like "delete the standup".`, {
    deleted: 0,
  });
}

async function askForAll(turn: Turn): Promise<Outcome> {
  const own = (await visibleTriggers(turn)).filter(
    (one) => one.creatorEntityId === turn.requester.entityId,
  );
  if (own.length === 0) {
    return succeed('You have no triggers of your own to delete.', { deleted: 0 });
  }
  await ask(turn, { kind: 'confirm-delete', ids: own.map((one) => one.id) });
  return askUser(
    `That deletes ${counted(own.length)} for good: ${namesOf(own)}. Shall I? Say yes or no.`,
    { candidates: own.map((one) => one.id) },
  );
}

async function deleteMany(turn: Turn, ids: string[]): Promise<Outcome> {
  let deleted = 0;
  for (const id of ids) {
    try {
      await turn.service.delete(id, turn.requester);
      deleted += 1;
    } catch (error) {
      // Finished or deleted since we asked: gone is what was wanted.
      if (!isAppError(error) || error.code !== 'NOT_FOUND') throw error;
    }
  }
  return succeed(`Deleted ${counted(deleted)}.`, { deleted });
}
