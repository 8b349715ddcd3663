/** Records made from other records: as open as their most private source, never more. */
import { sql } from 'drizzle-orm';
import {
  memoriesTable,
  type Reader,
  type RecordType,
  type Scope,
  type StoredRecord,
} from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import { type Caller, narrowestScope, scopeOf } from './access.js';
import type { MemoryContext } from './context.js';

/**
 * The record of this type whose list `field` names exactly these sources, as far as the caller may
 * read it: what was made once is not made again.
 */
export async function derivedBefore<Data>(
  { records }: Pick<MemoryContext, 'records'>,
  type: RecordType<Data>,
  field: 'memory_ids' | 'chapter_ids',
  ids: readonly Uuid[],
  reader: Reader,
): Promise<StoredRecord<Data> | undefined> {
  const named = sql`${memoriesTable.metadata}->'data'->${sql.raw(`'${field}'`)}`;
  const wanted = sql`${JSON.stringify(ids)}::jsonb`;
  const where = sql`(${named} @> ${wanted} and ${named} <@ ${wanted})`;
  const page = await records.list(type, reader, { limit: 1, where });
  return page.records[0];
}

export async function insertDerived<Data>(
  context: MemoryContext,
  type: RecordType<Data>,
  sources: readonly { scope: Scope }[],
  caller: Caller,
  data: Data,
): Promise<{ id: Uuid; createdAtMs: number; scope: Scope; data: Data }> {
  const { records, agentId, clock, ids } = context;
  const scope = narrowestScope(
    sources.map((source) => source.scope),
    scopeOf(caller, { projectId: records.projectId, agentId }),
  );
  const record = { id: ids.next(), createdAtMs: clock.now(), scope, data };
  await records.insert(type, [record]);
  return record;
}
