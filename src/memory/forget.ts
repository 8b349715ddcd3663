/**
 * Forgetting: shows what would go, then does it. Links of what is forgotten go too; chapters and
 * wisdom made from it are made anew from what remains, so that none of its words stays behind.
 */
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { RecordStore, RecordType, StoredRecord } from '../records/index.js';
import { AppError, InvalidInputError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { analyze, analyzeQuery } from '../shared/text.js';
import { yieldToLoop } from '../shared/yield.js';
import { type Caller, mayWrite, readerOf } from './access.js';
import { extractChapter } from './chapter-extract.js';
import { membersOfAll } from './chapters.js';
import { isoOf, type MemoryContext, scopeText } from './context.js';
import { edgesOf } from './graph.js';
import { printIn, resolveRef } from './ids.js';
import { parseInput } from './input.js';
import { conditionOf, filterShape } from './list.js';
import { chapterType, memoryLinkType, wisdomType, workMemoryType } from './records.js';
import { renderMemory } from './render.js';
import {
  type ChapterData,
  LIMITS,
  uuidSchema,
  type WisdomData,
  type WorkMemoryData,
} from './schema.js';
import { extractWisdom } from './wisdom-extract.js';

export const forgetRequestSchema = z.strictObject({
  memory_id: z.string().optional(),
  memory_ids: z.array(z.string()).min(1).max(LIMITS.refs).optional(),
  /** Memories that have every word of it. */
  query: z.string().trim().min(1).max(LIMITS.goalChars).optional(),
  /** Everything made with this person; in a conversation only oneself. */
  entity_id: uuidSchema.optional(),
  /** Everything the caller may change: must be said, it is the widest there is. */
  all: z.literal(true).optional(),
  ...filterShape,
  /** Only shows what would go. */
  dry_run: z.boolean().default(false),
});
type ForgetRequest = z.output<typeof forgetRequestSchema>;

export interface ForgetResult {
  dry_run: boolean;
  /** Memories that would go or are gone by this call; what another call took first is its own. */
  total: number;
  /** The first of them, for a person to read. */
  memories: { memory_id: string; content: string; created_at: string }[];
  /** Full ids, for the call that confirms; at most 1,000. */
  memory_ids: Uuid[];
  links: number;
  chapters: number;
  wisdom: number;
  /** Matching memories that the caller may read but not change; they stay. */
  kept: number;
}

const SHOWN = 20;
const BATCH = 50;
/** One call forgets at most this many; call again for more. */
const MAX_FORGOTTEN = 10_000;
const ATTEMPTS = 5;
const EVERYBODY = { kind: 'operator' } as const;

type Found = StoredRecord<WorkMemoryData>;

/**
 * @throws InvalidInputError when nothing says what to forget, NotFoundError, AppError
 * PERMISSION_DENIED when a memory named by its id is not the caller's to change
 */
export async function forget(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<ForgetResult> {
  const request = parseInput(forgetRequestSchema, input);
  const { mine, kept } = await matching(context, request, caller);
  const ids = mine.map(({ id }) => id);
  const linkIds = await linksOf(context, ids);
  const nowMs = context.clock.now();
  const derived = await derivedFrom(context, new Set(ids));
  const result: ForgetResult = {
    dry_run: request.dry_run,
    total: mine.length,
    memories: mine.slice(0, SHOWN).map(({ id, createdAtMs, data }) => {
      const memoryId = printIn(context.records, 'memory', id);
      return {
        memory_id: memoryId,
        content: renderMemory({ memoryId, createdAtMs, data }, 'summary', nowMs).text,
        created_at: isoOf(createdAtMs),
      };
    }),
    memory_ids: ids.slice(0, LIMITS.refs),
    links: linkIds.length,
    chapters: derived.chapters.length,
    wisdom: derived.wisdom.length,
    kept,
  };
  if (request.dry_run || ids.length === 0) return result;
  // First what was made from them: after a crash in between, asking again finds the rest.
  await rebuild(context, derived, new Set(ids));
  for (const batch of batches(linkIds)) {
    await context.records.remove(memoryLinkType, batch);
    await yieldToLoop();
  }
  let total = 0;
  for (const batch of batches(ids)) {
    total += await context.records.remove(workMemoryType, batch);
    await yieldToLoop();
  }
  return { ...result, total };
}

async function matching(
  context: MemoryContext,
  request: ForgetRequest,
  caller: Caller,
): Promise<{ mine: Found[]; kept: number }> {
  const { memory_id, memory_ids, query, entity_id, all, dry_run: _dry, ...filter } = request;
  const refs = [...(memory_ids ?? []), ...(memory_id === undefined ? [] : [memory_id])];
  if (refs.length > 0) return { mine: await named(context, refs, caller), kept: 0 };
  const conditions = conditionOf(filter);
  if (!all && query === undefined && entity_id === undefined && conditions === undefined) {
    const message = 'say what to forget: memory_ids, query, a filter, entity_id or all';
    throw new InvalidInputError([{ field: '(body)', message }]);
  }
  const terms = query === undefined ? null : analyzeQuery(query);
  if (terms?.length === 0) {
    throw new InvalidInputError([{ field: 'query', message: 'has no word to look for' }]);
  }
  // A person may only change what was made with them: no need to read the rest.
  const entityId = caller.kind === 'entity' ? caller.entityId : entity_id;
  if (entity_id !== undefined && entity_id !== entityId) {
    throw new AppError('PERMISSION_DENIED', 'only the operator may forget for another person');
  }
  const where = and(
    conditions,
    entityId === undefined ? undefined : eq(scopeText('entityId'), entityId),
  );
  const mine: Found[] = [];
  let kept = 0;
  const chunks = context.records.scan(workMemoryType, readerOf(caller), where ? { where } : {});
  for await (const chunk of chunks) {
    for (const memory of chunk) {
      if (terms && !hasWords(memory.text, terms)) continue;
      if (await mayWrite(caller, memory.scope, context.rule)) mine.push(memory);
      else kept += 1;
    }
    if (mine.length >= MAX_FORGOTTEN) break;
  }
  return { mine: mine.slice(0, MAX_FORGOTTEN), kept };
}

async function named(
  { records, rule }: MemoryContext,
  refs: readonly string[],
  caller: Caller,
): Promise<Found[]> {
  const reader = readerOf(caller);
  const ids = new Set<Uuid>();
  for (const ref of refs) {
    ids.add(await resolveRef(records, 'memory', workMemoryType, ref, reader, 'memory_ids'));
    await yieldToLoop();
  }
  const found = await records.get(workMemoryType, [...ids], reader);
  for (const { id, scope } of found) {
    if (await mayWrite(caller, scope, rule)) continue;
    const memory = printIn(records, 'memory', id);
    throw new AppError('PERMISSION_DENIED', `only its author may forget ${memory}`, { memory });
  }
  return found;
}

function hasWords(text: string, terms: readonly string[]): boolean {
  const words = new Set(analyze(text));
  return terms.every((term) => words.has(term));
}

async function linksOf(context: MemoryContext, ids: readonly Uuid[]): Promise<Uuid[]> {
  const found = new Set<Uuid>();
  for (const batch of batches(ids)) {
    for (const edge of await edgesOf(context, batch)) found.add(edge.id);
    await yieldToLoop();
  }
  return [...found];
}

/** Chapters with a forgotten member, and wisdom made from those chapters, whoever may read them. */
async function derivedFrom({ records }: MemoryContext, gone: ReadonlySet<Uuid>) {
  const chapters = [];
  const wisdom = [];
  if (gone.size > 0) {
    for await (const chunk of records.scan(chapterType, EVERYBODY)) {
      chapters.push(...chunk.filter(({ data }) => data.memory_ids.some((id) => gone.has(id))));
    }
  }
  const touched = new Set(chapters.map(({ id }) => id));
  if (touched.size > 0) {
    for await (const chunk of records.scan(wisdomType, EVERYBODY)) {
      wisdom.push(...chunk.filter(({ data }) => data.chapter_ids.some((id) => touched.has(id))));
    }
  }
  return { chapters, wisdom };
}

/** Counts stay, words go: each is made again from the members that are left. */
async function rebuild(
  { records }: MemoryContext,
  { chapters, wisdom }: Awaited<ReturnType<typeof derivedFrom>>,
  gone: ReadonlySet<Uuid>,
): Promise<void> {
  for (const { id } of chapters) {
    await again(records, chapterType, id, async (data): Promise<ChapterData> => {
      const rest = data.memory_ids.filter((member) => !gone.has(member));
      const members = await records.get(workMemoryType, rest, EVERYBODY);
      const title = data.titled ? data.title : members.length === 0 ? '(forgotten)' : undefined;
      const extract = extractChapter(members, title);
      const forgotten = data.counts.forgotten + data.memory_ids.length - rest.length;
      return {
        ...extract,
        summary_by: 'extractive',
        agent_id: data.agent_id,
        time_range: members.length === 0 ? data.time_range : extract.time_range,
        counts: { ...data.counts, forgotten },
      };
    });
    await yieldToLoop();
  }
  for (const { id } of wisdom) {
    await again(records, wisdomType, id, async (data): Promise<WisdomData | null> => {
      const sources = await records.get(chapterType, data.chapter_ids, EVERYBODY);
      if (sources.length === 0) return null;
      const members = await membersOfAll(records, sources, EVERYBODY);
      const left = members.filter((member) => !gone.has(member.id));
      const extract = extractWisdom(sources, left, data.titled ? data.title : undefined);
      return { ...extract, summary_by: 'extractive', agent_id: data.agent_id };
    });
    await yieldToLoop();
  }
}

/** Replaces a record by what `make` says (`null`: removes it), again if somebody else was faster. */
async function again<Data>(
  records: RecordStore,
  type: RecordType<Data>,
  id: Uuid,
  make: (data: Data) => Promise<Data | null>,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const [record] = await records.get(type, [id], EVERYBODY);
    if (!record) return;
    const data = await make(record.data);
    try {
      if (data === null) await records.remove(type, [id]);
      else await records.replace(type, id, record.revision, { data });
      return;
    } catch (error) {
      const overtaken = error instanceof AppError && error.code === 'CONFLICT';
      if (!overtaken || attempt === ATTEMPTS) throw error;
    }
  }
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
