/** An embedder and the model beside it as one: for rooms that keep one vector of a text. */
import type { Embedder } from './types.js';

/** Weight of the cosine of the model beside. Chosen on the tuning half of `npm run eval -- when`. */
const BESIDE = 0.5;

/**
 * The embedder itself where nothing counts beside it; else its vectors, each followed by the other's.
 * A product of two is then the cosine of the first plus the weighed cosine of the second.
 */
export function joint(
  embedder: Pick<Embedder, 'id' | 'embed' | 'beside'>,
): Pick<Embedder, 'id' | 'embed'> {
  const { beside } = embedder;
  if (beside === undefined) return embedder;
  const share = Math.sqrt(BESIDE);
  return {
    id: `${embedder.id}+${beside.id}`,
    async embed(texts) {
      const vectors = await embedder.embed(texts);
      return vectors.map((vector, at) => {
        const both = new Float32Array(vector.length + beside.dimension);
        both.set(vector);
        const second = beside.embed(texts[at] ?? '');
        for (let i = 0; i < second.length; i += 1)
          both[vector.length + i] = share * (second[i] ?? 0);
        return both;
      });
    },
  };
}
