/** Similarity thresholds by model, from the committed output of `npm run eval -- thresholds`. */
import { CALIBRATED } from './calibrated.js';
import type { Thresholds } from './types.js';

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
