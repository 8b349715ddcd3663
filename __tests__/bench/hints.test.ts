/** The hints that `npm run bench -- hints` measures are what its rows say they are. */
import { describe, expect, it } from 'vitest';
import { readArguments } from '../../bench/arguments.js';
import { linesFor } from '../../bench/hints/lines.js';
import { asked, contextOf, itemAt, PER_COMPONENT, payloadOf } from '../../bench/hints/workload.js';
import { hintSchema, setHintParams } from '../../src/hints/index.js';
import { checkScope, compileScope } from '../../src/hints/scope.js';

const NOW_MS = Date.UTC(2026, 5, 1);
const SIZE = 300;
const items = Array.from({ length: SIZE }, (_, index) => itemAt(index));

describe('the hints of the hint bench', () => {
  it('are the same whenever they are asked for, ten for each component', () => {
    expect(itemAt(123)).toEqual(itemAt(123));
    expect(new Set(items.map(({ component }) => component)).size).toBe(SIZE / PER_COMPONENT);
    expect(items.every((item) => setHintParams.safeParse(item).success)).toBe(true);
  });

  it('have a scope one time in ten, and two of three of these are a variant', () => {
    const scoped = items.filter(({ meta }) => meta.scope !== undefined);
    expect(scoped).toHaveLength(SIZE / 10);
    expect(scoped.flatMap(({ meta }) => checkScope(meta.scope))).toEqual([]);
    const { components } = payloadOf(SIZE, NOW_MS);
    const variants = Object.values(components).flatMap((one) => Object.values(one.variants ?? {}));
    expect(variants.map((list) => list.length)).toEqual(Array.from({ length: 20 }, () => 2));
  });

  it('come in as they would be exported', () => {
    const { components } = payloadOf(SIZE, NOW_MS);
    const hints = Object.values(components).flatMap((one) => Object.values(one.hints));
    expect(hints).toHaveLength(SIZE - 20);
    expect(hints.every((hint) => hintSchema.safeParse(hint).success)).toBe(true);
    expect(hints.every((hint) => Date.parse(hint.updated_at) <= NOW_MS)).toBe(true);
  });

  it('are eligible in some of the contexts that are asked about, and not in others', () => {
    const verdicts = items.flatMap(({ component, meta: { scope } }) =>
      scope ? [compileScope(scope).explain(contextOf(component)).eligible] : [],
    );
    expect(new Set(verdicts)).toEqual(new Set([true, false]));
  });

  it('are asked about in the same order each time, and differently on another connection', () => {
    const round = (name: string) => {
      const ask = asked(SIZE, name);
      return [ask.get(), ask.getScoped(), ask.byTag(), ask.byRegex(), ask.set()];
    };
    expect(round('load 1')).toEqual(round('load 1'));
    expect(round('load 1')).not.toEqual(round('load 15'));
  });
});

describe('the rows of the hint bench', () => {
  const budgets = (size: number) =>
    linesFor(size).flatMap(({ id, budget, judged }) =>
      budget === undefined ? [] : [[id, budget, judged]],
    );
  const always = [
    ['hints.statement.cpu', 50, 'max'],
    ['hints.listener.get.errors', 0, 'max'],
    ['hints.listener.query.errors', 0, 'max'],
    ['hints.listener.mix.errors', 0, 'max'],
    ['hints.server.get.errors', 0, 'max'],
    ['hints.server.query.errors', 0, 'max'],
    ['hints.server.mix.errors', 0, 'max'],
  ];

  it('promise at 5,000 hints what design and issue promise, and above it no times', () => {
    expect(budgets(5_000)).toEqual([
      ['hints.get', 0.2, 'p95'],
      ['hints.get.scoped', 0.2, 'p95'],
      ...always,
      ['hints.command.get', 150, undefined],
    ]);
    expect(budgets(20_000)).toEqual(always);
  });

  it('have names of their own, and are a suite of the command', () => {
    const ids = linesFor(5_000).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(readArguments(['hints', '--sizes=5000'], ['hints']).sizes).toEqual([5_000]);
  });
});
