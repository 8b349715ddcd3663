/** Wisdom: what several chapters taught, kept as an entry of its own and found by its words. */
import { z } from 'zod';
import { audienceOf, type Scope, type StoredRecord, type Visibility } from '../records/index.js';
import type { LongWork } from '../shared/async.js';
import { yieldToLoop } from '../shared/async.js';
import { wrongField } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { analyze, analyzeQuery } from '../shared/text.js';
import { authorOf, type Caller, readerOf } from './access.js';
import { newestChapters, titleSchema } from './chapters.js';
import { isoOf, type MemoryContext } from './context.js';
import { derivedBefore, insertDerived } from './derived.js';
import { printId, resolveRef } from './ids.js';
import { cleaned, parseInput } from './input.js';
import { membersOfAll, rebuildWisdom } from './rebuild.js';
import { chapterType, wisdomType } from './records.js';
import { summarized } from './rewrite.js';
import { type ChapterData, LIMITS, tagsFilterSchema, type WisdomData } from './schema.js';
import { extractWisdom } from './wisdom-extract.js';

export const synthesizeRequestSchema = z.strictObject({
  title: titleSchema,
  /** Chapters to learn from; absent: all that the caller may read (and that have all of `tags`). */
  chapter_ids: z.array(z.string()).min(1).max(LIMITS.items).optional(),
  tags: tagsFilterSchema,
});

export const wisdomRequestSchema = z.strictObject({
  query: z.string().max(LIMITS.goalChars).optional(),
  tags: tagsFilterSchema,
  limit: z.number().int().min(1).max(LIMITS.pageSize).default(5),
});

export interface WisdomView extends Omit<WisdomData, 'chapter_ids'> {
  wisdom_id: string;
  id: Uuid;
  created_at: string;
  visibility: Visibility;
  chapter_ids: string[];
}

export interface SynthesisResult {
  created: number;
  wisdom: WisdomView[];
  /** Only the newest chapters were learned from. */
  truncated?: true;
}

export interface FoundWisdom {
  wisdom: WisdomView[];
  total: number;
  /** Only the newest entries were looked at. */
  truncated?: true;
}

/** Entries ranked by a query, the newest of those that fit. */
const MAX_SCANNED = 2_000;

/**
 * Wisdom of exactly the same chapters is there once: `created` counts what is new.
 * @throws InvalidInputError when there is no chapter to learn from, NotFoundError
 */
export async function synthesize(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
  { maxChapters, signal, onProgress }: LongWork & { maxChapters?: number } = {},
): Promise<SynthesisResult> {
  const request = parseInput(synthesizeRequestSchema, cleaned(input ?? {}).value);
  const reader = readerOf(caller);
  const { chapters: sources, truncated } = request.chapter_ids
    ? { chapters: await chaptersOf(context, request.chapter_ids, caller), truncated: false }
    : await newestChapters(
        context,
        reader,
        ({ data }) => hasTags(data.tags, request.tags),
        maxChapters,
      );
  const groups = request.chapter_ids ? [sources] : byAudience(sources);
  if (groups.length === 0) {
    throw wrongField('chapter_ids', 'there is no chapter yet; create one first');
  }
  const wisdom: WisdomView[] = [];
  let created = 0;
  for (const [done, chapters] of groups.entries()) {
    if (signal?.aborted) break;
    onProgress?.(done, groups.length);
    const ids = chapters.map(({ id }) => id);
    const before = await derivedBefore(context, wisdomType, 'chapter_ids', ids, reader);
    if (before) {
      wisdom.push(wisdomView(before));
      await yieldToLoop();
      continue;
    }
    const members = await membersOfAll(context.records, chapters, reader);
    const extract = extractWisdom(chapters, members, request.title);
    const data: WisdomData = {
      ...extract,
      ...(await summarized(context, extract.summary)),
      agent_id: authorOf(caller, context.agentId),
    };
    const made = await insertDerived(context, wisdomType, [...chapters, ...members], caller, data);
    const kept = (await stillThere(context, chapters, members))
      ? made
      : await rebuildWisdom(context.records, made.id);
    if (kept) {
      wisdom.push(wisdomView(kept));
      created += 1;
    }
    await yieldToLoop();
  }
  if (groups.length > 0 && !signal?.aborted) onProgress?.(groups.length, groups.length);
  return { created, wisdom, ...(truncated ? { truncated } : {}) };
}

/** By the words of the query, best first; without one the newest. @throws InvalidInputError */
export async function recallWisdom(
  { records }: MemoryContext,
  input: unknown,
  caller: Caller,
  maxScanned: number = MAX_SCANNED,
): Promise<FoundWisdom> {
  const { query, tags, limit } = parseInput(wisdomRequestSchema, input ?? {});
  const entries: StoredRecord<WisdomData>[] = [];
  for await (const chunk of records.scan(wisdomType, readerOf(caller), { newestFirst: true })) {
    entries.push(...chunk.filter(({ data }) => hasTags(data.tags, tags)));
    if (entries.length > maxScanned) break;
  }
  const truncated = entries.length > maxScanned;
  const terms = new Set(query === undefined ? [] : analyzeQuery(query));
  const scored = entries
    .slice(0, maxScanned)
    .map((entry) => ({ entry, score: scoreOf(entry.data, terms) }))
    .filter(({ score }) => query === undefined || score > 0)
    .sort(
      (a, b) =>
        b.score - a.score ||
        b.entry.createdAtMs - a.entry.createdAtMs ||
        (a.entry.id < b.entry.id ? -1 : 1),
    );
  return {
    wisdom: scored.slice(0, limit).map(({ entry }) => wisdomView(entry)),
    total: scored.length,
    ...(truncated ? { truncated } : {}),
  };
}

/** Nothing was forgotten while the wisdom was written: who forgets cannot see it before. */
async function stillThere(
  { records }: MemoryContext,
  chapters: readonly StoredRecord<ChapterData>[],
  members: readonly { id: Uuid }[],
): Promise<boolean> {
  const reader = { kind: 'operator' } as const;
  const named = chapters.map(({ id }) => id);
  if ((await records.get(chapterType, named, reader)).length < named.length) return false;
  await yieldToLoop();
  const memory_ids = members.map(({ id }) => id);
  const left = await membersOfAll(records, [{ data: { memory_ids } }], reader);
  return left.length === members.length;
}

async function chaptersOf(
  { records }: MemoryContext,
  refs: readonly string[],
  caller: Caller,
): Promise<StoredRecord<ChapterData>[]> {
  const reader = readerOf(caller);
  const ids = new Set<Uuid>();
  for (const [index, ref] of refs.entries()) {
    ids.add(await resolveRef(records, 'chapter', chapterType, ref, reader, `chapter_ids.${index}`));
    await yieldToLoop();
  }
  return records.get(chapterType, [...ids], reader);
}

function byAudience(chapters: StoredRecord<ChapterData>[]): StoredRecord<ChapterData>[][] {
  const groups = new Map<string, StoredRecord<ChapterData>[]>();
  for (const chapter of chapters) {
    const audience = audienceOf(chapter.scope);
    groups.set(audience, [...(groups.get(audience) ?? []), chapter]);
  }
  return [...groups.values()];
}

function hasTags(have: readonly string[], wanted: readonly string[] | undefined): boolean {
  const tags = new Set(have.map((tag) => tag.toLowerCase()));
  return (wanted ?? []).every((tag) => tags.has(tag.toLowerCase()));
}

/** Share of the query's words that the entry has; a word of title or tags counts double. */
function scoreOf(data: WisdomData, terms: ReadonlySet<string>): number {
  if (terms.size === 0) return 0;
  const heading = new Set(analyze([data.title, ...data.tags].join(' ')));
  const counted = [...data.insights, ...data.patterns, ...data.best_practices];
  const body = new Set(analyze([data.summary, ...counted.map(({ text }) => text)].join('\n')));
  let score = 0;
  for (const term of terms) score += heading.has(term) ? 2 : body.has(term) ? 1 : 0;
  return score / (2 * terms.size);
}

function wisdomView({
  id,
  createdAtMs,
  scope,
  data,
}: {
  id: Uuid;
  createdAtMs: number;
  scope: Scope;
  data: WisdomData;
}): WisdomView {
  return {
    wisdom_id: printId('wisdom', id),
    id,
    created_at: isoOf(createdAtMs),
    visibility: scope.visibility,
    ...data,
    chapter_ids: data.chapter_ids.map((chapterId) => printId('chapter', chapterId)),
  };
}
