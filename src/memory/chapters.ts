/** Chapters: narrative groups of memories, of given members or found by their tags. */
import { z } from 'zod';
import {
  audienceOf,
  type Reader,
  type RecordStore,
  type Scope,
  type StoredRecord,
  type Visibility,
} from '../records/index.js';
import { InvalidInputError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import { authorOf, type Caller, readerOf } from './access.js';
import { clusterByTags, extractChapter } from './chapter-extract.js';
import { isoOf, type MemoryContext } from './context.js';
import { derivedBefore, insertDerived } from './derived.js';
import { printIn, resolveRef } from './ids.js';
import { cleaned, parseInput } from './input.js';
import { conditionOf, filterShape } from './list.js';
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
  memory_ids: string[];
}

export interface ChaptersResult {
  /** How many are new: a chapter of exactly the same memories is there once. */
  created: number;
  chapters: ChapterView[];
}

/** Memories looked at when groups are found, newest first to go. */
const MAX_CLUSTERED = 10_000;
const MAX_CHAPTERS = 500;
/** Members read in one statement. */
const LOADED = 200;

/** @throws InvalidInputError, NotFoundError for a member that is not there for the caller */
export async function createChapter(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<ChaptersResult> {
  const request = parseInput(chapterRequestSchema, cleaned(input ?? {}).value);
  const reader = readerOf(caller);
  const groups = request.memory_ids
    ? [{ title: request.title, members: await membersOf(context, request.memory_ids, reader) }]
    : await foundGroups(context, request, reader);
  const chapters: ChapterView[] = [];
  let created = 0;
  for (const { title, members } of groups) {
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
    chapters.push(chapterView(context.records, made));
    created += 1;
    await yieldToLoop();
  }
  return { created, chapters };
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
    ...(cursor === undefined ? {} : { cursor }),
  });
  return {
    chapters: page.records.map((chapter) => chapterView(records, chapter)),
    total: page.total,
    next_cursor: page.nextCursor,
  };
}

/** All chapters a reader may see, newest first, up to a bound. */
export async function allChapters(
  { records }: Pick<MemoryContext, 'records'>,
  reader: Reader,
): Promise<StoredRecord<ChapterData>[]> {
  const found: StoredRecord<ChapterData>[] = [];
  for await (const chunk of records.scan(chapterType, reader)) {
    found.push(...chunk);
    if (found.length >= MAX_CHAPTERS) break;
  }
  return found;
}

/** The memories of several chapters, each once, as far as the reader may see them. */
export async function membersOfAll(
  records: RecordStore,
  chapters: readonly { data: Pick<ChapterData, 'memory_ids'> }[],
  reader: Reader,
): Promise<StoredRecord<WorkMemoryData>[]> {
  const ids = [...new Set(chapters.flatMap(({ data }) => data.memory_ids))];
  const members: StoredRecord<WorkMemoryData>[] = [];
  for (let start = 0; start < ids.length; start += LOADED) {
    const part = ids.slice(start, start + LOADED);
    members.push(...(await records.get(workMemoryType, part, reader)));
    await yieldToLoop();
  }
  return members;
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
  throw new InvalidInputError([{ field: 'memory_ids', message: 'names no memory' }]);
}

/**
 * Groups of memories that stand in no chapter yet. Different audiences are never mixed: a chapter
 * would have to hide itself from everybody.
 */
async function foundGroups(
  context: MemoryContext,
  request: z.output<typeof chapterRequestSchema>,
  reader: Reader,
): Promise<{ title: string | undefined; members: StoredRecord<WorkMemoryData>[] }[]> {
  const { title, memory_ids: _none, min_memories, ...filter } = request;
  const taken = new Set(
    (await allChapters(context, reader)).flatMap(({ data }) => data.memory_ids),
  );
  const where = conditionOf(filter);
  const byAudience = new Map<string, StoredRecord<WorkMemoryData>[]>();
  let seen = 0;
  const chunks = context.records.scan(workMemoryType, reader, where ? { where } : {});
  for await (const chunk of chunks) {
    for (const memory of chunk) {
      if (taken.has(memory.id)) continue;
      const audience = audienceOf(memory.scope);
      const group = byAudience.get(audience);
      if (group) group.push(memory);
      else byAudience.set(audience, [memory]);
    }
    seen += chunk.length;
    if (seen >= MAX_CLUSTERED) break;
  }
  return [...byAudience.values()]
    .flatMap((memories) => clusterByTags(memories, min_memories))
    .map(({ tag, members }) => ({
      title: title === undefined ? tag : `${title}: ${tag}`,
      members,
    }));
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
    memory_ids: data.memory_ids.map((memberId) => printIn(records, 'memory', memberId)),
  };
}
