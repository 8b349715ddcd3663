/** The port of the room: texts → vectors (DESIGN §6). */

import { CALIBRATED } from './calibrated.js';
import type { StaticModel } from './static.js';

/** Every vector of ours has this length, whatever the host uses. */
export const DIMENSION = 384;

/** Cosine above which two intents are called similar; they belong to the model (calibrated). */
export interface Thresholds {
  /** At most 2 % of unrelated intents reach it. */
  candidate: number;
  /** "Nearly the same sentence"; still not proof of the same task. */
  strong: number;
}

export interface Embedder {
  /** Recorded with each vector; vectors of different ids are never compared. */
  readonly id: string;
  readonly thresholds: Thresholds;
  /** The built-in static model, where it counts beside this one: the vectors are kept apart. */
  readonly beside?: StaticModel;
  /**
   * One unit vector of 384 finite numbers per text, in order. An empty text has a constant vector.
   * @throws AppError UNAVAILABLE when the model fails; never NaN, never a zero vector
   */
  embed(texts: readonly string[]): Promise<Float32Array[]>;
}

/** What the chain does and why, for health, logs and `npm run embeddings -- status`. */
export interface EmbeddingStatus {
  setting: 'auto' | 'local' | 'lexical' | 'runtime';
  serving: { id: string; dimension: number; reason: string };
  /** The model that the settings ask for while another serves: what it has embedded is kept. */
  wanted?: string;
  /** A better model on its way. */
  preparing?: { id: string; phase: string; loadedBytes: number; totalBytes: number | null };
  /** What is worse than configured, in words for the operator. */
  degraded?: string;
}

export interface Embeddings {
  /** What counts beside the lexical embedder whenever that one serves. */
  readonly beside?: StaticModel;
  /** What serves now; the lexical embedder until a model is ready. */
  current(): Embedder;
  status(): EmbeddingStatus;
  /** Called when another model begins to serve; returns the way to stop listening. */
  onChange(listener: (embedder: Embedder) => void): () => void;
  stop(): Promise<void>;
}

/** A model's id may say more than its source's: `runtime:openai` serves as `runtime:openai:1536`. */
export function isOf(wanted: string, model: string): boolean {
  return model === wanted || model.startsWith(`${wanted}:`);
}

/** Used for a model nobody has calibrated: between the measured ones, so it stays quiet. */
const UNCALIBRATED: Thresholds = { candidate: 0.6, strong: 0.75 };

/**
 * Thresholds of a model, of a joint one those of its first; the cautious ones of an unknown model when
 * there are none for it.
 */
export function calibratedThresholds(id: string): Thresholds {
  const found = CALIBRATED[id.split('+')[0] ?? id];
  return found ? { candidate: found.candidate, strong: found.strong } : UNCALIBRATED;
}

/** Whether the thresholds of this model were measured on our set. */
export function isCalibrated(id: string): boolean {
  return CALIBRATED[id]?.calibrated ?? false;
}
