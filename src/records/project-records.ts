/**
 * The records of one project as a running agent holds them: the store, its catalog, and what keeps
 * the catalog in line from start (snapshot and catch-up, or load) to stop (snapshot).
 */

import { rm } from 'node:fs/promises';
import { type Database, pgliteDirectory } from '../host/database.js';
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { createCatalog, type MemoryCatalog } from './catalog/catalog.js';
import { decodeSnapshot, encodeSnapshot } from './catalog/snapshot.js';
import { SnapshotError } from './catalog/snapshot-frames.js';
import type { Analyze, Catalog, CatalogState, InstantModel } from './catalog/types.js';
import { createCatalogBound } from './catalog-bound.js';
import { type CatalogFollower, createCatalogFollower, databaseNow } from './catalog-follow.js';
import { createCatalogLoader } from './catalog-loader.js';
import {
  databaseIdentity,
  holdsEveryRow,
  readSnapshotFile,
  type SnapshotFileDeps,
  TOMBSTONE_RETENTION_MS,
  writeSnapshotFile,
} from './catalog-snapshot-file.js';
import { createCatalogSync, type RowsOutside } from './catalog-sync.js';
import { type Indexer, IndexThreadError, startIndexThread } from './catalog-thread.js';
import { createHeldRecords } from './held-records.js';
import type { Home } from './home.js';
import type { RecordType } from './record-type.js';
import { createRecordStore, type PurgeableStore } from './store.js';

/**
 * Waits without keeping the process alive. Rejects with the reason of the abort. It uses the global timer,
 * unlike that of `node:timers/promises`, so that tests hand in the time.
 */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms).unref();
    signal.addEventListener('abort', stop, { once: true });
  });
}

export interface ProjectRecordsDeps {
  db: Database;
  home: Home;
  projectId: Uuid;
  /** Every type that is kept in the catalog. */
  types: readonly RecordType<unknown>[];
  analyze: Analyze;
  /** Makes second vectors, which are kept in the catalog alone. */
  instant?: InstantModel;
  clock: Clock;
  log: Log;
  /** File of the snapshot; absent: none is kept. */
  snapshotPath?: string;
  /** Starts a thread that indexes these types (`serveIndexing`); absent: this one does. */
  indexer?: Indexer;
  /** Records of a type from which on a thread is started. */
  indexerFrom?: number;
  /** Version of the plugin: a snapshot of another one is not used. */
  build: string;
  /** How often to look for changes of other processes, ms; `null`: nobody else writes. */
  followMs: number | null;
  /** Waits between the tries of a page that fails to load, ms. */
  retryMs?: readonly number[];
  /** Records of a type that the catalog holds, at most; absent: all. Needs PostgreSQL to find the others. */
  most?: number;
}

export interface ProjectRecords {
  readonly store: PurgeableStore;
  readonly catalog: LiveCatalog;
  /** Reads the newest of each type, so that there is something to find while `start` fills it. */
  preload(): Promise<void>;
  /**
   * Fills the catalog; the store works meanwhile. Never throws: the state says what happened.
   * After `failed` it may be called again and goes on where it stopped.
   */
  start(): Promise<CatalogState>;
  /** A pass over the changes of other processes, now. */
  follow(): Promise<number>;
  /** Fills the search table and lets go of what is over the bound, now. */
  keepBound(): Promise<void>;
  /** The stored vectors of the shelf's model, after `setModel`. Returns how many it found. */
  loadVectors(type: RecordType<unknown>): Promise<number>;
  /** Ends what runs and writes the snapshot. */
  stop(): Promise<void>;
}

/** Fewer are indexed before a thread has started. */
const INDEXER_FROM = 5_000;
/** Slots in use for each record that is held, at most. */
const MOST_SLOTS = 2;
/** How often the search table takes over what changed. */
const BOUND_MS = 5_000;

/** How often the rows are counted before a snapshot is taken for one of other records. */
const LOOKS = 3;
/** Share of the bound that the snapshot of a larger project holds at least. */
const LEAST_HELD = 0.9;

/** Others may write to a server; an embedded database has one process (DESIGN §11). */
export function defaultFollowMs(db: Database): number | null {
  return pgliteDirectory(db) === null ? 1_500 : null;
}

export function openProjectRecords(deps: ProjectRecordsDeps): ProjectRecords {
  const { db, projectId, types, analyze, clock, log } = deps;
  const catalogDeps = {
    analyze,
    project: projectId,
    ...(deps.instant && { instant: deps.instant }),
  };
  const first = createCatalog(catalogDeps);
  const catalog = createLiveCatalog(first);
  const held = createHeldRecords();
  const sync = createCatalogSync({ catalog, log, held });
  const { most } = deps;
  const bound =
    most === undefined
      ? null
      : createCatalogBound({ db, projectId, catalog, sync, types, analyze, log, most });
  const store = createRecordStore({
    db,
    home: deps.home,
    projectId,
    catalog,
    log,
    sync,
    held,
    older: (type) => bound?.older(type) ?? null,
  });
  const report = (state: CatalogState) => first.report(state);
  const loader = createCatalogLoader({
    db,
    projectId,
    catalog,
    sync,
    types,
    log,
    report,
    ...(deps.retryMs ? { retryMs: deps.retryMs } : {}),
    wait: waitFor,
    ...(bound && { lastBeyond: bound.lastBeyond }),
  });
  const follower = createCatalogFollower({ db, projectId, sync, types, log });
  const stopping = new AbortController();
  const { signal } = stopping;
  const build = [deps.build, ...types.map(({ name, version }) => `${name}@${version}`)].join(' ');
  /** Known once the database answered; `null`: no snapshot is kept. */
  let snapshotFile: SnapshotFileDeps | null = null;
  let starting: Promise<CatalogState> | null = null;
  /** Database time the catalog is complete up to; `null` until it is. */
  let loadedFromMs: number | null = null;
  /** File of the snapshot that the catalog is of, until its records are counted. */
  let unchecked: string | null = null;
  let boundTimer: NodeJS.Timeout | undefined;
  let bounding: Promise<void> | null = null;

  /** The file that the catalog was read from. */
  async function fromSnapshot(nowMs: number): Promise<string | null> {
    snapshotFile = await fileOf(deps, build);
    if (!snapshotFile) return null;
    const snapshot = await readSnapshotFile(snapshotFile, catalogDeps, nowMs);
    if (!snapshot || signal.aborted) return null;
    for (const type of types) {
      if (type.index) await bound?.lastBeyond(type);
    }
    await goOnWith(snapshot.catalog, snapshot.outside, snapshot.watermarkMs);
    return snapshotFile.path;
  }

  /** With another catalog, and what changed since (database time). */
  async function goOnWith(
    next: MemoryCatalog,
    outside: RowsOutside,
    sinceMs: number,
  ): Promise<void> {
    const lacking = exchange(catalog, next, types);
    sync.reset(outside);
    await follower.catchUp(sinceMs);
    for (const type of lacking) await loader.loadVectors(type, signal);
  }

  /** Everything from the database, where the snapshot turns out to be of other records. */
  async function replaceSnapshot(path: string, nowMs: number): Promise<void> {
    report({ state: 'loading', loaded: 0, total: null });
    log.info({ path }, 'catalog snapshot is not of these records, removed');
    await rm(path, { force: true });
    exchange(catalog, createCatalog(catalogDeps), types);
    sync.reset();
    unchecked = null;
    await loader.loadNewest(signal);
    await loadAll(nowMs);
  }

  async function loadAll(nowMs: number): Promise<void> {
    if (await loadInThread(nowMs)) return;
    await loader.load(signal);
    await follower.catchUp(nowMs);
  }

  /** Indexes where it holds nobody up; false: there is little to index, or no thread to be had. */
  async function loadInThread(nowMs: number): Promise<boolean> {
    const { indexer, indexerFrom = INDEXER_FROM } = deps;
    if (!indexer || !(await loader.hasMoreThan(indexerFrom, signal))) return false;
    const indexed = types.filter((type) => type.index);
    const order = {
      project: projectId,
      models: Object.fromEntries(indexed.map(({ name }) => [name, catalog.shelf(name).model])),
      instant: deps.instant?.id ?? null,
    };
    try {
      const thread = startIndexThread(indexer, order, { log: sync, signal });
      try {
        await loader.loadInto(thread, signal);
        const { frames, outside } = await thread.finish();
        const next = await decodeSnapshot(frames, catalogDeps);
        signal.throwIfAborted();
        await goOnWith(next, outside, nowMs);
        return true;
      } finally {
        await thread.stop();
      }
    } catch (error) {
      if (!(error instanceof IndexThreadError || error instanceof SnapshotError)) throw error;
      log.warn({ reason: messageOf(error) }, 'records are indexed in the main thread');
      return false;
    }
  }

  /** Looks again where it seems not to be: rows may have been written while they were counted. */
  async function isComplete(): Promise<boolean> {
    for (let look = 1; ; look += 1) {
      const fewest = (type: RecordType<unknown>) =>
        bound?.older(type) ? Math.floor((most ?? 0) * LEAST_HELD) : null;
      const check = { db, projectId, catalog, types, outside: sync.outside(), fewest, signal };
      if (await holdsEveryRow(check)) return true;
      if (look === LOOKS) return false;
      await follower.catchUp(follower.watermark() ?? 0);
    }
  }

  function keepBound(): Promise<void> {
    bounding ??= (async () => {
      await bound?.pass(signal);
      await compact();
    })().finally(() => {
      bounding = null;
    });
    return bounding;
  }

  /**
   * What was let go of leaves holes that every search walks over. Where they are most of the catalog, it
   * is made anew of what it holds; what changed meanwhile is read again.
   */
  async function compact(): Promise<void> {
    const current = catalog.current();
    if (!current.shelves().some(({ slots, size }) => slots > MOST_SLOTS * size)) return;
    try {
      const sinceMs = await databaseNow(db);
      const frames: Uint8Array[] = [];
      for await (const frame of encodeSnapshot(current)) frames.push(frame);
      const next = await decodeSnapshot(frames, catalogDeps);
      // Another one may have come meanwhile.
      if (signal.aborted || catalog.current() !== current) return;
      await goOnWith(next, sync.outside(), sinceMs);
    } catch (error) {
      log.warn({ projectId, reason: messageOf(error) }, 'catalog not compacted');
    }
  }

  function ready(fromSnapshot: boolean, startedMs: number): void {
    const tookMs = clock.now() - startedMs;
    report({ state: 'ready', fromSnapshot, tookMs });
    log.info({ projectId, fromSnapshot, tookMs }, 'catalog ready');
  }

  async function fill(): Promise<CatalogState> {
    const startedMs = clock.now();
    try {
      const nowMs = loadedFromMs ?? (await databaseNow(db));
      if (loadedFromMs === null) unchecked = await fromSnapshot(nowMs);
      loadedFromMs = nowMs;
      const usedSnapshot = unchecked !== null;
      if (!usedSnapshot) await loadAll(nowMs);
      if (deps.followMs !== null) follower.start(deps.followMs);
      if (bound) {
        boundTimer ??= setInterval(keepBound, BOUND_MS).unref();
        void keepBound();
      }
      ready(usedSnapshot, startedMs);
      // Counting takes as long as reading the snapshot did; a snapshot of other records is rare.
      if (unchecked !== null && !(await isComplete())) {
        await replaceSnapshot(unchecked, nowMs);
        ready(false, startedMs);
      }
      unchecked = null;
      await store.purgeTombstones(nowMs - TOMBSTONE_RETENTION_MS);
    } catch (error) {
      if (unchecked !== null || catalog.status().state !== 'ready') {
        report({ state: 'failed', reason: messageOf(error) });
      }
      if (!signal.aborted) log.error({ projectId, reason: messageOf(error) }, 'catalog failed');
    }
    return catalog.status();
  }

  return {
    store,
    catalog,
    async preload() {
      try {
        await loader.loadNewest(signal);
      } catch (error) {
        log.warn({ projectId, reason: messageOf(error) }, 'newest records not read ahead');
      }
    },
    start() {
      starting ??= fill().finally(() => {
        if (catalog.status().state === 'failed') starting = null;
      });
      return starting;
    },
    follow: () => follower.pass(),
    keepBound,
    loadVectors: (type) => loader.loadVectors(type, signal),
    async stop() {
      stopping.abort();
      clearInterval(boundTimer);
      await starting;
      await bounding;
      await follower.stop();
      if (!snapshotFile || catalog.status().state !== 'ready') return;
      try {
        await writeSnapshotFile(
          snapshotFile,
          catalog.current(),
          await seenUpTo(db, deps, follower),
          sync.outside(),
        );
      } catch (error) {
        log.warn({ path: snapshotFile.path, reason: messageOf(error) }, 'no catalog snapshot');
      }
    },
  };
}

/** The file of the snapshot, bound to this database. */
async function fileOf(
  { db, snapshotPath, log }: ProjectRecordsDeps,
  build: string,
): Promise<SnapshotFileDeps | null> {
  if (snapshotPath === undefined) return null;
  const identity = await databaseIdentity(db);
  return identity === null ? null : { path: snapshotPath, build: `${build} ${identity}`, log };
}

/** Up to when every change is in the catalog: alone now, otherwise the last look at the others. */
async function seenUpTo(
  db: Database,
  { followMs }: ProjectRecordsDeps,
  follower: CatalogFollower,
): Promise<number> {
  const watermark = follower.watermark();
  return followMs === null || watermark === null ? databaseNow(db) : watermark;
}

/** Models asked for before the snapshot came stay; returns the types that lost vectors by that. */
function exchange(
  catalog: LiveCatalog,
  next: MemoryCatalog,
  types: readonly RecordType<unknown>[],
): RecordType<unknown>[] {
  const lacking = types.filter((type) => {
    if (!type.index) return false;
    const { model } = catalog.shelf(type.name);
    const shelf = next.shelf(type.name);
    if (model === null || model === shelf.model) return false;
    shelf.setModel(model);
    return true;
  });
  catalog.exchange(next);
  return lacking;
}

const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 5 * 60_000;

/**
 * Starts until it succeeds: a database that is away for a moment must not leave the catalog failed
 * for the life of the process. Waits 5 s after the first failure, then twice as long each time, at
 * most 5 min. Never throws: resolves with `ready`, or with what was last when the signal aborts.
 */
export async function retryStart(
  project: { start(): Promise<CatalogState> },
  signal: AbortSignal,
  wait: (ms: number, signal: AbortSignal) => Promise<void> = waitFor,
): Promise<CatalogState> {
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS)) {
    const state = await project.start();
    if (state.state !== 'failed' || signal.aborted) return state;
    try {
      await wait(waitMs, signal);
    } catch {
      return state;
    }
  }
}

/** A catalog that others hold while what is behind it is exchanged: a snapshot is a new one. */
export interface LiveCatalog extends Catalog {
  /** What is behind it now. */
  current(): MemoryCatalog;
  /** Goes on with another one; shelves are asked for anew, nobody keeps one. */
  exchange(next: MemoryCatalog): void;
}

/** The state (`status`, `loaded`) stays that of `first`, which is the one to `report` to. */
function createLiveCatalog(first: MemoryCatalog): LiveCatalog {
  let behind = first;
  return {
    get links() {
      return behind.links;
    },
    shelf: (type) => behind.shelf(type),
    status: () => first.status(),
    loaded: () => first.loaded(),
    current: () => behind,
    exchange(next) {
      behind = next;
    },
  };
}
