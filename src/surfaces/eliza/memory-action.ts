/** What the actions about work memory share, and how memories are shown in chat. */
import type { Action, IAgentRuntime, Memory } from '@elizaos/core';
import type { RecallResult } from '../../memory/index.js';
import { safe, safeJson } from '../../shared/safe-text.js';
import { type ActionFamily, type ActionWords, framedAction, type Outcome } from './action-frame.js';
import { type MemoryTurn, memoryServiceOf, memoryTurnOf } from './memory-turn.js';
import { inConversation } from './open-questions.js';

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
  return inConversation(turn, () => spec.handle(turn));
}

type Recalled = RecallResult['memories'][number];

/** Most of one memory at the depth `complete` that a chat shows, characters. */
const MAX_JSON = 20_000;
/** A likeness below this is said to be one; what recall holds for no answer at all does not come. */
const SURE_CONFIDENCE = 0.4;

/** A memory holds what strangers wrote: one line without markup, or JSON in a fence. */
export function memoryLine(memory: Recalled): string {
  const maybe = memory.fuzzy && memory.confidence < SURE_CONFIDENCE ? 'maybe: ' : '';
  if (memory.depth !== 'complete') return `- ${maybe}${safe(memory.content)} [${memory.memory_id}]`;
  const json = safeJson(memory.content);
  const id = `[${memory.memory_id}]`;
  return json.length > MAX_JSON
    ? `- ${maybe}${id} is too long for a chat (${json.length} characters): ask for depth "full", or export it`
    : `- ${maybe}${id}\n\`\`\`json\n${json}\n\`\`\``;
}
