import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { WEIGHTS } from '../../src/proactive/gate/weights.js';
import { chance, strangersTo, thinned, trainingSessions } from '../../training/gate/data.js';
import { printed } from '../../training/gate/make.js';
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
