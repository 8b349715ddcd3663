/** When the turn of a message is over: what it has to say has been said by then. */
import type { IAgentRuntime } from '@elizaos/core';
import { SECOND_MS } from '../../shared/clock.js';

/** A turn that a newer message of the room has replaced never ends by itself. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;

const waiting = new WeakMap<IAgentRuntime, Map<string, () => void>>();

/** Resolves when the host has ended the run of that message, or after ten seconds. */
export function turnEnd(runtime: IAgentRuntime, messageId: string): Promise<void> {
  const turns = waiting.get(runtime) ?? new Map<string, () => void>();
  waiting.set(runtime, turns);
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      turns.delete(messageId);
      resolve();
    };
    const timer = setTimeout(over, LONGEST_WAIT_MS);
    timer.unref();
    turns.set(messageId, over);
  });
}

/** Told by the host's RUN_ENDED. */
export function turnHasEnded(runtime: IAgentRuntime, messageId: unknown): void {
  if (typeof messageId === 'string') waiting.get(runtime)?.get(messageId)?.();
}
