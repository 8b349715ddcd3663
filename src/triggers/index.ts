export { timezoneOfWords } from '../language/index.js';
export type {
  CreateManyResult,
  CreateOptions,
  CreateResult,
} from './create.js';
export { describeSchedule, formatInstant } from './describe.js';
export type { RunFilter } from './ledger.js';
export { matchTrigger, pointedAt, preferred } from './match.js';
export type { AutonomyPort, DispatchStep, StepObserver, TriggerSettings } from './parts.js';
export {
  type Explanation,
  readBareSchedule,
  type SchedulePreview,
  sentenceOf,
  type TriggerHealth,
} from './report.js';
export {
  type BatchResult,
  editInputSchema,
  idInputSchema,
  listInputSchema,
  runInputSchema,
  type TriggerRequests,
  triggerInputSchema,
} from './requests.js';
export {
  atTimeOfDay,
  inZone,
  isZoneUnknown,
  type KnownZone,
  type TimeOfDay,
  timeOfDayAt,
  timezoneSourceOf,
  zoneForChange,
} from './retime.js';
export {
  computeInitialSchedule,
  computeNextCronDelayMs,
  isTriggerTask,
  nextRunAfter,
  validateSchedule,
} from './schedule.js';
export { parseScheduleText } from './schedule-text.js';
export {
  type DeliverTo,
  LIMITS,
  type MissedRunPolicy,
  type Requester,
  RUN_STATUSES,
  type Schedule,
  scheduleSchema,
  storableText,
  TIMEZONE_SOURCES,
  type TimezoneSource,
  TRIGGER_STATES,
  type TriggerConfig,
  type TriggerDraft,
  type TriggerExecutionStatus,
  type TriggerPatch,
  type TriggerRun,
  type TriggerRunRecord,
  type TriggerState,
  type TriggerSummary,
  type TriggerType,
  type TriggerWakeMode,
} from './schema.js';
export {
  type NormalizeLimits,
  type NormalizeResult,
  normalizeTriggerTaskForCreate,
  scheduleOf,
  type TriggerTask,
} from './task-codec.js';
export {
  TRIGGER_SERVICE,
  TriggerService,
  type TriggerServiceDeps,
} from './trigger-service.js';
export type { NamedRun } from './triggers.js';
