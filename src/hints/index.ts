/** Hints: Nudge inside the agent (DESIGN §10). */
export {
  bareName,
  type ComponentMention,
  componentMentions,
} from './component-mentions.js';
export type { HintObserver } from './context.js';
export { printedValue, redactHint, redactText } from './guard/index.js';
export {
  createHints,
  type HintRoom,
  type HintSettings,
  type HintsDeps,
} from './hints.js';
export { directValue, type EligibleHint, type Offering } from './offering.js';
export { type HintRows, hintType } from './persist.js';
export { DEFAULT_QUOTAS } from './quota.js';
export * from './schema.js';
export { HINTS, HintService, type HintServiceDeps } from './service.js';
export { FOR_GOOD, parseTtl } from './ttl.js';
export type * from './types.js';
export type { SetOptions } from './writes.js';
