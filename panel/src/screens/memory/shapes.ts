/** What the screen of the memory is about: what is looked for, and what a memory is called. */
import type { MemoryView } from '../../../../src/index.js';

export type Outcome = 'all' | 'success' | 'failed';

export interface Filters {
  outcome: Outcome;
  /** Only what was captured by itself. */
  isCaptured: boolean;
  tag: string;
  file: string;
}

export const NO_FILTERS: Filters = { outcome: 'all', isCaptured: false, tag: '', file: '' };

/** As `GET /memories` has them. */
export function listQuery({ outcome, isCaptured, tag, file }: Filters) {
  return {
    ...(outcome === 'success' ? { success_only: true } : {}),
    ...(outcome === 'failed' ? { failures_only: true } : {}),
    ...(isCaptured ? { origin: 'captured' } : {}),
    ...(tag === '' ? {} : { tags: tag }),
    ...(file === '' ? {} : { file }),
  };
}

/** As the body of `POST /forget` has them. */
export function filterBody(filters: Filters) {
  const { tags, ...rest } = listQuery(filters) as ReturnType<typeof listQuery> & { tags?: string };
  return { ...rest, ...(tags === undefined ? {} : { tags: wordsOf(tags) }) };
}

/** Words between commas. */
export function wordsOf(text: string): string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

export function linesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** A line of a list, whether it was found by words or stands in the list of all. */
export interface Row {
  id: string;
  title: string;
  text: string;
  success: boolean;
  createdAt: string;
  isCaptured: boolean;
  tags: readonly string[];
  found?: { confidence: number; why: string };
}

export function rowOf(memory: MemoryView): Row {
  const { memory_id, intent, outcome, created_at, origin, tags } = memory;
  return {
    id: memory_id,
    title: intent.goal,
    text: outcome.success ? outcome.summary : (outcome.failure_reason ?? outcome.summary),
    success: outcome.success,
    createdAt: created_at,
    isCaptured: origin === 'captured',
    tags,
  };
}

/** Of two lines with a mark, as a recall and a trace print a memory. */
export function printedMemory(content: string): { title: string; text: string; success: boolean } {
  const [first = '', ...rest] = content.split('\n');
  return {
    title: first.replace(/^[✓✗]\s*/u, ''),
    text: rest.join(' '),
    success: !first.startsWith('✗'),
  };
}
