/**
 * Success means executed (DESIGN §4): the pipeline ran to a parsed plan and its actions succeeded.
 * Pure: what the host reported goes in, the verdict comes out.
 */
import type { ActionOutcome } from './types.js';

/** Everything the host tells about a run, gathered from its result, callbacks and events. */
export interface PipelineReport {
  /** Error thrown by `handleMessage`. */
  thrown?: string;
  /** `status` of RUN_ENDED; absent when the run was superseded by a newer one in the room. */
  ended?: string;
  didRespond: boolean;
  /** Actions of the parsed plan; `null` when no plan could be parsed. */
  plannedActions: string[] | null;
  thought: string;
  mode: string;
  /** Texts of the callbacks, in order. */
  texts: string[];
  /** Actions that completed, with their results. */
  actions: ActionOutcome[];
}

export interface Verdict {
  status: 'success' | 'failed';
  responded: boolean;
  text: string;
  error?: string;
}

const SILENT_ACTIONS = new Set(['IGNORE', 'NONE']);

export function judge(report: PipelineReport): Verdict {
  const text = report.texts
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .join('\n\n');
  const fail = (error: string): Verdict => ({ status: 'failed', responded: false, text, error });

  if (report.thrown !== undefined) return fail(report.thrown);
  if (report.ended === 'muted') return fail('the agent is muted in its autonomous room');
  if (report.ended === 'off') return fail('answers are switched off (BOOTSTRAP_DEFLLMOFF)');
  if (report.ended !== 'completed') return fail('superseded by another message in the same room');
  if (report.plannedActions === null) return fail('the model gave no plan that could be parsed');
  if (report.thought.trim() === '' && report.plannedActions.length === 0) {
    return fail('the model gave no plan that could be parsed');
  }
  const isSilent = (name: string) => SILENT_ACTIONS.has(name.toUpperCase());
  if (report.plannedActions.length > 0 && report.plannedActions.every(isSilent)) {
    return { status: 'success', responded: false, text: '' };
  }
  const failed = report.actions.find((action) => !action.success);
  if (failed) {
    return fail(
      `action ${failed.name} failed: ${failed.error ?? failed.text ?? 'no reason given'}`,
    );
  }
  if (report.mode === 'actions' && report.actions.length < report.plannedActions.length) {
    const done = new Set(report.actions.map((action) => normalize(action.name)));
    const missing = report.plannedActions.filter((name) => !done.has(normalize(name)));
    return fail(
      `planned ${report.plannedActions.length} actions, ${report.actions.length} ran` +
        (missing.length > 0 ? `; not run: ${missing.join(', ')}` : ''),
    );
  }
  return { status: 'success', responded: text !== '', text };
}

function normalize(name: string): string {
  return name.toLowerCase().replaceAll('_', '');
}
