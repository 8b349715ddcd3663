/** A stored memory as callers see it: its data with printed id, times, revision and links. */
import type { Reader, RecordStore, StoredRecord, Visibility } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import { isoOf, type MemoryContext } from './context.js';
import { countedLinks } from './graph.js';
import { printIn } from './ids.js';
import type { ShownLinks } from './render.js';
import type { WorkMemoryData } from './schema.js';

export interface MemoryView extends WorkMemoryData {
  /** `mem_…`; the full UUID is `id`. */
  memory_id: string;
  id: Uuid;
  created_at: string;
  /** For `revision` of a change: compare-and-set. */
  revision: number;
  visibility: Visibility;
  /** At most 100 ids. */
  links: ShownLinks;
  /** How many links there are, shown or not. */
  links_total: number;
}

function viewOf(
  records: RecordStore,
  record: StoredRecord<WorkMemoryData>,
  shown: { links: ShownLinks; total: number } | undefined,
): MemoryView {
  return {
    memory_id: printIn(records, 'memory', record.id),
    id: record.id,
    created_at: isoOf(record.createdAtMs),
    revision: record.revision,
    visibility: record.scope.visibility,
    ...record.data,
    links: shown?.links ?? {},
    links_total: shown?.total ?? 0,
  };
}

/** The records with the links their reader may see, in the given order. */
export async function viewsOf(
  context: Pick<MemoryContext, 'records'>,
  records: readonly StoredRecord<WorkMemoryData>[],
  reader: Reader,
): Promise<MemoryView[]> {
  const links = await countedLinks(
    context,
    records.map(({ id }) => id),
    reader,
  );
  return records.map((record) => viewOf(context.records, record, links.get(record.id)));
}
