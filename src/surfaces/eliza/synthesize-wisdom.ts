/** SYNTHESIZE_WISDOM: what all the work on something has taught, from its memories. */
import { InvalidInputError } from '../../shared/errors.js';
import { safe, safeQuoted } from '../../shared/safe-text.js';
import { example, type Outcome, succeed } from './action-frame.js';
import { memoryAction } from './memory-action.js';
import type { MemoryTurn } from './memory-turn.js';
import { synthesisSubject } from './memory-words.js';

export const SYNTHESIZE_WISDOM = 'SYNTHESIZE_WISDOM';

const SHOWN = 3;
const MAX_WORD = 50;

export const synthesizeWisdomAction = memoryAction({
  name: SYNTHESIZE_WISDOM,
  similes: ['DISTILL_WISDOM', 'SUMMARIZE_LEARNINGS'],
  description:
    'Sums up what work memories have taught, about a tag (#auth) or about everything, as insights, patterns and best practices.',
  examples: [
    example(
      'synthesize wisdom about #auth',
      'From 3 memories I learned:\n- Insight: rotate the refresh token (2×)',
      SYNTHESIZE_WISDOM,
    ),
  ],
  handle: synthesizeWisdom,
});

const NOTHING: Outcome = succeed(
  'I have too few memories about that to learn from: I need three that share a tag.',
  { created: 0 },
);

async function synthesizeWisdom(turn: MemoryTurn): Promise<Outcome> {
  const { tags, words } = synthesisSubject(turn.text);
  const single = /^[\p{L}\p{N}_-]+$/u.test(words) && words.length <= MAX_WORD ? [words] : [];
  const named = tags.length > 0 ? tags : single;
  const filter = named.length === 0 ? {} : { tags: named };
  const { chapters } = await turn.service.createChapter(filter, turn.caller);
  const ids = chapters.map((one) => one.chapter_id);
  const made = await synthesized(turn, ids.length > 0 ? { chapter_ids: ids } : filter);
  // What one person did in private is summed up for them, but not before the others.
  const shown = made.filter((one) => turn.caller.private || one.visibility !== 'user');
  if (shown.length === 0) return NOTHING;
  const lines = shown.flatMap((one) => [
    `${safeQuoted(one.title, 120)}, from ${one.memory_count} memories [${one.wisdom_id}]:`,
    ...linesOf('Insight', one.insights),
    ...linesOf('Pattern', one.patterns),
    ...linesOf('Best practice', one.best_practices),
  ]);
  return succeed(lines.join('\n'), {
    created: shown.length,
    wisdomIds: shown.map((one) => one.wisdom_id),
  });
}

async function synthesized(turn: MemoryTurn, request: Record<string, unknown>) {
  try {
    return (await turn.service.synthesize(request, turn.caller)).wisdom;
  } catch (error) {
    // No chapter to learn from is an answer here.
    if (error instanceof InvalidInputError) return [];
    throw error;
  }
}

function linesOf(label: string, items: readonly { text: string; count: number }[]): string[] {
  return items
    .slice(0, SHOWN)
    .map(({ text, count }) => `- ${label}: ${safe(text, 200)}${count > 1 ? ` (${count}×)` : ''}`);
}
