/**
 * What a group of memories says together, without a model: learnings counted and ranked, failures
 * with their reasons, files touched, time range. Pure; what it says depends on its members alone.
 */
import type { StoredRecord } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import { analyze } from '../shared/text.js';
import { isoOf } from './context.js';
import type { ChapterData, Counted, WorkMemoryData } from './schema.js';

export type Member = Pick<StoredRecord<WorkMemoryData>, 'id' | 'createdAtMs' | 'data'>;
export type ChapterExtract = Omit<ChapterData, 'agent_id' | 'summary_by'>;

/** Entries of one ranked list; what came up least is left out. */
const KEPT = 20;
const SHOWN = 3;
const TITLE_CHARS = 120;

/** `members` must not be empty. */
export function extractChapter(members: readonly Member[], title?: string): ChapterExtract {
  const inTime = [...members].sort(
    (a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1),
  );
  const data = inTime.map((member) => member.data);
  const failed = data.filter(({ outcome }) => !outcome.success);
  const tags = ranked(data.map((memory) => memory.tags)).map(({ text }) => text);
  const files = ranked(data.map((memory) => memory.files));
  const from = isoOf(inTime[0]?.createdAtMs ?? 0);
  const to = isoOf(inTime.at(-1)?.createdAtMs ?? 0);
  const extract = {
    learnings: ranked(data.map(({ outcome }) => outcome.learnings)),
    practices: ranked(data.map(({ outcome }) => (outcome.success ? outcome.learnings : []))),
    failures: ranked(failed.map(({ outcome }) => [outcome.failure_reason ?? outcome.summary])),
    failure_categories: ranked(
      failed.map(({ outcome: { failure_category: kind } }) => (kind === undefined ? [] : [kind])),
    ),
    files,
    task_types: ranked(data.map(({ intent }) => [intent.task_type])),
    tags: tags.slice(0, KEPT),
    memory_ids: inTime.map(({ id }) => id),
    counts: {
      memories: data.length,
      succeeded: data.length - failed.length,
      failed: failed.length,
      forgotten: 0,
    },
    time_range: { from, to },
  };
  return {
    title: title ?? titleOf(tags, files, data),
    titled: title !== undefined,
    summary: summaryOf(extract),
    ...extract,
  };
}

/**
 * In how many of the lists each text (by its words) is, most frequent first, then as first seen: a
 * memory that says a thing twice has said it.
 */
function ranked(lists: readonly (readonly string[])[]): Counted[] {
  return mergeCounted(
    lists.flatMap((texts) => {
      const distinct = new Map<string, string>();
      for (const text of texts) if (!distinct.has(keyOf(text))) distinct.set(keyOf(text), text);
      return [...distinct.values()].map((text) => ({ text, count: 1 }));
    }),
  );
}

/** What was counted already, the same texts together, most frequent first, then as first seen. */
export function mergeCounted(counts: readonly Counted[]): Counted[] {
  const merged = new Map<string, Counted>();
  for (const { text, count } of counts) {
    const key = keyOf(text);
    const known = merged.get(key);
    merged.set(key, { text: known?.text ?? text, count: (known?.count ?? 0) + count });
  }
  return [...merged.values()].sort((a, b) => b.count - a.count).slice(0, KEPT);
}

/** Case, punctuation and inflection do not make another learning; other numbers do. */
function keyOf(text: string): string {
  const negated = /\b(?:not|no|never|without|don't|doesn't|avoid)\b/i.test(text) ? 'not ' : '';
  return negated + (analyze(text).join(' ') || text.trim().toLowerCase());
}

/** `X (3×); Y`, the first few of a ranked list. */
export function listed(counts: readonly Counted[]): string {
  return counts
    .slice(0, SHOWN)
    .map(({ text, count }) => (count > 1 ? `${text} (${count}×)` : text))
    .join('; ');
}

function titleOf(tags: string[], files: Counted[], data: readonly WorkMemoryData[]): string {
  const [tag] = tags;
  if (tag !== undefined) return tag;
  const [file] = files;
  if (file && file.count > 1) return file.text;
  return (data[0]?.intent.goal ?? '').slice(0, TITLE_CHARS);
}

export function summaryOf(
  extract: Pick<ChapterData, 'counts' | 'time_range' | 'learnings' | 'failures' | 'files'>,
): string {
  const { counts, time_range, learnings, failures, files } = extract;
  const days = [time_range.from.slice(0, 10), time_range.to.slice(0, 10)];
  const when = days[0] === days[1] ? `on ${days[0]}` : `from ${days[0]} to ${days[1]}`;
  const noun = counts.memories === 1 ? 'memory' : 'memories';
  return [
    `${counts.memories} ${noun} ${when}: ${counts.succeeded} succeeded, ${counts.failed} failed.`,
    ...(learnings.length > 0 ? [`Learned: ${listed(learnings)}.`] : []),
    ...(failures.length > 0 ? [`Failed because: ${listed(failures)}.`] : []),
    ...(files.length > 0 ? [`Files: ${listed(files)}.`] : []),
  ].join('\n');
}

/**
 * Groups by tag, the largest first, of equal ones the first by name; a memory is in one group only
 * and a group has at least `minMembers`. Memories without such a tag are left out.
 *
 * Linear in the tags of all memories: a group only ever shrinks, so tags wait in buckets by size and
 * one that has shrunk by its turn moves down.
 */
export function clusterByTags<M extends { id: Uuid; data: Pick<WorkMemoryData, 'tags'> }>(
  memories: readonly M[],
  minMembers: number,
): { tag: string; members: M[] }[] {
  const tagsOf = memories.map(({ data }) => new Set(data.tags.map((tag) => tag.toLowerCase())));
  const byTag = new Map<string, number[]>();
  for (const [index, tags] of tagsOf.entries()) {
    for (const tag of tags) {
      const group = byTag.get(tag);
      if (group) group.push(index);
      else byTag.set(tag, [index]);
    }
  }
  const sizes = new Map<string, number>();
  const buckets: string[][] = [];
  const wait = (tag: string, size: number) => {
    const bucket = buckets[size];
    if (bucket) bucket.push(tag);
    else buckets[size] = [tag];
  };
  for (const [tag, { length }] of byTag) {
    sizes.set(tag, length);
    wait(tag, length);
  }
  const taken = new Set<number>();
  const clusters: { tag: string; members: M[] }[] = [];
  for (let size = buckets.length - 1; size >= Math.max(minMembers, 1); size -= 1) {
    for (const tag of (buckets[size] ?? []).sort()) {
      const left = sizes.get(tag) ?? 0;
      if (left < size) {
        wait(tag, left);
        continue;
      }
      const members: M[] = [];
      for (const index of byTag.get(tag) ?? []) {
        const member = memories[index];
        if (member === undefined || taken.has(index)) continue;
        taken.add(index);
        members.push(member);
        for (const other of tagsOf[index] ?? []) sizes.set(other, (sizes.get(other) ?? 0) - 1);
      }
      clusters.push({ tag, members });
    }
  }
  return clusters;
}
