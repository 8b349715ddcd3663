/** Records made from other records: as open as their most private source, never more. */
import type { RecordType, Scope } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import { type Caller, narrowestScope, scopeOf } from './access.js';
import type { MemoryContext } from './context.js';

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
