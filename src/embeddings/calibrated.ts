/** Written by `npm run eval -- thresholds --write`; not by hand. */

export interface Calibration {
  candidate: number;
  strong: number;
  /** `false`: starting values for a model whose weights were not at hand. */
  calibrated: boolean;
}

export const CALIBRATED: Readonly<Record<string, Calibration>> = {
  'lexical-v1': { candidate: 0.45, strong: 0.81, calibrated: true },
  'Xenova/all-MiniLM-L6-v2@q8': { candidate: 0.5, strong: 0.7, calibrated: false },
  'static-glove-use-384@179012df': { candidate: 0.74, strong: 0.86, calibrated: true },
  'cue-static@0563efa3': { candidate: 0.63, strong: 0.9, calibrated: true },
};
