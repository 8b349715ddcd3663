/**
 * The door for whoever has no host: the command line. What is loaded through it starts in a few
 * hundredths of a second, because nothing here needs the host, a database or a tokenizer.
 */

export { findCommands } from './commands.js';
export { DECISIONS, foundIndex, INDEX_PLACES, repositoryOf } from './find-index.js';
export { parseEntryLine } from './index-file.js';
export { reportText } from './migrate/report.js';
export { printRecall } from './print.js';
export { parseRequests } from './requests.js';
export type * from './types.js';
export { indexFault } from './unread.js';
export {
  createUsageJournal,
  printUsage,
  recallEvents,
  USAGE_FILE,
  type UsageStats,
  usageStats,
} from './usage.js';
export { type Migrated, type OfflineIndex, openOfflineIndex } from './when-index.js';
