/** `/when`: knowledge of the project, recalled by what one is about to do (DESIGN §9). */

export { DECISIONS, faultOfPaths, foundPaths, freshPaths, NO_INDEX } from './find-index.js';
export { printRecall } from './print.js';
export type { WhenHealth, WhenObserver } from './service.js';
export { WHEN, WhenService, type WhenServiceDeps } from './service.js';
export { type Commanded, type EntryWords, givenBy, isEntryToWrite, readEntry } from './turns.js';
export type * from './types.js';
export { USAGE_FILE, type UsageStats } from './usage.js';
export type { Bar } from './when-index.js';
