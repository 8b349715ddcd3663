/** Hints: Nudge inside the agent (DESIGN §10). */
export {
  bareName,
  type ComponentMention,
  componentMentions,
} from './component-mentions.js';
export { redactHint, redactText } from './guard/index.js';
export {
  createHints,
  type HintRoom,
  type HintSettings,
  type HintsDeps,
} from './hints.js';
export { directValue, type EligibleHint, type Offering } from './offering.js';
export type { HintRows } from './persist.js';
export { DEFAULT_QUOTAS } from './quota.js';
export type { HintObserver } from './quoting.js';
export { hintType, printedValue } from './records.js';
export * from './schema.js';
export { HINTS, HintService, type HintServiceDeps } from './service.js';
export { FOR_GOOD, parseTtl } from './ttl.js';
export type * from './types.js';
export type { SetOptions } from './writes.js';
