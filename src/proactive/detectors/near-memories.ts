/**
 * Memories that may be about a task, from the catalog alone and in bounded time: by its telling
 * words, and by likeness of vectors where that can find more. What they really say is judged on
 * their rows.
 */
import { LEXICAL_ID } from '../../embeddings/index.js';
import type { EmbeddedText, LookUp } from '../../memory/index.js';
import type { DenseScores, SlotFilter } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { analyze } from '../../shared/text.js';
import { type Command, searchTerms, type Task } from '../matching/index.js';
import type { DetectorContext } from './context.js';

export interface NearMemories {
  /** Best first. */
  ids: Uuid[];
  /** Score of a memory by words; 0 for those that share none. */
  byWords(id: Uuid): number;
  /** Cosine of the model that serves, and what it calls similar; `null` for the built-in one. */
  byMeaning(id: Uuid): { cosine: number; strong: number } | null;
  degraded?: string;
}

/** Of each way to search. */
const BEST = 16;
/** Of the best hit by words: what is below shares a word by chance. */
const SHARE = 0.1;
/** Of the model's own threshold. */
const FLOOR = 0.6;
/** Of each command. */
const COMMAND_TERMS = 8;
/** Words in more documents than this cost more time than they tell, beside rarer ones. */
const FREQUENT = 10_000;

/** @param said searched for word by word where no word of the task tells anything: "deploy the app" */
export async function nearMemories(
  context: DetectorContext,
  { shelf, degraded }: LookUp,
  task: Task,
  filter: SlotFilter,
  commands: readonly Command[] = [],
  said = '',
): Promise<NearMemories> {
  const terms = searchTerms(task, shelf);
  for (const { words } of commands) {
    for (const term of analyze(words.join(' ')).slice(0, COMMAND_TERMS)) terms.set(term, 1);
  }
  if (terms.size === 0) {
    for (const term of analyze(said).slice(0, COMMAND_TERMS)) terms.set(term, 1);
  }
  const known = [...terms].filter(([term]) => shelf.documentFrequency(term) > 0);
  const rare = known.filter(([term]) => shelf.documentFrequency(term) <= FREQUENT);
  const searched = new Map(rare.length > 0 ? rare : known);
  const keyword = searched.size > 0 ? shelf.keyword(searched, filter) : null;
  const hasUnknown = task.readings.some((reading) =>
    [...reading.terms.values()].some(
      ({ stem, weight }) => weight === 1 && shelf.documentFrequency(stem) === 0,
    ),
  );
  const vectors = await vectorScores(context, { shelf }, task, filter, terms.size > 0, hasUnknown);
  const slots = alternating(
    best(keyword, (top) => top * SHARE),
    best(vectors.scores, () => vectors.floor),
  );
  const worth = degraded ?? vectors.degraded;
  const scoreOf = (scores: DenseScores | null, id: Uuid) => {
    const slot = shelf.slotOf(id);
    return slot === undefined ? 0 : (scores?.scores[slot] ?? 0);
  };
  return {
    ids: [...slots].map((slot) => shelf.idOf(slot)),
    byWords: (id) => scoreOf(keyword, id),
    byMeaning: (id) =>
      vectors.strong === null
        ? null
        : { cosine: scoreOf(vectors.scores, id), strong: vectors.strong },
    ...(worth === undefined ? {} : { degraded: worth }),
  };
}

/**
 * The built-in embedder compares spellings: it adds something only where a word is unknown and may
 * be misspelt. A model of meaning is always asked.
 */
async function vectorScores(
  { checks }: DetectorContext,
  { shelf }: Pick<LookUp, 'shelf'>,
  task: Task,
  filter: SlotFilter,
  isTelling: boolean,
  hasUnknown: boolean,
): Promise<{
  scores: DenseScores | null;
  floor: number;
  strong: number | null;
  degraded?: string;
}> {
  const none = { scores: null, floor: 1, strong: null };
  if (!isTelling || shelf.size === 0 || (shelf.model === LEXICAL_ID && !hasUnknown)) return none;
  const text = task.readings.map(({ clause }) => clause.text).join('\n');
  const embedded: EmbeddedText | null = await checks.embed(text);
  if (embedded === null) return { ...none, degraded: 'compared by words only: the model failed' };
  const { vector, embedder } = embedded;
  if (embedder.id !== shelf.model) {
    return {
      ...none,
      degraded: `compared by words only: vectors for ${embedder.id} are being made`,
    };
  }
  const { candidate, strong } = embedder.thresholds;
  return {
    scores: shelf.nearest(vector, filter),
    floor: candidate * FLOOR,
    strong: embedder.id === LEXICAL_ID ? null : strong,
  };
}

/** Both lists, the best of each first, each slot once. */
function alternating(one: readonly number[], other: readonly number[]): Set<number> {
  const slots = new Set<number>();
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    for (const slot of [one[at], other[at]]) if (slot !== undefined) slots.add(slot);
  }
  return slots;
}

/** Slots of the highest scores, best first; of equal ones the later slot. */
function best(found: DenseScores | null, floorOf: (top: number) => number): number[] {
  if (!found) return [];
  const { scores, touched } = found;
  let top = 0;
  for (const slot of touched) top = Math.max(top, scores[slot] as number);
  let floor = Math.max(floorOf(top), Number.MIN_VALUE);
  const kept: number[] = [];
  for (const slot of touched) {
    const score = scores[slot] as number;
    if (score < floor) continue;
    let at = kept.length;
    while (at > 0 && isBefore(scores, slot, kept[at - 1] as number)) at -= 1;
    kept.splice(at, 0, slot);
    if (kept.length <= BEST) continue;
    kept.pop();
    floor = scores[kept[BEST - 1] as number] as number;
  }
  return kept;
}

function isBefore(scores: Float32Array, one: number, other: number): boolean {
  const difference = (scores[one] as number) - (scores[other] as number);
  return difference > 0 || (difference === 0 && one > other);
}
