/** Chapters: narrative groups of memories, of given members or found by their tags. */
import { sql } from 'drizzle-orm';
import { z } from 'zod';
import {
  audienceOf,
  memoriesTable,
  type Reader,
  type RecordStore,
  type Scope,
  type StoredRecord,
  type Visibility,
} from '../records/index.js';
import type { LongWork } from '../shared/async.js';
import { yieldToLoop } from '../shared/async.js';
import { wrongField } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { authorOf, type Caller, readerOf } from './access.js';
import { clusterByTags, extractChapter } from './chapter-extract.js';
import { isoOf, type MemoryContext } from './context.js';
import { derivedBefore, insertDerived } from './derived.js';
import { printIn, resolveRef } from './ids.js';
import { cleaned, parseInput } from './input.js';
import { conditionOf, filterShape } from './list.js';
import { membersOfAll, rebuildChapter } from './rebuild.js';
import { chapterType, workMemoryType } from './records.js';
import { summarized } from './rewrite.js';
import { type ChapterData, LIMITS, type WorkMemoryData } from './schema.js';

export const titleSchema = z.string().trim().min(1, 'must not be empty').max(200).optional();

export const chapterRequestSchema = z.strictObject({
  title: titleSchema,
  /** Members; absent: groups are found by tags among all that the caller may read. */
  memory_ids: z.array(z.string()).min(1).max(LIMITS.refs).optional(),
  /** Fewest members of a group that is found. */
  min_memories: z.number().int().min(2).max(LIMITS.items).default(3),
  tags: filterShape.tags,
  session_id: filterShape.session_id,
  task_type: filterShape.task_type,
  since: filterShape.since,
  before: filterShape.before,
});

export const chapterListSchema = z.strictObject({
  limit: z.number().int().min(1).max(LIMITS.pageSize).default(20),
  cursor: z.string().optional(),
});

export interface ChapterView extends Omit<ChapterData, 'memory_ids'> {
  chapter_id: string;
  id: Uuid;
  created_at: string;
  visibility: Visibility;
  /** The first members in time, at most 100. */
  memory_ids: string[];
  /** All members that are there, shown or not. */
  memory_count: number;
}

export interface ChaptersResult {
  /** How many are new: a chapter of exactly the same memories is there once. */
  created: number;
  chapters: ChapterView[];
  /** Older memories are in no chapter either: ask again. */
  truncated?: true;
}

/** Memories without a chapter that groups are found among, the newest of them. */
const MAX_CLUSTERED = 10_000;
const MAX_CHAPTERS = 500;
const SHOWN_MEMBERS = 100;
/** Earlier versions kept a chapter all of whose memories were forgotten; the next forgetting removes it. */
const HAS_MEMBERS = sql`${memoriesTable.metadata}->'data'->'memory_ids' <> '[]'::jsonb`;

/** @throws InvalidInputError, NotFoundError for a member that is not there for the caller */
export async function createChapter(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
  { maxClustered = MAX_CLUSTERED, signal, onProgress }: LongWork & { maxClustered?: number } = {},
): Promise<ChaptersResult> {
  const request = parseInput(chapterRequestSchema, cleaned(input ?? {}).value);
  const reader = readerOf(caller);
  const { groups, truncated } = request.memory_ids
    ? {
        groups: [
          { title: request.title, members: await membersOf(context, request.memory_ids, reader) },
        ],
        truncated: false,
      }
    : await foundGroups(context, request, reader, maxClustered);
  const chapters: ChapterView[] = [];
  let created = 0;
  for (const [done, { title, members }] of groups.entries()) {
    if (signal?.aborted) break;
    onProgress?.(done, groups.length);
    const extract = extractChapter(members, title);
    const { memory_ids: ids } = extract;
    const before = await derivedBefore(context, chapterType, 'memory_ids', ids, reader);
    if (before) {
      chapters.push(chapterView(context.records, before));
      await yieldToLoop();
      continue;
    }
    const data: ChapterData = {
      ...extract,
      titled: request.title !== undefined,
      ...(await summarized(context, extract.summary)),
      agent_id: authorOf(caller, context.agentId),
    };
    const made = await insertDerived(context, chapterType, members, caller, data);
    // Forgotten while this was written: whoever forgot could not see this chapter yet.
    const left = await membersOfAll(context.records, [made], { kind: 'operator' });
    const kept = left.length === ids.length ? made : await rebuildChapter(context.records, made.id);
    if (kept) {
      chapters.push(chapterView(context.records, kept));
      created += 1;
    }
    await yieldToLoop();
  }
  if (groups.length > 0 && !signal?.aborted) onProgress?.(groups.length, groups.length);
  return { created, chapters, ...(truncated ? { truncated } : {}) };
}

/** Newest first. @throws InvalidInputError */
export async function listChapters(
  { records }: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<{ chapters: ChapterView[]; total: number; next_cursor: string | null }> {
  const { limit, cursor } = parseInput(chapterListSchema, input ?? {});
  const page = await records.list(chapterType, readerOf(caller), {
    limit,
    where: HAS_MEMBERS,
    ...(cursor === undefined ? {} : { cursor }),
  });
  return {
    chapters: page.records.map((chapter) => chapterView(records, chapter)),
    total: page.total,
    next_cursor: page.nextCursor,
  };
}

/** The newest chapters a reader may see that fit, newest first; `truncated`: there are more. */
export async function newestChapters(
  { records }: Pick<MemoryContext, 'records'>,
  reader: Reader,
  fits: (chapter: StoredRecord<ChapterData>) => boolean,
  most: number = MAX_CHAPTERS,
): Promise<{ chapters: StoredRecord<ChapterData>[]; truncated: boolean }> {
  const chapters: StoredRecord<ChapterData>[] = [];
  for await (const chunk of records.scan(chapterType, reader, { newestFirst: true })) {
    chapters.push(...chunk.filter((one) => one.data.memory_ids.length > 0 && fits(one)));
    if (chapters.length > most) break;
  }
  return { chapters: chapters.slice(0, most), truncated: chapters.length > most };
}

async function membersOf(
  { records }: MemoryContext,
  refs: readonly string[],
  reader: Reader,
): Promise<StoredRecord<WorkMemoryData>[]> {
  const ids = new Set<Uuid>();
  for (const [index, ref] of refs.entries()) {
    const field = `memory_ids.${index}`;
    ids.add(await resolveRef(records, 'memory', workMemoryType, ref, reader, field));
    await yieldToLoop();
  }
  const members = await records.get(workMemoryType, [...ids], reader);
  if (members.length > 0) return members;
  throw wrongField('memory_ids', 'names no memory');
}

/**
 * Groups of memories that stand in no chapter yet, the newest first. Different audiences are never mixed: a chapter
 * would have to hide itself from everybody.
 */
async function foundGroups(
  context: MemoryContext,
  request: z.output<typeof chapterRequestSchema>,
  reader: Reader,
  most: number,
): Promise<{
  groups: { title: string | undefined; members: StoredRecord<WorkMemoryData>[] }[];
  truncated: boolean;
}> {
  const { title, memory_ids: _none, min_memories, ...filter } = request;
  const taken = new Set<Uuid>();
  for await (const chunk of context.records.scan(chapterType, reader)) {
    for (const { data } of chunk) for (const id of data.memory_ids) taken.add(id);
  }
  const where = conditionOf(filter);
  const byAudience = new Map<string, StoredRecord<WorkMemoryData>[]>();
  let free = 0;
  const chunks = context.records.scan(workMemoryType, reader, {
    newestFirst: true,
    ...(where ? { where } : {}),
  });
  for await (const chunk of chunks) {
    for (const memory of chunk) {
      if (taken.has(memory.id)) continue;
      free += 1;
      if (free > most) break;
      const audience = audienceOf(memory.scope);
      const group = byAudience.get(audience);
      if (group) group.push(memory);
      else byAudience.set(audience, [memory]);
    }
    if (free > most) break;
  }
  const groups = [...byAudience.values()]
    .flatMap((memories) => clusterByTags(memories, min_memories))
    .map(({ tag, members }) => ({
      title: title === undefined ? tag : `${title}: ${tag}`,
      members,
    }));
  return { groups, truncated: free > most };
}

function chapterView(
  records: RecordStore,
  {
    id,
    createdAtMs,
    scope,
    data,
  }: { id: Uuid; createdAtMs: number; scope: Scope; data: ChapterData },
): ChapterView {
  return {
    chapter_id: printIn(records, 'chapter', id),
    id,
    created_at: isoOf(createdAtMs),
    visibility: scope.visibility,
    ...data,
    memory_ids: data.memory_ids
      .slice(0, SHOWN_MEMBERS)
      .map((memberId) => printIn(records, 'memory', memberId)),
    memory_count: data.memory_ids.length,
  };
}
