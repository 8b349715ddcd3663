/** From sessions to weights: pairs, two heads, thresholds, rounded so that they come out the same. */
import { embedLexical } from '../../src/embeddings/index.js';
import type { GateWeights, Head as WrittenHead } from '../../src/proactive/gate/weights.js';
import {
  chance,
  documentFrequencies,
  openers,
  strangersTo,
  thinned,
  trainingSessions,
} from './data.js';
import { LEXICAL, type Pair, pairsOf } from './pairs.js';
import { type Head, regression } from './regression.js';

/** Of the L2 penalty; chosen by leaving out one voice after the other. */
const PENALTY = 30;
/** Foreign memories around each session in its second copy. */
const FOREIGN = 60;
/** A term in fewer texts is rare, and is left out. */
const FREQUENT = 3;
const THRESHOLDS = { warn: 0.3, offer: 0.3 };

export function makeWeights(note: (line: string) => void = () => {}): GateWeights {
  const all = trainingSessions();
  const { texts, of } = documentFrequencies(all);
  const begun = openers(all);
  const opens = (word: string) => rounded(Math.min(1, (begun.get(word) ?? 0) / 3), 2);
  const around = {
    rarity: (term: string) => Math.log((texts + 1) / ((of.get(term) ?? 0) + 1.5)),
    meaning: embedLexical,
    opens,
  };
  const pairs = all.flatMap(({ voice, session }, at) => {
    const foreign = strangersTo(session, all, FOREIGN, chance(1_000 + at));
    return [
      ...pairsOf(session, voice, around, LEXICAL),
      ...pairsOf(session, voice, around, LEXICAL, foreign),
      ...pairsOf(thinned(session, chance(2_000 + at)), voice, around, LEXICAL),
      ...pairsOf(thinned(session, chance(3_000 + at)), voice, around, LEXICAL),
    ];
  });
  note(`${all.length} sessions, ${pairs.length} pairs`);
  const names = Object.keys(pairs[0]?.seen.features ?? {}).sort();
  const rows = new Map(
    pairs.map((pair) => [pair, Float64Array.from(names, (name) => pair.seen.features[name] ?? 0)]),
  );
  const head = (chosen: readonly Pair[], label: (pair: Pair) => boolean | null): Head => {
    const judged = chosen.filter((pair) => label(pair) !== null);
    return regression(
      judged.map((pair) => rows.get(pair) as Float64Array),
      judged.map((pair) => (label(pair) ? 1 : 0)),
      judged.map(() => 1),
      PENALTY,
    );
  };
  const warn = head(
    pairs.filter(({ failed }) => failed),
    (pair) => pair.warn,
  );
  const offer = head(pairs, (pair) => pair.offer);
  const byTerm = [...of].filter(([, count]) => count >= FREQUENT);
  return {
    version: 1,
    made: `${all.length} sessions of eval/proactive, each also among ${FOREIGN} foreign memories and twice with a third of its own; L2 ${PENALTY}`,
    heads: {
      warn: written(warn, names, THRESHOLDS.warn),
      offer: written(offer, names, THRESHOLDS.offer),
    },
    texts,
    frequencies: Object.fromEntries(byTerm.sort(([a], [b]) => (a < b ? -1 : 1))),
    openers: Object.fromEntries([...begun.keys()].sort().map((word) => [word, opens(word)])),
  };
}

function written(
  { mean, spread, weights, bias }: Head,
  names: readonly string[],
  threshold: number,
): WrittenHead {
  return {
    bias: rounded(bias, 3),
    threshold,
    features: names.map((name, at) => [
      name,
      rounded(mean[at] as number, 3),
      Math.max(0.001, rounded(spread[at] as number, 3)),
      rounded(weights[at] as number, 3),
    ]),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** One feature and one word a line, so that changes can be read. */
export function printed(weights: GateWeights): string {
  return `${JSON.stringify(weights, null, 1).replace(/\[\s+("[^"]+"),\s+(-?[\d.e-]+),\s+(-?[\d.e-]+),\s+(-?[\d.e-]+)\s+\]/g, '[$1, $2, $3, $4]')}\n`;
}
