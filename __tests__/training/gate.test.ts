import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  contributions,
  logitOf,
  probabilityOf,
  type Regression,
  WEIGHTS,
} from '../../src/proactive/gate/weights.js';
import { chance, strangersTo, thinned, trainingSessions } from '../../training/gate/data.js';
import { printed } from '../../training/gate/make.js';
import { network } from '../../training/gate/network.js';
import { predict, regression } from '../../training/gate/regression.js';

describe('logistic regression', () => {
  const random = chance(3);
  const rows = Array.from({ length: 200 }, () => Float64Array.from([random(), random(), 1]));
  const labels = rows.map(([first = 0, second = 0]) =>
    first - second + random() / 4 > 0.1 ? 1 : 0,
  );
  const importance = rows.map(() => 1);

  it('finds what the labels go by, and the same numbers each time', () => {
    const head = regression(rows, labels, importance, 1);
    expect(head.weights[0]).toBeGreaterThan(1);
    expect(head.weights[1]).toBeLessThan(-1);
    // The same for all says nothing.
    expect(head.weights[2]).toBe(0);
    const right = rows.filter((row, at) => predict(head, row) > 0.5 === (labels[at] === 1));
    expect(right.length).toBeGreaterThan(180);
    expect(regression(rows, labels, importance, 1)).toEqual(head);
  });
});

describe('network', () => {
  const random = chance(5);
  const rows = Array.from({ length: 2_048 }, () => Float32Array.from([random(), random()]));
  // One of both, not both: no straight line parts them.
  const labels = rows.map(([first = 0, second = 0]) => (first > 0.5 !== second > 0.5 ? 1 : 0));
  const importance = rows.map(() => 1);
  const learned = network(rows, labels, importance, 60);
  const head: Regression = {
    bias: learned.bias,
    features: learned.weights.map((weight, at) => [
      `f${at}`,
      learned.mean[at] as number,
      learned.spread[at] as number,
      weight,
    ]),
    hidden: learned.hidden.map(({ bias, out, weights }) => [bias, out, weights]),
  };

  it('finds what two features tell only together, and the same numbers each time', () => {
    const right = rows.filter(([f0 = 0, f1 = 0], at) => {
      return probabilityOf(logitOf(head, { f0, f1 })) > 0.5 === (labels[at] === 1);
    });
    expect(right.length / rows.length).toBeGreaterThan(0.9);
    expect(network(rows, labels, importance, 60)).toEqual(learned);
  });

  it('says what each feature adds', () => {
    const told = (f0: number, f1: number) => contributions(head, { f0, f1 });
    const { by } = told(0.9, 0.1);
    expect(by[0]).toBeGreaterThan(0);
    expect(by[1]).toBeGreaterThan(0);
    expect(told(0.9, 0.9).by.some((each) => each < 0)).toBe(true);
  });
});

describe('variants of a session', () => {
  const all = trainingSessions();
  const [first] = all;

  it('are the same for the same seed', () => {
    if (!first) throw new Error('no sessions');
    const foreign = () => strangersTo(first.session, all, 5, chance(1));
    expect(foreign()).toHaveLength(5);
    expect(foreign()).toEqual(foreign());
    const few = thinned(first.session, chance(1)).memories;
    expect(few.length).toBeGreaterThan(0);
    expect(few.length).toBeLessThan(first.session.memories.length);
  });
});

it('weights are written as they are kept', () => {
  const file = new URL('../../src/proactive/gate-weights.json', import.meta.url);
  expect(printed(WEIGHTS)).toBe(readFileSync(file, 'utf8'));
});
