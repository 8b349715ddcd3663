/** Asks as an agent asks, beside plain BM25 on the same texts. */
import { performance } from 'node:perf_hooks';
import { builtInModel } from '../../src/embeddings/index.js';
import { createMatcher, type Ranked } from '../../src/when/match/matcher.js';
import { createTriggers } from '../../src/when/names.js';
import { FLOOR } from '../../src/when/resolve.js';
import type { Library, Section } from '../../src/when/types.js';
import { OFFER_BAR } from '../../src/when/when-index.js';
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

export interface Measured extends Scores {
  msPerQuery: Times;
  byKind: ByKind;
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
  ours: Measured;
  /** Plain BM25 on title, trigger, description and text of each section, as one text. */
  bm25: Scores & { byKind: ByKind };
  /** The same without the text. */
  bm25OfEntries: Scores;
}

const FOUND = 50;
const STEPS = 10;

export async function evaluate(dataset: WhenDataset): Promise<WhenEvaluation> {
  const { library, pairs, name } = dataset;
  const whole = floorOf(library, pairs, true);
  return {
    dataset: name,
    entries: library.entries.length,
    sections: library.files.reduce((sum, { sections }) => sum + sections.length, 0),
    ours: await measure(dataset),
    bm25: { ...scoresOf(whole), byKind: byKind(pairs, whole) },
    bm25OfEntries: scoresOf(floorOf(library, pairs, false)),
  };
}

async function measure({ library, pairs, unrelated, sentences }: WhenDataset): Promise<Measured> {
  const matcher = createMatcher(builtInModel());
  await matcher.load(library);
  const triggers = createTriggers(library);
  const times: number[] = [];
  const ask = (asked: Asked): Answered => {
    const startMs = performance.now();
    // As a command is resolved: an exact answer needs no search, but the others are listed anyway.
    const exact = triggers(asked.text);
    const ranked = matcher.rank(asked.text, FOUND);
    times.push(performance.now() - startMs);
    return {
      asked,
      ranked: merged(
        exact.flatMap(({ section }) => section ?? []),
        ranked,
      ),
    };
  };
  const answers = pairs.map(ask);
  const refusals = unrelated.map(ask);
  const offers = sentences.map((asked) => ({
    asked,
    first: matcher.rankSentence(asked.text, 1)[0],
  }));
  const rankings = answers.map(({ asked, ranked }) =>
    rankingOf(
      asked,
      ranked.map(({ section }) => section),
    ),
  );
  return {
    ...scoresOf(rankings),
    msPerQuery: timesOf(times),
    byKind: byKind(pairs, rankings),
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
