/** What the actions about triggers share: their service, their turn, and what "it" means next. */
import type { Action } from '@elizaos/core';
import { type ActionFamily, type ActionSpec, framedAction, type Outcome } from './action-frame.js';
import { visibleTriggers } from './choose.js';
import { answerOf } from './confirm-words.js';
import { quoted } from './display.js';
import { inConversation } from './open-questions.js';
import { forget, mention, pendingOf } from './pending.js';
import { type Turn, triggerServiceOf, turnOf } from './turn.js';
import { announceIn } from './turn-end.js';

export interface TriggerActionSpec extends ActionSpec<Turn> {
  /** Whether the words are a command to this action, whatever question is open. */
  commands?: (turn: Turn) => boolean;
}

const specs = new Map<string, TriggerActionSpec>();

const TRIGGERS: ActionFamily<Turn, TriggerActionSpec> = {
  succeeded: 'triggerActionSucceeded',
  isPresent: (runtime) => triggerServiceOf(runtime) !== null,
  absent: 'I cannot work with triggers right now: the trigger service is not running.',
  async turnOf(runtime, message) {
    const turn = await turnOf(runtime, message);
    if (turn?.run === null && turn.messageId !== undefined) {
      announceIn(runtime, message.roomId, turn.messageId);
    }
    return turn;
  },
  async around(turn, spec) {
    const handle = async () => (await otherCommand(spec, turn)) ?? spec.handle(turn);
    const outcome = await inConversation(turn, { handle });
    if (typeof outcome.data?.triggerId === 'string') await mention(turn, outcome.data.triggerId);
    return outcome;
  },
};

export function triggerAction(spec: TriggerActionSpec): Action {
  specs.set(spec.name, spec);
  return framedAction(spec, TRIGGERS);
}

/** A command to another action is no answer to "Which one do you mean?": it is carried out itself. */
async function otherCommand(spec: TriggerActionSpec, turn: Turn): Promise<Outcome | null> {
  const open = await pendingOf(turn, spec.name);
  if (open?.kind !== 'which' || spec.commands?.(turn)) return null;
  const answer = answerOf(turn.text);
  if (answer === 'yes' || answer === 'no') return null;
  const others = [...specs.values()].filter((one) => one.commands?.(turn));
  // Of two readings the one that can be undone.
  const other = others.find(({ name }) => name === 'UPDATE_TRIGGER') ?? others[0];
  if (other === undefined) return null;
  const said = turn.text.trim().toLowerCase();
  const offered = (await visibleTriggers(turn)).filter((one) => open.ids.includes(one.id));
  if (offered.some((one) => one.displayName.toLowerCase() === said)) return null;
  await forget(turn, open);
  const outcome = await other.handle(turn);
  return { ...outcome, text: `I left ${quoted(open.text, 60)} undone. ${outcome.text}` };
}
