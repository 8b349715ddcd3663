/** What happens in a series, drawn from the memories that stand: the same for ours and the host's. */

import type { Clock } from '../../src/shared/clock.js';
import { fileOf, inOtherWords, questions } from '../memory/questions.js';
import { timeAt } from '../memory/workload.js';

/** Drawn once, asked in turn. */
const DRAWN = 400;
const SMALL_TALK = [
  'thanks, that helps a lot',
  'good morning! did you sleep well?',
  'ok, one moment please',
  'what is the weather like in Lisbon?',
  'haha, very good',
];

export function happeningsOf(size: number) {
  const drawn = { size, count: Math.min(DRAWN, size) };
  return {
    file: questions('proactive files', drawn, ({ draft }) => fileOf(draft)),
    intent: questions('proactive intents', drawn, inOtherWords),
    /** What was done once, on its file, in other words. */
    action: questions('proactive actions', drawn, (one) => ({
      action: inOtherWords(one),
      filePath: fileOf(one.draft),
    })),
    task: questions('proactive tasks', drawn, (one) => ({
      task: one.draft.intent.goal,
      taskType: one.draft.intent.task_type,
      files: [fileOf(one.draft)],
      tags: one.draft.tags,
    })),
    about: questions('proactive messages', drawn, (one) => `please look at ${fileOf(one.draft)}`),
    wants: questions('proactive wants', drawn, (one) => `can you ${inOtherWords(one)}`),
    smallTalk: (index: number) => SMALL_TALK[index % SMALL_TALK.length] ?? '',
  };
}

/** The end of the half year in which the memories were made; it goes on from there. */
export function clockAfter(size: number): Clock {
  const endMs = timeAt(size, size);
  const from = performance.now();
  return { now: () => endMs + Math.round(performance.now() - from) };
}
