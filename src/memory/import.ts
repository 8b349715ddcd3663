/** Import of memories with their links, chapters and wisdom. */

import { yieldToLoop } from '../shared/async.js';
import type { Uuid } from '../shared/ids.js';
import { isObject } from '../shared/json.js';
import type { Caller } from './access.js';
import type { MemoryContext } from './context.js';
import { type Line, type Rejected, withSources } from './import-check.js';
import { learnNames, withNames } from './import-names.js';
import { readLine } from './import-read.js';
import { insertBatch } from './import-write.js';
import type { Redactions } from './input.js';
import { workMemoryType } from './records.js';
import { type ExportKind, KINDS, type RawRecord, rawRecords } from './transfer-format.js';

export interface ImportProgress {
  done: number;
  total: number;
}

export interface ImportResult {
  imported: number;
  /** Records whose id was there: the same import twice changes nothing. */
  skipped: number;
  rejected: Rejected[];
  /** Kinds of secrets that were taken out before anything was stored. */
  redacted?: Redactions;
  /** Set when records came in without vectors: words find them until they are embedded. */
  degraded?: string;
}

const BATCH = 50;

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
  const { lines, rejected, redacted } = await readAll(context, raw, caller);
  const renamed = new Map<Uuid, Uuid>();
  let done = rejected.length;
  let imported = 0;
  let memories = 0;
  // Memories first: the links of what was rejected are rejected too.
  for (const kind of KINDS) {
    const ofKind = lines.get(kind) ?? [];
    for (let start = 0; start < ofKind.length; start += BATCH) {
      const part = await withEarlierIds(context, ofKind.slice(start, start + BATCH));
      await learnNames(
        context,
        part.map(({ record }) => record),
        renamed,
      );
      const batch = part.map(({ line, record }) => ({
        line,
        record: withNames(context, record, renamed),
      }));
      const good = await withSources(context, batch, caller, rejected);
      const count = await insertBatch(context, kind, good, caller, renamed, rejected);
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
    ...(redacted.length === 0 ? {} : { redacted }),
    ...(memories === 0 ? {} : { degraded: unembedded(memories) }),
  };
}

async function readAll(context: MemoryContext, raw: readonly RawRecord[], caller: Caller) {
  const rejected: Rejected[] = [];
  const lines = new Map<ExportKind, Line[]>();
  const secrets = new Map<string, number>();
  for (const [index, item] of raw.entries()) {
    const read = readLine(context, item, caller);
    if (read.record === null) rejected.push({ line: item.line, reason: read.reason });
    else {
      const { record, earlierId } = read;
      const known = lines.get(record.kind) ?? [];
      known.push({ line: item.line, record, ...(earlierId === undefined ? {} : { earlierId }) });
      lines.set(record.kind, known);
      for (const { kind, count } of read.redacted) {
        secrets.set(kind, (secrets.get(kind) ?? 0) + count);
      }
    }
    if (index % BATCH === BATCH - 1) await yieldToLoop();
  }
  const redacted: Redactions = [...secrets].map(([kind, count]) => ({ kind, count }));
  return { lines, rejected, redacted };
}

/** A draft that an earlier version imported is there under the id that it had then. */
async function withEarlierIds(
  { records }: MemoryContext,
  part: readonly Line[],
): Promise<readonly Line[]> {
  const ids = part.flatMap(({ earlierId }) => earlierId ?? []);
  if (ids.length === 0) return part;
  const known = await records.get(workMemoryType, ids, { kind: 'operator' });
  const madeAtMs = new Map(known.map(({ id, createdAtMs }) => [id, createdAtMs]));
  return part.map(({ line, record, earlierId }) => {
    const isThere =
      earlierId !== undefined && madeAtMs.get(earlierId) === Date.parse(record.created_at);
    return { line, record: isThere ? { ...record, id: earlierId } : record };
  });
}

function unembedded(count: number): string {
  return count === 1
    ? '1 memory is embedded in the background; words find it now'
    : `${count} memories are embedded in the background; words find them now`;
}
