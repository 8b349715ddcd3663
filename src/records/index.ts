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
export { takeZeros } from './catalog/score-arrays.js';
export { scored } from './catalog/shelf.js';
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
  Spread,
} from './catalog/types.js';
export { type ChangeLook, createChangeLook, type RecordChange } from './change-look.js';
export { ensureHome, type Home, homeOf, projectIdOf } from './home.js';
export type { LiveCatalog } from './project-records.js';
export {
  defaultFollowMs,
  openProjectRecords,
  type ProjectRecords,
  type ProjectRecordsDeps,
  retryStart,
} from './project-records.js';
export { withoutNul } from './record-codec.js';
export type {
  DamagedRecord,
  IndexEntry,
  ModelVector,
  NewTypedRecord,
  OlderQuestion,
  OlderRecords,
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
  RECORD_INDEXES,
  type RecordCursor,
  type RecordRow,
  type Records,
} from './records.js';
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
export { createRecordStore, type PurgeableStore, type RecordStoreDeps } from './store.js';
export { existingRooms, memoriesTable, messagesOf, tasksTable } from './tables.js';
