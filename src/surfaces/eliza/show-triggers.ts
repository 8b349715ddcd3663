/** What a chat is told of triggers. LIST_TRIGGERS: what the asker may see, soonest first. */
import { matchTrigger, sentenceOf, type TriggerSummary } from '../../triggers/index.js';
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
  examples: [
    ['what reminders do I have?', 'You have one trigger: …'],
    ['show me the paused triggers', 'One trigger is paused: …'],
  ],
  handle: listTriggers,
  commands: (turn) => VERB.test(turn.text.trim()),
});

async function listTriggers(turn: Turn): Promise<Outcome> {
  const { triggers, total } = await turn.service.list({}, { limit: CONSIDERED }, turn.requester);
  const filter = filterOf(turn.text);
  const kept = triggers.filter(filter.fits).sort(bySoonest);
  const shown = kept.slice(0, SHOWN);
  const data = { total, triggerIds: shown.map((one) => one.id) };
  if (kept.length === 0) {
    const text =
      total === 0
        ? 'There are no triggers yet. Tell me what to do and when, for example "every weekday at 9 summarize my inbox".'
        : `No trigger is ${filter.word} (of ${counted(total)}).`;
    return succeed(text, data);
  }
  const count = filter.word === '' ? total : kept.length;
  const head = `${count === 1 ? 'There is' : 'There are'} ${counted(count, filter.word)}:`;
  const lines = shown.map((one) => `- ${triggerLine(one, turn.nowMs, turn.zone.name)}`);
  const more = count - shown.length;
  return succeed([head, ...lines, ...(more > 0 ? [`… and ${more} more`] : [])].join('\n'), data);
}

function filterOf(text: string): { word: string; fits: (one: TriggerSummary) => boolean } {
  if (/\b(?:paused|disabled|stopped|inactive|off)\b/i.test(text)) {
    return { word: 'paused', fits: (one) => !one.enabled };
  }
  if (/\b(?:fail\w*|broken|errors?|wrong)\b/i.test(text)) {
    return {
      word: 'failing',
      fits: (one) => one.lastStatus === 'failed' || one.state === 'invalid',
    };
  }
  if (/\b(?:active|running|enabled)\b/i.test(text)) {
    return { word: 'active', fits: (one) => one.enabled };
  }
  return { word: '', fits: () => true };
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
