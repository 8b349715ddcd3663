/**
 * Success means executed (DESIGN §4): the pipeline ran to a parsed plan and its actions succeeded.
 * Pure: what the host reported goes in, the verdict comes out.
 */
import type { ActionOutcome } from '../host/index.js';
import { defined, isRecord } from '../shared/json.js';

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

/**
 * Follows the host's events of the runs we started. ACTION_* events carry no id of the message
 * that caused them, only the room, and one run at a time per room makes that enough
 * (ELIZA_GUIDE §4). Handlers never throw: a throwing one aborts the host's own emitter.
 */
export interface RunWatch {
  /** Starts collecting for a room; the previous collection of that room is dropped. */
  open(roomId: string, messageId: string): Collected;
  close(roomId: string): void;
  onRunStarted(payload: unknown): void;
  onRunEnded(payload: unknown): void;
  onActionCompleted(payload: unknown): void;
}

export interface Collected {
  messageId: string;
  runId?: string;
  ended?: string;
  error?: string;
  actions: ActionOutcome[];
}

export function createRunWatch(): RunWatch {
  const rooms = new Map<string, Collected>();
  const of = (payload: unknown): { seen: Collected; fields: Record<string, unknown> } | null => {
    if (!isRecord(payload)) return null;
    const seen = rooms.get(String(payload.roomId));
    return seen ? { seen, fields: payload } : null;
  };
  return {
    open(roomId, messageId) {
      const seen: Collected = { messageId, actions: [] };
      rooms.set(roomId, seen);
      return seen;
    },
    close(roomId) {
      rooms.delete(roomId);
    },
    onRunStarted(payload) {
      const match = of(payload);
      if (match && match.fields.messageId === match.seen.messageId) {
        match.seen.runId = text(match.fields.runId);
      }
    },
    onRunEnded(payload) {
      const match = of(payload);
      if (match && match.fields.messageId === match.seen.messageId) {
        match.seen.ended = text(match.fields.status);
        match.seen.error = text(match.fields.error);
      }
    },
    onActionCompleted(payload) {
      const match = of(payload);
      const content = match?.fields.content;
      if (!match || !isRecord(content)) return;
      const result = isRecord(content.actionResult) ? content.actionResult : undefined;
      const name = Array.isArray(content.actions) ? String(content.actions[0]) : 'unknown';
      match.seen.actions.push({
        name,
        success: result ? result.success !== false : content.actionStatus !== 'failed',
        ...defined({ text: text(result?.text), error: errorText(result?.error) }),
      });
    },
  };
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function errorText(value: unknown): string | undefined {
  return value instanceof Error ? value.message : text(value);
}
