/** Hints: Nudge inside the agent (DESIGN §10). */
export {
  bareName,
  type ComponentMention,
  componentMentions,
} from './component-mentions.js';
export { type HintRows, hintType } from './persist.js';
export { directValue, type EligibleHint, type Offering } from './reads.js';
export * from './schema.js';
export { printedValue, redactHint, redactText } from './secrets.js';
export {
  createHints,
  HINTS,
  type HintRoom,
  HintService,
  type HintServiceDeps,
  type HintSettings,
  type Hints,
  type HintsDeps,
} from './service.js';
export type { HintObserver } from './store.js';
export { FOR_GOOD, parseTtl } from './ttl.js';
export { DEFAULT_QUOTAS } from './variants.js';
export type { SetOptions } from './writes.js';
