import { describe, expect, it } from 'vitest';
import {
  builtInModel,
  calibratedThresholds,
  cosine,
  createLexicalEmbedder,
  joint,
} from '../../src/embeddings/index.js';

const lexical = createLexicalEmbedder();

describe('an embedder and the model beside it', () => {
  it('are one whose product is the sum of both cosines, the second counting half', async () => {
    const beside = builtInModel();
    const both = joint({ ...lexical, beside });
    const texts = ['delete a branch', 'remove the old branch'];
    const [one, other] = await both.embed(texts);
    const [a, b] = await lexical.embed(texts);
    const [c, d] = texts.map((text) => beside.embed(text));
    if (!one || !other || !a || !b || !c || !d) throw new Error('a vector is missing');
    expect(cosine(one, other)).toBeCloseTo(cosine(a, b) + 0.5 * cosine(c, d), 5);
    expect(both.id).toBe(`lexical-v1+${beside.id}`);
    expect(calibratedThresholds(both.id)).toEqual(calibratedThresholds('lexical-v1'));
  });

  it('are the embedder itself where there is none beside it', () => {
    expect(joint(lexical)).toBe(lexical);
  });
});
