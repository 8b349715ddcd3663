/** What the actions about hints share: their service, their turn, and how failures are said. */
import type { Action, IAgentRuntime, Memory } from '@elizaos/core';
import { type ActionFamily, type ActionWords, framedAction, type Outcome } from './action-frame.js';
import { type HintTurn, hintServiceOf, hintTurnOf } from './hint-turn.js';
import { memoryServiceOf } from './memory-turn.js';
import { inConversation } from './open-questions.js';
import { createPerMessage } from './per-message.js';

export interface HintActionSpec extends ActionWords {
  handle: (turn: HintTurn) => Promise<Outcome>;
}

const ABSENT = 'I cannot look into the hints right now: their service is not running.';

const NAMES: Readonly<Record<string, string>> = {
  'value.abs': 'the path',
  'value.cmd': 'the command',
  'meta.ttl': 'the time it is to be kept',
  'meta.priority': 'the priority',
  'meta.confidence': 'the confidence',
  'meta.tags': 'the list of tags',
};

const HINT_ACTIONS: ActionFamily = {
  succeeded: 'hintActionSucceeded',
  isPresent: (runtime) => hintServiceOf(runtime) !== null && memoryServiceOf(runtime) !== null,
  absent: ABSENT,
  notFound: 'I know no such hint.',
  nameOf: (field) => NAMES[field] ?? `the ${field}`,
};

/** What HINTS shows, by message; an action changes it. */
export const shownHints = createPerMessage<{ text: string; count: number }>();

export function hintAction(spec: HintActionSpec): Action {
  return framedAction(spec, HINT_ACTIONS, (runtime, message) => run(spec, runtime, message));
}

async function run(
  spec: HintActionSpec,
  runtime: IAgentRuntime,
  message: Memory,
): Promise<Outcome> {
  const turn = await hintTurnOf(runtime, message);
  if (!turn) return { text: ABSENT, success: false, data: { code: 'UNAVAILABLE' } };
  try {
    return await inConversation(turn, () => spec.handle(turn));
  } finally {
    shownHints.drop(runtime);
  }
}
