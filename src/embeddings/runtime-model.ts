/** The host's own TEXT_EMBEDDING (OpenAI, Ollama …) as an embedder of ours: `CUE_EMBEDDINGS=runtime`. */
import { AppError } from '../shared/errors.js';
import type { Embedder } from './embedder.js';
import { calibratedThresholds } from './embedder.js';
import { constantVector, createProjection, toUnit } from './vectors.js';

/** What the room needs of the host; the composition root asks `useModel(TEXT_EMBEDDING, { text })`. */
export interface RuntimeModel {
  /** Name of the provider and model, as far as the host says; part of the embedder's id. */
  name: string;
  embed(text: string): Promise<unknown>;
}

const PROBE = 'add a test for the login form';
const TIMEOUT_MS = 30_000;
const MAX_DIMENSION = 8_192;

/**
 * Asks the model once, to learn how long its vectors are.
 * @throws AppError UNAVAILABLE when it does not answer a vector
 */
export async function startRuntimeModel(
  model: RuntimeModel,
  timeoutMs = TIMEOUT_MS,
): Promise<Embedder> {
  const { length } = numbersOf(await limited(model.embed(PROBE), timeoutMs), null);
  const project = createProjection(length);
  const id = `runtime:${model.name}:${length}`;
  async function one(text: string): Promise<Float32Array> {
    if (text.trim() === '') return constantVector();
    const unit = toUnit(project(numbersOf(await limited(model.embed(text), timeoutMs), length)));
    if (!unit) throw failure('a vector of zeros');
    return unit;
  }
  return {
    id,
    thresholds: calibratedThresholds(id),
    async embed(texts) {
      const vectors: Float32Array[] = [];
      for (const text of texts) vectors.push(await one(text));
      return vectors;
    },
  };
}

function failure(what: string): AppError {
  return new AppError('UNAVAILABLE', `the host's embedding model answered ${what}`);
}

function numbersOf(answer: unknown, length: number | null): number[] {
  if (!Array.isArray(answer)) throw failure('no list of numbers');
  const numbers: number[] = [];
  for (const value of answer) {
    if (typeof value !== 'number' || !Number.isFinite(value)) {
      throw failure('something that is not a finite number');
    }
    numbers.push(value);
  }
  if (length !== null && numbers.length !== length) {
    throw failure(`${numbers.length} numbers where it answered ${length} before`);
  }
  if (numbers.length === 0 || numbers.length > MAX_DIMENSION) {
    throw failure(`${numbers.length} numbers`);
  }
  if (!toUnit(numbers)) throw failure('a vector of zeros');
  return numbers;
}

async function limited<T>(answer: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AppError('UNAVAILABLE', `no embedding within ${timeoutMs} ms`)),
      timeoutMs,
    );
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
