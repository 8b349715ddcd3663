/**
 * The public door of `elizaos-plugin-cue`. Add the plugin to a character's list by its name, or
 * import it from here.
 */
import { cuePlugin } from './plugin.js';

export { AutonomyService, type AutonomySettings, type AutonomyStatus } from './autonomy/index.js';
export {
  type Caller,
  type CaptureResult,
  type ChaptersResult,
  type ChapterView,
  type ExportResult,
  type FinishedAction,
  type FinishedRun,
  type ForgetResult,
  type IdentityResult,
  type ImportProgress,
  type ImportResult,
  type LinkResult,
  type ListResult,
  type MemoryDraftInput,
  type MemoryHealth,
  type MemoryView,
  type RecalledMemory,
  type RecallInput,
  type RecallOptions,
  type RecallResult,
  type StoreResult,
  type TraceResult,
  type UpdateResult,
  type WisdomView,
  WORK_MEMORY,
  WorkMemoryService,
} from './memory/index.js';
export { type CueOptions, createCuePlugin, cuePlugin } from './plugin.js';
export { AppError, type ErrorCode, type Finding, InvalidInputError } from './shared/errors.js';
export {
  type CreateManyResult,
  type CreateOptions,
  type CreateResult,
  computeInitialSchedule,
  computeNextCronDelayMs,
  type DeliverTo,
  describeSchedule,
  type Explanation,
  isTriggerTask,
  type MissedRunPolicy,
  type NormalizeLimits,
  type NormalizeResult,
  nextRunAfter,
  normalizeTriggerTaskForCreate,
  parseScheduleText,
  type Requester,
  type Schedule,
  type SchedulePreview,
  type TriggerConfig,
  type TriggerDraft,
  type TriggerExecutionStatus,
  type TriggerHealth,
  type TriggerPatch,
  type TriggerRun,
  type TriggerRunRecord,
  TriggerService,
  type TriggerState,
  type TriggerSummary,
  type TriggerTask,
  type TriggerType,
  type TriggerWakeMode,
} from './triggers/index.js';

export default cuePlugin;
