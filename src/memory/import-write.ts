/** Records of an import on their way into the database, judged against what is there already. */
import type { RecordStore, RecordType, Scope, TransactionStore } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { type Caller, scopeOf } from './access.js';
import type { MemoryContext } from './context.js';
import type { Line, Rejected } from './import-check.js';
import { chapterType, memoryLinkType, wisdomType, workMemoryType } from './records.js';
import { insertPhrases } from './remind-when.js';
import { type ExportKind, type ExportLine, KINDS } from './transfer-format.js';

const TYPES: Readonly<Record<ExportKind, RecordType<unknown>>> = {
  memory: workMemoryType,
  link: memoryLinkType,
  chapter: chapterType,
  wisdom: wisdomType,
};
const NAMED: Readonly<Record<ExportKind, string>> = {
  memory: 'a memory',
  link: 'a link',
  chapter: 'a chapter',
  wisdom: 'wisdom',
};

/** Returns how many were new; what `renamed` learns is under which id a record is here. */
export async function insertBatch(
  context: MemoryContext,
  kind: ExportKind,
  batch: readonly Line[],
  caller: Caller,
  renamed: Map<Uuid, Uuid>,
  rejected: Rejected[],
): Promise<number> {
  if (batch.length === 0) return 0;
  const { records } = context;
  const rows = batch.map(({ record }) => rowOf(context, record, caller));
  const inserted = await insertRows(records, kind, rows);
  const rest = rows.filter(({ id }) => !inserted.has(id));
  if (rest.length === 0) return inserted.size;
  const known = await records.get(
    TYPES[kind],
    rest.map(({ id }) => id),
    { kind: 'operator' },
  );
  const own = new Set(known.map(({ id }) => id));
  const taken = await otherKindsOf(
    context,
    kind,
    rest.flatMap(({ id }) => (own.has(id) ? [] : [id])),
  );
  for (const { line, record } of batch) {
    const other = taken.get(record.id);
    if (other === undefined || inserted.has(record.id)) continue;
    rejected.push({ line, reason: `id: ${record.id} is that of ${NAMED[other]} here` });
  }
  // Ids are unique in the database: what another project has comes in under an id of its own here.
  const foreign = rest
    .filter(({ id }) => !own.has(id) && !taken.has(id))
    .map((row) => {
      const id = derivedId('imported', records.projectId, row.id);
      renamed.set(row.id, id);
      return { ...row, id };
    });
  return inserted.size + (await insertRows(records, kind, foreign)).size;
}

/** Returns the ids that were new. Memories come in with their phrases, or not at all. */
async function insertRows(
  records: RecordStore,
  kind: ExportKind,
  rows: readonly ReturnType<typeof rowOf>[],
): Promise<Set<Uuid>> {
  const insert = async (store: TransactionStore) => {
    const inserted = await store.insert(TYPES[kind], rows);
    const reminded = rows.flatMap(({ data, ...row }) =>
      'remind_when' in data && inserted.has(row.id) ? [{ ...row, data }] : [],
    );
    await insertPhrases(store, reminded);
    return inserted;
  };
  const hasPhrases = rows.some(({ data }) => 'remind_when' in data && data.remind_when.length > 0);
  return hasPhrases ? records.atomically(insert) : insert(records);
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

/** Which of the ids stand for another kind of record in this project. */
async function otherKindsOf(
  { records }: MemoryContext,
  kind: ExportKind,
  ids: readonly Uuid[],
): Promise<Map<Uuid, ExportKind>> {
  const taken = new Map<Uuid, ExportKind>();
  if (ids.length === 0) return taken;
  for (const other of KINDS) {
    if (other === kind) continue;
    const found = await records.get(TYPES[other], ids, { kind: 'operator' });
    for (const { id } of found) taken.set(id, other);
    await yieldToLoop();
  }
  return taken;
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
