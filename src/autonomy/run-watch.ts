/**
 * Follows the host's events of the runs we started. ACTION_* events carry no id of the message
 * that caused them, only the room, and one run at a time per room makes that enough
 * (ELIZA_GUIDE §4). Handlers never throw: a throwing one aborts the host's own emitter.
 */
import type { ActionOutcome } from './types.js';

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
        ...optional('text', text(result?.text)),
        ...optional('error', errorText(result?.error)),
      });
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function errorText(value: unknown): string | undefined {
  return value instanceof Error ? value.message : text(value);
}

function optional<K extends string, V>(key: K, value: V | undefined): Partial<Record<K, V>> {
  return value === undefined ? {} : ({ [key]: value } as Record<K, V>);
}
