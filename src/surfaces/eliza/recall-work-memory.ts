/** RECALL_WORK_MEMORY: what earlier work says about something; a printed recall line as it stands. */
import { askUser, example, type Outcome, succeed } from './action-frame.js';
import { countedMemories } from './display.js';
import { memoryAction, memoryLine } from './memory-action.js';
import type { MemoryTurn } from './memory-turn.js';
import { recallSubject } from './memory-words.js';

export const RECALL_WORK_MEMORY = 'RECALL_WORK_MEMORY';

export const recallWorkMemoryAction = memoryAction({
  name: RECALL_WORK_MEMORY,
  similes: ['SEARCH_WORK_MEMORY', 'REMEMBER_WORK', 'LOOK_UP_MEMORY'],
  description:
    'Finds work memories: what was done, decided, learned or went wrong before, about a topic, a file, a time ("last week"), an id, or a line like recall("file:auth.ts", depth: "reasoning").',
  examples: [
    example(
      'what do you remember about the login bug?',
      'I remember one memory about that:\n- ✓ the login bug came from an expired refresh token [mem_1f2e3d4c]',
      RECALL_WORK_MEMORY,
    ),
  ],
  handle: recallWorkMemory,
});

async function recallWorkMemory(turn: MemoryTurn): Promise<Outcome> {
  const subject = recallSubject(turn.text);
  if (subject === '') {
    return askUser('What shall I look for? Name a topic, a file, or a time.');
  }
  const { memories, total_matches, degraded } = await turn.service.recall(
    subject,
    turn.caller,
    turn.zone,
  );
  const total = Math.max(total_matches, memories.length);
  const data = { total, memoryIds: memories.map((one) => one.memory_id) };
  if (memories.length === 0) {
    return succeed('I remember nothing about that.', data);
  }
  const lines = [
    `I remember ${countedMemories(memories.length)} about that:`,
    ...memories.map(memoryLine),
  ];
  if (total > memories.length) lines.push(`There are ${total - memories.length} more.`);
  if (degraded !== undefined) lines.push('I could not search as well as usual.');
  return succeed(lines.join('\n'), data);
}
