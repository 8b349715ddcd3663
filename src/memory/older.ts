/**
 * Memories of a large project that the catalog does not hold. Whoever searches has those that could
 * answer brought into it first; then it is searched as ever.
 */
import type { OlderQuestion, RecordStore, SlotFilter } from '../records/index.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { workMemoryType } from './records.js';
import { type PhraseHit, phraseHits, remindWhenType } from './remind-when.js';

/** Share of the words of a question that a phrase has at least, or cosine. */
const PHRASE = { words: 0.2, likeness: 0.3 };

/** Which memories the database found beside the catalog, and what it could not find. */
export interface BroughtMemories {
  ids: ReadonlySet<Uuid>;
  lacking: string | null;
}

/**
 * By keys, words and likeness, and by the phrases that lead to a memory. `null` while the catalog holds
 * every memory. Never throws: without them the catalog answers alone and says so.
 */
export async function bringOlder(
  { records, log }: { records: RecordStore; log: Log },
  question: OlderQuestion,
): Promise<BroughtMemories | null> {
  const memories = records.older(workMemoryType);
  if (memories === null) return null;
  try {
    const [found] = await Promise.all([
      memories.bring(question),
      records.older(remindWhenType)?.bring({ ...question, keys: [] }),
    ]);
    const led = await memories.bringNamed(reminded(records, question));
    return { ids: new Set([...found, ...led]), lacking: memories.lacking() };
  } catch (error) {
    const reason = messageOf(error);
    log.warn({ reason }, 'older memories not searched');
    return { ids: new Set(), lacking: `older memories were not searched: ${reason}` };
  }
}

/** The memories with the phrases that fit best. */
function reminded(
  { catalog }: Pick<RecordStore, 'catalog'>,
  { terms = new Map(), vector = null, reader, limit }: OlderQuestion,
): Uuid[] {
  const fitOf = ({ words, likeness }: PhraseHit) => Math.max(words, likeness);
  return [...phraseHits(catalog, terms, vector, reader, PHRASE)]
    .sort(([, one], [, other]) => fitOf(other) - fitOf(one))
    .slice(0, limit)
    .map(([id]) => id);
}

/** How many memories pass: by the catalog, or by the database where that holds more. */
export async function countMemories(
  records: RecordStore,
  filter: Pick<SlotFilter, 'reader' | 'flagsAll' | 'keysAll'>,
): Promise<number> {
  const older = records.older(workMemoryType);
  return older === null
    ? records.catalog.shelf(workMemoryType.name).newest(filter, 0).total
    : older.count(filter);
}
