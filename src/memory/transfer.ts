/** Export of memories with their links, chapters and wisdom. */
import { z } from 'zod';
import type { StoredRecord } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import { type Caller, readerOf } from './access.js';
import { isoOf, type MemoryContext } from './context.js';
import { readableOf } from './graph.js';
import { parseInput } from './input.js';
import { chapterType, memoryLinkType, wisdomType, workMemoryType } from './records.js';
import {
  documentOf,
  type ExportDocument,
  type ExportKind,
  type ExportLine,
  type LeftOut,
  type LeftOutLine,
} from './transfer-format.js';

export const exportRequestSchema = z.strictObject({
  format: z.enum(['json', 'jsonl']).default('json'),
});

export interface ExportResult {
  format: 'json' | 'jsonl';
  counts: Record<ExportKind, number>;
  /** The document (`json`), or one record a line (`jsonl`). */
  content: ExportDocument | string;
  /** Damaged records that are not in it. */
  left_out: LeftOut[];
}

/** Every readable record, a line each; links only between readable memories. */
export async function* exportLines(
  context: MemoryContext,
  caller: Caller,
): AsyncGenerator<ExportLine | LeftOutLine> {
  const reader = readerOf(caller);
  const leftOut: LeftOut[] = [];
  const without = (kind: ExportKind) => ({
    onDamaged: ({ id, reason }: { id: Uuid; reason: string }) => leftOut.push({ kind, id, reason }),
  });
  for await (const chunk of context.records.scan(workMemoryType, reader, without('memory'))) {
    for (const record of chunk) yield { kind: 'memory', ...placeOf(record), data: record.data };
  }
  for await (const chunk of context.records.scan(
    memoryLinkType,
    { kind: 'operator' },
    without('link'),
  )) {
    const ends = chunk.flatMap(({ data }) => [data.source_id, data.target_id]);
    const readable = await readableOf(context, [...new Set(ends)], reader);
    for (const record of chunk) {
      const { source_id, target_id } = record.data;
      if (!readable.has(source_id) || !readable.has(target_id)) continue;
      yield { kind: 'link', ...placeOf(record), data: record.data };
    }
  }
  for await (const chunk of context.records.scan(chapterType, reader, without('chapter'))) {
    for (const record of chunk) yield { kind: 'chapter', ...placeOf(record), data: record.data };
  }
  for await (const chunk of context.records.scan(wisdomType, reader, without('wisdom'))) {
    for (const record of chunk) yield { kind: 'wisdom', ...placeOf(record), data: record.data };
  }
  if (leftOut.length > 0) yield { kind: 'left_out', records: leftOut };
}

/** @throws InvalidInputError */
export async function exportMemories(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<ExportResult> {
  const { format } = parseInput(exportRequestSchema, input ?? {});
  const lines: ExportLine[] = [];
  let leftOut: LeftOut[] = [];
  for await (const line of exportLines(context, caller)) {
    if (line.kind === 'left_out') leftOut = line.records;
    else lines.push(line);
  }
  const counts = { memory: 0, link: 0, chapter: 0, wisdom: 0 };
  for (const { kind } of lines) counts[kind] += 1;
  const content =
    format === 'jsonl'
      ? [...lines, ...(leftOut.length === 0 ? [] : [{ kind: 'left_out', records: leftOut }])]
          .map((line) => `${JSON.stringify(line)}\n`)
          .join('')
      : documentOf(lines, isoOf(context.clock.now()), leftOut);
  return { format, counts, content, left_out: leftOut };
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
