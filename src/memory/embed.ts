/** The vectors of a memory, or the reason why it has none: it is then found by its words. */
import { DIMENSION, type Embedder } from '../embeddings/index.js';
import type { ModelVector } from '../records/index.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { MemoryContext } from './context.js';
import { workMemoryType } from './records.js';
import type { WorkMemoryData } from './schema.js';

export interface Embedded {
  vector: ModelVector | null;
  /** By phrase; a phrase without a vector is absent. */
  phrases: ReadonlyMap<string, ModelVector>;
  degraded?: string;
}

/**
 * The vector of a memory and those of its phrases. Never throws: a model that fails must not lose the
 * memory. The re-embedder fills the gap.
 */
export async function embedMemory(
  { embeddings, log }: Pick<MemoryContext, 'embeddings' | 'log'>,
  data: WorkMemoryData,
): Promise<Embedded> {
  const embedder = embeddings.current();
  const texts = [workMemoryType.embeddingText?.(data) ?? '', ...data.remind_when];
  try {
    const vectors = await embedder.embed(texts);
    const made = texts.map((_, at) => {
      const vector = vectors[at];
      return vector && problemOf(vector) === null ? { model: embedder.id, vector } : null;
    });
    const [vector = null, ...rest] = made;
    const phrases = new Map(
      data.remind_when.flatMap((phrase, at) => {
        const found = rest[at];
        return found ? [[phrase, found] as const] : [];
      }),
    );
    const lacking = texts.findIndex((_, at) => made[at] === null);
    if (lacking === -1) return { vector, phrases };
    return without(problemOf(vectors[lacking]) ?? 'the model gave no vector', vector, phrases);
  } catch (error) {
    return without(messageOf(error), null, new Map());
  }

  function without(
    reason: string,
    vector: ModelVector | null,
    phrases: Embedded['phrases'],
  ): Embedded {
    log.warn({ model: embedder.id, reason }, 'memory stored without a vector');
    const what = vector === null ? 'a vector' : 'the vectors of its phrases';
    return {
      vector,
      phrases,
      degraded: `stored without ${what} (${reason}); it is found by its words and embedded later`,
    };
  }
}

/**
 * The vector of one text, checked: no model's mistake goes further.
 * @throws AppError UNAVAILABLE, or what the model threw
 */
export async function soundVector(embedder: Embedder, text: string): Promise<Float32Array> {
  const [vector] = await embedder.embed([text]);
  const problem = problemOf(vector);
  if (vector && problem === null) return vector;
  throw new AppError('UNAVAILABLE', problem ?? 'the model gave no vector');
}

function problemOf(vector: Float32Array | undefined): string | null {
  if (!vector) return 'the model gave no vector';
  if (vector.length !== DIMENSION)
    return `the vector has ${vector.length} numbers, not ${DIMENSION}`;
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares)) return 'the vector is not finite';
  return squares < 1e-12 ? 'the vector is all zeros' : null;
}
