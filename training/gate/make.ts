/** From sessions to weights: pairs, two heads, thresholds, rounded so that they come out the same. */
import type { ScriptedSession } from '../../eval/proactive/shape.js';
import { meaning } from '../../src/proactive/gate/features.js';
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
const PENALTY = 60;
/** What a pair of our own sessions counts beside one of authors who saw neither code nor examples. */
const OWN = 0.3;
/** Foreign memories around a session. */
const FOREIGN = 60;
/** The same where each says when it matters. */
const FOREIGN_REMINDING = 40;
/** A term in fewer texts is rare, and is left out. */
const FREQUENT = 3;
/** Precision is about .9 from here on for authors who are left out in training. */
const THRESHOLDS = { warn: 0.4, offer: 0.55, pattern: 0.5 };
/** Tasks that make a pattern. */
const MANY = 3;

export function makeWeights(note: (line: string) => void = () => {}): GateWeights {
  const all = trainingSessions();
  const { texts, of } = documentFrequencies(all);
  const begun = openers(all);
  const opens = (word: string) => rounded(Math.min(1, (begun.get(word) ?? 0) / 3), 2);
  const around = {
    rarity: (term: string) => Math.log((texts + 1) / ((of.get(term) ?? 0) + 1.5)),
    meaning,
    opens,
  };
  const isOwn = ({ voice }: Voiced) => !voice.startsWith('training/');
  const own = all.filter(isOwn);
  const reminders = reminding(all);
  const pairs = [all, reworded(own, 0), reworded(own, 1)].flatMap((sessions, variant) => {
    const remind = reminding(sessions);
    return sessions.flatMap((voiced, at) => {
      const { voice, session } = voiced;
      const reminded = (remind[at] as Voiced).session;
      const strangers = (from: readonly Voiced[], count: number, seed: number) =>
        strangersTo(session, from, count, chance(seed + at));
      const of = (...how: [ScriptedSession, ReturnType<typeof strangersTo>?]) =>
        pairsOf(how[0], voice, around, LEXICAL, how[1]);
      const isAmongMany = variant > 0 || !isOwn(voiced);
      return [
        ...of(session),
        ...of(reminded),
        ...(variant === 0 ? of(thinned(session, chance(2_000 + at))) : []),
        ...(isAmongMany ? of(session, strangers(all, FOREIGN, 1_000)) : []),
        ...(variant === 2 || !isOwn(voiced)
          ? of(reminded, strangers(reminders, FOREIGN_REMINDING, 3_000))
          : []),
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
      judged.map(({ voice }) => (voice.startsWith('training/') ? 1 : OWN)),
      PENALTY,
    );
  };
  const warn = head(
    pairs.filter(({ failed }) => failed),
    (pair) => pair.warn,
  );
  const offer = head(
    pairs.filter(({ failed }) => !failed),
    (pair) => pair.offer,
  );
  const pattern = head(
    pairs.filter(({ seen }) => seen.kin.length >= MANY - 1),
    (pair) => (pair.offer === true && !pair.pattern ? null : pair.offer),
  );
  const byTerm = [...of].filter(([, count]) => count >= FREQUENT);
  return {
    version: 3,
    made: `${own.length} sessions of eval/proactive, as they are and reworded twice, each counting ${OWN}, and ${all.length - own.length} of authors who saw neither code nor examples (training/gate/sessions); with and without remind_when, with a third of their memories, and among ${FOREIGN} foreign ones; L2 ${PENALTY}`,
    heads: {
      warn: written(warn, names, THRESHOLDS.warn),
      offer: written(offer, names, THRESHOLDS.offer),
      pattern: written(pattern, names, THRESHOLDS.pattern),
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
