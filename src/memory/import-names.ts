/** Ids that the records of an import have in this project: another project's get their own here. */
import type { RecordType } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import type { MemoryContext } from './context.js';
import { linkOf } from './link.js';
import { chapterType, workMemoryType } from './records.js';
import type { ExportLine } from './transfer-format.js';

/** Names looked up in one statement, each under two ids. */
const NAMES = 200;

/**
 * What an earlier part of the same file brought in under an id of its own here, for the records of
 * this part that name it.
 */
export async function learnNames(
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

/** What a record names, and of which type that is. */
export function namesIn(record: ExportLine): { type: RecordType<unknown> | null; ids: Uuid[] } {
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
export function withNames(
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
