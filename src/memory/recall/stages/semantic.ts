/**
 * By words and by likeness, fused; neighbours in a thread and along links gain. The last resort of
 * the cascade, and the only one whose hits are marked fuzzy.
 */
import type { DenseScores, Shelf, SlotFilter } from '../../../records/index.js';
import { messageOf } from '../../../shared/errors.js';
import { analyzeQuery } from '../../../shared/text.js';
import { soundVector } from '../../embed.js';
import { edgesOf, linkFrom } from '../../graph.js';
import { FLAGS, keyOf } from '../../records.js';
import { asksForTime, namesIn } from '../../signals.js';
import {
  BOOST,
  bestOf,
  type Fused,
  fuse,
  lengthFactor,
  neighbourWeights,
  raise,
  vectorWeight,
} from '../fusion.js';
import type { Candidate, Search, Stage } from '../types.js';

/** Hits whose links are followed. */
const LINKED_FROM = 10;
/** Of the model's own threshold: below, likeness alone is no reason to show a memory. */
const ALONE = 0.25;
/** Words of a question that are searched; more are a document, not a question. */
const MAX_TERMS = 64;
/** Below every fact. */
const MOST_CONFIDENT = 0.89;
const SHOWN_WORDS = 4;

export function keywordScores(
  shelf: Shelf,
  text: string,
  filter: SlotFilter,
  spread: readonly number[],
): DenseScores {
  return shelf.keyword(termsOf(text), filter, spread.length > 0 ? { spread } : {});
}

/** Each term once: a word said twice in a question is not meant twice. */
export function termsOf(text: string): Map<string, number> {
  return new Map([...new Set(analyzeQuery(text))].slice(0, MAX_TERMS).map((term) => [term, 1]));
}

/** The parts of the search, for the evaluation that shows each alone. */
export interface SemanticParts {
  keyword: boolean;
  vector: boolean;
}

export const semantic = semanticStage({ keyword: true, vector: true });

export function semanticStage(parts: SemanticParts): Stage {
  return async (context, search) => {
    const { shelf, filter, asked: text, room } = search;
    if (text === '') return { candidates: [], total: 0 };
    const { embedder } = context;
    const spread =
      parts.keyword && parts.vector
        ? neighbourWeights(shelf.continuity(), shelf.averageLength)
        : [];
    const keyword = parts.keyword ? keywordScores(shelf, text, filter, spread) : null;
    const { vector, degraded } = parts.vector
      ? await vectorScores(context, search)
      : { vector: null, degraded: undefined };
    const fused = fuse(
      keyword,
      likely(vector, keyword, embedder.thresholds.candidate),
      vectorWeight(embedder.id),
    );
    if (parts.keyword && parts.vector) {
      boostSigns(fused, search, spread);
      await boostLinks(fused, context, search);
    }
    const known = new Set(search.found.map(({ id }) => shelf.slotOf(id)));
    const ranked = bestOf(fused, room + known.size, newerIn(shelf)).filter(
      (slot) => !known.has(slot),
    );
    const scale = confidenceScale(shelf, text);
    const candidates = ranked.slice(0, room).map((slot): Candidate => {
      const words = (keyword?.scores[slot] ?? 0) / scale;
      const likeness = vector?.scores[slot] ?? 0;
      return {
        id: shelf.idOf(slot),
        stage: 'semantic',
        confidence: confidenceOf(words, likeness),
        why: whyOf(words, likeness, text),
        fuzzy: true,
      };
    });
    const again = [...known].filter((slot) => slot !== undefined && (fused.scores[slot] ?? 0) > 0);
    return {
      candidates,
      total: fused.touched.length - again.length,
      ...(degraded === undefined ? {} : { degraded }),
    };
  };
}

/** Of two equally good ones the newer, then the one that was stored later. */
export function newerIn(shelf: Shelf): (a: number, b: number) => boolean {
  return (a, b) =>
    shelf.timeOf(a) - shelf.timeOf(b) > 0 || (shelf.timeOf(a) === shelf.timeOf(b) && a > b);
}

async function vectorScores(
  { embedder, log }: Parameters<Stage>[0],
  { shelf, filter, asked: text }: Search,
): Promise<{ vector: DenseScores | null; degraded: string | undefined }> {
  if (shelf.model !== embedder.id) {
    const degraded = `the vectors are of another model than ${embedder.id} and are being made anew; searched by words`;
    return { vector: null, degraded };
  }
  try {
    const vector = await soundVector(embedder, text);
    return { vector: shelf.nearest(vector, filter), degraded: undefined };
  } catch (error) {
    const reason = messageOf(error);
    log.warn({ model: embedder.id, reason }, 'recall without vectors');
    return { vector: null, degraded: `searched by words only: ${reason}` };
  }
}

/** Without a shared word only a clear likeness counts. */
function likely(
  vector: DenseScores | null,
  keyword: DenseScores | null,
  threshold: number,
): DenseScores | null {
  if (!vector || !keyword) return vector;
  const floor = threshold * ALONE;
  const touched = vector.touched.filter(
    (slot) => (keyword.scores[slot] ?? 0) > 0 || (vector.scores[slot] ?? 0) >= floor,
  );
  return { scores: vector.scores, touched };
}

/** Who is named, whether a time is asked for, how long a turn is: small, where there is a score. */
function boostSigns(
  { scores, touched }: Fused,
  { shelf, filter, asked: text }: Search,
  spread: readonly number[],
): void {
  const times = (factorOf: (slot: number) => number) => {
    for (const slot of touched) scores[slot] = (scores[slot] as number) * factorOf(slot);
  };
  if (spread.length > 0) {
    const mean = shelf.averageLength;
    const byLength = new Map<number, number>();
    times((slot) => {
      const length = shelf.lengthOf(slot);
      const factor = byLength.get(length) ?? lengthFactor(length, mean, spread);
      byLength.set(length, factor);
      return factor;
    });
  }
  for (const name of namesIn(text)) {
    const key = keyOf.speaker(name);
    if (shelf.byKeys([key], filter, 1).total === 0) continue;
    const speaks = shelf.accepts({ reader: filter.reader, keysAll: [key] });
    times((slot) => (speaks(slot) ? BOOST.speaker : 1));
  }
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

/** The score of a text that has every word of the question that any text has. */
function confidenceScale(shelf: Shelf, text: string): number {
  let sum = 0;
  for (const term of termsOf(text).keys()) {
    const found = shelf.documentFrequency(term);
    if (found > 0) sum += Math.log(1 + (shelf.size - found + 0.5) / (found + 0.5));
  }
  return Math.max(sum, 1e-6);
}

function confidenceOf(words: number, likeness: number): number {
  const both = Math.min(1, words) * 0.6 + Math.max(0, likeness) * 0.4;
  return Math.round(Math.min(MOST_CONFIDENT, both) * 100) / 100;
}

function whyOf(words: number, likeness: number, text: string): string {
  const shown = text.split(/\s+/).slice(0, SHOWN_WORDS).join(' ');
  const parts = [
    ...(words > 0 ? [`words of "${shown}${shown.length < text.length ? ' …' : ''}"`] : []),
    ...(likeness > 0 ? [`likeness ${likeness.toFixed(2)}`] : []),
  ];
  return parts.length > 0 ? parts.join(', ') : 'linked to a good hit';
}
