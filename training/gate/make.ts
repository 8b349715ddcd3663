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
import { type Network, network } from './network.js';
import { LEXICAL, type Pair, pairsOf } from './pairs.js';
import { type Head, regression } from './regression.js';

/** Of the L2 penalty; chosen by leaving out one author after the other. */
const PENALTY = 60;
/** Of the network through its pairs: only offers gain by one, warnings and patterns have too few. */
const ROUNDS = 8;
/** What a pair of our own sessions counts beside one of authors who saw neither code nor examples. */
const OWN = 0.3;
/** Foreign memories around a session. */
const FOREIGN = 60;
/** The same where each says when it matters. */
const FOREIGN_REMINDING = 40;
/** A term in fewer texts is rare, and is left out. */
const FREQUENT = 3;
/** Precision is about .9 from here on for authors who are left out in training. */
const THRESHOLDS = { warn: 0.4, offer: 0.5, pattern: 0.5 };
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
  let names: string[] | undefined;
  /** A pair without its texts: there are half a million. */
  const judgedOf = ({ seen, voice, ...pair }: Pair) => {
    names ??= Object.keys(seen.features).sort();
    return {
      row: Float32Array.from(names, (name) => seen.features[name] ?? 0),
      kin: seen.kin.length,
      importance: voice.startsWith('training/') ? 1 : OWN,
      failed: pair.failed,
      warn: pair.warn,
      offer: pair.offer,
      pattern: pair.pattern,
    };
  };
  const pairs = [all, reworded(own, 0), reworded(own, 1)].flatMap((sessions, variant) => {
    const remind = reminding(sessions);
    return sessions.flatMap((voiced, at) => {
      const { voice, session } = voiced;
      const reminded = (remind[at] as Voiced).session;
      const strangers = (from: readonly Voiced[], count: number, seed: number) =>
        strangersTo(session, from, count, chance(seed + at));
      const of = (...how: [ScriptedSession, ReturnType<typeof strangersTo>?]) =>
        pairsOf(how[0], voice, around, LEXICAL, how[1]).map(judgedOf);
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
  type Judged = (typeof pairs)[number];
  type Learn<H> = (rows: Float32Array[], labels: number[], importance: number[]) => H;
  const learned = <H>(
    learn: Learn<H>,
    chosen: readonly Judged[],
    label: (pair: Judged) => boolean | null,
  ): H => {
    const judged = chosen.filter((pair) => label(pair) !== null);
    return learn(
      judged.map(({ row }) => row),
      judged.map((pair) => (label(pair) ? 1 : 0)),
      judged.map(({ importance }) => importance),
    );
  };
  const straight = (...told: Parameters<Learn<Head>>) => regression(...told, PENALTY);
  const warn = learned(
    straight,
    pairs.filter(({ failed }) => failed),
    (pair) => pair.warn,
  );
  note('warn');
  const offer = learned(
    (...told) => network(...told, ROUNDS),
    pairs.filter(({ failed }) => !failed),
    (pair) => pair.offer,
  );
  note('offer');
  const pattern = learned(
    straight,
    pairs.filter(({ kin }) => kin >= MANY - 1),
    (pair) => (pair.offer === true && !pair.pattern ? null : pair.offer),
  );
  const byTerm = [...of].filter(([, count]) => count >= FREQUENT);
  return {
    version: 4,
    made: `${own.length} sessions of eval/proactive, as they are and reworded twice, each counting ${OWN}, and ${all.length - own.length} of authors who saw neither code nor examples (training/gate/sessions); with and without remind_when, with a third of their memories, and among ${FOREIGN} foreign ones`,
    heads: {
      warn: written(warn, names ?? [], THRESHOLDS.warn),
      offer: written(offer, names ?? [], THRESHOLDS.offer),
      pattern: written(pattern, names ?? [], THRESHOLDS.pattern),
    },
    texts,
    frequencies: Object.fromEntries(byTerm.sort(([a], [b]) => (a < b ? -1 : 1))),
    openers: Object.fromEntries([...begun.keys()].sort().map((word) => [word, opens(word)])),
  };
}

function written(
  { mean, spread, weights, bias, hidden }: Head & Partial<Network>,
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
    ...(hidden && {
      hidden: hidden.map((unit) => [
        rounded(unit.bias, 3),
        rounded(unit.out, 3),
        unit.weights.map((weight) => rounded(weight, 3)),
      ]),
    }),
  };
}

function rounded(value: number, digits: number): number {
  return Number(value.toFixed(digits));
}

/** One feature, unit or word a line, so that changes can be read. */
export function printed(weights: GateWeights): string {
  const text = JSON.stringify(weights, null, 1);
  const inLine = text.replace(/\[[^[\]{}]+\]/g, (list) =>
    list.replace(/,\s+/g, ', ').replace(/\s+(?=\])|(?<=\[)\s+/g, ''),
  );
  return `${inLine}\n`;
}
