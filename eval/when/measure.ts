/** Asks as an agent asks, beside plain BM25 on the same texts. */
import { performance } from 'node:perf_hooks';
import { cosine } from '../../src/embeddings/index.js';
import {
  createMatcher,
  FLOOR,
  type MatchEmbedder,
  OFFER_BAR,
  type Ranked,
} from '../../src/when/match/matcher.js';
import type { Library, Section } from '../../src/when/types.js';
import { createBm25 } from '../bm25.js';
import { type Ranking, type Scores, scoresOf, type Times, timesOf } from '../metrics.js';
import { type Asked, KINDS, type Kind, type WhenDataset } from './dataset.js';
import type { SizeResult } from './sizes.js';

/** What the floor of a command lets through. */
export interface FloorRates {
  /** Of the right first answers, the share that is given. */
  rightGiven: number;
  /** Of the wrong first answers, the share that is refused. */
  wrongRefused: number;
  /** Of the questions that no section is about, the share that is refused; `null`: none asked. */
  unrelatedRefused: number | null;
}

/** What is offered unasked for messages. */
export interface OfferRates {
  messages: number;
  offered: number;
  /** Of the offers, the share that is right. */
  precision: number;
  /** Of the messages that something should be offered for, the share for which that is offered. */
  recall: number;
}

/** First answers of a range of confidence. */
export interface Calibration {
  from: number;
  answers: number;
  meanConfidence: number;
  right: number;
}

export interface EmbedderResult extends Scores {
  id: string;
  msPerQuery: Times;
  byKind: ByKind;
  parts: {
    /** Our search without a model. */
    words: Scores;
    /** Cosine to trigger, title and description, and to the text. */
    likeness: Scores;
    /** Those two, fused by rank (1 / (60 + place)) instead of by score. */
    rankFusion: Scores;
  };
  floor: FloorRates;
  offers: OfferRates | null;
  calibration: Calibration[];
  /** The same in small parts of the index; absent where nothing off topic is asked. */
  sizes?: SizeResult[];
}

export type ByKind = Partial<Record<Kind, Scores>>;

export interface WhenEvaluation {
  dataset: string;
  entries: number;
  sections: number;
  embedders: EmbedderResult[];
  /** Plain BM25 on title, trigger, description and text of each section, as one text. */
  bm25: Scores & { byKind: ByKind };
  /** The same without the text. */
  bm25OfEntries: Scores;
}

const FOUND = 50;
/** Of reciprocal rank fusion, as published. */
const RANK_OFFSET = 60;
const STEPS = 10;

export async function evaluate(
  dataset: WhenDataset,
  embedders: readonly MatchEmbedder[],
): Promise<WhenEvaluation> {
  const results: EmbedderResult[] = [];
  for (const embedder of embedders) results.push(await measure(dataset, embedder));
  const { library, pairs, name } = dataset;
  const whole = floorOf(library, pairs, true);
  return {
    dataset: name,
    entries: library.entries.length,
    sections: library.files.reduce((sum, { sections }) => sum + sections.length, 0),
    embedders: results,
    bm25: { ...scoresOf(whole), byKind: byKind(pairs, whole) },
    bm25OfEntries: scoresOf(floorOf(library, pairs, false)),
  };
}

async function measure(
  { library, pairs, unrelated, sentences }: WhenDataset,
  embedder: MatchEmbedder,
): Promise<EmbedderResult> {
  const matcher = createMatcher({ embedder: () => embedder });
  await matcher.load(library);
  const times: number[] = [];
  const ask = async (asked: Asked): Promise<Answered> => {
    const startMs = performance.now();
    // As a command is resolved: an exact answer needs no search, but the others are listed anyway.
    const exact = matcher.exact(asked.text);
    const ranked = await matcher.rank(asked.text, FOUND);
    times.push(performance.now() - startMs);
    return {
      asked,
      ranked: merged(
        exact.flatMap(({ section }) => section ?? []),
        ranked,
      ),
    };
  };
  const answers: Answered[] = [];
  for (const pair of pairs) answers.push(await ask(pair));
  const refusals: Answered[] = [];
  for (const text of unrelated) refusals.push(await ask(text));
  const offers = [];
  for (const asked of sentences) {
    const [first] = await matcher.rankSentence(asked.text, 1);
    offers.push({ asked, first });
  }
  const rankings = answers.map(({ asked, ranked }) =>
    rankingOf(
      asked,
      ranked.map(({ section }) => section),
    ),
  );
  return {
    id: embedder.id,
    ...scoresOf(rankings),
    msPerQuery: timesOf(times),
    byKind: byKind(pairs, rankings),
    parts: await partsOf(library, pairs, embedder),
    floor: floorRates(answers, refusals),
    offers: sentences.length === 0 ? null : offerRates(offers),
    calibration: calibrationOf([...answers, ...refusals]),
  };
}

interface Answered {
  asked: Asked;
  ranked: readonly Pick<Ranked, 'section' | 'confidence'>[];
}

function merged(exact: readonly Section[], ranked: readonly Ranked[]): Answered['ranked'] {
  const named = new Set(exact);
  return [
    ...[...named].map((section) => ({ section, confidence: 1 })),
    ...ranked.filter(({ section }) => !named.has(section)),
  ];
}

function floorRates(answers: readonly Answered[], refusals: readonly Answered[]): FloorRates {
  const given = ({ ranked }: Answered) => (ranked[0]?.confidence ?? 0) >= FLOOR;
  const right = answers.filter(isRight);
  const wrong = answers.filter((answer) => !isRight(answer));
  return {
    rightGiven: share(right, given),
    wrongRefused: share(wrong, (answer) => !given(answer)),
    unrelatedRefused: refusals.length === 0 ? null : share(refusals, (answer) => !given(answer)),
  };
}

function offerRates(all: readonly { asked: Asked; first: Ranked | undefined }[]): OfferRates {
  const offered = all.filter(({ first }) => first?.entry && first.confidence >= OFFER_BAR);
  const right = offered.filter(({ asked, first }) => first?.section === asked.section);
  const wanted = all.filter(({ asked }) => asked.section !== null);
  return {
    messages: all.length,
    offered: offered.length,
    precision: rounded(right.length / Math.max(1, offered.length)),
    recall: rounded(right.length / Math.max(1, wanted.length)),
  };
}

function calibrationOf(answers: readonly Answered[]): Calibration[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const from = step / STEPS;
    const inside = answers.filter(({ ranked }) => {
      const confidence = ranked[0]?.confidence ?? 0;
      return confidence >= from && (confidence < (step + 1) / STEPS || step === STEPS - 1);
    });
    const sum = inside.reduce((total, { ranked }) => total + (ranked[0]?.confidence ?? 0), 0);
    return {
      from,
      answers: inside.length,
      meanConfidence: rounded(sum / Math.max(1, inside.length)),
      right: share(inside, isRight),
    };
  }).filter((range) => range.answers > 0);
}

function floorOf(library: Library, pairs: readonly Asked[], whole: boolean): Ranking[] {
  const texts = textsOf(library);
  const search = createBm25(
    texts.map(({ section, label, text }) => ({
      id: idOf(section),
      text: whole ? `${label}\n${text}` : label,
    })),
  );
  return pairs.map((asked) => ({ ...rankingOf(asked, []), found: search(asked.text, FOUND) }));
}

/** The parts of our search alone, and fused by rank. */
async function partsOf(
  library: Library,
  pairs: readonly Asked[],
  embedder: MatchEmbedder,
): Promise<EmbedderResult['parts']> {
  const none = { id: 'none', embed: () => Promise.reject(new Error('words alone')) };
  const matcher = createMatcher({ embedder: () => none });
  await matcher.load(library);
  const texts = textsOf(library);
  const labels = await embedder.embed(texts.map(({ label }) => label));
  const heads = await embedder.embed(texts.map(({ section, text }) => `${section.title}\n${text}`));
  const words: Ranking[] = [];
  const likeness: Ranking[] = [];
  const rankFusion: Ranking[] = [];
  for (const asked of pairs) {
    const byWords = (await matcher.rank(asked.text, FOUND)).map(({ section }) => section);
    const [vector] = await embedder.embed([asked.text]);
    const near = (other: Float32Array | undefined) =>
      vector === undefined || other === undefined ? 0 : cosine(vector, other);
    const byLikeness = texts
      .map(({ section }, at) => ({ section, score: near(labels[at]) + near(heads[at]) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, FOUND)
      .map(({ section }) => section);
    const fused = new Map<Section, number>();
    for (const list of [byWords, byLikeness]) {
      for (const [place, section] of list.entries()) {
        fused.set(section, (fused.get(section) ?? 0) + 1 / (RANK_OFFSET + place + 1));
      }
    }
    const byRank = [...fused].sort(([, a], [, b]) => b - a).map(([section]) => section);
    words.push(rankingOf(asked, byWords));
    likeness.push(rankingOf(asked, byLikeness));
    rankFusion.push(rankingOf(asked, byRank));
  }
  return {
    words: scoresOf(words),
    likeness: scoresOf(likeness),
    rankFusion: scoresOf(rankFusion),
  };
}

/** Sections that can be an answer, with what their entries say. */
function textsOf({ entries, files }: Library) {
  const words = new Map<Section, string[]>();
  for (const { section, phrase, description } of entries) {
    if (section !== null) words.set(section, [...(words.get(section) ?? []), phrase, description]);
  }
  return files.flatMap(({ sections }) =>
    sections
      .filter(({ structural }) => !structural)
      .map((section) => ({
        section,
        label: [section.title, ...(words.get(section) ?? [])].join('\n'),
        text: section.content,
      })),
  );
}

function rankingOf({ section }: Asked, found: readonly Section[]): Ranking {
  return {
    found: found.map(idOf),
    relevant: new Map(section === null ? [] : [[idOf(section), 1]]),
  };
}

function byKind(pairs: readonly Asked[], rankings: readonly Ranking[]): ByKind {
  return Object.fromEntries(
    KINDS.flatMap((kind) => {
      const some = rankings.filter((_, at) => pairs[at]?.kind === kind);
      return some.length === 0 ? [] : [[kind, scoresOf(some)]];
    }),
  );
}

function isRight({ asked, ranked }: Answered): boolean {
  return asked.section !== null && ranked[0]?.section === asked.section;
}

function idOf({ file, line }: Section): string {
  return `${file}:${line}`;
}

function share<T>(all: readonly T[], holds: (one: T) => boolean): number {
  return rounded(all.filter(holds).length / Math.max(1, all.length));
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
