export {
  type Database,
  databaseOf,
  type Executor,
  inIndexOrder,
  pgliteDirectory,
  requireHalfvec,
  rowsOf,
  sqlList,
  storageProblem,
} from '../host/database.js';
export { type CatalogDeps, createCatalog, type MemoryCatalog } from './catalog/catalog.js';
export type {
  Analyze,
  Catalog,
  CatalogDoc,
  CatalogState,
  DenseScores,
  Hit,
  LinkEdge,
  LinkGraph,
  SearchField,
  Shelf,
  SlotFilter,
} from './catalog/types.js';
export { ensureHome, type Home, homeOf } from './home.js';
export { messagesOf } from './host-messages.js';
export { RECORD_INDEXES } from './indexes.js';
export { keepStarting } from './keep-starting.js';
export type { LiveCatalog } from './live-catalog.js';
export {
  defaultFollowMs,
  openProjectRecords,
  type ProjectRecords,
  type ProjectRecordsDeps,
} from './project-records.js';
export { projectIdOf } from './projects.js';
export type {
  DamagedRecord,
  IndexEntry,
  ModelVector,
  NewTypedRecord,
  RecordPage,
  RecordStore,
  RecordType,
  StoredRecord,
  TransactionStore,
} from './record-type.js';
export {
  createRecords,
  ensureIndexes,
  field,
  type IndexSpec,
  type NewRecord,
  type RecordCursor,
  type RecordRow,
  type Records,
} from './records.js';
export { existingRooms } from './rooms.js';
export {
  audienceOf,
  type Caller,
  canRead,
  identityOfSession,
  projectScope,
  type Reader,
  type Scope,
  VISIBILITIES,
  type Visibility,
} from './scope.js';
export { withoutNul } from './storable.js';
export { createRecordStore, type PurgeableStore, type RecordStoreDeps } from './store.js';
export { memoriesTable, tasksTable } from './tables.js';
