/**
 * The `/when` commands that the agent writes in its own text, from the end of the run that said them
 * to its next turn in that room. What a turn has shown is over when its run has ended well: a run that
 * broke, or that another message overtook, has perhaps reached no model.
 */
import type { IAgentRuntime } from '@elizaos/core';
import { DAY_MS } from '../../shared/clock.js';
import type { Recall } from '../../when/index.js';

interface Waiting {
  recalls: Recall[];
  atMs: number;
  /** The message whose turn shows it. */
  shownTo: string | undefined;
}

interface Rooms {
  waiting: Map<string, Waiting>;
  /** Looks into what was said that are under way. */
  reading: Map<string, Promise<unknown>>;
}

const KEPT_MS = DAY_MS;
const MOST_ROOMS = 500;
const MOST_RECALLS = 3;

const agents = new WeakMap<IAgentRuntime, Rooms>();

function roomsOf(runtime: IAgentRuntime): Rooms {
  const rooms = agents.get(runtime) ?? { waiting: new Map(), reading: new Map() };
  agents.set(runtime, rooms);
  return rooms;
}

/** @param work resolves when what the agent said in the room has been looked into */
export function ownWordsRead(runtime: IAgentRuntime, roomId: string, work: Promise<unknown>): void {
  const { reading } = roomsOf(runtime);
  reading.set(roomId, work);
  const done = () => {
    if (reading.get(roomId) === work) reading.delete(roomId);
  };
  work.then(done, done);
}

/** What the commands in the agent's words have given. */
export function keepForNextTurn(
  runtime: IAgentRuntime,
  roomId: string,
  recall: Recall,
  nowMs: number,
): void {
  const { waiting } = roomsOf(runtime);
  const recalls = [...(waiting.get(roomId)?.recalls ?? []), recall].slice(-MOST_RECALLS);
  waiting.delete(roomId);
  waiting.set(roomId, { recalls, atMs: nowMs, shownTo: undefined });
  const [oldest] = waiting.keys();
  if (waiting.size > MOST_ROOMS && oldest !== undefined) waiting.delete(oldest);
}

/** For the turn of this message; what is older than a day is nobody's next turn any more. */
export async function forThisTurn(
  runtime: IAgentRuntime,
  { roomId, messageId }: { roomId: string; messageId: string },
  nowMs: number,
): Promise<Recall[]> {
  const { waiting, reading } = roomsOf(runtime);
  await reading.get(roomId)?.catch(() => undefined);
  const found = waiting.get(roomId);
  if (found === undefined) return [];
  if (nowMs - found.atMs > KEPT_MS) {
    waiting.delete(roomId);
    return [];
  }
  found.shownTo = messageId;
  return found.recalls;
}

export function turnIsOver(
  runtime: IAgentRuntime,
  { roomId, messageId, completed }: { roomId: string; messageId: string; completed: boolean },
): void {
  const { waiting } = roomsOf(runtime);
  if (completed && waiting.get(roomId)?.shownTo === messageId) waiting.delete(roomId);
}
