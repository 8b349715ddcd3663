/** Records of an import that name others: those must be there for the caller. */
import type { Scope } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import type { Uuid } from '../shared/ids.js';
import { type Caller, mayWrite, readerOf } from './access.js';
import type { MemoryContext } from './context.js';
import { namesIn } from './import-names.js';
import { workMemoryType } from './records.js';
import type { MemoryLinkData } from './schema.js';
import type { ExportLine } from './transfer-format.js';

export interface Line {
  /** Of the file, from 1. */
  line: number;
  record: ExportLine;
  /** What earlier versions made of it: they left `created_at` out of the id of a draft. */
  earlierId?: Uuid;
}

export interface Rejected {
  line: number;
  reason: string;
}

/** Ids named in a reason. */
const LISTED = 3;

/** Records whose sources are there; the others are rejected, and why. */
export async function withSources(
  context: MemoryContext,
  batch: readonly Line[],
  caller: Caller,
  rejected: Rejected[],
): Promise<Line[]> {
  const [first] = batch;
  switch (first?.record.kind) {
    case 'link':
      return withEnds(context, batch, caller, rejected);
    case 'chapter':
    case 'wisdom':
      return withMembers(context, batch, caller, rejected);
    default:
      return [...batch];
  }
}

async function withMembers(
  { records }: MemoryContext,
  batch: readonly Line[],
  caller: Caller,
  rejected: Rejected[],
): Promise<Line[]> {
  const good: Line[] = [];
  for (const item of batch) {
    const { type, ids } = namesIn(item.record);
    const found = type === null ? [] : await records.get(type, ids, readerOf(caller));
    const there = new Set(found.map(({ id }) => id));
    const gone = ids.filter((id) => !there.has(id));
    const field = item.record.kind === 'chapter' ? 'data.memory_ids' : 'data.chapter_ids';
    if (gone.length > 0) {
      const reason = `${field}: names what is not there: ${gone.slice(0, LISTED).join(', ')}`;
      rejected.push({ line: item.line, reason });
    } else if (ids.length === 0 && !isForgotten(item.record)) {
      const what = item.record.kind === 'chapter' ? 'memory' : 'chapter';
      rejected.push({ line: item.line, reason: `${field}: names no ${what}` });
    } else good.push(item);
    await yieldToLoop();
  }
  return good;
}

/** All of its memories were forgotten, and so it was exported. */
function isForgotten(record: ExportLine): boolean {
  return record.kind === 'chapter' && record.data.counts.forgotten > 0;
}

/** Links whose ends are there and one of them the caller's; the others are rejected, and why. */
async function withEnds(
  context: MemoryContext,
  batch: readonly Line[],
  caller: Caller,
  rejected: Rejected[],
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
