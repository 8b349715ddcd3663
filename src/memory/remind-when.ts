/**
 * Phrases that say when a memory matters again, written by whoever stores it. The memory holds them;
 * each has a record of its own beside it, with its own words and vector in the catalog, that leads to
 * the memory and is seen by whoever sees the memory.
 */
import { z } from 'zod';
import type {
  Catalog,
  ModelVector,
  Reader,
  RecordType,
  Scope,
  TransactionStore,
} from '../records/index.js';
import { derivedId, isUuid, type Uuid } from '../shared/ids.js';
import { mostScore } from './recall/confidence.js';
import { uuidSchema, type WorkMemoryData } from './schema.js';

const phraseSchema = z.looseObject({ memory_id: uuidSchema, phrase: z.string() });
export type RemindWhenData = z.output<typeof phraseSchema>;

const keyOfMemory = (id: Uuid) => `memory:${id}`;

export const remindWhenType: RecordType<RemindWhenData> = {
  name: 'cue_remind_when',
  version: 1,
  schema: phraseSchema,
  upgrades: {},
  text: ({ phrase }) => phrase,
  index: ({ memory_id, phrase }, createdAtMs) => ({
    timeMs: createdAtMs,
    keys: [keyOfMemory(memory_id)],
    flags: 0,
    fields: [{ text: phrase }],
    thread: memory_id,
  }),
  embeddingText: ({ phrase }) => phrase,
};

/** A memory whose phrases are written. */
export interface Reminded {
  id: Uuid;
  createdAtMs: number;
  scope: Scope;
  data: Pick<WorkMemoryData, 'remind_when'>;
}

export function phraseIds(memoryId: Uuid, phrases: readonly string[]): Uuid[] {
  return phrases.map((phrase) => derivedId('remind_when', memoryId, phrase));
}

/** Writes the phrases of memories; those without a vector get one later. */
export async function insertPhrases(
  store: Pick<TransactionStore, 'insert'>,
  memories: readonly Reminded[],
  vectors: ReadonlyMap<string, ModelVector> = new Map(),
): Promise<void> {
  const rows = memories.flatMap(({ id, createdAtMs, scope, data }) => {
    const ids = phraseIds(id, data.remind_when);
    return data.remind_when.map((phrase, at) => ({
      id: ids[at] as Uuid,
      createdAtMs,
      scope,
      data: { memory_id: id, phrase },
      vector: vectors.get(phrase) ?? null,
    }));
  });
  if (rows.length > 0) await store.insert(remindWhenType, rows);
}

/** Ids of every phrase of the memories, as far as the catalog knows them. */
export function storedPhrases(catalog: Catalog, memoryIds: readonly Uuid[]): Uuid[] {
  const shelf = catalog.shelf(remindWhenType.name);
  const filter = { reader: { kind: 'operator' } as const };
  return memoryIds.flatMap((id) =>
    shelf.byKeys([keyOfMemory(id)], filter, shelf.slots).hits.map((hit) => hit.id),
  );
}

/** How well the best phrase of a memory fits a text. */
export interface PhraseHit {
  /** Share of the telling words of the text that one phrase has, 0 to 1. */
  words: number;
  /** Cosine of the phrase that is most alike, by the model that serves or the one beside it, 0 to 1. */
  likeness: number;
}

/**
 * Memories that have a phrase like the text.
 * @param terms of the text, analyzed
 * @param vector of the text, by the model of the catalog; `null`: words only
 * @param least a phrase that reaches neither is passed over
 * @param texts compared by the model beside the one that serves, too, where there is one
 */
export function phraseHits(
  catalog: Catalog,
  terms: ReadonlyMap<string, number>,
  vector: Float32Array | null,
  reader: Reader,
  least: { words: number; likeness: number },
  texts: readonly string[] = [],
): Map<Uuid, PhraseHit> {
  const shelf = catalog.shelf(remindWhenType.name);
  const hits = new Map<Uuid, PhraseHit>();
  if (shelf.size === 0) return hits;
  const keyword = shelf.keyword(terms, { reader });
  const nearest = vector === null ? null : shelf.nearest(vector, { reader });
  const beside = texts.flatMap((text) => shelf.alike(text, { reader }) ?? []);
  const most = mostScore(shelf, terms);
  for (let slot = 0; slot < shelf.slots; slot += 1) {
    const words = Math.min(1, (keyword.scores[slot] ?? 0) / most);
    let likeness = nearest?.scores[slot] ?? 0;
    for (const { scores } of beside) likeness = Math.max(likeness, scores[slot] ?? 0);
    if (words < least.words && likeness < least.likeness) continue;
    const id = shelf.threadOf(slot);
    if (!isUuid(id)) continue;
    const known = hits.get(id);
    hits.set(id, {
      words: Math.max(words, known?.words ?? 0),
      likeness: Math.max(likeness, known?.likeness ?? 0),
    });
  }
  for (const list of [keyword, nearest, ...beside]) list?.release();
  return hits;
}
