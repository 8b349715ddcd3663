/**
 * The door for whoever has no host: the command line. What is loaded through it starts in a few
 * hundredths of a second, because nothing here needs the host, a database or a tokenizer; ranking,
 * checks and edits are loaded only when they are asked for.
 */
import { lstatSync } from 'node:fs';
import { retryConflicts } from '../shared/errors.js';
import { readFolder } from './disk/read.js';
import type { FileChange } from './disk/write.js';
import { hashOf, parseDecisionFile, parseIndex } from './index-file.js';
import { buildLibrary } from './library.js';
import type { MigratedIndex } from './migrate/migrate.js';
import { openRecallIndex, type RecallIndex, type RecallPaths } from './recall-index.js';
import type {
  DiskState,
  Library,
  Problem,
  RememberDraft,
  Remembered,
  Validation,
  WhenPaths,
} from './types.js';
import { requireMerged, requireRead } from './unread.js';

export { DECISIONS, foundIndex, INDEX_PLACES, repositoryOf } from './find-index.js';
export { parseEntryLine } from './index-file.js';
export { reportText } from './migrate/report.js';
export { printRecall } from './print.js';
export { openRecallIndex, type RecallIndex } from './recall-index.js';
export { parseRequests } from './requests.js';
export type * from './types.js';
export { indexFault } from './unread.js';
export {
  createUsageJournal,
  printUsage,
  recallEvents,
  USAGE_FILE,
  type UsageJournal,
  type UsageStats,
  usageStats,
} from './usage.js';

export interface Migrated extends MigratedIndex {
  /** Where the index as it was is kept; `null`: nothing was written. */
  backup: string | null;
}

/** An index and its files, opened for one command that checks or writes; nothing is watched. */
export interface OfflineIndex {
  /** As read, or as it stands after the last write. */
  readonly library: Library;
  validate(): Promise<Validation>;
  /**
   * Mends the index in place. Returns what was mended. @throws AppError CONFLICT while others keep
   * changing it or while it, or a decision file, has the markers of a merge; PERMISSION_DENIED for a
   * read-only index; UNAVAILABLE, also while a file cannot be read
   */
  fix(): Promise<Problem[]>;
  /** @throws what `fix` throws */
  migrate(options: { dryRun: boolean }): Promise<Migrated>;
  /** @throws what `remember` throws */
  remember(draft: RememberDraft): Promise<Remembered>;
}

function parsed({ index, files, warnings }: DiskState): Library {
  const read = files.map(({ path, text }) => parseDecisionFile(path, text));
  return buildLibrary(parseIndex(index?.text ?? ''), read, warnings);
}

/** Opened for one recall: as it is kept where it still is the same, else as it is read. */
export function openForRecall(where: RecallPaths): Promise<RecallIndex> {
  return openRecallIndex(where, parsed);
}

export async function openOfflineIndex({ paths }: { paths: WhenPaths }): Promise<OfflineIndex> {
  let library = parsed(await readFolder(paths));

  /** Works out and writes; nothing to write is a result, too. */
  function write<T extends { changes: readonly FileChange[] }>(work: () => T): Promise<T> {
    return retryConflicts(async () => {
      library = parsed(await readFolder(paths));
      requireMerged(library, paths);
      requireRead(library.warnings);
      const worked = work();
      if (worked.changes.length === 0) return worked;
      const { writeTogether } = await import('./disk/write.js');
      await writeTogether(worked.changes, { paths });
      library = parsed(await readFolder(paths));
      return worked;
    });
  }

  return {
    get library() {
      return library;
    },
    async validate() {
      const { validate } = await import('./validate.js');
      return validate(library);
    },
    async fix() {
      const { fixIndex } = await import('./validate.js');
      const { fixed } = await write(() => {
        const { text, fixed: mended } = fixIndex(library);
        return { fixed: mended, changes: indexChange(text) };
      });
      return fixed;
    },
    async migrate({ dryRun }) {
      const { migrateIndex } = await import('./migrate/migrate.js');
      const { migrated } = await write(() => {
        const before = library.index.text;
        const migrated = migrateIndex(before, library.files);
        if (!migrated.changed || dryRun) {
          return { migrated: { ...migrated, backup: null }, changes: [] };
        }
        const backup = freeBackupPath(paths.index);
        const kept: FileChange = { path: backup, text: before, expected: null };
        return {
          migrated: { ...migrated, backup },
          changes: [kept, ...indexChange(migrated.text)],
        };
      });
      return migrated;
    },
    async remember(draft) {
      const { remember } = await import('./remember.js');
      const made = await remember({ paths, read: readFolder }, draft);
      library = parsed(await readFolder(paths));
      return made;
    },
  };

  function indexChange(text: string): FileChange[] {
    const before = library.index.text;
    return text === before ? [] : [{ path: paths.index, text, expected: hashOf(before) }];
  }
}

/** Beside the index, a name that nothing has yet: `index.md.bak`, `index.md.bak.1`, … */
function freeBackupPath(index: string): string {
  for (let count = 0; ; count++) {
    const path = count === 0 ? `${index}.bak` : `${index}.bak.${count}`;
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}
