/** What the actions about work memory share, and how memories are shown in chat. */
import type { Action, IAgentRuntime, Memory } from '@elizaos/core';
import type { RecallResult } from '../../memory/index.js';
import { type ActionFamily, type ActionWords, framedAction, type Outcome } from './action-frame.js';
import { plain } from './display.js';
import { type MemoryTurn, memoryServiceOf, memoryTurnOf } from './memory-turn.js';

export interface MemoryActionSpec extends ActionWords {
  handle: (turn: MemoryTurn) => Promise<Outcome>;
}

const ABSENT = 'I cannot reach my work memory right now: its service is not running.';

const MEMORIES: ActionFamily = {
  succeeded: 'memoryActionSucceeded',
  isPresent: (runtime) => memoryServiceOf(runtime) !== null,
  absent: ABSENT,
  notFound: 'I have no such memory, or it is not yours to see.',
  nameOf: (field) => (field === '(body)' ? undefined : `"${field}"`),
};

export function memoryAction(spec: MemoryActionSpec): Action {
  return framedAction(spec, MEMORIES, (runtime, message) => run(spec, runtime, message));
}

async function run(
  spec: MemoryActionSpec,
  runtime: IAgentRuntime,
  message: Memory,
): Promise<Outcome> {
  const service = memoryServiceOf(runtime);
  if (!service) return { text: ABSENT, success: false, data: { code: 'UNAVAILABLE' } };
  const turn = await memoryTurnOf(runtime, service, message);
  const outcome = await spec.handle(turn);
  return outcome.asked && turn.run !== null ? { ...outcome, success: false } : outcome;
}

/** `complete` is JSON of the whole memory; a chat shows its beginning. */
const SHOWN_CHARACTERS = 4_000;

/** One line: a memory holds what strangers wrote, so it is shown without markup. */
export function memoryLine(memory: RecallResult['memories'][number]): string {
  return `- ${plain(memory.content, SHOWN_CHARACTERS)} [${memory.memory_id}]`;
}

/** "one memory", "3 memories". */
export function countedMemories(count: number): string {
  return count === 1 ? 'one memory' : `${count} memories`;
}
