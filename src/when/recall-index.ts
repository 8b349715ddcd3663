/**
 * An index and its files, opened for one recall: as they are kept where they still are the same, else as
 * they are read. What both need is loaded here; parsing is handed in, since most recalls go without.
 */
import type { Clock } from '../shared/clock.js';
import { createFolderReader } from './disk/read.js';
import { readKeptIndex, writeKeptIndex } from './kept-index.js';
import type { Matcher } from './match/matcher.js';
import { createResolver, type ResolveOptions } from './resolve.js';
import type { DiskState, Library, Recall, Request, WhenPaths } from './types.js';

export interface RecallIndex {
  readonly library: Library;
  /** Ranks only for what is not found exactly, unless `nearby` is wanted. */
  resolve(requests: readonly Request[], options?: ResolveOptions): Promise<Recall>;
  /** Keeps what was worked out here, where it is more than what is kept. @throws the file system's error */
  keep(): void;
}

export interface RecallPaths {
  paths: WhenPaths;
  /** File of what is kept; `null`: nothing is. */
  keptAt: string | null;
  clock: Clock;
}

/** @param parse absent: `null` is given where the index has to be parsed */
export async function openRecallIndex(
  where: RecallPaths,
  parse: (state: DiskState) => Library,
): Promise<RecallIndex>;
export async function openRecallIndex(where: RecallPaths): Promise<RecallIndex | null>;
export async function openRecallIndex(
  { paths, keptAt, clock }: RecallPaths,
  parse?: (state: DiskState) => Library,
): Promise<RecallIndex | null> {
  const kept = keptAt === null ? null : await readKeptIndex(keptAt);
  const reader = createFolderReader(paths, clock, kept?.known);
  const state = await reader.read();
  const known = reader.known();
  const same = kept?.libraryOf(state, known) ?? null;
  const library = same ?? parse?.(state);
  if (library === undefined) return null;

  let built: Matcher | null = null;
  let ranking: Promise<Matcher> | null = null;
  const ready = async (): Promise<Matcher> => {
    const [{ createMatcher }, { builtInModel }] = await Promise.all([
      import('./match/matcher.js'),
      import('../embeddings/offline.js'),
    ]);
    const matcher = createMatcher(builtInModel());
    const saved = same === null ? null : (kept?.search ?? null);
    if (saved !== null) matcher.restore(library, saved);
    else {
      await matcher.load(library);
      built = matcher;
    }
    return matcher;
  };

  const { resolve } = createResolver({
    library: () => library,
    async rank(...asked) {
      ranking ??= ready();
      return (await ranking).rank(...asked);
    },
  });
  return {
    library,
    resolve,
    keep() {
      if (keptAt === null || known === null || (same !== null && built === null)) return;
      writeKeptIndex(keptAt, { known, state, library, search: built?.saved() ?? null });
    },
  };
}
