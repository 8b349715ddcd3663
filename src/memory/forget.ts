/**
 * Forgetting: shows what would go, then does it. What was made with a person is theirs to forget
 * wherever it was said: reading is bound to a room, forgetting is not. Links of what is forgotten
 * go too; chapters and wisdom made from it are made anew from what remains, so that none of its
 * words stays behind.
 */
import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import type { Reader, Scope, StoredRecord } from '../records/index.js';
import type { LongWork } from '../shared/async.js';
import { yieldToLoop } from '../shared/async.js';
import { AppError, NotFoundError, wrongField } from '../shared/errors.js';
import { isUuid, type Uuid } from '../shared/ids.js';
import { analyze, analyzeQuery } from '../shared/text.js';
import { type Caller, mayWrite, readerOf } from './access.js';
import { isoOf, type MemoryContext, scopeText } from './context.js';
import { edgesOf } from './graph.js';
import { printIn, resolveRef } from './ids.js';
import { parseInput } from './input.js';
import { conditionOf, filterShape } from './list.js';
import { rebuildChapter, rebuildWisdom } from './rebuild.js';
import { chapterType, memoryLinkType, wisdomType, workMemoryType } from './records.js';
import { phraseIds, remindWhenType, storedPhrases } from './remind-when.js';
import { renderMemory } from './render.js';
import { LIMITS, uuidSchema, type WorkMemoryData } from './schema.js';

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
  /** Ids that do not exist (any more) are skipped, so that one that is gone keeps no other. */
  missing_ok: z.boolean().default(false),
  /** Only shows what would go. */
  dry_run: z.boolean().default(false),
});
type ForgetRequest = z.output<typeof forgetRequestSchema>;

export interface ForgetResult {
  dry_run: boolean;
  /** Memories that would go or are gone by this call; what another call took first is its own. */
  total: number;
  /** The first of them, for a person to read; in a group only those that were said there. */
  memories: { memory_id: string; content: string; created_at: string }[];
  /** Of the total, those that a group may not read here: they were said in another room. */
  elsewhere: number;
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
  { onProgress = () => {} }: Pick<LongWork, 'onProgress'> = {},
): Promise<ForgetResult> {
  const request = parseInput(forgetRequestSchema, input);
  requireOneself(request.entity_id, caller);
  const { mine, kept } = await matching(context, request, caller);
  const ids = mine.map(({ id }) => id);
  const linkIds = await linksOf(context, ids);
  const nowMs = context.clock.now();
  const derived = await derivedFrom(context, new Set(ids));
  const shown = mine.filter(({ scope }) => mayShow(caller, scope));
  const result: ForgetResult = {
    dry_run: request.dry_run,
    total: mine.length,
    memories: shown.slice(0, SHOWN).map(({ id, createdAtMs, data }) => {
      const memoryId = printIn(context.records, 'memory', id);
      return {
        memory_id: memoryId,
        content: renderMemory({ memoryId, createdAtMs, data }, 'summary', nowMs).text,
        created_at: isoOf(createdAtMs),
      };
    }),
    elsewhere: mine.length - shown.length,
    memory_ids: ids.slice(0, LIMITS.refs),
    links: linkIds.length,
    chapters: derived.chapters.length,
    wisdom: derived.wisdom.length,
    kept,
  };
  if (request.dry_run) return result;
  // First what was made from them: after a crash in between, asking again finds the rest.
  await context.observer?.forgetting(ids, request.entity_id);
  if (ids.length === 0 && derived.chapters.length === 0) return result;
  const steps = linkIds.length + ids.length;
  let gone = 0;
  onProgress(gone, steps);
  await rebuild(context, derived, new Set(ids));
  for (const batch of batches(linkIds)) {
    await context.records.remove(memoryLinkType, batch);
    gone += batch.length;
    onProgress(gone, steps);
    await yieldToLoop();
  }
  for (const batch of batches(phrasesOf(context, mine))) {
    await context.records.remove(remindWhenType, batch);
    await yieldToLoop();
  }
  let total = 0;
  for (const batch of batches(ids)) {
    total += await context.records.remove(workMemoryType, batch);
    gone += batch.length;
    onProgress(gone, steps);
    await yieldToLoop();
  }
  // What was being made from them meanwhile: its maker may have looked before they were gone.
  const late = await derivedFrom(context, new Set(ids), derived.chapters);
  const known = new Set(derived.wisdom);
  const wisdom = late.wisdom.filter((id) => !known.has(id));
  await rebuild(context, { chapters: late.chapters, wisdom }, new Set(ids));
  return { ...result, total };
}

/** By what was read, and by what the catalog has learned since. */
function phrasesOf({ records }: MemoryContext, mine: readonly Found[]): Uuid[] {
  const read = mine.flatMap(({ id, data }) => phraseIds(id, data.remind_when));
  const known = storedPhrases(
    records.catalog,
    mine.map(({ id }) => id),
  );
  return [...new Set([...read, ...known])];
}

/** Before others the agent repeats nothing that was said to it elsewhere. */
function mayShow(caller: Caller, scope: Pick<Scope, 'roomId'>): boolean {
  return caller.kind !== 'entity' || caller.private || scope.roomId === caller.roomId;
}

/** Whatever else is named: what was offered to that person goes, too. */
function requireOneself(entityId: Uuid | undefined, caller: Caller): void {
  if (entityId === undefined || caller.kind === 'operator') return;
  if (caller.kind === 'entity' && caller.entityId === entityId) return;
  throw new AppError('PERMISSION_DENIED', 'only the operator may forget for another person');
}

async function matching(
  context: MemoryContext,
  request: ForgetRequest,
  caller: Caller,
): Promise<{ mine: Found[]; kept: number }> {
  const { memory_id, memory_ids, query, entity_id, all, ...rest } = request;
  const { dry_run: _dry, missing_ok, ...filter } = rest;
  const refs = [...(memory_ids ?? []), ...(memory_id === undefined ? [] : [memory_id])];
  if (refs.length > 0) return { mine: await named(context, refs, caller, missing_ok), kept: 0 };
  const conditions = conditionOf(filter);
  if (!all && query === undefined && entity_id === undefined && conditions === undefined) {
    const message =
      'say what to forget: memory_ids, query, a filter such as file, tags or before, or all';
    throw wrongField('(body)', message);
  }
  const terms = query === undefined ? null : analyzeQuery(query);
  if (terms?.length === 0) {
    throw wrongField('query', 'has no word to look for');
  }
  // A person may only change what was made with them: no need to read the rest.
  const entityId = caller.kind === 'entity' ? caller.entityId : entity_id;
  const where = and(
    conditions,
    entityId === undefined ? undefined : eq(scopeText('entityId'), entityId),
  );
  const mine: Found[] = [];
  let kept = 0;
  // A person's own is pinned by `where`, and theirs in rooms too that they cannot read from here.
  const eyes = caller.kind === 'entity' ? EVERYBODY : readerOf(caller);
  for await (const chunk of context.records.scan(workMemoryType, eyes, where ? { where } : {})) {
    const others: Uuid[] = [];
    for (const memory of chunk) {
      if (terms && !hasWords(memory.text, terms)) continue;
      if (await mayWrite(caller, memory.scope, context.rule)) mine.push(memory);
      else others.push(memory.id);
    }
    kept += await readableOf(context, others, caller);
    if (mine.length >= MAX_FORGOTTEN) break;
  }
  return { mine: mine.slice(0, MAX_FORGOTTEN), kept };
}

async function readableOf(
  { records }: MemoryContext,
  ids: readonly Uuid[],
  caller: Caller,
): Promise<number> {
  // Only a person's own were looked for with more than their own eyes.
  if (caller.kind !== 'entity') return ids.length;
  let count = 0;
  for (const batch of batches(ids)) {
    count += (await records.get(workMemoryType, batch, readerOf(caller))).length;
    await yieldToLoop();
  }
  return count;
}

/** What the references name, each once; what the caller can neither read nor forget is not there. */
async function named(
  context: MemoryContext,
  refs: readonly string[],
  caller: Caller,
  missingOk: boolean,
): Promise<Found[]> {
  const { records, rule } = context;
  const resolved: { ref: string; id: Uuid }[] = [];
  for (const ref of refs) {
    const id = await idOf(context, ref, caller);
    if (id !== null) resolved.push({ ref, id });
    else if (!missingOk) throw new NotFoundError('memory', ref);
  }
  const found = new Map<Uuid, Found>();
  for (const batch of batches([...new Set(resolved.map(({ id }) => id))])) {
    for (const memory of await records.get(workMemoryType, batch, readerOf(caller))) {
      if (!(await mayWrite(caller, memory.scope, rule))) {
        const name = printIn(records, 'memory', memory.id);
        throw new AppError('PERMISSION_DENIED', `only its author may forget ${name}`, {
          memory: name,
        });
      }
      found.set(memory.id, memory);
    }
    await yieldToLoop();
    if (caller.kind !== 'entity') continue;
    const unread = batch.filter((id) => !found.has(id));
    for (const memory of await records.get(workMemoryType, unread, EVERYBODY)) {
      if (await mayWrite(caller, memory.scope, rule)) found.set(memory.id, memory);
    }
    await yieldToLoop();
  }
  const missing = resolved.find(({ id }) => !found.has(id));
  if (missing && !missingOk) throw new NotFoundError('memory', missing.ref);
  return [...found.values()];
}

/**
 * A whole id is taken as it is; a short one means what the caller can read, else what is theirs
 * elsewhere. `null`: nothing, or nothing the caller may know of.
 */
async function idOf(
  { records, rule }: MemoryContext,
  ref: string,
  caller: Caller,
): Promise<Uuid | null> {
  const whole = ref.trim().toLowerCase();
  if (isUuid(whole)) return whole;
  const resolve = (reader: Reader) =>
    resolveRef(records, 'memory', workMemoryType, ref, reader, 'memory_ids');
  await yieldToLoop();
  try {
    return await resolve(readerOf(caller));
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error;
    if (caller.kind !== 'entity') return null;
  }
  try {
    const [memory] = await records.get(workMemoryType, [await resolve(EVERYBODY)], EVERYBODY);
    return memory && (await mayWrite(caller, memory.scope, rule)) ? memory.id : null;
  } catch (error) {
    // That several begin like this, of whomever, is not for the caller to know.
    if (error instanceof AppError && ['NOT_FOUND', 'INVALID_INPUT'].includes(error.code)) {
      return null;
    }
    throw error;
  }
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

/**
 * Chapters with a forgotten member, those that were left without any by earlier versions, and wisdom
 * made from those chapters or from `more`, whoever may read them.
 */
async function derivedFrom(
  { records }: MemoryContext,
  gone: ReadonlySet<Uuid>,
  more: readonly Uuid[] = [],
): Promise<{ chapters: Uuid[]; wisdom: Uuid[] }> {
  const chapters: Uuid[] = [];
  const wisdom: Uuid[] = [];
  for await (const chunk of records.scan(chapterType, EVERYBODY)) {
    for (const { id, data } of chunk) {
      const isTouched = data.memory_ids.some((member) => gone.has(member));
      if (isTouched || data.memory_ids.length === 0) chapters.push(id);
    }
  }
  const touched = new Set([...more, ...chapters]);
  if (touched.size > 0) {
    for await (const chunk of records.scan(wisdomType, EVERYBODY)) {
      for (const { id, data } of chunk) {
        if (data.chapter_ids.some((chapter) => touched.has(chapter))) wisdom.push(id);
      }
    }
  }
  return { chapters, wisdom };
}

async function rebuild(
  { records }: MemoryContext,
  { chapters, wisdom }: { chapters: readonly Uuid[]; wisdom: readonly Uuid[] },
  gone: ReadonlySet<Uuid>,
): Promise<void> {
  for (const id of chapters) {
    await rebuildChapter(records, id, gone);
    await yieldToLoop();
  }
  for (const id of wisdom) {
    await rebuildWisdom(records, id, gone);
    await yieldToLoop();
  }
}

function* batches<T>(items: readonly T[]): Generator<T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}
