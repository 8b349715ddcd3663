/** Work memory: what was intended, seen, thought and done, and what came of it. */

export { ageOf } from '../shared/clock.js';
export { type Caller, narrowestScope, readerOf, scopeOf } from './access.js';
export type { FinishedAction, FinishedRun } from './capture.js';
export { captureDraft, taskTypeOf } from './capture.js';
export {
  type ChaptersResult,
  type ChapterView,
  chapterListSchema,
  chapterRequestSchema,
} from './chapters.js';
export {
  createMemoryChecks,
  type EmbeddedText,
  type LookUp,
  type MemoryChecks,
  type MemoryChecksDeps,
} from './checks.js';
export type { MemoryContext, MemoryObserver, MemoryUse } from './context.js';
export { firstPart } from './draft.js';
export { fileKeys } from './file-key.js';
export { type ForgetResult, forgetRequestSchema } from './forget.js';
export { type IdentityResult, identityRequestSchema } from './identity.js';
export type { ImportProgress, ImportResult } from './import.js';
export { type LinkResult, linkRequestSchema } from './link.js';
export { type ListResult, listRequestSchema } from './list.js';
export { bestOf } from './recall/fusion.js';
export type {
  Recall,
  RecalledMemory,
  RecallInput,
  RecallOptions,
  RecallResult,
  StageName,
} from './recall/index.js';
export { printedRecall } from './recall/reference.js';
export { recallSchema } from './recall/request.js';
export {
  chapterType,
  FLAGS,
  keyOf,
  memoryLinkType,
  workMemoryType,
} from './records.js';
export { type PhraseHit, phraseHits, remindWhenType } from './remind-when.js';
export { DEPTH_TOKENS, DEPTHS, type Depth, isGenerated } from './render.js';
export {
  draftSchema,
  LINK_TYPES,
  type LinkType,
  type MemoryDraftInput,
  ORIGINS,
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
export type { ExportResult } from './transfer.js';
export { MEMORY_TYPES } from './types.js';
export type { UpdateResult } from './update.js';
export type { MemoryView } from './view.js';
export {
  type FoundWisdom,
  type SynthesisResult,
  synthesizeRequestSchema,
  type WisdomView,
  wisdomRequestSchema,
} from './wisdom.js';
export {
  createWorkMemory,
  type MemoryHealth,
  type WorkMemory,
  type WorkMemoryDeps,
} from './work-memory.js';
