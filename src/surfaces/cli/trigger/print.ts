/** Triggers and their runs for people. */
import type { SchedulePreview, TriggerRun, TriggerSummary } from '../../../triggers/index.js';
import { indented, minuteOf, oneLine } from '../lines.js';

/** One line: id, state, when, what. */
export function triggerLine(trigger: TriggerSummary): string {
  const { id, state, displayName } = trigger;
  return `${id}  ${state}  ${whenWords(trigger)}: ${oneLine(displayName)}`;
}

/** What is said when it was created or changed. */
export function changedText(what: string, trigger: TriggerSummary): string {
  const head = `✔ ${what} trigger "${oneLine(trigger.displayName)}" (${trigger.state})`;
  return [head, `  ${whenWords(trigger)}`, `  ${trigger.id}`].join('\n');
}

export function triggerText(trigger: TriggerSummary): string {
  const { id, state, stateReason, displayName, timezone, instructions } = trigger;
  const { runCount, maxRuns, lastRunAtIso, lastStatus, lastError, deliverTo } = trigger;
  const last = lastRunAtIso === undefined ? null : minuteOf(Date.parse(lastRunAtIso));
  return [
    `${oneLine(displayName)} (${state})`,
    `  id: ${id}`,
    `  when: ${whenWords(trigger)}`,
    ...(timezone === undefined ? [] : [`  time zone: ${oneLine(timezone)}`]),
    ...(stateReason === undefined ? [] : [`  why ${state}: ${oneLine(stateReason)}`]),
    `  runs: ${runCount}${maxRuns === undefined ? '' : ` of ${maxRuns}`}` +
      `${last === null ? '' : `, the last ${last}${lastStatus ? ` (${lastStatus})` : ''}`}`,
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

function whenWords({ scheduleText, nextRunAtMs, enabled }: TriggerSummary): string {
  const next = enabled && nextRunAtMs !== null ? `, next ${minuteOf(nextRunAtMs)}` : '';
  return `${oneLine(scheduleText)}${next}`;
}
