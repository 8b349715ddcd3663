/** Triggers and their runs for people. */
import type {
  NamedRun,
  SchedulePreview,
  TriggerRun,
  TriggerSummary,
} from '../../triggers/index.js';
import type { Io } from './io.js';
import { indented, minuteIn, minuteOf, oneLine } from './lines.js';
import { type Column, tableOf } from './table.js';

type Calls = NonNullable<TriggerRun['modelCalls']>[number];

const TRIGGER_COLUMNS: readonly Column<TriggerSummary>[] = [
  { head: 'ID', id: ({ id }) => id },
  { head: 'NAME', text: ({ displayName }) => displayName, isCut: true },
  { head: 'SCHEDULE', text: ({ scheduleText }) => scheduleText, isCut: true },
  { head: 'STATE', text: stateWord, isState: true },
  { head: 'NEXT', atMs: ({ enabled, nextRunAtMs }) => (enabled ? nextRunAtMs : null) },
  { head: 'LAST', text: lastWords, isState: true },
];

const RUN_COLUMNS: readonly Column<TriggerRun>[] = [
  { head: 'ID', id: ({ triggerRunId }) => triggerRunId, least: 8 },
  { head: 'STATUS', text: ({ status }) => status, isState: true, least: 'deferred'.length },
  { head: 'STARTED', atMs: ({ startedAt }) => startedAt, least: 9 },
  { head: 'TOOK', text: tookWords, least: 7 },
  { head: 'CAUSE', text: ({ cause }) => cause, least: 'immediate'.length },
  { head: 'RESULT', text: ({ error, reason, answer }) => error ?? reason ?? answer, isCut: true },
];

const OF_TRIGGER: Column<TriggerRun> = {
  head: 'TRIGGER',
  text: ({ displayName, triggerId }) => displayName ?? triggerId,
  isCut: true,
  least: 20,
};

export const triggerTable = (io: Io) => tableOf(io, TRIGGER_COLUMNS);
/** Of one trigger. */
export const runTable = (io: Io) => tableOf(io, RUN_COLUMNS);
/** Of all of them. */
export const allRunTable = (io: Io) => tableOf(io, RUN_COLUMNS.toSpliced(1, 0, OF_TRIGGER));

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
  const took = latencyMs === undefined ? '' : ` (${tookWords(run)})`;
  const asked = cause === 'schedule' ? '' : `, ${cause}`;
  return [
    `${minuteOf(startedAt)}  ${status}${took}${asked}  ${triggerRunId}`,
    ...(reason === undefined ? [] : [`  ${oneLine(reason)}`]),
    ...(error === undefined ? [] : [`  error: ${oneLine(error)}`]),
    ...(answer === undefined || answer === '' ? [] : indented(answer, '  | ')),
  ].join('\n');
}

/** All of it: what was asked, what was done and answered, and where that went. */
export function wholeRunText({
  run,
  trigger,
}: {
  run: NamedRun;
  trigger: TriggerSummary | null;
}): string {
  const { triggerRunId, displayName, status, cause, attempt, error, reason, answer } = run;
  const { scheduledForMs, startedAt, actions = [], lateAnswer, modelCalls = [], delivery } = run;
  const took = tookWords(run);
  const block = (head: string, lines: readonly string[]) =>
    lines.length === 0 ? [] : [`  ${head}:`, ...lines];
  const said = (text = '') => (text === '' ? [] : indented(text, '  | '));
  return [
    `${oneLine(displayName)} (${status})`,
    `  id: ${triggerRunId}`,
    `  due: ${minuteOf(scheduledForMs)}, started ${minuteOf(startedAt)}`,
    `  cause: ${cause}, attempt ${attempt}${took === '' ? '' : `, took ${took}`}`,
    ...(reason === undefined ? [] : [`  reason: ${oneLine(reason)}`]),
    ...(error === undefined ? [] : [`  error: ${oneLine(error)}`]),
    ...block('instructions', trigger === null ? [] : indented(trigger.instructions, '    ')),
    ...block(
      'actions',
      actions.map(({ name, success, text, error: why }) => {
        const what = why ?? text ?? '';
        return `    ${oneLine(name)} ${success ? 'done' : 'failed'}${what === '' ? '' : `: ${oneLine(what)}`}`;
      }),
    ),
    ...block('answer', said(answer)),
    ...block('answer that came too late', said(lateAnswer)),
    ...block('model calls', modelCalls.map(callsWords)),
    ...(delivery === undefined || delivery.state === 'none'
      ? []
      : [`  delivery: ${delivery.state}${delivery.error ? `: ${oneLine(delivery.error)}` : ''}`]),
  ].join('\n');
}

function callsWords({ model, provider, calls, ms, tokens }: Calls): string {
  const read = tokens && `, ${tokens.prompt} tokens read and ${tokens.completion} written`;
  return `    ${oneLine(model)} of ${oneLine(provider)}: ${calls} in ${(ms / 1_000).toFixed(1)} s${read ?? ''}`;
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

function tookWords({ latencyMs }: TriggerRun): string {
  return latencyMs === undefined ? '' : `${(latencyMs / 1_000).toFixed(1)} s`;
}

/** `success`, `failed`, `failed 3 times`. */
function lastWords({ lastStatus, failureCount = 0 }: TriggerSummary): string {
  if (lastStatus !== 'failed' || failureCount < 2) return lastStatus ?? '';
  return `failed ${failureCount} times`;
}
