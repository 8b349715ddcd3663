/** What a chat is told of triggers. LIST_TRIGGERS: what the asker may see, soonest first. */
import type { TriggerSummary } from '../../triggers/index.js';
import { type Outcome, succeed } from './action-frame.js';
import { counted, plain, quoted, triggerLine } from './display.js';
import { pendingOf } from './pending.js';
import { chooseTrigger, settle, triggerAction } from './trigger-action.js';
import type { Turn } from './turn.js';

const SHOWN = 15;
const CONSIDERED = 200;
const VERB = /^(?:(?:please|can you|could you)[\s,]+)*(?:list|show)\b/i;

export const listTriggersAction = triggerAction({
  name: 'LIST_TRIGGERS',
  similes: ['SHOW_TRIGGERS', 'LIST_REMINDERS', 'SHOW_REMINDERS'],
  description:
    'Lists the triggers (reminders, timers, recurring tasks) of this conversation and of the user: schedule, next run, what is paused or failed.',
  examples: [['what reminders do I have?', 'You have one trigger: …']],
  handle: listTriggers,
  commands: (turn) => VERB.test(turn.text.trim()),
});

async function listTriggers(turn: Turn): Promise<Outcome> {
  const { triggers, total } = await turn.service.list({}, { limit: CONSIDERED }, turn.requester);
  const shown = triggers.sort(bySoonest).slice(0, SHOWN);
  const data = { total, triggerIds: shown.map((one) => one.id) };
  if (total === 0) {
    return succeed(
      'There are no triggers yet. Tell me what to do and when, for example "every weekday at 9 summarize my inbox".',
      data,
    );
  }
  const head = `${total === 1 ? 'There is' : 'There are'} ${counted(total)}:`;
  const lines = shown.map((one) => `- ${triggerLine(one, turn.nowMs, turn.zone.name)}`);
  const more = total - shown.length;
  return succeed([head, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'), data);
}

function bySoonest(a: TriggerSummary, b: TriggerSummary): number {
  const at = (one: TriggerSummary) => one.nextRunAtMs ?? Number.POSITIVE_INFINITY;
  if (at(a) !== at(b)) return at(a) - at(b);
  return a.id < b.id ? -1 : 1;
}

const EXPLAIN_TRIGGER = 'EXPLAIN_TRIGGER';

const QUESTION =
  /\b(?:why|how come|what|when|did(?:n'?t| not)?|does(?:n'?t| not)?|do(?:n'?t| not)?|has(?:n'?t| not)?|have(?:n'?t| not)?|was(?:n'?t| not)?|is(?:n'?t| not)?|will|would|explain|tell me|about|not|never|fir(?:e|ed|ing)|r[au]n|running|work(?:ed|ing)?|go off|went off|trigger(?:ed)?|happen(?:ed)?|fail(?:ed|ing)?|late|last time|yesterday|today|this morning|to|with|wrong|so)\b/gi;

/** Why did it (not) fire? The answer is the service's, from ledger and state. */
export const explainTriggerAction = triggerAction({
  name: EXPLAIN_TRIGGER,
  similes: ['WHY_TRIGGER', 'TRIGGER_STATUS', 'TRIGGER_HISTORY'],
  description:
    'Explains one trigger: why it did or did not fire, how its last runs went, when the next one is.',
  examples: [
    ['why did my stretch reminder not fire?', 'About "stretch": it is paused. It has not run yet.'],
  ],
  handle: explainTrigger,
});

async function explainTrigger(turn: Turn): Promise<Outcome> {
  const pending = await pendingOf(turn, EXPLAIN_TRIGGER);
  const which = pending?.kind === 'which' ? pending : null;
  const target = turn.text
    .slice(0, 500)
    .replace(QUESTION, ' ')
    .replace(/[?!.]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const choice = await chooseTrigger(turn, {
    action: EXPLAIN_TRIGGER,
    target,
    text: turn.text,
    hint: 'A one-time trigger is removed when it has done its work; one that failed stays.',
    ...(which && !/\b(?:why|how come|explain)\b/i.test(turn.text) ? { among: which.ids } : {}),
  });
  if ('outcome' in choice) return choice.outcome;
  const { trigger, reasons, lastRuns } = await turn.service.why(choice.trigger.id, turn.requester);
  await settle(turn, which);
  return succeed(
    `About ${quoted(trigger.displayName)}: ${reasons.map((reason) => plain(reason, 400)).join(' ')}`,
    { triggerId: trigger.id, state: trigger.state, runs: lastRuns.length },
  );
}
