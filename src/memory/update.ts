/** Changing a memory: patch, compare-and-set by revision, a new vector when its meaning changed. */
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { StoredRecord, TransactionStore } from '../records/index.js';
import { AppError, NotFoundError, wrongField } from '../shared/errors.js';
import { isObject } from '../shared/json.js';
import { type Caller, readerOf, requireWrite } from './access.js';
import type { MemoryContext } from './context.js';
import { patched, readPatch } from './draft.js';
import { embedMemory } from './embed.js';
import { resolveRef } from './ids.js';
import { cleaned, parseInput, type Redactions, requireSize } from './input.js';
import { workMemoryType } from './records.js';
import { insertPhrases, phraseIds, remindWhenType } from './remind-when.js';
import type { WorkMemoryData } from './schema.js';
import { type MemoryView, viewsOf } from './view.js';

/** `revision`: the one the change was made against; absent: the current one. */
const envelopeSchema = z.looseObject({
  memory_id: z.string(),
  revision: z.number().int().min(1).optional(),
});

export interface UpdateResult {
  memory_id: string;
  revision: number;
  degraded?: string;
  redacted?: Redactions;
  memory: MemoryView;
}

/**
 * `{ memory_id, revision?, ...patch }`: arrays replace, objects merge, `null` removes; a patch that
 * changes nothing raises no revision.
 * @throws InvalidInputError, NotFoundError, AppError PERMISSION_DENIED, CONFLICT (`details.revision`
 * is the current one), TOO_LARGE
 */
export async function updateMemory(
  context: MemoryContext,
  input: unknown,
  caller: Caller,
): Promise<UpdateResult> {
  requireSize(input);
  const { value, redacted } = cleaned(input);
  if (!isObject(value)) throw wrongField('(body)', 'must be an object');
  const { memory_id, revision, ...raw } = parseInput(envelopeSchema, value);
  const patch = readPatch(raw);
  const { records } = context;
  const reader = readerOf(caller);
  const id = await resolveRef(records, 'memory', workMemoryType, memory_id, reader, 'memory_id');
  const [record] = await records.get(workMemoryType, [id], reader);
  if (!record) throw new NotFoundError('memory', memory_id);
  await requireWrite(caller, record.scope, context.rule);
  if (revision !== undefined && revision !== record.revision) {
    const message = `the memory is at revision ${record.revision}, not ${revision}`;
    throw new AppError('CONFLICT', message, { revision: record.revision });
  }
  const data = patched(record.data, patch, context);
  // Nothing is changed by saying what is there already.
  if (isDeepStrictEqual(data, record.data)) return answer(record);
  const before = workMemoryType.embeddingText?.(record.data);
  const samePhrases = isDeepStrictEqual(data.remind_when, record.data.remind_when);
  const sameText =
    before === workMemoryType.embeddingText?.(data) && record.embeddingModel !== null;
  const embedded = sameText && samePhrases ? null : await embedMemory(context, data);
  const replace = async (store: TransactionStore) => {
    const changed = await store.replace(workMemoryType, id, record.revision, {
      data,
      ...(embedded === null ? {} : { vector: embedded.vector }),
    });
    if (!samePhrases) {
      const kept = new Set(phraseIds(id, data.remind_when));
      const old = phraseIds(id, record.data.remind_when).filter((each) => !kept.has(each));
      await store.remove(remindWhenType, old);
      await insertPhrases(store, [changed], embedded?.phrases);
    }
    return changed;
  };
  const replaced = await (samePhrases ? replace(records) : records.atomically(replace));
  context.observer?.changed([id]);
  return answer(replaced, embedded?.degraded);

  async function answer(
    current: StoredRecord<WorkMemoryData>,
    degraded?: string,
  ): Promise<UpdateResult> {
    const [memory] = await viewsOf(context, [current], reader);
    if (!memory) throw new NotFoundError('memory', memory_id);
    return {
      memory_id: memory.memory_id,
      revision: memory.revision,
      ...(degraded === undefined ? {} : { degraded }),
      ...(redacted.length === 0 ? {} : { redacted }),
      memory,
    };
  }
}
