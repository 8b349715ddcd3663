import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cosine, createLexicalEmbedder, embedLexical } from '../../src/embeddings/index.js';
import { constantVector, createProjection, toUnit } from '../../src/embeddings/vectors.js';

const near = (a: string, b: string) => cosine(embedLexical(a), embedLexical(b));
const length = (vector: Float32Array) => Math.hypot(...vector);

describe('the lexical embedder', () => {
  it('makes exactly these numbers, on every machine', () => {
    const vector = embedLexical('Fix the login form in src/auth/LoginForm.tsx');
    expect(
      [...vector.entries()].filter(([, value]) => Math.abs(value) > 0.2),
    ).toMatchInlineSnapshot(`
      [
        [
          148,
          0.27627333998680115,
        ],
        [
          353,
          -0.2612832188606262,
        ],
      ]
    `);
  });

  it('gives any text a unit vector of 384 finite numbers', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        const vector = embedLexical(text);
        expect(vector.length).toBe(384);
        expect(length(vector)).toBeCloseTo(1, 5);
      }),
    );
  });

  it.each(['', ' \n\t', '!?—…', '\u0000'])('gives %j the constant vector', (text) => {
    expect(embedLexical(text)).toEqual(constantVector());
  });

  it('puts the same words above other words, whatever their case and marks', () => {
    expect(near('Fix login bug', 'fix LOGIN bug!')).toBeCloseTo(1, 6);
    expect(near('fix the login timeout', 'login timeout fix')).toBeGreaterThan(0.7);
    expect(near('fix the login timeout', 'water the plants tomorrow')).toBeLessThan(0.15);
  });

  it('reads words inside identifiers', () => {
    expect(near('parseUserConfig', 'parse user config')).toBeCloseTo(1, 6);
    expect(near('rate limiter tests', 'rate limiting test')).toBeGreaterThan(0.45);
  });

  it('reads a megabyte no further than its first 16,000 characters', () => {
    const start = 'alpha beta gamma '.repeat(2_000);
    expect(embedLexical(start + 'omega '.repeat(150_000))).toEqual(embedLexical(start));
  });

  it('embeds many texts in order under its id', async () => {
    const lexical = createLexicalEmbedder();
    expect(lexical.id).toBe('lexical-v1');
    expect(await lexical.embed(['a cat', ''])).toEqual([embedLexical('a cat'), constantVector()]);
  });
});

describe('vectors of other lengths', () => {
  it('refuses zeros and what is not finite', () => {
    expect(toUnit([0, 0])).toBeNull();
    expect(toUnit([1, Number.NaN])).toBeNull();
    expect(toUnit([Number.POSITIVE_INFINITY])).toBeNull();
    expect(toUnit([3, 4])).toEqual(Float32Array.from([0.6, 0.8]));
  });

  it('fills shorter ones with zeros, which keeps their cosines', () => {
    const project = createProjection(3);
    expect([...project([1, 2, 3]).slice(0, 5)]).toEqual([1, 2, 3, 0, 0]);
    expect(project([1, 2, 3]).length).toBe(384);
  });

  it('brings longer ones to 384 with about the same cosines, always alike', () => {
    const random = (seed: number) =>
      Array.from({ length: 1_536 }, (_, at) => Math.sin(seed * 12.9898 + at * 78.233));
    const [a, b] = [random(1), random(2)];
    const mixed = a.map((value, at) => value + 0.5 * (b[at] ?? 0));
    const before = cosine(toUnit(a)!, toUnit(mixed)!);
    const project = createProjection(1_536);
    const after = cosine(toUnit(project(a))!, toUnit(project(mixed))!);
    expect(Math.abs(after - before)).toBeLessThan(0.08);
    expect(createProjection(1_536)(a)).toEqual(project(a));
  });
});
