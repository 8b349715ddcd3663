/** EXPLAIN_TRIGGER: why did it (not) fire? The answer is the service's, from ledger and state. */
import { matchTrigger, sentenceOf } from '../../triggers/index.js';
import { triggerAction } from './action.js';
import { type Outcome, succeed } from './action-frame.js';
import { chooseTrigger, settle } from './choose.js';
import { plain, quoted } from './display.js';
import { pendingOf } from './pending.js';
import type { Turn } from './turn.js';

export const EXPLAIN_TRIGGER = 'EXPLAIN_TRIGGER';

const QUESTION =
  /\b(?:why|how come|what|when|did(?:n'?t| not)?|does(?:n'?t| not)?|do(?:n'?t| not)?|has(?:n'?t| not)?|have(?:n'?t| not)?|was(?:n'?t| not)?|is(?:n'?t| not)?|will|would|explain|tell me|about|not|never|fir(?:e|ed|ing)|r[au]n|running|work(?:ed|ing)?|go off|went off|trigger(?:ed)?|happen(?:ed)?|fail(?:ed|ing)?|late|last time|yesterday|today|this morning|to|with|wrong|so)\b/gi;

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
  if ('outcome' in choice) {
    const finished = choice.outcome.asked ? null : await aboutFinished(turn, target);
    return finished ?? choice.outcome;
  }
  const { trigger, reasons, lastRuns } = await turn.service.why(choice.trigger.id, turn.requester);
  await settle(turn, which);
  return succeed(
    `About ${quoted(trigger.displayName)}: ${reasons.map((reason) => plain(reason, 400)).join(' ')}`,
    { triggerId: trigger.id, state: trigger.state, runs: lastRuns.length },
  );
}

/** Runs looked through for a trigger that has done its work and is gone. */
const RECENT_RUNS = 100;

/** "Did my stretch reminder fire?", asked after it did: its runs outlive the trigger. */
async function aboutFinished(turn: Turn, target: string): Promise<Outcome | null> {
  if (target === '' || turn.requester.kind !== 'entity') return null;
  const runs = await turn.service.recentRuns(turn.requester, RECENT_RUNS);
  const byTrigger = new Map<string, (typeof runs)[number]>();
  for (const run of runs) if (!byTrigger.has(run.triggerId)) byTrigger.set(run.triggerId, run);
  const items = [...byTrigger.values()].map((run) => ({
    id: run.triggerId,
    taskId: run.taskId,
    displayName: run.displayName ?? '',
    instructions: '',
    run,
  }));
  const match = matchTrigger(target, items);
  // Of several the newest is meant: the runs come newest first.
  const found =
    match.kind === 'one' ? match.item : match.kind === 'several' ? match.items[0] : null;
  if (!found) return null;
  const zone = turn.zone.name;
  return succeed(
    `About ${quoted(found.displayName)}, which has done its work: ${plain(sentenceOf(found.run, zone), 400)}`,
    { triggerId: found.id, state: 'finished', runs: 1 },
  );
}
