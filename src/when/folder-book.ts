/** The book of a folder, opened for one command: no host, no watching, everything read once. */
import { lstatSync } from 'node:fs';
import { createLexicalEmbedder } from '../embeddings/index.js';
import { type Book, createBook } from './book.js';
import { hashOf, parseDecisionFile } from './decisions.js';
import { readFolder } from './disk/read.js';
import { writeTogether } from './disk/write.js';
import { parseIndex } from './index-file.js';
import { buildLibrary } from './library.js';
import type { MatchEmbedder } from './match/matcher.js';
import { type MigrationReport, migrateIndex } from './migrate/index.js';
import { remember } from './remember.js';
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
import { fixIndex } from './validate/fix.js';
import { validate } from './validate/validate.js';

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
  resolve(requests: readonly Request[]): Promise<Recall>;
  validate(): Validation;
  /** Mends the index in place. Returns what was mended. @throws AppError CONFLICT, UNAVAILABLE */
  fix(): Promise<Problem[]>;
  /** @throws AppError CONFLICT when the index changed meanwhile */
  migrate(options: { dryRun: boolean }): Promise<Migrated>;
  /** @throws what `remember` throws */
  remember(draft: RememberDraft): Promise<Remembered>;
}

/** @param embedder the built-in lexical one when absent */
export async function openBook({
  paths,
  embedder = createLexicalEmbedder(),
}: {
  paths: WhenPaths;
  embedder?: MatchEmbedder;
}): Promise<FolderBook> {
  let disk = await readFolder(paths);
  let library = libraryOf();
  // Ranking is prepared when something is asked; checks and edits do without.
  let asking: Promise<Book> | null = null;

  function libraryOf(): Library {
    const files = disk.files.map(({ path, text }) => parseDecisionFile(path, text));
    return buildLibrary(parseIndex(disk.index?.text ?? ''), files, disk.warnings);
  }

  async function readAgain(): Promise<void> {
    disk = await readFolder(paths);
    library = libraryOf();
    asking = null;
  }

  async function opened(): Promise<Book> {
    const book = createBook({ embedder: () => embedder });
    await book.use(library);
    return book;
  }

  return {
    get library() {
      return library;
    },
    async resolve(requests) {
      asking ??= opened();
      return (await asking).resolveRequests(requests);
    },
    validate: () => validate(library),
    async fix() {
      const { text, fixed } = fixIndex(library);
      if (text !== library.index.text) {
        await writeTogether([{ path: paths.index, text, expected: hashOf(library.index.text) }], {
          paths,
        });
        await readAgain();
      }
      return fixed;
    },
    async migrate({ dryRun }) {
      const before = library.index.text;
      const { text, report, changed } = migrateIndex(before, library.files);
      if (!changed || dryRun) return { text, report, changed, backup: null };
      const backup = freeBackupPath(paths.index);
      await writeTogether(
        [
          { path: backup, text: before, expected: null },
          { path: paths.index, text, expected: hashOf(before) },
        ],
        { paths },
      );
      await readAgain();
      return { text, report, changed, backup };
    },
    async remember(draft) {
      const made = await remember({ paths, read: readFolder, write: writeTogether }, draft);
      await readAgain();
      return made;
    },
  };
}

/** Beside the index, a name that nothing has yet: `index.md.bak`, `index.md.bak.1`, … */
function freeBackupPath(index: string): string {
  for (let count = 0; ; count++) {
    const path = count === 0 ? `${index}.bak` : `${index}.bak.${count}`;
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return path;
  }
}
