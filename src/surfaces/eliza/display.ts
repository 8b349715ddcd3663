/**
 * How triggers are shown in chat and in prompts. Names and instructions are data that somebody
 * wrote: they are quoted, cut short and stripped of everything that could pass for markup of the
 * host's prompts, because what the agent says comes back to the model as conversation.
 */
import { formatDuration } from '../../shared/clock.js';
import { safe } from '../../shared/safe-text.js';
import { formatInstant, type TriggerSummary } from '../../triggers/index.js';

const MOST_NAMED = 5;
/** No more than this is looked at. */
const MOST_CHARACTERS = 8_192;

/** Text of a stranger on one line, at most `max` characters; it can end no quotation of ours. */
export function plain(text: string, max = 80): string {
  const unquoted = text.slice(0, MOST_CHARACTERS).replace(/["“”]/g, "'").replace(/`{3,}/g, "'''");
  return safe(unquoted.replace(/\s+/g, ' '), max);
}

/** The same between quotation marks; what has nothing readable in it is said to have no name. */
export function quoted(text: string, max = 80): string {
  const line = plain(text, max);
  return line === '' ? '(no name)' : `"${line}"`;
}

/** What is shown of an id: enough to name it again. */
export function shortId(trigger: { id: string }): string {
  return trigger.id.slice(0, 8);
}

/** A length of time, as exact as people say it: "2 days 3 hours", "3 days", never "3 days 5 seconds". */
export function span(ms: number): string {
  const shown = ms < 60_000 ? Math.max(1_000, Math.round(ms / 1_000) * 1_000) : ms;
  const [count, unit = '', nextCount, nextUnit] = formatDuration(shown).split(' ');
  const follows = UNITS.indexOf(singular(nextUnit)) === UNITS.indexOf(singular(unit)) + 1;
  return nextCount !== undefined && follows
    ? `${count} ${unit} ${nextCount} ${nextUnit}`
    : `${count} ${unit}`;
}

const UNITS = ['day', 'hour', 'minute', 'second'];

function singular(unit = ''): string {
  return unit.replace(/s$/, '');
}

/** "Fri 27 Nov 2026, 09:00 Europe/Berlin, in 20 minutes". */
export function instantWords(atMs: number, nowMs: number, zone: string): string {
  const words = formatInstant(atMs, zone);
  return atMs > nowMs ? `${words}, in ${span(atMs - nowMs)}` : `${words}, now`;
}

/** Zone a trigger's times are read in: its own, else the reader's. */
export function zoneOfTrigger(trigger: TriggerSummary, zone: string): string {
  return trigger.timezone ?? zone;
}

/** "The next run is …", or why there is none. */
export function nextRunSentence(trigger: TriggerSummary, nowMs: number, zone: string): string {
  if (trigger.state === 'invalid')
    return `It cannot run: ${plain(trigger.stateReason ?? '', 160)}.`;
  if (trigger.state === 'paused') return `It is paused (${plain(trigger.stateReason ?? '', 160)}).`;
  if (trigger.state === 'disabled') return 'It is switched off.';
  if (trigger.nextRunAtMs === null) return 'It has no further run.';
  return `The next run is ${instantWords(trigger.nextRunAtMs, nowMs, zoneOfTrigger(trigger, zone))}.`;
}

/** One line of a list. */
export function triggerLine(trigger: TriggerSummary, nowMs: number, zone: string): string {
  const parts = [`${quoted(trigger.displayName, 60)}: ${trigger.scheduleText}`];
  if (trigger.state === 'active' || trigger.state === 'resting') {
    // A one-off has said its time already.
    if (trigger.nextRunAtMs !== null && trigger.triggerType !== 'once') {
      parts.push(`next ${instantWords(trigger.nextRunAtMs, nowMs, zoneOfTrigger(trigger, zone))}`);
    } else if (trigger.nextRunAtMs !== null && trigger.nextRunAtMs > nowMs) {
      parts.push(`in ${span(trigger.nextRunAtMs - nowMs)}`);
    }
  } else {
    parts.push(stateWords(trigger));
  }
  if (trigger.lastStatus === 'failed') {
    parts.push(`last run failed${trigger.lastError ? ` (${plain(trigger.lastError, 100)})` : ''}`);
  }
  return `${parts.join('; ')} [${shortId(trigger)}]`;
}

function stateWords(trigger: TriggerSummary): string {
  switch (trigger.state) {
    case 'paused':
      return trigger.stateReason === undefined || trigger.stateReason.startsWith('paused')
        ? plain(trigger.stateReason ?? 'paused', 120)
        : `paused: ${plain(trigger.stateReason, 120)}`;
    case 'disabled':
      return 'switched off';
    case 'invalid':
      return `set aside: ${plain(trigger.stateReason ?? 'unreadable', 120)}`;
    case 'active':
    case 'resting':
      return 'on';
  }
}

/** The first of them, a line each, and how many more there are. */
export function listed<One>(
  all: readonly One[],
  most: number,
  lineOf: (one: One) => string,
  moreWords = (more: number) => `- and ${more} more`,
): string[] {
  const lines = all.slice(0, most).map((one) => lineOf(one));
  return all.length > most ? [...lines, moreWords(all.length - most)] : lines;
}

/** The names of at most five triggers. */
export function namesOf(triggers: readonly TriggerSummary[]): string {
  const shown = triggers.slice(0, MOST_NAMED).map((one) => quoted(one.displayName, 40));
  const more = triggers.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** "one trigger", "3 paused triggers". */
export function counted(count: number, kind = ''): string {
  const word = kind === '' ? '' : `${kind} `;
  return count === 1 ? `one ${word}trigger` : `${count} ${word}triggers`;
}

/** "one memory", "3 memories". */
export function countedMemories(count: number): string {
  return count === 1 ? 'one memory' : `${count} memories`;
}
