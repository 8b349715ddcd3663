/** What the actions about work memory share, and how memories are shown in chat. */
import type { Action } from '@elizaos/core';
import type { RecallResult } from '../../memory/index.js';
import { safe, safeJson } from '../../shared/safe-text.js';
import { type ActionFamily, type ActionSpec, framedAction } from './action-frame.js';
import { type MemoryTurn, memoryServiceOf, memoryTurnOf } from './memory-turn.js';
import { inConversation } from './open-questions.js';

const MEMORIES: ActionFamily<MemoryTurn> = {
  succeeded: 'memoryActionSucceeded',
  isPresent: (runtime) => memoryServiceOf(runtime) !== null,
  absent: 'I cannot reach my work memory right now: its service is not running.',
  notFound: 'I have no such memory, or it is not yours to see.',
  nameOf: (field) => (field === '(body)' ? undefined : `"${field}"`),
  turnOf: memoryTurnOf,
  around: inConversation,
};

export function memoryAction(spec: ActionSpec<MemoryTurn>): Action {
  return framedAction(spec, MEMORIES);
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
