/** The WASM kernel is built from its source and gives the integers that JavaScript gives. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bestKernel,
  DOTS_AT_ONCE,
  javascriptKernel,
  type KernelFactory,
  wasmKernel,
} from '../../../src/records/catalog/kernel.js';
import { quantize } from '../../../src/records/catalog/vectors.js';
import { docOf, emptyShelf, OPERATOR, vectorOf } from './subject.js';

const catalog = new URL('../../../src/records/catalog/', import.meta.url);
const wasm = wasmKernel() as KernelFactory;

function dots(factory: KernelFactory, rows: number[][], query: number[], from: number) {
  const kernel = factory(query.length);
  kernel.reserve(rows.length);
  for (const [i, row] of rows.entries()) kernel.rows.set(row, i * kernel.stride);
  const padded = new Int8Array(kernel.stride);
  padded.set(query);
  return [...kernel.dots(padded, from, rows.length - from)];
}

const int8 = fc.oneof(fc.constantFrom(-127, 127, 0), fc.integer({ min: -127, max: 127 }));
const problem = fc.integer({ min: 1, max: 400 }).chain((length) => {
  const vector = fc.array(int8, { minLength: length, maxLength: length });
  return fc.record({ query: vector, rows: fc.array(vector, { minLength: 1, maxLength: 9 }) });
});

describe('the two kernels', () => {
  it('give the same integers, which are the dot products, at any size', () => {
    fc.assert(
      fc.property(problem, fc.nat(8), ({ query, rows }, skip) => {
        const from = Math.min(skip, rows.length - 1);
        const exact = rows
          .slice(from)
          .map((row) => row.reduce((sum, value, i) => sum + value * (query[i] as number), 0));
        expect(dots(wasm, rows, query, from)).toEqual(exact);
        expect(dots(javascriptKernel, rows, query, from)).toEqual(exact);
      }),
      { numRuns: 200 },
    );
  });

  it.each([127, -127])('do not overflow when everything is %i', (value) => {
    const row = Array.from({ length: 384 }, () => value);
    const opposite = row.map((number) => -number);
    const exact = [384 * 127 * 127, -384 * 127 * 127];
    expect(dots(wasm, [row, opposite], row, 0)).toEqual(exact);
    expect(dots(javascriptKernel, [row, opposite], row, 0)).toEqual(exact);
  });

  it.each([
    ['wasm', wasm],
    ['javascript', javascriptKernel],
  ])('keep their rows while they grow (%s)', (kind, factory) => {
    const kernel = factory(20);
    expect([kernel.kind, kernel.stride]).toEqual([kind, 32]);
    for (let row = 0; row < 9_000; row += 1) {
      kernel.reserve(row + 1);
      kernel.rows[row * kernel.stride] = row % 100;
    }
    const query = new Int8Array(32);
    query[0] = 2;
    const found = kernel.dots(query, 9_000 - DOTS_AT_ONCE, DOTS_AT_ONCE);
    expect(found).toHaveLength(DOTS_AT_ONCE);
    expect([...found]).toEqual(Array.from(found, (_, i) => ((9_000 - DOTS_AT_ONCE + i) % 100) * 2));
    expect(kernel.bytes).toBeGreaterThanOrEqual(9_000 * 32);
  });

  it('make a shelf score the same', () => {
    const shelves = [emptyShelf(), emptyShelf(javascriptKernel)];
    for (const shelf of shelves) {
      for (let i = 0; i < 200; i += 1) shelf.put(docOf(i, { vector: vectorOf(i) }));
    }
    const [fast, plain] = shelves.map((shelf) => shelf.nearest(vectorOf(17), OPERATOR));
    expect(fast?.scores).toEqual(plain?.scores);
    expect(fast?.touched).toEqual(plain?.touched);
    expect(fast?.scores[17]).toBeCloseTo(1, 6);
  });
});

it('takes the WASM kernel where SIMD is there, else the plain one', () => {
  expect(bestKernel()(16).kind).toBe('wasm');
  const without = { validate: () => false } as unknown as Parameters<typeof wasmKernel>[0];
  expect(wasmKernel(without)).toBeNull();
});

it('has committed bytes that are those of kernel.wat', async () => {
  const { kernelModule } = await import('../../../scripts/build-kernel.mjs');
  const source = readFileSync(new URL('kernel.wat', catalog), 'utf8');
  const committed = readFileSync(new URL('kernel-bytes.ts', catalog), 'utf8');
  expect(await kernelModule(source)).toBe(committed);
});

it('quantizes within ±127 and never to -128, and a zero vector to scale 0', () => {
  fc.assert(
    fc.property(
      fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 40 }),
      (numbers) => {
        const into = new Int8Array(numbers.length);
        const scale = quantize(Float32Array.from(numbers), into);
        expect(into.every((value) => value >= -127)).toBe(true);
        const squares = into.reduce((sum, value) => sum + value * value, 0);
        expect(scale).toBe(squares === 0 ? 0 : 1 / Math.sqrt(squares));
        expect(squares === 0).toBe(numbers.every((value) => value === 0));
      },
    ),
  );
});
