/** Work memory: what was intended, seen, thought and done, and what came of it. */
export { authorOf, type Caller, readerOf, scopeOf } from './access.js';
export { ageOf } from './ages.js';
export type { FinishedAction, FinishedRun } from './capture.js';
export { captureDraft, taskTypeOf } from './capture.js';
export { type ChaptersResult, type ChapterView, chapterRequestSchema } from './chapters.js';
export type { MemoryContext } from './context.js';
export { type ForgetResult, forgetRequestSchema } from './forget.js';
export { type IdentityResult, identityRequestSchema } from './identity.js';
export { parseRef, printId } from './ids.js';
export { type LinkResult, linkRequestSchema } from './link.js';
export { type ListResult, listRequestSchema } from './list.js';
export {
  createRecall,
  isPrintedRecall,
  MAX_RECALLED,
  printedRecall,
  type Recall,
  type RecalledMemory,
  type RecallInput,
  type RecallOptions,
  type RecallResult,
  recallSchema,
  type StageName,
} from './recall/index.js';
export {
  chapterType,
  FLAGS,
  identityType,
  keyOf,
  memoryLinkType,
  wisdomType,
  workMemoryType,
} from './records.js';
export { DEPTH_TOKENS, DEPTHS, type Depth, renderMemory } from './render.js';
export {
  draftSchema,
  LINK_TYPES,
  type LinkType,
  type MemoryDraftInput,
  TASK_TYPES,
  type WorkMemoryData,
} from './schema.js';
export {
  WORK_MEMORY,
  WorkMemoryService,
  type WorkMemoryServiceDeps,
  type WorkMemorySettings,
} from './service.js';
export type { CaptureResult, StoreResult } from './store.js';
export { type TraceResult, traceRequestSchema } from './trace.js';
export type { ExportResult, ImportProgress, ImportResult } from './transfer.js';
export type { UpdateResult } from './update.js';
export type { MemoryView } from './view.js';
export { synthesizeRequestSchema, type WisdomView, wisdomRequestSchema } from './wisdom.js';
export {
  createWorkMemory,
  type MemoryHealth,
  type WorkMemory,
  type WorkMemoryDeps,
} from './work-memory.js';
