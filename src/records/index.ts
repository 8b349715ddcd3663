export {
  type Database,
  databaseOf,
  type Executor,
  inIndexOrder,
  pgliteDirectory,
  rowsOf,
} from './database.js';
export { ensureHome, type Home, homeOf } from './home.js';
export {
  createRecords,
  ensureIndexes,
  field,
  type IndexSpec,
  type NewRecord,
  type RecordCursor,
  type RecordRow,
  type Records,
  withoutNul,
} from './records.js';
export { existingRooms } from './rooms.js';
export { memoriesTable, tasksTable } from './tables.js';
