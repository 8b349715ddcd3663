/**
 * The knowledge of one `/when` index, ready to be asked: parsed, linked and indexed from what was read,
 * and parsed again only where that changed. It needs no host. The Eliza service keeps one in line with
 * the files; the command line opens one for a single command and loads ranking, checks and edits only
 * when they are asked for.
 */
import { lstatSync } from 'node:fs';
import { isAppError } from '../shared/errors.js';
import { yieldToLoop } from '../shared/yield.js';
import { requireMerged } from './conflicts.js';
import { hashOf, parseDecisionFile } from './decisions.js';
import { readFolder } from './disk/read.js';
import type { FileChange } from './disk/write.js';
import { createFileMentions, type FileMentions } from './file-mentions.js';
import { parseIndex } from './index-file.js';
import { buildLibrary } from './library.js';
import { createExact, type Exact, FLOOR, OFFER_BAR } from './match/exact.js';
import type { MatchEmbedder, Matcher } from './match/matcher.js';
import type { MigrationReport } from './migrate/report.js';
import { commandOf } from './related.js';
import { parseRequests } from './requests.js';
import { createResolver, type ResolveOptions } from './resolve.js';
import type { StoredEntry } from './sync.js';
import {
  type DecisionFile,
  type DiskState,
  EMPTY_INDEX,
  type Group,
  type IndexDocument,
  type Library,
  type LinkedEntry,
  type Problem,
  type Recall,
  type RememberDraft,
  type Remembered,
  type Request,
  type Section,
  type Validation,
  type WhenPaths,
} from './types.js';

/** An entry that bears on something that was said or touched. */
export interface Relevant {
  entry: LinkedEntry;
  section: Section;
  /** `/when writing mock tests` */
  command: string;
  confidence: number;
  /** In words: "names src/auth.ts", "like “…”". */
  reasons: string[];
}

/** How sure it has to be: an offer comes unasked, a line of the index is only listed. */
export type Bar = 'offer' | 'listing';

export interface WhenIndex {
  library(): Library;
  /**
   * Replaces what is known; of the parts in `kept` only the warnings are taken, and what is known of
   * them stays. Calls of `load`, `use` and `restore` must not overlap.
   */
  load(state: DiskState, kept?: { index: boolean; files: boolean }): Promise<Library>;
  /** Takes a library as it is; the one that is known: indexes it anew, for another model. */
  use(library: Library): Promise<void>;
  /** The same from stored entries, whose index is not at hand. */
  restore(stored: {
    entries: readonly StoredEntry[];
    files: readonly { path: string; text: string }[];
  }): Promise<Library>;
  /** Works out ahead of time what `relevant` needs for files. */
  prepare(): Promise<void>;
  /** One command (or the text behind it), or several: a batch. Never throws for what is asked. */
  resolve(input: string | readonly string[]): Promise<Recall>;
  resolveRequests(requests: readonly Request[], options?: ResolveOptions): Promise<Recall>;
  /** What bears on a sentence or on touched files, surest first. */
  relevant(
    moment: { text: string; files: readonly string[] },
    limit: number,
    bar: Bar,
  ): Promise<Relevant[]>;
}

/** A file that an entry's section names: sure, but less so than a command. */
const NAMED_FILE = 0.9;
const MAX_TEXT = 2_000;
/** Parsed between two turns of the event loop, characters: some milliseconds. */
const CHARACTERS = 200_000;

/** @param matcher nothing else may load it */
export function createWhenIndex({ matcher }: { matcher: Matcher }): WhenIndex {
  let library: Library = { index: EMPTY_INDEX, files: [], entries: [], warnings: [], unread: [] };
  let mentions: Promise<FileMentions> | null = null;
  const resolver = createResolver({ library: () => library, matcher, floor: FLOOR });

  async function parsed(files: readonly { path: string; text: string }[]): Promise<DecisionFile[]> {
    const known = new Map(library.files.map((file) => [file.path, file]));
    const all: DecisionFile[] = [];
    let characters = 0;
    for (const { path, text } of files) {
      const before = known.get(path);
      if (before?.text === text) {
        all.push(before);
        continue;
      }
      all.push(parseDecisionFile(path, text));
      characters += text.length;
      if (characters < CHARACTERS) continue;
      characters = 0;
      await yieldToLoop();
    }
    return all;
  }

  async function use(next: Library): Promise<Library> {
    await yieldToLoop();
    await matcher.load(next);
    if (next !== library) mentions = null;
    library = next;
    return next;
  }

  return {
    library: () => library,
    async load(state, kept = { index: false, files: false }) {
      const { index, files } = library;
      const nextIndex = kept.index ? index : indexOf(state.index?.text ?? '', index);
      await yieldToLoop();
      const nextFiles = kept.files ? files : await parsed(state.files);
      await yieldToLoop();
      return use(buildLibrary(nextIndex, nextFiles, state.warnings));
    },
    async use(next) {
      await use(next);
    },
    restore: async ({ entries, files }) =>
      use(buildLibrary(storedIndex(entries), await parsed(files))),
    async prepare() {
      mentions ??= createFileMentions(library);
      await mentions;
    },
    resolve(input) {
      const texts = typeof input === 'string' ? [input] : input;
      return resolver.resolve(parseRequests(texts.join('\n')));
    },
    resolveRequests: (requests, options) => resolver.resolve(requests, options),
    async relevant({ text, files }, limit, bar) {
      const found = new Map<string, Relevant>();
      if (files.length > 0) {
        mentions ??= createFileMentions(library);
        const named = await mentions;
        for (const path of files) {
          for (const entry of named.of(path)) note(found, entry, NAMED_FILE, `names ${path}`);
        }
      }
      const said = text.trim().slice(0, MAX_TEXT);
      if (said !== '') {
        const floor = bar === 'offer' ? OFFER_BAR : FLOOR;
        for (const { entry, confidence } of await matcher.rankSentence(said, limit + found.size)) {
          if (entry !== null && confidence >= floor) {
            note(found, entry, confidence, `${confidence.toFixed(2)} like what was said`);
          }
        }
      }
      return [...found.values()].toSorted((a, b) => b.confidence - a.confidence).slice(0, limit);
    },
  };
}

function note(
  found: Map<string, Relevant>,
  entry: LinkedEntry,
  confidence: number,
  reason: string,
): void {
  const { section } = entry;
  if (section === null) return;
  const key = JSON.stringify([section.file, section.line]);
  const known = found.get(key);
  if (known === undefined) {
    found.set(key, { entry, section, command: commandOf(entry), confidence, reasons: [reason] });
    return;
  }
  known.confidence = Math.max(known.confidence, confidence);
  known.reasons.push(reason);
}

function indexOf(text: string, before: IndexDocument): IndexDocument {
  return before.text === text && text !== '' ? before : parseIndex(text);
}

/** Groups in the order of their first entry; of the text itself nothing is known. */
function storedIndex(stored: readonly StoredEntry[]): IndexDocument {
  const groups = new Map<string, Group>();
  for (const { group, file, line } of stored) {
    if (groups.has(group)) continue;
    // A group below another one names no file itself; which one it was is stored.
    groups.set(group, { title: group, line, level: 2, above: file === null ? [] : [file] });
  }
  const entries = stored.map(({ file: _, ...entry }) => entry);
  return { ...EMPTY_INDEX, entries, groups: [...groups.values()] };
}

export interface Migrated {
  /** The migrated index. */
  text: string;
  report: MigrationReport;
  changed: boolean;
  /** Where the index as it was is kept; `null`: nothing was written. */
  backup: string | null;
}

/** An index and its files, opened for one command: everything is read once, nothing is watched. */
export interface OfflineIndex {
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
export async function openOfflineIndex({
  paths,
  embedder,
}: {
  paths: WhenPaths;
  embedder?: MatchEmbedder;
}): Promise<OfflineIndex> {
  const index = createWhenIndex({ matcher: lazyMatcher(embedder) });
  const read = async () => index.load(await readFolder(paths));
  await read();

  /** Works out and writes; nothing to write is a result, too. */
  async function write<T extends { changes: readonly FileChange[] }>(work: () => T): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      requireMerged(index.library(), paths);
      const worked = work();
      if (worked.changes.length === 0) return worked;
      try {
        const { writeTogether } = await import('./disk/write.js');
        await writeTogether(worked.changes, { paths });
        await read();
        return worked;
      } catch (error) {
        if (attempt >= ATTEMPTS || !isAppError(error) || error.code !== 'CONFLICT') throw error;
        await read();
      }
    }
  }

  return {
    get library() {
      return index.library();
    },
    resolve: index.resolveRequests,
    async validate() {
      const { validate } = await import('./validate/validate.js');
      return validate(index.library());
    },
    async fix() {
      const { fixIndex } = await import('./validate/validate.js');
      const { fixed } = await write(() => {
        const { text, fixed: mended } = fixIndex(index.library());
        return { fixed: mended, changes: indexChange(text) };
      });
      return fixed;
    },
    async migrate({ dryRun }) {
      const { migrateIndex } = await import('./migrate/migrate.js');
      const { migrated } = await write(() => {
        const { index: old, files, unread } = index.library();
        const before = old.text;
        const { text, report, changed } = migrateIndex(before, files, unread);
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
      await read();
      return made;
    },
  };

  function indexChange(text: string): FileChange[] {
    const before = index.library().index.text;
    return text === before ? [] : [{ path: paths.index, text, expected: hashOf(before) }];
  }
}

/** Finds exactly at once; what ranks is loaded with the first question that needs it. */
function lazyMatcher(embedder: MatchEmbedder | undefined): Matcher {
  let exact: Exact = () => [];
  let ranking: () => Promise<Matcher> = () => ranked(null, embedder);
  return {
    async load(library) {
      exact = createExact(library);
      let made: Promise<Matcher> | null = null;
      ranking = () => {
        made ??= ranked(library, embedder);
        return made;
      };
    },
    exact: (phrase) => exact(phrase),
    rank: async (...asked) => (await ranking()).rank(...asked),
    rankSentence: async (...asked) => (await ranking()).rankSentence(...asked),
    suggest: async (...asked) => (await ranking()).suggest(...asked),
  };
}

async function ranked(library: Library | null, embedder?: MatchEmbedder): Promise<Matcher> {
  const { createMatcher } = await import('./match/matcher.js');
  const serving = embedder ?? (await builtIn());
  const matcher = createMatcher({ embedder: () => serving });
  if (library !== null) await matcher.load(library);
  return matcher;
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
