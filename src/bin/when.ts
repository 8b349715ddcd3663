/** A recall without the reader of command lines: one file by itself, which `cue` loads for it alone. */
export { quickRecall } from '../surfaces/cli/when-commands/quick.js';
