/** What chapters say together: what holds beyond one of them. Pure. */
import type { StoredRecord } from '../records/index.js';
import { extractChapter, listed, type Member, mergeCounted } from './chapter-extract.js';
import type { ChapterData, Counted, WisdomData } from './schema.js';

export type WisdomExtract = Omit<WisdomData, 'agent_id' | 'summary_by'>;
export type Source = Pick<StoredRecord<ChapterData>, 'id' | 'data'>;

/** Something that happened once is no pattern. */
const PATTERN_COUNT = 2;
const TITLE_TAGS = 3;

/**
 * `chapters` must not be empty; `members` are their memories, each once, however many chapters it
 * is in.
 */
export function extractWisdom(
  chapters: readonly Source[],
  members: readonly Member[],
  title?: string,
): WisdomExtract {
  const data = chapters.map((chapter) => chapter.data);
  const all = extractChapter(members);
  const tags = mergeCounted(
    data.flatMap((chapter) => chapter.tags.map((text) => ({ text, count: 1 }))),
  ).map(({ text }) => text);
  const extract = {
    insights: all.learnings,
    patterns: patternsOf(all),
    best_practices: all.practices,
    tags,
    chapter_ids: chapters.map(({ id }) => id),
    memory_count: members.length,
  };
  const named = tags.slice(0, TITLE_TAGS).join(', ') || data[0]?.title || 'work';
  return {
    title: title ?? `Wisdom: ${named}`,
    titled: title !== undefined,
    summary: summaryOf(extract),
    ...extract,
  };
}

function patternsOf(
  all: Pick<ChapterData, 'failures' | 'failure_categories' | 'files' | 'task_types'>,
): Counted[] {
  const often = (counts: Counted[], say: (text: string) => string): Counted[] =>
    counts
      .filter(({ count }) => count >= PATTERN_COUNT)
      .map(({ text, count }) => ({ text: say(text), count }));
  return [
    ...often(all.failures, (reason) => `Fails again: ${reason}`),
    ...often(all.failure_categories, (category) => `Failures of the kind ${category}`),
    ...often(all.files, (file) => `Work comes back to ${file}`),
    ...often(all.task_types, (type) => `Tasks of the kind ${type}`),
  ];
}

function summaryOf(
  extract: Pick<
    WisdomData,
    'insights' | 'patterns' | 'best_practices' | 'chapter_ids' | 'memory_count'
  >,
): string {
  const { insights, patterns, best_practices, chapter_ids, memory_count } = extract;
  const chapters = chapter_ids.length === 1 ? 'chapter' : 'chapters';
  const memories = memory_count === 1 ? 'memory' : 'memories';
  return [
    `From ${chapter_ids.length} ${chapters}, ${memory_count} ${memories}.`,
    ...(insights.length > 0 ? [`Insights: ${listed(insights)}.`] : []),
    ...(patterns.length > 0 ? [`Patterns: ${listed(patterns)}.`] : []),
    ...(best_practices.length > 0 ? [`Best practices: ${listed(best_practices)}.`] : []),
  ].join('\n');
}
