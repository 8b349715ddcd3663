/**
 * What is asked in a series, made before its clock runs. Each question is about a memory drawn at
 * random, so that files and tags are asked for as often as memories have them.
 */
import type { RecallInput } from '../../src/memory/index.js';
import { draftAt, drawsOf, idAt, linksAt, someWord } from './workload.js';

export interface Drawn {
  /** Number of the memory. */
  index: number;
  draft: ReturnType<typeof draftAt>;
  random: () => number;
}

/** Questions about memories below `size`; `name` keeps two series apart. */
export function questions<Question>(
  name: string,
  { size, count }: { size: number; count: number },
  ask: (drawn: Drawn, place: number) => Question,
): (index: number) => Question {
  const random = drawsOf(name);
  const made = Array.from({ length: count }, (_, place) => {
    const index = Math.floor(random() * size);
    return ask({ index, draft: draftAt(index), random }, place);
  });
  return (index) => {
    const question = made[index % made.length];
    if (question === undefined) throw new Error('a series without questions');
    return question;
  };
}

/** By what is known exactly: a path, the end of one, a tag with a task type or an outcome. */
export function structural({ draft }: Drawn, place: number): RecallInput {
  const file = fileOf(draft);
  const [tag = ''] = draft.tags;
  switch (place % 4) {
    case 0:
      return { strategy: 'exact', file };
    case 1:
      return { strategy: 'exact', file: file.split('/').at(-1) ?? file };
    case 2:
      return { strategy: 'exact', tags: [tag], task_type: draft.intent.task_type };
    default:
      return {
        strategy: 'exact',
        tags: [tag],
        ...(draft.outcome.success ? { success_only: true } : { failures_only: true }),
      };
  }
}

/** A file it touched. */
export function fileOf({ actions }: Drawn['draft']): string {
  const [edit] = actions;
  return edit !== undefined && 'file_path' in edit.details ? edit.details.file_path : '';
}

/** How somebody would ask for it: half of its goal in another order, and two other words. */
export function inOtherWords({ draft, random }: Drawn): string {
  const kept = draft.intent.goal.split(' ').filter((_, place) => place % 2 === 0);
  return [...kept.reverse(), someWord(random), someWord(random)].join(' ');
}

/** Memories that came of another one, spread over all. */
export function chained(size: number, count: number): string[] {
  const random = drawsOf('causal');
  const found: string[] = [];
  for (let tries = 0; found.length < count && tries < 50 * count; tries += 1) {
    const index = Math.floor(random() * size);
    if (linksAt(index, size, idAt(0)).some(({ data }) => data.link_type === 'caused_by')) {
      found.push(idAt(index));
    }
  }
  return found;
}
