/** The store of trigger tasks; the room's other files come in here. */

export { DUE_BATCH } from './due.js';
export type { ListFilter, PersonVisibility, Visibility } from './filter.js';
export { TASK_INDEXES } from './indexes.js';
export type { SoonestCursor } from './lists.js';
export { createTaskStore, type TaskStore } from './store.js';
export { applied, rowAfter, TASK_BATCH, type TaskWrite } from './writes.js';
