/** LIST_TRIGGERS: what the asker may see, soonest first. */
import type { TriggerSummary } from '../../triggers/index.js';
import { triggerAction } from './action.js';
import { type Outcome, succeed } from './action-frame.js';
import { counted, triggerLine } from './display.js';
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
