export {
  createGuard,
  type FoundSecret,
  type Guard,
  type GuardVerdict,
  type HintTexts,
} from './guard.js';
export { redactText } from './judge.js';
export { cleanValue, printedValue, redactHint, redactMeta, redactValue } from './redact.js';
