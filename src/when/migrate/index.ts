export { CONSUMPTION_HEADER } from './consumption-header.js';
export { type Migrated, migrateIndex } from './migrate.js';
export type {
  ConvertedEntry,
  MigrationReport,
  RemovedSection,
  UnresolvedEntry,
  UnresolvedReason,
} from './report.js';
export { reportText } from './report.js';
export type { Doubt } from './trigger.js';
