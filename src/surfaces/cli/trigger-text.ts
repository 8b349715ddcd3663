/** Triggers and their runs for people. */
import type { SchedulePreview, TriggerRun, TriggerSummary } from '../../triggers/index.js';
import { aligned, indented, minuteIn, minuteOf, oneLine, shortened } from './lines.js';

/** As chat prints ids, and every command takes them. */
const SHORT_ID = 8;
const NAME_WIDTH = 40;
const SCHEDULE_WIDTH = 48;

/** Short id, name, schedule, state, next and last run of each, in columns under a header. */
export function triggerTable(triggers: readonly TriggerSummary[], nowMs: number): string {
  if (triggers.length === 0) return '';
  const rows = triggers.map((trigger) => [
    trigger.id.slice(0, SHORT_ID),
    shortened(oneLine(trigger.displayName), NAME_WIDTH),
    shortened(oneLine(trigger.scheduleText), SCHEDULE_WIDTH),
    stateWord(trigger),
    trigger.enabled && trigger.nextRunAtMs !== null ? nextWords(trigger, nowMs) : '-',
    lastWords(trigger),
  ]);
  return aligned([['ID', 'NAME', 'SCHEDULE', 'STATE', 'NEXT', 'LAST'], ...rows]);
}

/** What is said when it was created or changed. */
export function changedText(what: string, trigger: TriggerSummary): string {
  const head = `${what} trigger "${oneLine(trigger.displayName)}" (${stateWord(trigger)})`;
  return [head, `  ${whenWords(trigger)}`, `  ${trigger.id}`].join('\n');
}

export function triggerText(trigger: TriggerSummary): string {
  const { id, stateReason, displayName, timezone, instructions } = trigger;
  const { runCount, maxRuns, lastRunAtIso, lastError, deliverTo } = trigger;
  const state = stateWord(trigger);
  const last =
    lastRunAtIso === undefined ? null : minuteIn(Date.parse(lastRunAtIso), trigger.timezone);
  return [
    `${oneLine(displayName)} (${state})`,
    `  id: ${id}`,
    `  when: ${whenWords(trigger)}`,
    ...(timezone === undefined ? [] : [`  time zone: ${oneLine(timezone)}`]),
    ...(stateReason === undefined ? [] : [`  why ${state}: ${oneLine(stateReason)}`]),
    `  runs: ${runCount}${maxRuns === undefined ? '' : ` of ${maxRuns}`}` +
      `${last === null ? '' : `, the last ${last} (${lastWords(trigger)})`}`,
    ...(lastError === undefined ? [] : [`  last error: ${oneLine(lastError)}`]),
    ...(deliverTo === undefined ? [] : [`  answers to room: ${oneLine(deliverTo.roomId)}`]),
    '  instructions:',
    ...indented(instructions, '    '),
  ].join('\n');
}

/** `2026-11-22 11:58 UTC  success (0.3 s)`, and what it said or why it failed. */
export function runText(run: TriggerRun): string {
  const { startedAt, status, cause, latencyMs, answer, error, reason, triggerRunId } = run;
  const took = latencyMs === undefined ? '' : ` (${(latencyMs / 1_000).toFixed(1)} s)`;
  const asked = cause === 'schedule' ? '' : `, ${cause}`;
  return [
    `${minuteOf(startedAt)}  ${status}${took}${asked}  ${triggerRunId}`,
    ...(reason === undefined ? [] : [`  ${oneLine(reason)}`]),
    ...(error === undefined ? [] : [`  error: ${oneLine(error)}`]),
    ...(answer === undefined || answer === '' ? [] : indented(answer, '  | ')),
  ].join('\n');
}

export function reasonsText(reasons: readonly string[]): string {
  return reasons.map(oneLine).join('\n');
}

export function previewText({ scheduleText, instructions, nextRuns }: SchedulePreview): string {
  return [
    oneLine(scheduleText),
    ...(instructions === undefined ? [] : [`  does: ${oneLine(instructions)}`]),
    ...nextRuns.map(({ local }) => `  ${oneLine(local)}`),
  ].join('\n');
}

function whenWords(trigger: TriggerSummary): string {
  const { scheduleText, nextRunAtMs, enabled, timezone } = trigger;
  const next = enabled && nextRunAtMs !== null ? `, next ${minuteIn(nextRunAtMs, timezone)}` : '';
  return `${oneLine(scheduleText)}${next}`;
}

/** `resting` is where a trigger is kept, which concerns nobody who waits for it. */
function stateWord({ state }: TriggerSummary): string {
  return state === 'resting' ? 'active' : state;
}

function nextWords({ nextRunAtMs, timezone }: TriggerSummary, nowMs: number): string {
  if (nextRunAtMs === null) return '-';
  return nextRunAtMs <= nowMs ? 'now' : minuteIn(nextRunAtMs, timezone);
}

/** `success`, `failed`, `failed 3 times`. */
function lastWords({ lastStatus, failureCount = 0 }: TriggerSummary): string {
  if (lastStatus !== 'failed' || failureCount < 2) return lastStatus ?? '-';
  return `failed ${failureCount} times`;
}
