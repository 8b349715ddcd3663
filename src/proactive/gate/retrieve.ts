/** Memories that may be about a moment, from the catalog alone and in bounded time. */
import type { Embedder } from '../../embeddings/index.js';
import {
  bestOf,
  FLAGS,
  isGenerated,
  type PhraseHit,
  phraseHits,
  type WorkMemoryData,
} from '../../memory/index.js';
import {
  type Catalog,
  type DenseScores,
  type Reader,
  type Shelf,
  type SlotFilter,
  scored,
  takeZeros,
} from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { analyze } from '../../shared/text.js';
import type { Moment, Near } from './features.js';
import { momentParts } from './text.js';

/** By words, vectors and phrases together; as many are taken of each. */
const BEST = 20;
/** Beside the first of them, those that are like them: of a pattern the moment names the slot, and not the rest. */
const LEADERS = 8;
const BESIDE = { each: 3, cosine: 0.3, most: 8 };
/** So much the first of a ranking counts beside the next. */
const RANK_OFFSET = 5;
/** Of all files together; failures come first. */
const OF_FILES = 12;
const BY_PHRASE = 8;
const NO_PHRASES: ReadonlyMap<Uuid, PhraseHit> = new Map();
const FILES = 5;
const LOOKED_AT = 50;
/** Words in more documents than this cost more time than they tell, beside rarer ones. */
const FREQUENT = 10_000;
const MOST_TERMS = 60;

/** Vectors of the moment by the model that serves: of the whole, and of its sentences. */
export interface MomentVectors {
  whole: Float32Array;
  parts: readonly Float32Array[];
  thresholds: Embedder['thresholds'];
}

interface Retrieved {
  id: Uuid;
  stored: Near['stored'];
  alike: Near['alike'];
}

/** Share of the words of a moment that a phrase has at least, or cosine. */
const PHRASE = { words: 0.2, likeness: 0.3 };

/** Memories that say themselves when they matter, and how well that fits a moment. */
export function phrasesNear(
  catalog: Catalog,
  { text }: Moment,
  vectors: MomentVectors | null,
  reader: Reader,
): Map<Uuid, PhraseHit> {
  const terms = new Map(analyze(text).map((term) => [term, 1]));
  const texts = [text, ...momentParts(text)];
  return phraseHits(catalog, terms, vectors?.whole ?? null, reader, PHRASE, texts);
}

/**
 * @param fileKey looks a file up (`MemoryChecks.fileKey`)
 * @param phrases memories that say themselves when they matter, and how well that fits
 */
export function retrieve(
  shelf: Shelf,
  moment: Moment,
  vectors: MomentVectors | null,
  filter: SlotFilter,
  fileKey: (path: string) => string | undefined,
  phrases: ReadonlyMap<Uuid, PhraseHit> = NO_PHRASES,
): Retrieved[] {
  const terms = new Map<string, number>();
  for (const term of analyze(moment.text).slice(0, MOST_TERMS)) {
    if (shelf.documentFrequency(term) > 0) terms.set(term, 1);
  }
  const rare = [...terms].filter(([term]) => shelf.documentFrequency(term) <= FREQUENT);
  const searched = rare.length > 0 ? new Map(rare) : terms;
  const words = searched.size > 0 ? shelf.keyword(searched, filter) : null;
  const whole = vectors && shelf.size > 0 ? shelf.nearest(vectors.whole, filter) : null;
  const parts = vectors ? vectors.parts.map((part) => shelf.nearest(part, filter)) : [];
  const alike = [moment.text, ...momentParts(moment.text)].flatMap(
    (text) => shelf.alike(text, filter) ?? [],
  );
  const slots = new Set<number>();
  for (const path of moment.files.slice(0, FILES)) {
    const key = fileKey(path);
    if (key === undefined) continue;
    const { hits } = shelf.byKeys([key], filter, LOOKED_AT);
    const isFailure = (slot: number) => ((shelf.flagsOf(slot) & FLAGS.failure) !== 0 ? 1 : 0);
    const score = (slot: number) => words?.scores[slot] ?? 0;
    hits.sort((a, b) => isFailure(b.slot) - isFailure(a.slot) || score(b.slot) - score(a.slot));
    for (const { slot } of hits) if (slots.size < OF_FILES) slots.add(slot);
  }
  const accepts = shelf.accepts(filter);
  const phrased = bestPhrases(phrases).flatMap((id) => {
    const slot = shelf.slotOf(id);
    return slot !== undefined && accepts(slot) ? [slot] : [];
  });
  const [said = null, ...sentences] = alike;
  const [ofVectors, ofTexts] = [most(whole, parts), most(said, sentences)];
  const rankings = [phrased, best(words), best(ofVectors), best(ofTexts)];
  const first = fused(rankings).slice(0, BEST);
  for (const slot of first) slots.add(slot);
  const beside = first
    .slice(0, LEADERS)
    .flatMap((slot) => shelf.beside(slot, filter, BESIDE.each, BESIDE.cosine))
    .filter((slot) => !slots.has(slot));
  for (const slot of [...new Set(beside)].slice(0, BESIDE.most)) slots.add(slot);
  const z = vectors && standardised(shelf, whole, parts, vectors.thresholds.candidate);
  const y = said && standardised(shelf, said, sentences, ALIKE);
  const found = [...slots].map((slot) => ({
    id: shelf.idOf(slot),
    stored: z && shelf.hasVector(slot) ? z(slot) : null,
    alike: y?.(slot) ?? null,
  }));
  for (const list of new Set([words, whole, ofVectors, ofTexts, ...parts, ...alike]))
    list?.release();
  return found;
}

/** By reciprocal rank: what several rankings have near their top comes first. */
function fused(rankings: readonly (readonly number[])[]): number[] {
  const scores = new Map<number, number>();
  for (const ranking of rankings) {
    for (const [rank, slot] of ranking.entries()) {
      scores.set(slot, (scores.get(slot) ?? 0) + 1 / (RANK_OFFSET + rank));
    }
  }
  return [...scores].sort((a, b) => b[1] - a[1] || b[0] - a[0]).map(([slot]) => slot);
}

function bestPhrases(phrases: ReadonlyMap<Uuid, PhraseHit>): Uuid[] {
  return [...phrases]
    .sort(([a, one], [b, other]) => fitOf(other) - fitOf(one) || (a < b ? -1 : 1))
    .slice(0, BY_PHRASE)
    .map(([id]) => id);
}

const fitOf = ({ words, likeness }: PhraseHit) => Math.max(words, likeness);

/** The best of the whole and the parts, for each slot. */
function most(whole: DenseScores | null, parts: readonly DenseScores[]): DenseScores | null {
  if (!whole || parts.length === 0) return whole;
  const scores = takeZeros(whole.scores.length);
  scores.set(whole.scores);
  for (const part of parts) {
    for (let slot = 0; slot < scores.length; slot += 1) {
      const score = part.scores[slot] as number;
      if (score > (scores[slot] as number)) scores[slot] = score;
    }
  }
  return scored(scores);
}

/** Cosine by the built-in model from which on two texts may be about one thing. */
const ALIKE = 0.5;

/** What a store that is still small is taken to look like, and how many memories that is worth. */
const PRIOR = { mean: 0.35, spread: 0.3, weight: 8 };

/** Cosines in standard deviations of the store: the same for every model and size. */
function standardised(
  shelf: Shelf,
  whole: DenseScores | null,
  parts: readonly DenseScores[],
  candidate: number,
): (slot: number) => { whole: number; best: number } {
  const of = (found: DenseScores | null) => {
    let sum = 0;
    let squares = 0;
    if (found) {
      const { scores } = found;
      for (let slot = 0; slot < scores.length; slot += 1) {
        const score = scores[slot] as number;
        sum += score;
        squares += score * score;
      }
    }
    const { weight } = PRIOR;
    const prior = { mean: PRIOR.mean * candidate, spread: PRIOR.spread * candidate };
    const count = shelf.size + weight;
    const mean = (sum + weight * prior.mean) / count;
    const square = (squares + weight * (prior.spread ** 2 + prior.mean ** 2)) / count;
    const spread = Math.sqrt(Math.max(square - mean * mean, (prior.spread / 4) ** 2));
    return (slot: number) => ((found?.scores[slot] ?? 0) - mean) / spread;
  };
  const ofWhole = of(whole);
  const ofParts = parts.map(of);
  return (slot) => ({
    whole: ofWhole(slot),
    best: Math.max(ofWhole(slot), ...ofParts.map((each) => each(slot))),
  });
}

/** Best first; of equal ones the later slot. */
function best(found: DenseScores | null): number[] {
  return found ? bestOf({ scores: found.scores }, BEST, (one, other) => one > other) : [];
}

type Told = Pick<
  WorkMemoryData,
  'intent' | 'reasoning' | 'remind_when' | 'perception' | 'actions' | 'outcome' | 'tags' | 'files'
>;

/** A memory as the gate sees it. */
export function nearOf(
  { intent, reasoning, actions, outcome, tags, files, remind_when }: Told,
  { id, stored, alike, ageMs }: Pick<Near, 'id' | 'stored' | 'alike' | 'ageMs'>,
): Near {
  const ended = actions.filter(
    ({ result }) => (result?.success ?? outcome.success) === outcome.success,
  );
  const said = [
    intent.goal,
    outcome.failure_reason,
    intent.context,
    reasoning.approach_chosen,
    isGenerated(outcome) ? undefined : outcome.summary,
    ...outcome.learnings,
    ...ended.flatMap(({ details }) => [details.command, details.diff_summary]),
    ...outcome.follow_up_needed,
    tags.join(' '),
  ].filter((text): text is string => text !== undefined && text !== '');
  return {
    id,
    goal: intent.goal,
    phrases: remind_when,
    about: [...new Set(said)].join(' . ').slice(0, 2_000),
    commands: ended.flatMap(({ details }) => details.command ?? []),
    reason: outcome.failure_reason ?? '',
    files,
    success: outcome.success,
    ageMs,
    taskType: intent.task_type,
    tags,
    hasFollowUp: outcome.follow_up_needed.length > 0,
    stored,
    alike,
  };
}
