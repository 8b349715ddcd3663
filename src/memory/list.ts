/** Pages of memories, filtered and sorted in SQL; and one memory by its id. */
import { and, eq, gte, inArray, lt, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import { memoriesTable, type RecordPage } from '../records/index.js';
import { NotFoundError, wrongField } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { normalizePath } from '../shared/paths.js';
import { authorOf, type Caller, inSession, readerOf } from './access.js';
import { dataText, isoOf, type MemoryContext } from './context.js';
import { resolveRef } from './ids.js';
import { parseInput } from './input.js';
import { workMemoryType } from './records.js';
import {
  isoSchema,
  LIMITS,
  ORIGINS,
  sessionSchema,
  TASK_TYPES,
  tagsFilterSchema,
  uuidSchema,
} from './schema.js';
import { type MemoryView, viewsOf } from './view.js';

/** Filters that list and forget share; all of them must hold. */
export const filterShape = {
  agent_id: uuidSchema.optional(),
  session_id: sessionSchema.optional(),
  task_type: z.enum(TASK_TYPES).optional(),
  tags: tagsFilterSchema,
  /** Exact path or path suffix: `auth.ts` is not `oauth.ts`. */
  file: z.string().min(1).max(LIMITS.textBytes).optional(),
  success_only: z.boolean().optional(),
  failures_only: z.boolean().optional(),
  /** `captured`: made from a finished run by itself. */
  origin: z.enum(ORIGINS).optional(),
  /** Inclusive. */
  since: isoSchema.optional(),
  /** Exclusive. */
  before: isoSchema.optional(),
};
export const filterSchema = z.strictObject(filterShape);
export type MemoryFilter = z.output<typeof filterSchema>;

export const listRequestSchema = z.strictObject({
  ...filterShape,
  /** Only what the caller wrote; the default of a client with an identity (seed, `list`). */
  own: z.boolean().optional(),
  sort: z.enum(['recent', 'importance', 'access_count']).default('recent'),
  limit: z.number().int().min(1).max(LIMITS.pageSize).default(20),
  cursor: z.string().optional(),
});

export interface ListResult {
  memories: MemoryView[];
  /** All that match, not only this page. */
  total: number;
  next_cursor: string | null;
}

/** @throws InvalidInputError */
export async function list(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<ListResult> {
  const { sort, limit, cursor, own, ...filter } = parseInput(listRequestSchema, input ?? {});
  const reader = readerOf(caller);
  const hasIdentity = caller.kind === 'agent' && caller.identityId !== undefined;
  const onlyOwn = own ?? (hasIdentity && filter.agent_id === undefined);
  const authors = onlyOwn ? authorsOf(caller, context) : [];
  const where = and(
    conditionOf(filter),
    onlyOwn ? inArray(dataText('agent_id'), authors) : undefined,
  );
  const page: RecordPage & { where?: SQL; orderBy?: string } = {
    limit,
    ...(cursor === undefined ? {} : { cursor }),
    ...(where === undefined ? {} : { where }),
    ...(sort === 'recent' ? {} : { orderBy: sort }),
  };
  const { records, total, nextCursor } = await context.records.list(workMemoryType, reader, page);
  return { memories: await viewsOf(context, records, reader), total, next_cursor: nextCursor };
}

/** As whom a caller has written: as its identity, and as its session before it registered. */
function authorsOf(caller: Caller, { rule, agentId }: MemoryContext): Uuid[] {
  const session =
    caller.kind === 'agent' && caller.sessionId !== undefined
      ? [rule.ofSession(caller.sessionId)]
      : [];
  return [...new Set([authorOf(inSession(caller, rule), agentId), ...session])];
}

/** @throws InvalidInputError for an ambiguous or malformed reference, NotFoundError */
export async function get(
  context: MemoryContext,
  ref: string,
  caller: Caller,
  { counted = true }: { counted?: boolean } = {},
): Promise<MemoryView> {
  const reader = readerOf(caller);
  const { records } = context;
  const id = await resolveRef(records, 'memory', workMemoryType, ref, reader, 'memory_id');
  const [record] = await records.get(workMemoryType, [id], reader);
  if (!record) throw new NotFoundError('memory', ref);
  const [memory] = await viewsOf(context, [record], reader);
  if (!memory) throw new NotFoundError('memory', ref);
  if (!counted) return memory;
  await records.touch(workMemoryType, [id], {
    add: { access_count: 1 },
    set: { last_accessed: isoOf(context.clock.now()) },
  });
  context.observer?.used({ how: 'recalled', ids: [id], caller });
  return memory;
}

/** The filter in SQL. @throws InvalidInputError for a path that is none, or a contradiction */
export function conditionOf(filter: MemoryFilter): SQL | undefined {
  if (filter.success_only && filter.failures_only) {
    throw wrongField('failures_only', 'excludes success_only: choose one');
  }
  const path = filter.file === undefined ? undefined : pathOf(filter.file);
  return and(
    filter.agent_id === undefined ? undefined : eq(dataText('agent_id'), filter.agent_id),
    filter.session_id === undefined ? undefined : eq(dataText('session_id'), filter.session_id),
    filter.task_type === undefined
      ? undefined
      : sql`${memoriesTable.metadata}->'data'->'intent'->>'task_type' = ${filter.task_type}`,
    ...(filter.tags ?? []).map(hasTag),
    path === undefined ? undefined : hasFile(path),
    filter.success_only ? succeeded(true) : undefined,
    filter.failures_only ? succeeded(false) : undefined,
    filter.origin === undefined
      ? undefined
      : sql`coalesce(${dataText('origin')}, 'told') = ${filter.origin}`,
    filter.since === undefined ? undefined : gte(memoriesTable.createdAt, new Date(filter.since)),
    filter.before === undefined ? undefined : lt(memoriesTable.createdAt, new Date(filter.before)),
  );
}

function pathOf(file: string): string {
  const read = normalizePath(file);
  if ('path' in read) return read.path.toLowerCase();
  throw wrongField('file', read.finding);
}

function hasTag(tag: string): SQL {
  return sql`exists (select 1 from jsonb_array_elements_text(${memoriesTable.metadata}->'data'->'tags') as t(tag) where lower(ltrim(t.tag, '# ')) = ${tag.toLowerCase()})`;
}

function hasFile(path: string): SQL {
  const suffix = `/${path}`;
  return sql`exists (select 1 from jsonb_array_elements_text(${memoriesTable.metadata}->'data'->'files') as f(path) where lower(f.path) = ${path} or right(lower(f.path), ${suffix.length}) = ${suffix})`;
}

function succeeded(success: boolean): SQL {
  return sql`${memoriesTable.metadata}->'data'->'outcome'->>'success' = ${String(success)}`;
}
