/**
 * What is read once for a message. The host asks its providers two or three times per message, and
 * what does not change in between need not be read again.
 */
import type { IAgentRuntime, Memory } from '@elizaos/core';
import { MINUTE_MS } from '../../shared/clock.js';

export interface PerMessage<T> {
  /** What `read` answers; a failure, and what is a minute old, is read again. */
  of(
    runtime: IAgentRuntime,
    message: Pick<Memory, 'id' | 'roomId' | 'entityId'>,
    nowMs: number,
    read: () => Promise<T>,
  ): Promise<T>;
  /** Something was changed, in this room or anywhere: what is known holds no longer. */
  drop(runtime: IAgentRuntime, roomId?: string): void;
}

interface Known<T> {
  roomId: string;
  value: Promise<T>;
  atMs: number;
}

const KEPT_MS = MINUTE_MS;
const MAX_KEPT = 500;

/** @param holdsOn whether nobody else changes it: then it is read once for all messages of a minute */
export function createPerMessage<T>(
  holdsOn: (runtime: IAgentRuntime) => boolean = () => false,
): PerMessage<T> {
  const memos = new WeakMap<IAgentRuntime, Map<string, Known<T>>>();
  return {
    of(runtime, { id, roomId, entityId }, nowMs, read) {
      if (id === undefined) return read();
      const memo = memos.get(runtime) ?? new Map<string, Known<T>>();
      memos.set(runtime, memo);
      // Clients choose the ids of messages, so that an id alone is nobody's name.
      const key = `${holdsOn(runtime) ? '' : id} ${roomId} ${entityId}`;
      const known = memo.get(key);
      if (known !== undefined && Math.abs(nowMs - known.atMs) < KEPT_MS) return known.value;
      const fresh = { roomId, value: read(), atMs: nowMs };
      memo.delete(key);
      memo.set(key, fresh);
      const [oldest] = memo.keys();
      if (memo.size > MAX_KEPT && oldest !== undefined) memo.delete(oldest);
      fresh.value.catch(() => {
        if (memo.get(key) === fresh) memo.delete(key);
      });
      return fresh.value;
    },
    drop(runtime, roomId) {
      const memo = memos.get(runtime);
      if (memo === undefined) return;
      if (roomId === undefined) return memo.clear();
      for (const [key, known] of memo) if (known.roomId === roomId) memo.delete(key);
    },
  };
}
