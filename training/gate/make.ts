/** From sessions to weights: pairs, two heads, thresholds, rounded so that they come out the same. */
import type { ScriptedSession } from '../../eval/proactive/shape.js';
import { builtInModel } from '../../src/embeddings/index.js';
import { remembering } from '../../src/proactive/gate/features.js';
import type { GateWeights, Head as WrittenHead } from '../../src/proactive/gate/weights.js';
import {
  chance,
  documentFrequencies,
  openers,
  reminding,
  reworded,
  strangersTo,
  thinned,
  trainingSessions,
  type Voiced,
} from './data.js';
import { LEXICAL, type Pair, pairsOf } from './pairs.js';
import { type Head, regression } from './regression.js';

/** Of the L2 penalty; chosen by leaving out one author after the other. */
const PENALTY = 300;
/** Foreign memories around a session. */
const FOREIGN = 60;
/** The same where each says when it matters. */
const FOREIGN_REMINDING = 40;
/** A term in fewer texts is rare, and is left out. */
const FREQUENT = 3;
/** Precision is above .9 from here on, leaving out one author after the other. */
const THRESHOLDS = { warn: 0.5, offer: 0.5 };

export function makeWeights(note: (line: string) => void = () => {}): GateWeights {
  const all = trainingSessions();
  const { texts, of } = documentFrequencies(all);
  const begun = openers(all);
  const opens = (word: string) => rounded(Math.min(1, (begun.get(word) ?? 0) / 3), 2);
  const around = {
    rarity: (term: string) => Math.log((texts + 1) / ((of.get(term) ?? 0) + 1.5)),
    meaning: remembering((text) => builtInModel().embed(text)),
    opens,
  };
  const reminders = reminding(all);
  const pairs = [all, reworded(all, 0), reworded(all, 1)].flatMap((sessions, variant) => {
    const remind = reminding(sessions);
    return sessions.flatMap(({ voice, session }, at) => {
      const reminded = (remind[at] as Voiced).session;
      const strangers = (from: readonly Voiced[], count: number, seed: number) =>
        strangersTo(session, from, count, chance(seed + at));
      const of = (...how: [ScriptedSession, ReturnType<typeof strangersTo>?]) =>
        pairsOf(how[0], voice, around, LEXICAL, how[1]);
      return [
        ...of(session),
        ...of(reminded),
        ...(variant === 0
          ? of(thinned(session, chance(2_000 + at)))
          : of(session, strangers(all, FOREIGN, 1_000))),
        ...(variant === 2 ? of(reminded, strangers(reminders, FOREIGN_REMINDING, 3_000)) : []),
      ];
    });
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
    version: 2,
    made: `${all.length} sessions of eval/proactive, as they are and reworded twice, with and without remind_when; those as they are also with a third of their memories, the reworded ones also among ${FOREIGN} foreign ones; L2 ${PENALTY}`,
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
