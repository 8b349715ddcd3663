/** LINK_WORK_MEMORIES: says how two memories belong together. */
import { askUser, example, type Outcome, refuse, succeed } from './action-frame.js';
import { memoryAction } from './memory-action.js';
import type { MemoryTurn } from './memory-turn.js';
import { linksToItself, readLink } from './memory-words.js';

export const LINK_WORK_MEMORIES = 'LINK_WORK_MEMORIES';

export const linkWorkMemoriesAction = memoryAction({
  name: LINK_WORK_MEMORIES,
  similes: ['CONNECT_WORK_MEMORIES', 'RELATE_WORK_MEMORIES'],
  description:
    'Links two work memories named by their ids (mem_…): caused by, led to, related to, supersedes, blocked by.',
  examples: [
    example(
      'mem_1f2e3d4c was caused by mem_5a6b7c8d',
      'Linked: mem_1f2e3d4c was caused by mem_5a6b7c8d.',
      LINK_WORK_MEMORIES,
    ),
  ],
  handle: linkWorkMemories,
});

const WORDS: Readonly<Record<string, string>> = {
  caused_by: 'was caused by',
  led_to: 'led to',
  related_to: 'is related to',
  supersedes: 'supersedes',
  blocked_by: 'is blocked by',
};

async function linkWorkMemories(turn: MemoryTurn): Promise<Outcome> {
  if (linksToItself(turn.text)) {
    return refuse('A memory cannot be linked to itself.', { code: 'INVALID_INPUT' });
  }
  const request = readLink(turn.text);
  if (request === null) {
    return askUser(
      'Which two memories? Name both by their ids, like "mem_1f2e3d4c was caused by mem_5a6b7c8d".',
    );
  }
  const made = await turn.service.link(request, turn.caller);
  const words = `${made.source} ${WORDS[made.link_type] ?? made.link_type} ${made.target}`;
  return succeed(made.created ? `Linked: ${words}.` : `That was linked already: ${words}.`, {
    linkId: made.link_id,
    created: made.created,
  });
}
