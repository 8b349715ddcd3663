/**
 * A network with one hidden layer beside the straight weights, by stochastic gradient descent (Adam,
 * inputs dropped at random): the same numbers on every run. Pure.
 */
import { chance } from './data.js';
import { type Head, scales } from './regression.js';

export interface Network extends Head {
  hidden: { bias: number; out: number; weights: number[] }[];
}

const UNITS = 32;
const BATCH = 512;
const RATE = 2e-3;
/** Pulls each weight towards nothing. */
const DECAY = 1e-3;
/** How many inputs are left out of a row, each time anew. */
const DROPPED = 0.2;
/** Farther out a value says no more. */
export const FARTHEST = 6;

/** @param rounds how often it goes through all rows */
export function network(
  rows: readonly Float32Array[],
  labels: readonly number[],
  importance: readonly number[],
  rounds: number,
): Network {
  const random = chance(UNITS);
  const width = rows[0]?.length ?? 0;
  const { mean, spread } = scales(rows);
  const scaled = rows.map((row) =>
    row.map((value, at) =>
      Math.max(
        -FARTHEST,
        Math.min(FARTHEST, (value - (mean[at] as number)) / (spread[at] as number)),
      ),
    ),
  );
  // One vector holds all: the units' weights, their biases, what each adds, the straight weights, the bias.
  const biases = UNITS * width;
  const outs = biases + UNITS;
  const straight = outs + UNITS;
  const bias = straight + width;
  const weights = new Float64Array(bias + 1);
  for (let at = 0; at < biases; at++) weights[at] = centred(random) * Math.sqrt(1 / width);
  for (let unit = 0; unit < UNITS; unit++) {
    weights[outs + unit] = centred(random) * Math.sqrt(1 / UNITS);
  }
  const wanted = labels.reduce((sum, label) => sum + label, 0) / labels.length;
  weights[bias] = Math.log(wanted / (1 - wanted));

  const gradient = new Float64Array(weights.length);
  const first = new Float64Array(weights.length);
  const second = new Float64Array(weights.length);
  const row = new Float64Array(width);
  const active = new Float64Array(UNITS);
  const order = Uint32Array.from(rows.keys());
  const steps = rounds * Math.floor(rows.length / BATCH);
  let step = 0;

  const learn = (index: number) => {
    const told = scaled[index] as Float32Array;
    for (let at = 0; at < width; at++) {
      row[at] = random() < DROPPED ? 0 : (told[at] as number) / (1 - DROPPED);
    }
    let logit = (weights[bias] as number) + product(weights, straight, row);
    for (let unit = 0; unit < UNITS; unit++) {
      const sum = (weights[biases + unit] as number) + product(weights, unit * width, row);
      active[unit] = Math.max(0, sum);
      logit += (weights[outs + unit] as number) * (active[unit] as number);
    }
    const probability = 1 / (1 + Math.exp(-logit));
    const error =
      ((probability - (labels[index] as number)) * (importance[index] as number)) / BATCH;
    gradient[bias] = (gradient[bias] as number) + error;
    addScaled(gradient, straight, row, error);
    for (let unit = 0; unit < UNITS; unit++) {
      const value = active[unit] as number;
      if (value === 0) continue;
      gradient[outs + unit] = (gradient[outs + unit] as number) + error * value;
      const back = error * (weights[outs + unit] as number);
      gradient[biases + unit] = (gradient[biases + unit] as number) + back;
      addScaled(gradient, unit * width, row, back);
    }
  };

  const move = () => {
    const rate = RATE * (1 - step / steps);
    step += 1;
    const early = 1 - 0.9 ** step;
    const late = 1 - 0.999 ** step;
    for (let at = 0; at < weights.length; at++) {
      const isBias = at === bias || (at >= biases && at < outs);
      const slope = (gradient[at] as number) + (isBias ? 0 : DECAY * (weights[at] as number));
      first[at] = 0.9 * (first[at] as number) + 0.1 * slope;
      second[at] = 0.999 * (second[at] as number) + 0.001 * slope * slope;
      const by = (first[at] as number) / early;
      weights[at] =
        (weights[at] as number) - (rate * by) / (Math.sqrt((second[at] as number) / late) + 1e-8);
    }
    gradient.fill(0);
  };

  for (let round = 0; round < rounds; round++) {
    shuffle(order, random);
    for (let from = 0; from + BATCH <= order.length; from += BATCH) {
      for (let at = from; at < from + BATCH; at++) learn(order[at] as number);
      move();
    }
  }
  return {
    mean,
    spread,
    weights: [...weights.subarray(straight, bias)],
    bias: weights[bias] as number,
    hidden: Array.from({ length: UNITS }, (_, unit) => ({
      bias: weights[biases + unit] as number,
      out: weights[outs + unit] as number,
      weights: [...weights.subarray(unit * width, (unit + 1) * width)],
    })),
  };
}

/** About normal, of spread 1: the sum of twelve even ones. */
function centred(random: () => number): number {
  let sum = -6;
  for (let times = 0; times < 12; times++) sum += random();
  return sum;
}

function product(weights: Float64Array, from: number, row: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < row.length; at++) {
    sum += (weights[from + at] as number) * (row[at] as number);
  }
  return sum;
}

function addScaled(to: Float64Array, from: number, row: Float64Array, by: number): void {
  for (let at = 0; at < row.length; at++) {
    to[from + at] = (to[from + at] as number) + by * (row[at] as number);
  }
}

function shuffle(order: Uint32Array, random: () => number): void {
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const held = order[at] as number;
    order[at] = order[other] as number;
    order[other] = held;
  }
}
