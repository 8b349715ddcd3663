/**
 * The book of a folder, opened for one command: no host, no watching, everything read once. A command
 * waits for nothing that it does not need: ranking, checks and edits are loaded when they are asked for.
 */
import { lstatSync } from 'node:fs';
import { isAppError } from '../shared/errors.js';
import { requireMerged } from './conflicts.js';
import { hashOf, parseDecisionFile } from './decisions.js';
import { readFolder } from './disk/read.js';
import type { FileChange } from './disk/write.js';
import { parseIndex } from './index-file.js';
import { buildLibrary } from './library.js';
import { createExact, FLOOR } from './match/exact.js';
import type { MatchEmbedder, Matcher } from './match/matcher.js';
import type { MigrationReport } from './migrate/report.js';
import { createResolver, type Finder, type ResolveOptions } from './resolve.js';
import type {
  Library,
  Problem,
  Recall,
  RememberDraft,
  Remembered,
  Request,
  Validation,
  WhenPaths,
} from './types.js';

export interface Migrated {
  /** The migrated index. */
  text: string;
  report: MigrationReport;
  changed: boolean;
  /** Where the index as it was is kept; `null`: nothing was written. */
  backup: string | null;
}

export interface FolderBook {
  /** As read, or as it stands after the last write. */
  readonly library: Library;
  /** Ranks only for what is not found exactly, unless `nearby` is wanted. */
  resolve(requests: readonly Request[], options?: ResolveOptions): Promise<Recall>;
  validate(): Promise<Validation>;
  /**
   * Mends the index in place. Returns what was mended. @throws AppError CONFLICT while others keep
   * changing it or while it, or a decision file, has the markers of a merge; PERMISSION_DENIED for a
   * read-only index; UNAVAILABLE
   */
  fix(): Promise<Problem[]>;
  /** @throws what `fix` throws */
  migrate(options: { dryRun: boolean }): Promise<Migrated>;
  /** @throws what `remember` throws */
  remember(draft: RememberDraft): Promise<Remembered>;
}

/** Somebody else, an editor, wrote in between: worked out again on what stands there. */
const ATTEMPTS = 4;

/** @param embedder the built-in lexical one when absent */
export async function openBook({
  paths,
  embedder,
}: {
  paths: WhenPaths;
  embedder?: MatchEmbedder;
}): Promise<FolderBook> {
  let disk = await readFolder(paths);
  let library = libraryOf();
  let finder = createFinder(library, embedder);
  const resolver = createResolver({
    library: () => library,
    matcher: {
      exact: (phrase) => finder.exact(phrase),
      rank: (query, limit) => finder.rank(query, limit),
      suggest: (query, limit) => finder.suggest(query, limit),
    },
    floor: FLOOR,
  });

  function libraryOf(): Library {
    const files = disk.files.map(({ path, text }) => parseDecisionFile(path, text));
    return buildLibrary(parseIndex(disk.index?.text ?? ''), files, disk.warnings);
  }

  async function readAgain(): Promise<void> {
    disk = await readFolder(paths);
    library = libraryOf();
    finder = createFinder(library, embedder);
  }

  /** Works out and writes; nothing to write is a result, too. */
  async function write<T extends { changes: readonly FileChange[] }>(work: () => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      requireMerged(library, paths);
      const worked = work();
      if (worked.changes.length === 0) return worked;
      try {
        const { writeTogether } = await import('./disk/write.js');
        await writeTogether(worked.changes, { paths });
        await readAgain();
        return worked;
      } catch (error) {
        if (attempt >= ATTEMPTS || !isAppError(error) || error.code !== 'CONFLICT') throw error;
        await readAgain();
      }
    }
  }

  return {
    get library() {
      return library;
    },
    resolve: (requests, options) => resolver.resolve(requests, options),
    async validate() {
      const { validate } = await import('./validate/validate.js');
      return validate(library);
    },
    async fix() {
      const { fixIndex } = await import('./validate/validate.js');
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
        const { text, report, changed } = migrateIndex(before, library.files, library.unread);
        if (!changed || dryRun) {
          return { migrated: { text, report, changed, backup: null }, changes: [] };
        }
        const backup = freeBackupPath(paths.index);
        const kept: FileChange = { path: backup, text: before, expected: null };
        return {
          migrated: { text, report, changed, backup },
          changes: [kept, ...indexChange(text)],
        };
      });
      return migrated;
    },
    async remember(draft) {
      const [{ remember }, { writeTogether }] = await Promise.all([
        import('./remember.js'),
        import('./disk/write.js'),
      ]);
      const made = await remember({ paths, read: readFolder, write: writeTogether }, draft);
      await readAgain();
      return made;
    },
  };

  function indexChange(text: string): FileChange[] {
    const before = library.index.text;
    return text === before ? [] : [{ path: paths.index, text, expected: hashOf(before) }];
  }
}

/** Finds exactly at once; what ranks is loaded with the first question that needs it. */
function createFinder(library: Library, embedder: MatchEmbedder | undefined): Finder {
  let ranking: Promise<Matcher> | null = null;

  async function prepared(): Promise<Matcher> {
    const { createMatcher } = await import('./match/matcher.js');
    const serving = embedder ?? (await builtIn());
    const matcher = createMatcher({ embedder: () => serving });
    await matcher.load(library);
    return matcher;
  }

  async function matcher(): Promise<Matcher> {
    ranking ??= prepared();
    return ranking;
  }

  return {
    exact: createExact(library),
    rank: async (query, limit) => (await matcher()).rank(query, limit),
    suggest: async (query, limit) => (await matcher()).suggest(query, limit),
  };
}

async function builtIn(): Promise<MatchEmbedder> {
  const { createLexicalEmbedder } = await import('../embeddings/offline.js');
  return createLexicalEmbedder();
}

/** Beside the index, a name that nothing has yet: `index.md.bak`, `index.md.bak.1`, … */
function freeBackupPath(index: string): string {
  for (let count = 0; ; count++) {
    const path = count === 0 ? `${index}.bak` : `${index}.bak.${count}`;
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}
