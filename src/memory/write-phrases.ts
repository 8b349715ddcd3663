/**
 * Adds `remind_when` to memories that were stored without it, with the agent's own model
 * (`CUE_SUMMARIES=model`): in the background, one at a time, each memory at most once.
 */
import { AppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { MemoryContext } from './context.js';
import { printId } from './ids.js';
import { workMemoryType } from './records.js';
import { LIMITS } from './schema.js';
import { updateMemory } from './update.js';

/** Memories that wait; those stored while so many wait get no phrases. */
const MOST_WAITING = 100;
/** What models put around a line of a list. */
const AROUND = /^\s*(?:[-*•]\s*|\d+[.)]\s*)?["“]?|["”]?\s*$/g;

export interface PhraseWriter {
  /** Adds phrases to this memory soon. */
  add(id: Uuid): void;
  /** Resolves when no memory waits. */
  settled(): Promise<void>;
}

/** @param phrases the model's answer, a phrase a line; rejects when the cost guard refuses the call */
export function createPhraseWriter(
  context: MemoryContext,
  phrases: (text: string) => Promise<string>,
): PhraseWriter {
  const { records, log } = context;
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();

  async function write(id: Uuid): Promise<void> {
    const [memory] = await records.get(workMemoryType, [id], { kind: 'operator' });
    if (!memory || memory.data.remind_when.length > 0) return;
    const remind_when = (await phrases(memory.text))
      .split('\n')
      .map((line) => line.replace(AROUND, '').trim())
      .filter((line) => line !== '' && line.length <= LIMITS.phraseChars)
      .slice(0, LIMITS.phrases);
    if (remind_when.length === 0) throw new AppError('UNAVAILABLE', 'the model gave no phrases');
    const change = { memory_id: id, revision: memory.revision, remind_when };
    await updateMemory(context, change, { kind: 'operator' });
  }

  return {
    add(id) {
      if (waiting >= MOST_WAITING) return;
      waiting += 1;
      last = last
        .then(() => write(id))
        .catch((error: unknown) => {
          const memory = printId('memory', id);
          log.warn({ memory, error: messageOf(error) }, 'no phrases written for the memory');
        })
        .finally(() => {
          waiting -= 1;
        });
    },
    settled: () => last,
  };
}
