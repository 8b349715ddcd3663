/** The Eliza service `WHEN`: one agent's `/when` knowledge (DESIGN §9), synced from its files. */

import { join, resolve } from 'node:path';
import { type IAgentRuntime, Service } from '@elizaos/core';
import { builtInModel } from '../embeddings/index.js';
import { handedIn } from '../host/index.js';
import { type Caller, projectScope, type RecordStore } from '../records/index.js';
import { serial, withTimeout } from '../shared/async.js';
import { type Clock, DAY_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { hostLog, type Log } from '../shared/log.js';
import { findCommands } from './commands.js';
import { INDEX } from './disk/bounds.js';
import { readFolder } from './disk/read.js';
import { type FolderWatch, type WatchDeps, watchFolder } from './disk/watch.js';
import { createEntryIds, indexIdOf, NO_ENTRIES } from './entry-ids.js';
import { NO_INDEX } from './find-index.js';
import { fileOfGroup } from './library.js';
import { createMatcher } from './match/matcher.js';
import { commandOf } from './related.js';
import { remember } from './remember.js';
import { parseRequests } from './requests.js';

import { createLibraryRecords, createRowWriter } from './sync.js';
import { createWhenTurns } from './turns.js';
import type {
  DiskState,
  Library,
  LinkedEntry,
  Recall,
  RelevantEntry,
  RememberDraft,
  Remembered,
  Request,
  Section,
  ShownEntry,
  UsedEntry,
  Validation,
  Warning,
  WhenPaths,
} from './types.js';
import { indexFault, unreadOf, unreadText, withKnown } from './unread.js';
import {
  type AskedBy,
  createUsageJournal,
  NO_USE,
  offeredEvents,
  recallEvents,
  sectionKey,
  sectionUses,
  type UsageEvent,
  type UsageStats,
  usageStats,
} from './usage.js';
import { validate } from './validate.js';
import { type Bar, createWhenIndex } from './when-index.js';

export const WHEN = 'WHEN';

/** Between two looks for an index that is not there yet, ms. */
const LOOK_MS = 2_000;

/** What the composition root hands in; the room takes exactly this. */
export interface WhenServiceDeps {
  clock: Clock;
  /** `null`: no index is configured, and what was stored before is all there is. */
  paths: WhenPaths | null;
  /** Of an agent that follows the index of a project: what there is by now, and where its first entry makes one. */
  later?: { found: () => WhenPaths | null; fresh: WhenPaths };
  /** Records of the project, once work memory has started. @throws AppError */
  records: (runtime: IAgentRuntime) => Promise<RecordStore>;
  /** Whether a person is owner or admin, as far as it counts in this room. */
  isAdmin: (runtime: IAgentRuntime, entityId: string, roomId: string) => Promise<boolean>;
  /** File of the usage journal; `null`: none is kept. */
  usagePath: (runtime: IAgentRuntime) => string | null;
  /** Whoever offers entries learns here that they were recalled. Must not throw. */
  onRecalled: (runtime: IAgentRuntime, ...use: Parameters<WhenObserver>) => void;
  /** Called once it is open; returns what ends it. */
  onOpen: (runtime: IAgentRuntime, service: WhenService) => () => void;
}

export class WhenService extends Service {
  static override serviceType: string = WHEN;
  override capabilityDescription =
    'The /when index: knowledge of the project that is recalled by what one is about to do';

  private static readonly provided = handedIn<WhenServiceDeps>('WhenService');
  static readonly provide = WhenService.provided.provide;

  private deps: WhenServiceDeps | null = null;
  private openOn: ((paths: WhenPaths | null) => Promise<When>) | null = null;
  private looking: NodeJS.Timeout | undefined;
  private following: Promise<void> = Promise.resolve();
  private room: When | null = null;
  private close: () => void = () => {};

  /** @throws AppError UNAVAILABLE without the plugin or without work memory */
  static override async start(runtime: IAgentRuntime): Promise<WhenService> {
    const deps = WhenService.provided.of(runtime);
    const records = await deps.records(runtime);
    const service = new WhenService(runtime);
    service.deps = deps;
    service.openOn = (paths) =>
      openWhen({
        records,
        agentId: runtime.agentId,
        clock: deps.clock,
        log: hostLog(runtime, 'when'),
        paths,
        usagePath: deps.usagePath(runtime),
        isAdmin: (entityId, roomId) => deps.isAdmin(runtime, entityId, roomId),
        onRecalled: (use) => deps.onRecalled(runtime, use),
      });
    service.room = await service.openOn(deps.paths);
    service.close = deps.onOpen(runtime, service);
    const look = () =>
      service.follow().catch((error: unknown) => {
        hostLog(runtime, 'when').warn({ error: messageOf(error) }, 'a new index was not taken up');
      });
    if (deps.later) service.looking = setInterval(() => void look(), LOOK_MS).unref();
    return service;
  }

  override async stop(): Promise<void> {
    clearInterval(this.looking);
    await this.following;
    const { room } = this;
    this.room = null;
    this.close();
    await room?.stop();
  }

  /** Takes up an index that has come since. */
  async follow(): Promise<void> {
    const paths = this.configured ? null : (this.deps?.later?.found() ?? null);
    if (paths !== null) await this.turnTo(paths);
  }

  /** One at a time. */
  private async turnTo(paths: WhenPaths | null): Promise<void> {
    const turned = this.following.then(async () => {
      const { room, openOn, deps } = this;
      if (!room || !openOn || !deps || room.configured === (paths !== null)) return;
      this.room = await openOn(paths);
      this.close();
      this.close = deps.onOpen(this.runtime, this);
      await room.stop();
    });
    this.following = turned.catch(() => {});
    await turned;
  }

  /** Whether there is an index at all. */
  get configured(): boolean {
    return this.room?.configured ?? false;
  }
  get turns(): When['turns'] {
    return this.core.turns;
  }
  recall: When['recall'] = (...given) => this.core.recall(...given);
  find: When['find'] = (...given) => this.core.find(...given);
  relevant: When['relevant'] = (...given) => this.core.relevant(...given);
  entries: When['entries'] = () => this.core.entries();
  used: When['used'] = () => this.core.used();
  current: When['current'] = (ids) => this.core.current(ids);
  offered: When['offered'] = (...given) => this.core.offered(...given);
  validate: When['validate'] = () => this.core.validate();
  stats: When['stats'] = () => this.core.stats();
  health: When['health'] = () => this.core.health();
  /** Reads the files now; resolves when their rows are written. For tests and after an edit. */
  settled: When['settled'] = () => this.core.settled();

  /** Makes the index of a project that has none. */
  remember: When['remember'] = async (draft, caller) => {
    await this.follow();
    const fresh = this.configured ? undefined : this.deps?.later?.fresh;
    if (fresh === undefined) return this.core.remember(draft, caller);
    await this.turnTo(fresh);
    try {
      return await this.core.remember(draft, caller);
    } catch (error) {
      // Nothing was made.
      if (this.deps?.later?.found() === null) await this.turnTo(null);
      throw error;
    }
  };

  private get core(): When {
    if (!this.room) throw new AppError('UNAVAILABLE', 'the when service is not running');
    return this.room;
  }
}

const SHOWN_WARNINGS = 20;
const WAIT_MS = { open: SECOND_MS / 2, ask: 3 * SECOND_MS };
const NO_WRITER =
  'only the owner or an admin of a server or group that the agent is in may write to the /when files from a chat (a chat alone with the agent makes nobody one); "cue when remember" on its machine and POST /cue/when/remember write them, too';
const UNREADABLE = 'the /when index cannot be read: "cue when validate" on its machine says why';
const LOADING = 'the /when index is still being read: ask again in a moment';

export type When = Awaited<ReturnType<typeof openWhen>>;

/** Resolves when the files are read, at the latest after half a second; then they are read on. */
export async function openWhen(deps: WhenDeps) {
  const { records, clock, log, paths, agentId, waitMs = WAIT_MS } = deps;
  const index = createWhenIndex(createMatcher(builtInModel()));
  const indexId = indexIdOf(records.projectId, paths === null ? '' : resolve(paths.index));
  const rows = createLibraryRecords({ records, agentId, clock, indexId });
  const writer = createRowWriter({ rows, log });
  const journal = deps.usagePath === null ? null : createUsageJournal({ path: deps.usagePath });
  const scope = projectScope(records.projectId, agentId);
  let state: WhenHealth['state'] = paths === null ? 'off' : 'loading';
  let degraded: string | undefined;
  let ids = NO_ENTRIES;
  let watch: FolderWatch | null = null;
  let closed = false;
  const loads = serial();

  /** Loads of the index must not overlap. */
  const inTurn = (work: () => Promise<void>) => loads(() => (closed ? undefined : work()));

  async function take(seen: DiskState): Promise<void> {
    const isFirst = state === 'loading';
    const unread = unreadOf(seen.warnings);
    const lacks = seen.index === null || seen.files.length === 0 || unread.length > 0;
    if (isFirst && lacks) await restore();
    const disk = withKnown(seen, index.library().files);
    const lacksIndex = disk.index === null;
    const away = awayFrom(disk, index.library());
    ids = await createEntryIds(indexId, await index.load(disk, away));
    if (away.words !== null) {
      degraded = `${away.words} cannot be read; what was known before answers`;
      state = 'stored';
      log.warn({ index: paths?.index, degraded }, 'when files are away');
      return;
    }
    state = 'ready';
    degraded = lacksIndex
      ? (disk.warnings.find(({ file }) => file === INDEX)?.message ?? 'there is no index')
      : unreadText(unread);
    if (isFirst && lacksIndex) log.warn({ index: paths?.index, degraded }, 'no when index');
    writer.want(index.library());
    prepare();
  }

  /** Throws while the database is away, so that nothing stored is forgotten; the next look tries again. */
  async function restore(): Promise<void> {
    try {
      const stored = await rows.read();
      if (stored === null) return;
      const known = stored.index === null ? null : { path: paths?.index ?? '', text: stored.index };
      await index.load({ index: known, files: stored.files, warnings: [] });
    } catch (error) {
      degraded = `files are away, and what was stored cannot be read: ${messageOf(error)}`;
      throw error;
    }
  }

  function prepare(): void {
    index.prepare().catch((error: unknown) => {
      log.warn({ error: messageOf(error) }, 'files named in the when index not looked up');
    });
  }

  async function follow(where: WhenPaths): Promise<void> {
    const seen = (disk: DiskState) => inTurn(() => take(disk));
    try {
      watch = await watchFolder(where, seen, { log, clock, ...deps.watching });
      if (closed) await watch.close();
    } catch (error) {
      degraded = `the files are not followed: ${messageOf(error)}`;
      log.error({ error: messageOf(error) }, 'when files not followed');
    }
  }

  const following = paths === null ? Promise.resolve() : follow(paths);
  await withTimeout(following, waitMs.open);

  function note(events: readonly UsageEvent[]): void {
    if (journal === null || events.length === 0) return;
    try {
      journal.append(events);
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'use of the when index not written down');
    }
  }

  /** The session, else the room, else the day. */
  function sessionOf({
    sessionId,
    roomId,
  }: {
    sessionId?: string | undefined;
    roomId?: Uuid | undefined;
  }): string {
    return sessionId ?? roomId ?? `day-${Math.floor(clock.now() / DAY_MS)}`;
  }

  async function asked(
    requests: readonly Request[],
    caller: Caller,
    by: AskedBy = caller.kind === 'operator' ? 'operator' : 'agent',
  ): Promise<Recall> {
    if (state === 'loading') await withTimeout(following, waitMs.ask);
    const recall = await index.resolve(requests);
    if (state === 'loading') {
      for (const answer of recall.results) {
        if (answer.found === 'none') answer.message = LOADING;
      }
      return recall;
    }
    note(recallEvents(recall, sessionOf(caller), clock.now(), by));
    const given = recall.results.flatMap(({ found, matches: [best] }) =>
      found !== 'none' && best ? ids.ofSection(best.file, best.line) : [],
    );
    if (given.length > 0) deps.onRecalled({ ids: given, caller });
    return recall;
  }

  function shownOf(entry: LinkedEntry, section: Section): ShownEntry[] {
    const id = ids.of(entry);
    // The library was replaced after this entry was found.
    if (id === null) return [];
    const { description, group } = entry;
    const header = section.title;
    // A group below another one has a title that names no file.
    const file = fileOfGroup(group, [section.file]) === null ? section.file : group;
    return [{ id, command: commandOf(entry), header, description, file, scope }];
  }

  function required(): WhenPaths {
    if (paths !== null) return paths;
    throw new AppError('DISABLED', NO_INDEX);
  }

  /**
   * A client with a session and an operator are already authenticated by their surface. Every other
   * caller is refused: one without a session, and any kind that is not named here.
   */
  async function requireWriter(caller: Caller): Promise<void> {
    if (caller.kind === 'operator') return;
    if (caller.kind === 'agent' && caller.sessionId !== undefined) return;
    if (caller.kind === 'entity' && (await deps.isAdmin(caller.entityId, caller.roomId))) return;
    throw new AppError('PERMISSION_DENIED', NO_WRITER);
  }

  /** What the commands in a free text ask for; `null`: there are none in it. `by` as in `recall`. */
  async function find(text: string, caller: Caller, by?: AskedBy): Promise<Recall | null> {
    if (paths === null) return null;
    const requests = findCommands(text);
    return requests.length === 0 ? null : asked(requests, caller, by);
  }

  /** What bears on a sentence or on touched files; counts nothing. */
  async function relevant(
    moment: { text: string; files: readonly string[] },
    limit: number,
    bar: Bar = 'offer',
  ): Promise<RelevantEntry[]> {
    const found = await index.relevant(moment, limit, bar);
    return found.flatMap(({ entry, section, confidence, reasons }) =>
      shownOf(entry, section).map((shown) => ({ ...shown, confidence, reasons })),
    );
  }

  /** These entries were shown unasked in that session, or room. */
  function offered(
    shown: readonly Uuid[],
    session: { sessionId?: string | undefined; roomId?: Uuid | undefined },
  ): void {
    const sections = shown.flatMap((id) => {
      const known = ids.entryOf(id);
      return known ? [{ file: known.section.file, header: known.section.title }] : [];
    });
    note(offeredEvents(sections, sessionOf(session), clock.now()));
  }

  const turns = createWhenTurns({
    clock,
    find,
    relevant: (moment, limit) => relevant(moment, limit, 'listing'),
    entriesOf: (file, line) => ids.ofSection(file, line),
    offered,
  });

  return {
    configured: paths !== null,
    /** What is shown in conversations. */
    turns,
    /**
     * One command or a batch, with or without `/when`; it counts as a recall.
     * @param by whose words these are; absent: the operator's own, else the agent's
     * @throws AppError DISABLED without an index; where nothing was found, UNAVAILABLE or PERMISSION_DENIED
     * when the index cannot be read and nothing of it is known
     */
    async recall(input: string | readonly string[], caller: Caller, by?: AskedBy): Promise<Recall> {
      const where = required();
      const texts = typeof input === 'string' ? [input] : input;
      const recall = await asked(parseRequests(texts.join('\n')), caller, by);
      const missed = recall.results.filter(({ found }) => found === 'none').length;
      if (missed === 0 || state === 'loading') return recall;
      const fault = indexFault(index.library(), unreadOf(index.library().warnings), where.index);
      // People in a chat are told nothing of this machine's folders.
      const isTold = caller.kind !== 'entity';
      if (fault !== null && missed === recall.results.length) {
        throw isTold ? fault : new AppError('UNAVAILABLE', UNREADABLE, {}, { cause: fault });
      }
      return degraded === undefined || !isTold ? recall : { ...recall, degraded };
    },
    find,
    relevant,
    offered,
    /** All entries that lead to a section, in the order of the index; counts nothing. */
    async entries(): Promise<ShownEntry[]> {
      if (state === 'loading') await withTimeout(following, waitMs.ask);
      const { entries } = index.library();
      return entries.flatMap((entry) => (entry.section ? shownOf(entry, entry.section) : []));
    },
    /** The same, with how often each came up. */
    async used(): Promise<UsedEntry[]> {
      if (state === 'loading') await withTimeout(following, waitMs.ask);
      const uses = sectionUses((await journal?.read())?.events ?? []);
      return index.library().entries.flatMap((entry) => {
        const { section } = entry;
        if (!section) return [];
        const use = uses.get(sectionKey(section.file, section.title)) ?? NO_USE;
        return shownOf(entry, section).map((shown) => ({ ...shown, use }));
      });
    },
    /** Those of these entries that still are, as they are now. */
    async current(wanted: readonly Uuid[]): Promise<ShownEntry[]> {
      return wanted.flatMap((id) => {
        const known = ids.entryOf(id);
        return known ? shownOf(known.entry, known.section) : [];
      });
    },
    /**
     * Writes an entry, and its section when there is content, to the files.
     * @throws AppError PERMISSION_DENIED for a person who is neither owner nor admin, and for a
     * client without a session; DISABLED without an index; what `remember` throws
     */
    async remember(draft: RememberDraft, caller: Caller): Promise<Remembered> {
      const where = required();
      await requireWriter(caller);
      if (state === 'loading') await withTimeout(following, waitMs.ask);
      if (state === 'loading') throw new AppError('UNAVAILABLE', LOADING);
      const known = () => index.library().files.map(({ path }) => path);
      const made = await remember({ paths: where, read: readPresent, known }, draft);
      await look();
      return made;
    },
    /** @throws AppError DISABLED without an index */
    async validate(): Promise<Validation> {
      const where = required();
      await look();
      const { problems, ...rest } = validate(index.library());
      const pathOf = (file: string) =>
        file === INDEX ? where.index : join(where.decisions, ...file.split('/'));
      return { ...rest, problems: problems.map((one) => ({ ...one, path: pathOf(one.file) })) };
    },
    async stats(): Promise<UsageStats> {
      const { events, damaged } = (await journal?.read()) ?? { events: [], damaged: 0 };
      return usageStats(events, damaged);
    },
    health(): WhenHealth {
      const { entries, files, warnings } = index.library();
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
        ...(problems.length === 0 ? {} : { degraded: problems.join('; ') }),
      };
    },
    async settled() {
      await look();
      await loads(() => undefined);
      await writer.settled();
    },
    async stop() {
      closed = true;
      // A folder that does not answer must not hold up the end; `follow` closes the watch.
      await withTimeout(following, waitMs.ask);
      await watch?.close();
      await withTimeout(
        loads(() => undefined),
        waitMs.ask,
      );
      await writer.stop();
    },
  };

  /** Reads the folder before a write. A file written while known ones are missing would replace them. */
  async function readPresent(where: WhenPaths): Promise<DiskState> {
    const disk = await readFolder(where);
    const { words } = awayFrom(disk, index.library());
    if (words === null) return disk;
    const message = `${words} cannot be read, and what is written now would take the place of what is stored: bring them back, or write them anew in an editor`;
    throw new AppError('UNAVAILABLE', message);
  }

  async function look(): Promise<void> {
    await following;
    await watch?.look();
  }
}

/** What was known and is missing entirely, which no edit causes; `words` says it for people. */
function awayFrom(
  disk: DiskState,
  known: Library,
): { index: boolean; files: boolean; words: string | null } {
  const index = disk.index === null && known.entries.length > 0;
  const files = disk.files.length === 0 && known.files.length > 0;
  const parts = [...(index ? ['the index'] : []), ...(files ? ['its files'] : [])];
  return { index, files, words: parts.length === 0 ? null : parts.join(' and ') };
}

/** Entries were asked for, and given, to this caller. Must not throw. */
export type WhenObserver = (use: { ids: readonly Uuid[]; caller: Caller }) => void;

export interface WhenDeps {
  records: RecordStore;
  agentId: Uuid;
  clock: Clock;
  log: Log;
  paths: WhenPaths | null;
  usagePath: string | null;
  onRecalled: WhenObserver;
  /** Whether this person may write files: owner or admin. */
  isAdmin: (entityId: string, roomId: string) => Promise<boolean>;
  /** How long opening, and later a question, waits for the first look at the files, ms. */
  waitMs?: { open: number; ask: number } | undefined;
  /** For tests: how fast the files are followed. */
  watching?: WatchDeps | undefined;
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
  /** Why it is worse than it could be, in words. */
  degraded?: string;
}
