/** Every record type of this room. */
import type { RecordType } from '../records/index.js';
import {
  chapterType,
  identityType,
  memoryLinkType,
  wisdomType,
  workMemoryType,
} from './records.js';
import { remindWhenType } from './remind-when.js';

/** Those with a vector. */
export const EMBEDDED = [workMemoryType, remindWhenType];

export const MEMORY_TYPES: readonly RecordType<unknown>[] = [
  ...EMBEDDED,
  memoryLinkType,
  chapterType,
  wisdomType,
  identityType,
];
