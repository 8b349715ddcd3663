/** Export and import of memories with their links, chapters and wisdom. */
import { z } from 'zod';
import type { RecordType, Scope, StoredRecord } from '../records/index.js';
import { InvalidInputError, isAppError } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import { authorOf, type Caller, mayWrite, readerOf, scopeOf } from './access.js';
import { isoOf, type MemoryContext } from './context.js';
import { filesOf, readDraft } from './draft.js';
import { readableOf } from './graph.js';
import { cleaned, isObject, parseInput, requireSize } from './input.js';
import { linkOf } from './link.js';
import { chapterType, memoryLinkType, wisdomType, workMemoryType } from './records.js';
import type { MemoryLinkData } from './schema.js';
import {
  documentOf,
  type ExportDocument,
  type ExportKind,
  type ExportLine,
  exportLineSchema,
  KINDS,
  type RawRecord,
  rawRecords,
} from './transfer-format.js';

export const exportRequestSchema = z.strictObject({
  format: z.enum(['json', 'jsonl']).default('json'),
});

export interface ExportResult {
  format: 'json' | 'jsonl';
  counts: Record<ExportKind, number>;
  /** The document (`json`), or one record a line (`jsonl`). */
  content: ExportDocument | string;
}

export interface ImportProgress {
  done: number;
  total: number;
}

export interface ImportResult {
  imported: number;
  /** Records whose id was there: the same import twice changes nothing. */
  skipped: number;
  rejected: { line: number; reason: string }[];
  /** Without a vector for now; they are found by their words. */
  degraded?: string;
}

interface Line {
  /** Of the file, from 1. */
  line: number;
  record: ExportLine;
}

const TYPES: Readonly<Record<ExportKind, RecordType<unknown>>> = {
  memory: workMemoryType,
  link: memoryLinkType,
  chapter: chapterType,
  wisdom: wisdomType,
};
const BATCH = 50;
/** Names looked up in one statement, each under two ids. */
const NAMES = 200;

/** Every readable record, a line each; links only between readable memories. */
export async function* exportLines(
  context: MemoryContext,
  caller: Caller,
): AsyncGenerator<ExportLine> {
  const reader = readerOf(caller);
  for await (const chunk of context.records.scan(workMemoryType, reader)) {
    for (const record of chunk) yield { kind: 'memory', ...placeOf(record), data: record.data };
  }
  for await (const chunk of context.records.scan(memoryLinkType, { kind: 'operator' })) {
    const ends = chunk.flatMap(({ data }) => [data.source_id, data.target_id]);
    const readable = await readableOf(context, [...new Set(ends)], reader);
    for (const record of chunk) {
      const { source_id, target_id } = record.data;
      if (!readable.has(source_id) || !readable.has(target_id)) continue;
      yield { kind: 'link', ...placeOf(record), data: record.data };
    }
  }
  for await (const chunk of context.records.scan(chapterType, reader)) {
    for (const record of chunk) yield { kind: 'chapter', ...placeOf(record), data: record.data };
  }
  for await (const chunk of context.records.scan(wisdomType, reader)) {
    for (const record of chunk) yield { kind: 'wisdom', ...placeOf(record), data: record.data };
  }
}

/** @throws InvalidInputError */
export async function exportMemories(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<ExportResult> {
  const { format } = parseInput(exportRequestSchema, input ?? {});
  const lines: ExportLine[] = [];
  for await (const line of exportLines(context, caller)) lines.push(line);
  const counts = { memory: 0, link: 0, chapter: 0, wisdom: 0 };
  for (const { kind } of lines) counts[kind] += 1;
  const content =
    format === 'jsonl'
      ? lines.map((line) => `${JSON.stringify(line)}\n`).join('')
      : documentOf(lines, isoOf(context.clock.now()));
  return { format, counts, content };
}

/**
 * Each record is judged alone: a bad one is reported with its line and reason and the others come
 * in. `input` is an export (document, list of records, or the text of either or of JSON lines), or
 * `{ content }` with one. Ids are kept, so that a second import of the same file is none. Vectors
 * are made in the background.
 * @throws InvalidInputError when there is nothing to import
 */
export async function importMemories(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
  onProgress: (progress: ImportProgress) => void = () => {},
): Promise<ImportResult> {
  const raw = rawRecords(isObject(input) && 'content' in input ? input.content : input);
  const rejected: ImportResult['rejected'] = [];
  const lines = new Map<ExportKind, Line[]>();
  const renamed = new Map<Uuid, Uuid>();
  for (const [index, item] of raw.entries()) {
    const read = readLine(context, item, caller);
    if (read.record === null) rejected.push({ line: item.line, reason: read.reason });
    else {
      const { record } = read;
      const known = lines.get(record.kind) ?? [];
      known.push({ line: item.line, record });
      lines.set(record.kind, known);
    }
    if (index % BATCH === BATCH - 1) await yieldToLoop();
  }
  let done = rejected.length;
  let imported = 0;
  let memories = 0;
  // Memories first: the links of what was rejected are rejected too.
  for (const kind of KINDS) {
    const ofKind = lines.get(kind) ?? [];
    for (let start = 0; start < ofKind.length; start += BATCH) {
      const part = ofKind.slice(start, start + BATCH);
      await learnNames(
        context,
        part.map(({ record }) => record),
        renamed,
      );
      const batch = part.map(({ line, record }) => ({
        line,
        record: withNames(context, record, renamed),
      }));
      const good = kind === 'link' ? await withEnds(context, batch, caller, rejected) : batch;
      const count = await insertBatch(context, kind, good, caller, renamed);
      imported += count;
      if (kind === 'memory') memories += count;
      done += batch.length;
      onProgress({ done, total: raw.length });
      await yieldToLoop();
    }
  }
  return {
    imported,
    skipped: raw.length - imported - rejected.length,
    rejected: rejected.sort((a, b) => a.line - b.line),
    ...(memories === 0
      ? {}
      : { degraded: `${memories} memories are embedded in the background; words find them now` }),
  };
}

function readLine(
  context: MemoryContext,
  { value, problem }: RawRecord,
  caller: Caller,
): { record: ExportLine } | { record: null; reason: string } {
  if (problem !== undefined) return { record: null, reason: problem };
  try {
    requireSize(value);
    const safe = cleaned(value).value;
    if (isObject(safe) && !('kind' in safe) && !('data' in safe)) {
      return { record: fromDraft(context, safe, caller) };
    }
    const record = parseInput(exportLineSchema, safe);
    if (record.kind !== 'memory') return { record };
    return { record: { ...record, data: { ...record.data, files: filesOf(record.data) } } };
  } catch (error) {
    if (isAppError(error)) return { record: null, reason: error.message };
    throw error;
  }
}

/** A memory written by hand: as `store` takes it. The same one twice is one. */
function fromDraft(
  context: MemoryContext,
  value: Record<string, unknown>,
  caller: Caller,
): ExportLine {
  const { created_at, id, ...rest } = value;
  const { links, visibility, ...draft } = readDraft(rest, context);
  if (links !== undefined) {
    throw new InvalidInputError([
      { field: 'links', message: 'of an import are records of their own (kind "link")' },
    ]);
  }
  return parseInput(exportLineSchema, {
    kind: 'memory',
    id: id ?? derivedId('imported', context.records.projectId, JSON.stringify(draft)),
    created_at: created_at ?? isoOf(context.clock.now()),
    visibility: visibility ?? 'project',
    data: { ...draft, files: filesOf(draft), agent_id: authorOf(caller, context.agentId) },
  });
}

/** Links whose ends are there and one of them the caller's; the others are rejected, and why. */
async function withEnds(
  context: MemoryContext,
  batch: readonly Line[],
  caller: Caller,
  rejected: ImportResult['rejected'],
): Promise<Line[]> {
  const ends = batch.flatMap(({ record }) =>
    record.kind === 'link' ? [record.data.source_id, record.data.target_id] : [],
  );
  const found = await context.records.get(workMemoryType, [...new Set(ends)], readerOf(caller));
  const there = new Map(found.map((memory) => [memory.id, memory.scope]));
  const good: Line[] = [];
  for (const item of batch) {
    if (item.record.kind !== 'link') continue;
    const reason = await linkProblem(context, item.record.data, there, caller);
    if (reason === null) good.push(item);
    else rejected.push({ line: item.line, reason });
  }
  return good;
}

async function linkProblem(
  { rule }: MemoryContext,
  { source_id, target_id }: MemoryLinkData,
  there: ReadonlyMap<Uuid, Scope>,
  caller: Caller,
): Promise<string | null> {
  if (source_id === target_id) return 'data.target_id: is the memory itself';
  const source = there.get(source_id);
  const target = there.get(target_id);
  if (!source || !target) {
    return `links a memory that is not there: ${source ? target_id : source_id}`;
  }
  const allowed = (await mayWrite(caller, source, rule)) || (await mayWrite(caller, target, rule));
  return allowed ? null : 'links two memories of others';
}

/** Returns how many were new. */
async function insertBatch(
  context: MemoryContext,
  kind: ExportKind,
  batch: readonly Line[],
  caller: Caller,
  renamed: Map<Uuid, Uuid>,
): Promise<number> {
  if (batch.length === 0) return 0;
  const { records } = context;
  const rows = batch.map(({ record }) => rowOf(context, record, caller));
  const inserted = await records.insert(TYPES[kind], rows);
  const rest = rows.filter(({ id }) => !inserted.has(id));
  if (rest.length === 0) return inserted.size;
  const known = await records.get(
    TYPES[kind],
    rest.map(({ id }) => id),
    { kind: 'operator' },
  );
  const own = new Set(known.map(({ id }) => id));
  // Ids are unique in the database: what another project has comes in under an id of its own here.
  const foreign = rest
    .filter(({ id }) => !own.has(id))
    .map((row) => {
      const id = derivedId('imported', records.projectId, row.id);
      renamed.set(row.id, id);
      return { ...row, id };
    });
  return inserted.size + (await records.insert(TYPES[kind], foreign)).size;
}

function rowOf(context: MemoryContext, record: ExportLine, caller: Caller) {
  const scope = importedScope(context, record, caller);
  const own = caller.kind === 'operator' ? {} : { agent_id: scope.authorId };
  return {
    id: record.id,
    createdAtMs: Date.parse(record.created_at),
    scope,
    data: { ...record.data, ...own },
  };
}

/**
 * What an earlier part of the same file brought in under an id of its own here, for the records of
 * this part that name it.
 */
async function learnNames(
  { records }: MemoryContext,
  batch: readonly ExportLine[],
  renamed: Map<Uuid, Uuid>,
): Promise<void> {
  const named = new Map<RecordType<unknown>, Set<Uuid>>();
  for (const record of batch) {
    const { type, ids } = namesIn(record);
    if (type !== null) named.set(type, new Set([...(named.get(type) ?? []), ...ids]));
  }
  for (const [type, ids] of named) {
    const unknown = [...ids].filter((id) => !renamed.has(id));
    for (let start = 0; start < unknown.length; start += NAMES) {
      const here = new Map(
        unknown
          .slice(start, start + NAMES)
          .map((id) => [derivedId('imported', records.projectId, id), id]),
      );
      const wanted = [...here].flat();
      const found = await records.get(type, wanted, { kind: 'operator' });
      const there = new Set(found.map(({ id }) => id));
      for (const [own, id] of here) if (there.has(own) && !there.has(id)) renamed.set(id, own);
      await yieldToLoop();
    }
  }
}

function namesIn(record: ExportLine): { type: RecordType<unknown> | null; ids: Uuid[] } {
  switch (record.kind) {
    case 'memory':
      return { type: null, ids: [] };
    case 'link':
      return { type: workMemoryType, ids: [record.data.source_id, record.data.target_id] };
    case 'chapter':
      return { type: workMemoryType, ids: record.data.memory_ids };
    case 'wisdom':
      return { type: chapterType, ids: record.data.chapter_ids };
  }
}

/** The record with the ids that its memories and chapters have here. */
function withNames(
  { records }: MemoryContext,
  record: ExportLine,
  renamed: ReadonlyMap<Uuid, Uuid>,
): ExportLine {
  const here = (id: Uuid) => renamed.get(id) ?? id;
  switch (record.kind) {
    case 'memory':
      return record;
    case 'link': {
      const { link_type: type, source_id, target_id, agent_id: agentId } = record.data;
      const edge = { source: here(source_id), target: here(target_id), type, agentId };
      return { ...record, ...linkOf(records.projectId, edge) };
    }
    case 'chapter': {
      const memory_ids = record.data.memory_ids.map(here);
      return { ...record, data: { ...record.data, memory_ids } };
    }
    case 'wisdom': {
      const chapter_ids = record.data.chapter_ids.map(here);
      return { ...record, data: { ...record.data, chapter_ids } };
    }
  }
}

/** Only an operator puts a record where it says it was; others import as themselves. */
function importedScope(context: MemoryContext, record: ExportLine, caller: Caller): Scope {
  const { projectId } = context.records;
  const own = scopeOf(caller, { projectId, agentId: context.agentId });
  if (caller.kind !== 'operator') return own;
  return {
    projectId,
    visibility: record.visibility,
    entityId: record.entity_id,
    roomId: record.room_id,
    authorId: record.author_id ?? own.authorId,
  };
}

function placeOf({ id, createdAtMs, scope }: StoredRecord<unknown>) {
  return {
    id,
    created_at: isoOf(createdAtMs),
    visibility: scope.visibility,
    entity_id: scope.entityId,
    room_id: scope.roomId,
    author_id: scope.authorId,
  };
}
