/** RUN_TRIGGER: once, now, whatever its schedule says. */

import { type Outcome, succeed } from './action-frame.js';
import { answerOf, placeNamed, refuses } from './confirm-words.js';
import { plain, quoted } from './display.js';
import { forget, pendingOf } from './pending.js';
import { chooseTrigger, settle, triggerAction } from './trigger-action.js';
import type { Turn } from './turn.js';
import { turnEnd } from './turn-end.js';

const RUN_TRIGGER = 'RUN_TRIGGER';

const VERB =
  /^(?:(?:please|hey|ok|okay|can you|could you|would you|will you|cue)[\s,]+)*(?:run|execute|fire|start|trigger|do|kick off|launch|test|try)\b/i;
const NOW = /\b(?:right )?(?:now|immediately|at once|once|please|again)\b/gi;

export const runTriggerAction = triggerAction({
  name: RUN_TRIGGER,
  similes: ['EXECUTE_TRIGGER', 'FIRE_TRIGGER'],
  description:
    'Runs an existing trigger once right now, without changing its schedule ("run the inbox summary now").',
  examples: [
    ['run the inbox summary now', 'I have started "summarize my inbox". The answer comes here.'],
  ],
  notInRuns: true,
  handle: runTrigger,
  commands: (turn) => VERB.test(turn.text.trim()),
});

async function runTrigger(turn: Turn): Promise<Outcome> {
  const pending = await pendingOf(turn, RUN_TRIGGER);
  const which = pending?.kind === 'which' ? pending : null;
  if (which && (answerOf(turn.text) === 'no' || refuses(turn.text))) {
    await forget(turn, which);
    return succeed('All right, I started nothing.');
  }
  const said = turn.text.trim().slice(0, 500);
  const target = said.replace(VERB, '').replace(NOW, ' ').trim();
  // "the second one" and "run the second one" answer; "run the standup" may be another one.
  const answersList =
    which !== null && (!VERB.test(said) || placeNamed(target, which.ids.length) !== null);
  const choice = await chooseTrigger(turn, {
    action: RUN_TRIGGER,
    target,
    text: said,
    ...(answersList ? { among: which.ids } : {}),
  });
  if ('outcome' in choice) return choice.outcome;
  const { trigger } = choice;
  // Its answer must not come before ours.
  const startAfter =
    turn.messageId === undefined ? undefined : turnEnd(turn.runtime, turn.messageId);
  const { run, runId } = await turn.service.run(trigger.id, turn.requester, { startAfter });
  await settle(turn, which);
  const data = { triggerId: trigger.id, runId };
  if (run?.status === 'deferred') {
    return succeed(
      `${quoted(trigger.displayName)} cannot run right now: ${plain(run.reason ?? 'it is deferred', 200)}. It runs as soon as that is over.`,
      data,
    );
  }
  const answer =
    trigger.deliverTo === undefined
      ? 'Its answer stays in its run history.'
      : trigger.deliverTo.roomId === turn.roomId
        ? 'The answer comes here.'
        : 'The answer goes to the chat it belongs to.';
  return succeed(
    `I have started ${quoted(trigger.displayName)}. ${answer} Its schedule stays as it is.`,
    data,
  );
}
