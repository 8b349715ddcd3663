/** Work memory: what was intended, seen, thought and done, and what came of it. */

export { ageOf } from '../shared/ages.js';
export { type Caller, narrowestScope, readerOf, scopeOf } from './access.js';
export type { FinishedAction, FinishedRun } from './capture.js';
export { captureDraft, taskTypeOf } from './capture.js';
export type { ChaptersResult, ChapterView } from './chapters.js';
export {
  createMemoryChecks,
  type EmbeddedText,
  type LookUp,
  type MemoryChecks,
  type MemoryChecksDeps,
} from './checks.js';
export type { MemoryContext, MemoryObserver, MemoryUse } from './context.js';
export type { ForgetResult } from './forget.js';
export type { IdentityResult } from './identity.js';
export type { ImportProgress, ImportResult } from './import.js';
export type { LinkResult } from './link.js';
export type { ListResult } from './list.js';
export type {
  Recall,
  RecalledMemory,
  RecallInput,
  RecallOptions,
  RecallResult,
  StageName,
} from './recall/index.js';
export { printedRecall } from './recall/reference.js';
export {
  chapterType,
  FLAGS,
  identityType,
  keyOf,
  memoryLinkType,
  wisdomType,
  workMemoryType,
} from './records.js';
export { DEPTH_TOKENS, type Depth, isGenerated } from './render.js';
export type { LinkType, MemoryDraftInput, WorkMemoryData } from './schema.js';
export {
  WORK_MEMORY,
  WorkMemoryService,
  type WorkMemoryServiceDeps,
  type WorkMemorySettings,
} from './service.js';
export type { CaptureResult, StoreResult } from './store.js';
export type { TraceResult } from './trace.js';
export type { ExportResult } from './transfer.js';
export type { UpdateResult } from './update.js';
export type { MemoryView } from './view.js';
export type { WisdomView } from './wisdom.js';
export {
  createWorkMemory,
  type MemoryHealth,
  type WorkMemory,
  type WorkMemoryDeps,
} from './work-memory.js';
