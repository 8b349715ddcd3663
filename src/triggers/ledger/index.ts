/** The run ledger; the room's other files come in here. */
export type { Begun } from './attempts.js';
export type { RunResults } from './counts.js';
export { LEDGER_INDEXES } from './indexes.js';
export { createLedger, type Ledger } from './ledger.js';
export { type NewRun, RUN_TYPE, runIdOf } from './table.js';
export { SENDING_MS } from './waiting.js';
