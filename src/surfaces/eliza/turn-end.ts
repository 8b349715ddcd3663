/** When the turn of a message is over: what it has to say has been said by then. */
import type { IAgentRuntime } from '@elizaos/core';
import { SECOND_MS } from '../../shared/clock.js';

/** A turn that a newer message of the room has replaced never ends by itself. */
const LONGEST_WAIT_MS = 10 * SECOND_MS;

interface OpenTurn {
  end: Promise<void>;
  over: () => void;
}

const openTurns = new WeakMap<IAgentRuntime, Map<string, OpenTurn>>();
/** Ends of turns whose announcement is still to be said, by room. */
const announcing = new WeakMap<IAgentRuntime, Map<string, Promise<void>>>();

/** Resolves when the host has ended the run of that message, or after ten seconds. */
export function turnEnd(runtime: IAgentRuntime, messageId: string): Promise<void> {
  const turns = openTurns.get(runtime) ?? new Map<string, OpenTurn>();
  openTurns.set(runtime, turns);
  const known = turns.get(messageId);
  if (known !== undefined) return known.end;
  let over = () => {};
  const end = new Promise<void>((resolve) => {
    const timer = setTimeout(() => over(), LONGEST_WAIT_MS);
    timer.unref();
    over = () => {
      clearTimeout(timer);
      turns.delete(messageId);
      resolve();
    };
  });
  turns.set(messageId, { end, over });
  return end;
}

/** Told by the host's RUN_ENDED. */
export function turnHasEnded(runtime: IAgentRuntime, messageId: unknown): void {
  if (typeof messageId === 'string') openTurns.get(runtime)?.get(messageId)?.over();
}

/** What this turn arranges may come due at once: no answer of a run comes into the room before the turn's own. */
export function announceIn(runtime: IAgentRuntime, roomId: string, messageId: string): void {
  const rooms = announcing.get(runtime) ?? new Map<string, Promise<void>>();
  announcing.set(runtime, rooms);
  const said = turnEnd(runtime, messageId);
  rooms.set(roomId, said);
  void said.then(() => {
    if (rooms.get(roomId) === said) rooms.delete(roomId);
  });
}

/** Resolves when nothing is about to be announced in the room. */
export async function announced(runtime: IAgentRuntime, roomId: string): Promise<void> {
  await announcing.get(runtime)?.get(roomId);
}
