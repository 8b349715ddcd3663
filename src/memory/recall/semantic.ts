/**
 * By words and by likeness, fused; neighbours in a thread and along links gain. The last resort of
 * the cascade, and the only one whose hits are marked fuzzy.
 */
import { builtInModel, calibratedThresholds } from '../../embeddings/index.js';
import type { DenseScores, Shelf } from '../../records/index.js';
import { messageOf } from '../../shared/errors.js';
import { soundVector } from '../embed.js';
import { edgesOf, linkFrom } from '../graph.js';
import { FLAGS, keyOf } from '../records.js';
import { type PhraseHit, phraseHits } from '../remind-when.js';
import { asksForTime, namesIn } from '../signals.js';
import { answerProbability, hitProbability, mostScore, wordSigns } from './confidence.js';
import {
  aboveMean,
  addFeedback,
  BESIDE_WEIGHT,
  BOOST,
  bestOf,
  type Fused,
  fuse,
  highest,
  lengthFactor,
  likenessShares,
  neighbourWeights,
  raise,
  threadedness,
  timeFactor,
  vectorFactor,
  vectorShare,
  vectorWeight,
} from './fusion.js';
import { analyzedOf, termsOf } from './terms.js';
import type { Candidate, Fit, Search, Stage } from './types.js';
import { usualLogit } from './usual.js';

/** Hits whose links are followed. */
const LINKED_FROM = 10;
/** Of the model's own threshold: below, likeness alone is no reason to show a memory. */
const ALONE = 0.25;
const SHOWN_WORDS = 4;
/** Share of the words of a question that a phrase has at least. */
const LEAST_WORDS = 0.2;
/** Longer texts have the words of any question of more than so few. */
const LONG = 100;
const FEW = 2;

/** The parts of the search, for the evaluation that shows each alone. */
export interface SemanticParts {
  keyword: boolean;
  vector: boolean;
}

const ALL_PARTS: SemanticParts = { keyword: true, vector: true };

export const semantic = semanticStage(ALL_PARTS);

export function semanticStage(parts: SemanticParts): Stage {
  return async (context, search) => {
    const { shelf, request, room } = search;
    if (search.asked === '') return { candidates: [], total: 0 };
    const { fused, answer, hitAt, whyAt, degraded } = await (parts === ALL_PARTS
      ? wholeFit(context, search)
      : fitOf(context, search, parts));
    const { embedder } = context;
    const usual =
      embedder.beside === undefined || shelf.size === 0 || degraded !== undefined
        ? null
        : await usualLogit(shelf, embedder);
    const sure = answerProbability(answer, embedder.beside !== undefined, usual, shelf.size);
    const confidenceAt = (slot: number) => hitProbability(sure.probability, hitAt(slot));
    const least = request.min_confidence;
    // A pattern is named, and without vectors words are all there is: then a known word is enough.
    const isByWords = request.pattern !== undefined || degraded !== undefined;
    const isWorded = () =>
      isByWords ? answer.known > 0 : answer.unknown === 0 && hasEveryWord(search);
    const isSilent = least === undefined && !sure.isEnough && !isWorded();
    const found = isSilent ? new Int32Array(0) : fused.touched;
    const believed = least ? found.filter((slot) => confidenceAt(slot) >= least) : found;
    const known = new Set(search.found.map(({ id }) => shelf.slotOf(id)));
    const ranked = bestOf(
      { scores: fused.scores, touched: believed },
      room + known.size,
      newerIn(shelf),
    ).filter((slot) => !known.has(slot));
    const candidates = ranked.slice(0, room).map(
      (slot): Candidate => ({
        id: shelf.idOf(slot),
        stage: 'semantic',
        confidence: confidenceAt(slot),
        why: whyAt(slot),
        fuzzy: true,
      }),
    );
    return {
      candidates,
      total:
        known.size === 0 ? believed.length : believed.filter((slot) => !known.has(slot)).length,
      ...(degraded === undefined ? {} : { degraded }),
    };
  };
}

/** The same for every stage of one recall. */
export function wholeFit(context: Parameters<Stage>[0], search: Search): Promise<Fit> {
  search.made.fit ??= fitOf(context, search);
  return search.made.fit;
}

/** Searches by words and likeness, and fuses both. */
export async function fitOf(
  context: Parameters<Stage>[0],
  search: Search,
  parts: SemanticParts = ALL_PARTS,
): Promise<Fit> {
  const { shelf, filter, asked: text } = search;
  const { embedder } = context;
  const whole = parts.keyword && parts.vector;
  const threaded = whole ? threadedness(shelf.continuity(), shelf.averageLength) : 0;
  const spread = neighbourWeights(threaded);
  const { query, degraded } = parts.vector
    ? await queryVector(context, search)
    : { query: null, degraded: undefined };
  const terms = termsOf(text);
  const most = mostScore(shelf, terms);
  const phrases = whole
    ? phrasesBySlot(context, search, terms, query)
    : new Map<number, PhraseHit>();
  const keyword = raised(
    parts.keyword ? shelf.keyword(terms, filter, { spread }) : null,
    phrases,
    ({ words }) => words * most,
  );
  const vector = raised(
    query === null ? null : shelf.nearest(query, filter),
    phrases,
    ({ likeness }) => likeness,
  );
  const { beside } = embedder;
  const second = parts.vector && beside !== undefined ? shelf.alike(text, filter) : null;
  const besideAlike = calibratedThresholds(beside?.id ?? '').candidate;
  const factor = vectorShare(shelf.averageText) * vectorFactor(highest(keyword), most);
  const shares = spread && likenessShares(spread);
  const likely = (list: DenseScores | null, threshold: number) => {
    const near = list && shares ? shelf.withNeighbours(list, shares, filter) : list;
    if (!near || !keyword) return near;
    const above = aboveMean(near, keyword, threshold * ALONE);
    if (near !== list) near.release();
    return above;
  };
  const [likelyVector, likelySecond] = [
    likely(vector, embedder.thresholds.candidate),
    likely(second, besideAlike),
  ];
  const fused = fuse([
    [keyword, 1],
    [likelyVector, vectorWeight(embedder.id) * factor],
    [likelySecond, BESIDE_WEIGHT * factor],
  ]);
  if (likelyVector !== vector) likelyVector?.release();
  if (likelySecond !== second) likelySecond?.release();
  if (whole) {
    addFeedback(fused, shelf, filter, terms, newerIn(shelf));
    boostSigns(fused, search, threaded);
    await boostLinks(fused, context, search);
  }
  const [best = 0, runnerUp = 0] = bestOf(fused, 2, newerIn(shelf)).map(
    (slot) => fused.scores[slot] ?? 0,
  );
  const phrase = [...phrases.values()].reduce((most_, { words }) => Math.max(most_, words), 0);
  return {
    fused,
    answer: {
      ...wordSigns(shelf, text, terms, builtInModel(), phrase),
      like: highest(vector) / embedder.thresholds.candidate,
      alike: highest(second),
    },
    hitAt: (slot) => ({ score: (fused.scores[slot] ?? 0) / best, runnerUp: runnerUp / best }),
    whyAt: (slot) =>
      whyOf(
        keyword?.scores[slot] ?? 0,
        Math.max(vector?.scores[slot] ?? 0, second?.scores[slot] ?? 0),
        text,
      ),
    degraded,
    release() {
      for (const list of [fused, keyword, vector, second]) list?.release();
    },
  };
}

/** Whether one memory, not a long one, has every word that is searched: who types a single name means that. */
function hasEveryWord({ shelf, filter, asked }: Search): boolean {
  const frequencyOf = (term: string) => shelf.documentFrequency(term);
  const [rarest, ...others] = [...new Set(analyzedOf(asked))].sort(
    (a, b) => frequencyOf(a) - frequencyOf(b),
  );
  const holdersOf = (term: string) => shelf.keyword(new Map([[term, 1]]), filter);
  if (rarest === undefined) return false;
  const first = holdersOf(rarest);
  let left = first.touched;
  for (const term of others) {
    if (left.length === 0) break;
    const holders = holdersOf(term);
    left = left.filter((slot) => (holders.scores[slot] as number) > 0);
    holders.release();
  }
  const longest = others.length < FEW ? Number.POSITIVE_INFINITY : LONG;
  const isThere = left.some((slot) => shelf.lengthOf(slot) <= longest);
  first.release();
  return isThere;
}

/** Of two equally good ones the newer, then the one that was stored later. */
export function newerIn(shelf: Shelf): (a: number, b: number) => boolean {
  return (a, b) =>
    shelf.timeOf(a) - shelf.timeOf(b) > 0 || (shelf.timeOf(a) === shelf.timeOf(b) && a > b);
}

async function queryVector(
  { embedder, log }: Parameters<Stage>[0],
  { shelf, asked: text, vector }: Search,
): Promise<{ query: Float32Array | null; degraded: string | undefined }> {
  if (shelf.model !== embedder.id) {
    const degraded = `the vectors are of another model than ${embedder.id} and are being made anew; searched by words`;
    return { query: null, degraded };
  }
  try {
    return { query: vector ?? (await soundVector(embedder, text)), degraded: undefined };
  } catch (error) {
    const reason = messageOf(error);
    log.warn({ model: embedder.id, reason }, 'recall without vectors');
    return { query: null, degraded: `searched by words only: ${reason}` };
  }
}

/** The memories that a phrase like the question leads to, as far as the filter lets them through. */
function phrasesBySlot(
  { records, embedder }: Parameters<Stage>[0],
  { shelf, filter, reader }: Search,
  terms: ReadonlyMap<string, number>,
  query: Float32Array | null,
): Map<number, PhraseHit> {
  const bySlot = new Map<number, PhraseHit>();
  const accepts = shelf.accepts(filter);
  const least = { words: LEAST_WORDS, likeness: embedder.thresholds.candidate * ALONE };
  for (const [id, hit] of phraseHits(records.catalog, terms, query, reader, least)) {
    const slot = shelf.slotOf(id);
    if (slot !== undefined && accepts(slot)) bySlot.set(slot, hit);
  }
  return bySlot;
}

/** A memory counts by its own text or by its best phrase, whichever fits better. */
function raised(
  dense: DenseScores | null,
  phrases: ReadonlyMap<number, PhraseHit>,
  scoreOf: (hit: PhraseHit) => number,
): DenseScores | null {
  if (dense === null || phrases.size === 0) return dense;
  const list = { ...dense };
  for (const [slot, hit] of phrases) raise(list, slot, scoreOf(hit));
  return list;
}

/** Who and which time is named, whether one is asked for, how long a turn is: where there is a score. */
function boostSigns(
  { scores, touched }: Fused,
  { shelf, filter, asked: text, range }: Search,
  threaded: number,
): void {
  const times = (factorOf: (slot: number) => number) => {
    for (const slot of touched) scores[slot] = (scores[slot] as number) * factorOf(slot);
  };
  if (threaded > 0) {
    const mean = shelf.averageLength;
    const byLength: number[] = [];
    for (const slot of touched) {
      const length = shelf.lengthOf(slot);
      byLength[length] ??= lengthFactor(length, mean, threaded);
      scores[slot] = (scores[slot] as number) * (byLength[length] as number);
    }
  }
  for (const name of namesIn(text)) {
    const key = keyOf.speaker(name);
    if (shelf.byKeys([key], filter, 1).total === 0) continue;
    const speaks = shelf.accepts({ reader: filter.reader, keysAll: [key] });
    times((slot) => (speaks(slot) ? BOOST.speaker : 1));
  }
  if (range !== null) times((slot) => timeFactor(shelf.timeOf(slot), range));
  if (asksForTime(text)) {
    times((slot) => ((shelf.flagsOf(slot) & FLAGS.saysTime) === 0 ? 1 : BOOST.time));
  }
}

/** What is linked to a good hit comes up to it by a share of its score, never past it. */
async function boostLinks(
  fused: Fused,
  { records }: Parameters<Stage>[0],
  { shelf, filter }: Search,
): Promise<void> {
  if (records.catalog.links.size === 0) return;
  const accepts = shelf.accepts(filter);
  const { scores } = fused;
  for (const slot of bestOf(fused, LINKED_FROM, newerIn(shelf))) {
    const score = scores[slot] as number;
    const id = shelf.idOf(slot);
    for (const edge of await edgesOf({ records }, [id])) {
      const other = shelf.slotOf(linkFrom(edge, id).other);
      if (other === undefined || other === slot || !accepts(other)) continue;
      const gained = (scores[other] ?? 0) + BOOST.link * score;
      raise(fused, other, Math.min(gained, BOOST.linkedAtMost * score));
    }
  }
}

function whyOf(words: number, likeness: number, text: string): string {
  const shown = text.split(/\s+/).slice(0, SHOWN_WORDS).join(' ');
  const parts = [
    ...(words > 0 ? [`words of "${shown}${shown.length < text.length ? ' …' : ''}"`] : []),
    ...(likeness > 0 ? [`likeness ${likeness.toFixed(2)}`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : 'linked to a good hit';
}
