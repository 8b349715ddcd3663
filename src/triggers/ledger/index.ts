/** The run ledger; the room's other files come in here. */
export { LEDGER_INDEXES } from './indexes.js';
export { createLedger, type Ledger } from './ledger.js';
export { type NewRun, RUN_TYPE, runIdOf } from './table.js';
