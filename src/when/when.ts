/**
 * `/when` for one running agent: the book, kept in line with the files it is written in, and its rows.
 * While the files are away (folder gone, disk unmounted) what was stored answers, and says so.
 */
import type { Caller, RecordStore, Scope } from '../records/index.js';
import { type Clock, DAY_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { type Bar, createBook } from './book.js';
import { findCommands } from './commands.js';
import { INDEX } from './disk/bounds.js';
import { readFolder } from './disk/read.js';
import { type FolderWatch, type WatchDeps, watchFolder } from './disk/watch.js';
import { writeTogether } from './disk/write.js';
import { createEntryIds, NO_ENTRIES } from './entry-ids.js';
import type { MatchEmbedder } from './match/matcher.js';
import { commandOf } from './related.js';
import { remember } from './remember.js';
import { parseRequests } from './requests.js';
import { createRowWriter, type Written } from './row-writer.js';
import { createLibraryRecords } from './sync.js';
import type {
  DiskState,
  LinkedEntry,
  Recall,
  RememberDraft,
  Remembered,
  Request,
  Section,
  Validation,
  Warning,
  WhenPaths,
} from './types.js';
import { offeredEvents, recallEvents, type UsageEvent } from './usage/events.js';
import { createUsageJournal } from './usage/journal.js';
import { type UsageStats, usageStats } from './usage/rates.js';
import { validate } from './validate/validate.js';

/** Entries were asked for, and given, to this caller. Must not throw. */
export type WhenObserver = (use: { ids: readonly Uuid[]; caller: Caller }) => void;

export interface WhenDeps {
  records: RecordStore;
  embedder: () => MatchEmbedder;
  /** Calls the listener when another model begins to serve; returns the way to stop. */
  onEmbedder?: ((listener: () => void) => () => void) | undefined;
  agentId: Uuid;
  clock: Clock;
  log: Log;
  paths: WhenPaths | null;
  usagePath: string | null;
  onRecalled: WhenObserver;
  /** Whether this person may write files: owner or admin of the room's world. */
  isAdmin: (entityId: string, roomId: string) => Promise<boolean>;
  /** How long opening, and later a question, waits for the first look at the files, ms. */
  waitMs?: { open: number; ask: number } | undefined;
  /** For tests: how fast the files are followed. */
  watching?: WatchDeps | undefined;
}

/** An entry that leads to a section, as offers and listings show it. */
export interface ShownEntry {
  id: Uuid;
  /** `/when writing mock tests` */
  command: string;
  header: string;
  description: string;
  /** The decision file as the index names it: `agents/decisions/testing.md`. */
  file: string;
  scope: Scope;
}

export interface RelevantEntry extends ShownEntry {
  /** 0 to 1. */
  confidence: number;
  /** In words: "names src/auth.ts". */
  reasons: string[];
}

export interface WhenHealth {
  /** `stored`: index or files are away, and what was stored of them answers. */
  state: 'off' | 'loading' | 'ready' | 'stored';
  index: string | null;
  decisions: string | null;
  entries: number;
  sections: number;
  files: number;
  /** Newest problems of index and files, at most 20, and how many there are. */
  warnings: Warning[];
  warningCount: number;
  /** Of the last sync of the rows; absent before the first. */
  lastSync?: Written;
  /** Why it is worse than it could be, in words. */
  degraded?: string;
}

export interface When {
  readonly configured: boolean;
  /**
   * One command or a batch, with or without `/when`; it counts as a recall. @throws AppError DISABLED
   * without an index
   */
  recall(input: string | readonly string[], caller: Caller): Promise<Recall>;
  /** What the commands in a free text ask for; `null`: there are none in it. */
  find(text: string, caller: Caller): Promise<Recall | null>;
  /** What bears on a sentence or on touched files; counts nothing. */
  relevant(
    moment: { text: string; files: readonly string[] },
    limit: number,
    bar?: Bar,
  ): Promise<RelevantEntry[]>;
  /** Those of these entries that still are, as they are now. */
  current(ids: readonly Uuid[]): Promise<ShownEntry[]>;
  /** These entries were shown unasked in that session, or room. */
  offered(ids: readonly Uuid[], session: { sessionId?: string; roomId?: Uuid }): void;
  /**
   * Writes an entry, and its section when there is content, to the files.
   * @throws AppError PERMISSION_DENIED for a person who is neither owner nor admin of the room's
   * world; DISABLED without an index; what `remember` throws
   */
  remember(draft: RememberDraft, caller: Caller): Promise<Remembered>;
  /** @throws AppError DISABLED without an index */
  validate(): Promise<Validation>;
  stats(): UsageStats;
  health(): WhenHealth;
  settled(): Promise<void>;
  stop(): Promise<void>;
}

const SHOWN_WARNINGS = 20;
const WAIT_MS = { open: SECOND_MS / 2, ask: 3 * SECOND_MS };
const LOADING = 'the /when index is still being read: ask again in a moment';

/** Resolves when the files are read, at the latest after half a second; then they are read on. */
export async function openWhen(deps: WhenDeps): Promise<When> {
  const { records, clock, log, paths, agentId, waitMs = WAIT_MS } = deps;
  const book = createBook({ embedder: deps.embedder });
  const rows = createLibraryRecords({ records, agentId, clock });
  const writer = createRowWriter({ rows, clock, log });
  const journal = deps.usagePath === null ? null : createUsageJournal({ path: deps.usagePath });
  const scope: Scope = {
    projectId: records.projectId,
    visibility: 'project',
    entityId: null,
    roomId: null,
    authorId: agentId,
  };
  let state: WhenHealth['state'] = paths === null ? 'off' : 'loading';
  let degraded: string | undefined;
  let ids = NO_ENTRIES;
  let watch: FolderWatch | null = null;
  let closed = false;
  let loads: Promise<unknown> = Promise.resolve();

  /** Loads of the book must not overlap. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const turn = loads.then(() => (closed ? undefined : work()));
    loads = turn.catch(() => {});
    return turn;
  }

  async function take(disk: DiskState): Promise<void> {
    const lacksIndex = disk.index === null;
    const lacksFiles = disk.files.length === 0;
    const isFirst = state === 'loading';
    if (isFirst && (lacksIndex || lacksFiles)) await restore();
    const known = book.library();
    const away = {
      index: lacksIndex && known.entries.length > 0,
      files: lacksFiles && known.files.length > 0,
    };
    ids = await createEntryIds(records.projectId, await book.load(disk, away));
    if (away.index || away.files) {
      const parts = [...(away.index ? ['the index'] : []), ...(away.files ? ['its files'] : [])];
      degraded = `${parts.join(' and ')} cannot be read; what was known before answers`;
      state = 'stored';
      log.warn({ index: paths?.index, degraded }, 'when files are away');
      return;
    }
    state = 'ready';
    degraded = lacksIndex
      ? (disk.warnings.find(({ file }) => file === INDEX)?.message ?? 'there is no index')
      : undefined;
    writer.want(book.library());
    prepare();
  }

  /** Without the database there is nothing to go by, which is no reason to know less. */
  async function restore(): Promise<void> {
    try {
      const stored = await rows.read();
      if (stored !== null) await book.restore(stored);
    } catch (error) {
      log.error({ error: messageOf(error) }, 'stored when index not read');
    }
  }

  function prepare(): void {
    book.prepare().catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'files named in the when index not looked up');
    });
  }

  async function follow(where: WhenPaths): Promise<void> {
    const seen = (disk: DiskState) => inTurn(() => take(disk));
    try {
      watch = await watchFolder(where, seen, { log, clock, ...deps.watching });
    } catch (error) {
      degraded = `the files are not followed: ${messageOf(error)}`;
      log.error({ error: messageOf(error) }, 'when files not followed');
    }
  }

  const following = paths === null ? Promise.resolve() : follow(paths);
  const stopListening = deps.onEmbedder?.(() => {
    inTurn(() => book.use(book.library())).catch((error: unknown) => {
      log.error({ error: messageOf(error) }, 'when index not embedded anew');
    });
  });
  await atMost(waitMs.open, following);

  function note(events: readonly UsageEvent[]): void {
    if (journal === null || events.length === 0) return;
    try {
      journal.append(events);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'use of the when index not written down');
    }
  }

  /** Without a session, the room; without either, a day is as good a guess as any. */
  function sessionOf({ sessionId, roomId }: { sessionId?: string; roomId?: Uuid }): string {
    return sessionId ?? roomId ?? `day-${Math.floor(clock.now() / DAY_MS)}`;
  }

  async function asked(requests: readonly Request[], caller: Caller): Promise<Recall> {
    if (state === 'loading') await atMost(waitMs.ask, following);
    const recall = await book.resolveRequests(requests);
    if (state === 'loading') {
      for (const answer of recall.results) {
        if (answer.found === 'none') answer.message = LOADING;
      }
      return recall;
    }
    note(recallEvents(recall, sessionOf(caller), clock.now()));
    const given = recall.results.flatMap(({ found, matches: [best] }) =>
      found !== 'none' && best ? ids.ofSection(best.file, best.line) : [],
    );
    if (given.length > 0) deps.onRecalled({ ids: given, caller });
    return recall;
  }

  function shownOf(entry: LinkedEntry, section: Section): ShownEntry[] {
    const id = ids.of(entry);
    // Another library has come since it was found.
    if (id === null) return [];
    const { description, group } = entry;
    const header = section.title;
    return [{ id, command: commandOf(entry), header, description, file: group, scope }];
  }

  function required(): WhenPaths {
    if (paths !== null) return paths;
    throw new AppError('DISABLED', 'there is no /when index: set CUE_WHEN_INDEX');
  }

  return {
    configured: paths !== null,
    async recall(input, caller) {
      required();
      const texts = typeof input === 'string' ? [input] : input;
      return asked(parseRequests(texts.join('\n')), caller);
    },
    async find(text, caller) {
      if (paths === null) return null;
      const requests = findCommands(text);
      return requests.length === 0 ? null : asked(requests, caller);
    },
    async relevant(moment, limit, bar = 'offer') {
      const found = await book.relevant(moment, limit, bar);
      return found.flatMap(({ entry, section, confidence, reasons }) =>
        shownOf(entry, section).map((shown) => ({ ...shown, confidence, reasons })),
      );
    },
    async current(wanted) {
      return wanted.flatMap((id) => {
        const known = ids.entryOf(id);
        return known ? shownOf(known.entry, known.section) : [];
      });
    },
    offered(shown, session) {
      const sections = shown.flatMap((id) => {
        const known = ids.entryOf(id);
        return known ? [{ file: known.section.file, header: known.section.title }] : [];
      });
      note(offeredEvents(sections, sessionOf(session), clock.now()));
    },
    async remember(draft, caller) {
      const where = required();
      if (caller.kind === 'entity' && !(await deps.isAdmin(caller.entityId, caller.roomId))) {
        throw new AppError(
          'PERMISSION_DENIED',
          'only the owner or an admin of this place may write to the /when files',
        );
      }
      const made = await remember({ paths: where, read: readFolder, write: writeTogether }, draft);
      await look();
      return made;
    },
    async validate() {
      required();
      await look();
      return validate(book.library());
    },
    stats: () => {
      const { events, damaged } = journal?.read() ?? { events: [], damaged: 0 };
      return usageStats(events, damaged);
    },
    health() {
      const { entries, files, warnings } = book.library();
      const lastSync = writer.last();
      const problems = [degraded, writer.problem()].filter((one) => one !== undefined);
      return {
        state,
        index: paths?.index ?? null,
        decisions: paths?.decisions ?? null,
        entries: entries.length,
        sections: files.reduce((sum, file) => sum + file.sections.length, 0),
        files: files.length,
        warnings: warnings.slice(0, SHOWN_WARNINGS),
        warningCount: warnings.length,
        ...(lastSync === undefined ? {} : { lastSync }),
        ...(problems.length === 0 ? {} : { degraded: problems.join('; ') }),
      };
    },
    async settled() {
      await look();
      await loads;
      await writer.settled();
    },
    async stop() {
      closed = true;
      stopListening?.();
      await following;
      await watch?.close();
      await loads;
      await writer.stop();
    },
  };

  async function look(): Promise<void> {
    await following;
    await watch?.look();
  }
}

/** Resolves with the work, or after this time without it. */
async function atMost(ms: number, work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, patience]);
  clearTimeout(timer);
}
