/** Hints: Nudge inside the agent (DESIGN §10). */
export {
  createHints,
  DEFAULT_QUOTAS,
  type HintRoom,
  type HintSettings,
  type HintsDeps,
} from './hints.js';
export type { HintRows } from './persist.js';
export { hintType } from './records.js';
export * from './schema.js';
export { HINTS, HintService, type HintServiceDeps } from './service.js';
export { parseTtl } from './ttl.js';
export type * from './types.js';
export type { SetOptions } from './writes.js';
