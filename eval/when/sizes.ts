/** Whether confidence means the same in an index of five entries as in the whole one. */
import { builtInModel } from '../../src/embeddings/index.js';
import { createMatcher, type Matcher } from '../../src/when/match/matcher.js';
import { createTriggers, type Triggers } from '../../src/when/names.js';
import { FLOOR } from '../../src/when/resolve.js';
import { OFFER_BAR } from '../../src/when/when-index.js';
import type { WhenDataset } from './dataset.js';
import { chanceFrom, partOf, type Question, type Source } from './parts.js';

/** Shares of all parts of one size together. */
export interface SizeResult {
  /** `null`: the whole index. */
  size: number | null;
  parts: number;
  /** Of the right first answers, the share that is given. */
  rightGiven: number;
  /** Of the wrong first answers to questions that a section is about, the share that is refused. */
  wrongRefused: number;
  /** Of questions about sections that are not in the part, the share that is refused. */
  removedRefused: number | null;
  offTopicRefused: number;
  /** Of questions that only borrow one word of an entry. */
  borrowedRefused: number;
  /** Of what is given, the share that is right, as questions are mixed (`MIX`). */
  givenRight: number;
  /** How far confidence and the share of right answers are apart, on average over tenths. */
  calibrationError: number;
  /** Of the offers, the share that is right, as messages are mixed. */
  offerPrecision: number;
  offerRecall: number;
}

const PARTS: readonly { size: number | null; parts: number }[] = [
  { size: 5, parts: 24 },
  { size: 15, parts: 12 },
  { size: 40, parts: 6 },
  { size: null, parts: 1 },
];
const SEED = 20_260;
const TENTHS = 10;
/**
 * Who asks small indexes would nearly always be refused, if everything were asked as often as it is
 * in the lists. Shares are told as if so much of what is asked were of each kind.
 */
const MIX: Readonly<Record<Source, number>> = {
  right: 0.6,
  removed: 0.16,
  offTopic: 0.16,
  borrowed: 0.08,
};

interface Answered {
  source: Source;
  right: boolean;
  confidence: number;
}

/** @param share of the parts that is measured; a test has less time */
export async function evaluateSizes(dataset: WhenDataset, share = 1): Promise<SizeResult[]> {
  const results: SizeResult[] = [];
  for (const { size, parts } of PARTS) {
    const chance = chanceFrom(SEED);
    const count = Math.ceil(parts * share);
    const answers: Answered[] = [];
    const offers: Answered[] = [];
    for (let part = 0; part < count; part += 1) {
      const { library, questions, messages } = partOf(dataset, size, chance);
      const matcher = createMatcher(builtInModel());
      const triggers = createTriggers(library);
      await matcher.load(library);
      for (const question of questions) answers.push(answered(matcher, triggers, question));
      for (const message of messages) offers.push(offered(matcher, message));
    }
    results.push({ size, parts: count, ...ratesOf(answers, offers) });
  }
  return results;
}

function answered(
  matcher: Matcher,
  triggers: Triggers,
  { text, section, source }: Question,
): Answered {
  const exact = triggers(text)[0]?.section;
  if (exact != null) return { source, right: exact === section, confidence: 1 };
  const [first] = matcher.rank(text, 1);
  return {
    source,
    right: first !== undefined && first.section === section,
    confidence: first?.confidence ?? 0,
  };
}

function offered(matcher: Matcher, { text, section, source }: Question): Answered {
  const [first] = matcher.rankSentence(text, 2).filter(({ entry }) => entry !== null);
  return {
    source,
    right: first !== undefined && first.section === section,
    confidence: first?.confidence ?? 0,
  };
}

function ratesOf(answers: readonly Answered[], offers: readonly Answered[]) {
  const given = ({ confidence }: Answered) => confidence >= FLOOR;
  const refused = (one: Answered) => !given(one);
  const of = (source: Source) => answers.filter((one) => one.source === source);
  const isRight = ({ right }: Answered) => right;
  const weightOf = weights(answers);
  const offerWeightOf = weights(offers);
  const shown = offers.filter(({ confidence }) => confidence >= OFFER_BAR);
  return {
    rightGiven: mean(answers.filter(isRight), given),
    wrongRefused: mean(
      of('right').filter(({ right }) => !right),
      refused,
    ),
    removedRefused: of('removed').length === 0 ? null : mean(of('removed'), refused),
    offTopicRefused: mean(of('offTopic'), refused),
    borrowedRefused: mean(of('borrowed'), refused),
    givenRight: mean(answers.filter(given), isRight, weightOf),
    calibrationError: calibrationError(answers, weightOf),
    offerPrecision: mean(shown, isRight, offerWeightOf),
    offerRecall: mean(
      offers.filter(({ source }) => source === 'right'),
      (one) => one.right && one.confidence >= OFFER_BAR,
    ),
  };
}

function calibrationError(all: readonly Answered[], weightOf: (one: Answered) => number): number {
  const sums = Array.from({ length: TENTHS }, () => 0);
  let weight = 0;
  for (const one of all) {
    const tenth = Math.min(TENTHS - 1, Math.floor(one.confidence * TENTHS));
    sums[tenth] = (sums[tenth] ?? 0) + weightOf(one) * (one.confidence - Number(one.right));
    weight += weightOf(one);
  }
  return rounded(sums.reduce((sum, value) => sum + Math.abs(value), 0) / Math.max(weight, 1e-9));
}

function weights(all: readonly Answered[]): (one: Answered) => number {
  const counts = new Map<Source, number>();
  for (const { source } of all) counts.set(source, (counts.get(source) ?? 0) + 1);
  return ({ source }) => MIX[source] / (counts.get(source) ?? 1);
}

function mean(
  all: readonly Answered[],
  holds: (one: Answered) => boolean,
  weightOf: (one: Answered) => number = () => 1,
): number {
  let weight = 0;
  let held = 0;
  for (const one of all) {
    weight += weightOf(one);
    if (holds(one)) held += weightOf(one);
  }
  return weight === 0 ? 1 : rounded(held / weight);
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
