/** Logistic regression on signs that are there or not, one sign after the other: the same numbers on every run. Pure. */
import type { Signs } from '../src/proactive/gate/weights.js';

export interface Signed {
  signs: ReadonlySet<string>;
  label: boolean;
}

const ROUNDS = 30;
/** A sign in fewer texts is left out. */
const LEAST_TEXTS = 3;

/**
 * @param penalty on the square of each weight; the bias is free
 * @param leastWeight a sign that weighs less is left out
 */
export function learnSigns(texts: readonly Signed[], penalty: number, leastWeight: number): Signs {
  const rows = new Map<string, number[]>();
  for (const [at, { signs }] of texts.entries()) {
    for (const sign of signs) {
      const known = rows.get(sign);
      if (known) known.push(at);
      else rows.set(sign, [at]);
    }
  }
  const everywhere = texts.map((_, at) => at);
  const signs = [...rows].filter(([, found]) => found.length >= LEAST_TEXTS);
  const logits = new Float64Array(texts.length);
  const weights = new Map<string, number>();
  const move = (name: string, found: readonly number[], strength: number) => {
    const weight = weights.get(name) ?? 0;
    let slope = strength * weight;
    let curve = strength + 1e-6;
    for (const at of found) {
      const share = 1 / (1 + Math.exp(-(logits[at] as number)));
      slope += share - (texts[at]?.label ? 1 : 0);
      curve += share * (1 - share);
    }
    const step = slope / curve;
    weights.set(name, weight - step);
    for (const at of found) logits[at] = (logits[at] as number) - step;
  };
  for (let round = 0; round < ROUNDS; round += 1) {
    move('', everywhere, 0);
    for (const [name, found] of signs) move(name, found, penalty);
  }
  const kept = signs
    .map(([name]): [string, number] => [name, rounded(weights.get(name) ?? 0)])
    .filter(([, weight]) => Math.abs(weight) >= leastWeight)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return { bias: rounded(weights.get('') ?? 0), weights: Object.fromEntries(kept) };
}

export const rounded = (value: number): number => Math.round(value * 10_000) / 10_000;
