/**
 * The records of one project as a running agent holds them: the store, its catalog, and what keeps
 * the catalog in line from start (snapshot and catch-up, or load) to stop (snapshot).
 */
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { createCatalog, type MemoryCatalog } from './catalog/catalog.js';
import type { Analyze, CatalogState } from './catalog/types.js';
import { type CatalogFollower, createCatalogFollower, databaseNow } from './catalog-follow.js';
import { createCatalogLoader } from './catalog-loader.js';
import {
  readSnapshotFile,
  TOMBSTONE_RETENTION_MS,
  writeSnapshotFile,
} from './catalog-snapshot-file.js';
import { createCatalogSync } from './catalog-sync.js';
import { type Database, pgliteDirectory } from './database.js';
import type { Home } from './home.js';
import { createLiveCatalog, type LiveCatalog } from './live-catalog.js';
import type { RecordType } from './record-type.js';
import { createRecordStore, type PurgeableStore } from './store.js';

export interface ProjectRecordsDeps {
  db: Database;
  home: Home;
  projectId: Uuid;
  /** Every type that is kept in the catalog. */
  types: readonly RecordType<unknown>[];
  analyze: Analyze;
  clock: Clock;
  log: Log;
  /** File of the snapshot; absent: none is kept. */
  snapshotPath?: string;
  /** Version of the plugin: a snapshot of another one is not used. */
  build: string;
  /** How often to look for changes of other processes, ms; `null`: nobody else writes. */
  followMs: number | null;
  /** Waits between the tries of a page that fails to load, ms. */
  retryMs?: readonly number[];
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
  /** The stored vectors of the shelf's model, after `setModel`. Returns how many it found. */
  loadVectors(type: RecordType<unknown>): Promise<number>;
  /** Ends what runs and writes the snapshot. */
  stop(): Promise<void>;
}

/** Others may write to a server; an embedded database has one process (DESIGN §11). */
export function defaultFollowMs(db: Database): number | null {
  return pgliteDirectory(db) === null ? 3_000 : null;
}

export function openProjectRecords(deps: ProjectRecordsDeps): ProjectRecords {
  const { db, projectId, types, analyze, clock, log } = deps;
  const catalogDeps = { analyze, project: projectId };
  const first = createCatalog(catalogDeps);
  const catalog = createLiveCatalog(first);
  const sync = createCatalogSync({ catalog, log });
  const store = createRecordStore({ db, home: deps.home, projectId, catalog, log, sync });
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
  });
  const follower = createCatalogFollower({ db, projectId, sync, types, log });
  const stopping = new AbortController();
  const { signal } = stopping;
  const build = [deps.build, ...types.map(({ name, version }) => `${name}@${version}`)].join(' ');
  const snapshotFile =
    deps.snapshotPath === undefined ? null : { path: deps.snapshotPath, build, log };
  let starting: Promise<CatalogState> | null = null;
  /** Database time the catalog is complete up to; `null` until it is. */
  let loadedFromMs: number | null = null;

  async function fromSnapshot(nowMs: number): Promise<boolean> {
    if (!snapshotFile) return false;
    const snapshot = await readSnapshotFile(snapshotFile, catalogDeps, nowMs);
    if (!snapshot || signal.aborted) return false;
    const lacking = exchange(catalog, snapshot.catalog, types);
    sync.reset();
    await follower.catchUp(snapshot.watermarkMs);
    for (const type of lacking) await loader.loadVectors(type, signal);
    return true;
  }

  async function fill(): Promise<CatalogState> {
    const startedMs = clock.now();
    try {
      const nowMs = loadedFromMs ?? (await databaseNow(db));
      const usedSnapshot = loadedFromMs === null && (await fromSnapshot(nowMs));
      loadedFromMs = nowMs;
      if (!usedSnapshot) {
        await loader.load(signal);
        await follower.catchUp(nowMs);
      }
      if (deps.followMs !== null) follower.start(deps.followMs);
      const tookMs = clock.now() - startedMs;
      report({ state: 'ready', fromSnapshot: usedSnapshot, tookMs });
      log.info({ projectId, fromSnapshot: usedSnapshot, tookMs }, 'catalog ready');
      await store.purgeTombstones(nowMs - TOMBSTONE_RETENTION_MS);
    } catch (error) {
      if (catalog.status().state !== 'ready') {
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
    loadVectors: (type) => loader.loadVectors(type, signal),
    async stop() {
      stopping.abort();
      await starting;
      await follower.stop();
      if (!snapshotFile || catalog.status().state !== 'ready') return;
      try {
        await writeSnapshotFile(
          snapshotFile,
          catalog.current(),
          await seenUpTo(db, deps, follower),
        );
      } catch (error) {
        log.warn({ path: snapshotFile.path, reason: messageOf(error) }, 'no catalog snapshot');
      }
    },
  };
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

/** Rejects with the reason of the abort. */
function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
