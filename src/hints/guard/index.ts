export { createGuard, type FoundSecret, type Guard, type GuardVerdict } from './guard.js';
export type { HintTexts } from './pieces.js';
export { cleanValue, redactHint, redactMeta, redactValue } from './redact.js';
export { redactText } from './text.js';
