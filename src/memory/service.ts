/** The Eliza service `WORK_MEMORY`: opens the room for one agent and hosts it (DESIGN §2). */
import { type IAgentRuntime, Service } from '@elizaos/core';
import {
  createReembedder,
  type Embeddings,
  type Reembedder,
  withWaiting,
} from '../embeddings/index.js';
import { handedIn } from '../host/index.js';
import {
  type ChangeLook,
  createChangeLook,
  databaseOf,
  defaultFollowMs,
  ensureHome,
  ensureIndexes,
  openProjectRecords,
  type ProjectRecords,
  pgliteDirectory,
  projectIdOf,
  RECORD_INDEXES,
  requireHalfvec,
  retryStart,
  storageProblem,
} from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import { MINUTE_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Ids, Uuid } from '../shared/ids.js';
import { hostLog } from '../shared/log.js';
import { analyze } from '../shared/text.js';
import { workerOf } from '../shared/thread.js';
import { createMemoryChecks, type MemoryChecks } from './checks.js';
import type { MemoryObserver } from './context.js';
import { EMBEDDED, MEMORY_TYPES } from './types.js';
import { createWorkMemory, type WorkMemory } from './work-memory.js';

/** Silence after which a room has a new session. */
export const SESSION_GAP_MS = 30 * MINUTE_MS;

/** Rooms remembered; beyond that the ones that have been silent longest are forgotten. */
const MAX_ROOMS = 10_000;

interface Sessions {
  /** Id of the session that something in this room at this time (epoch ms) belongs to. */
  sessionOf(roomId: string, atMs: number): string;
  /** Whether something at this time would still belong to the session. */
  isOpen(sessionId: string, atMs: number): boolean;
}

/** @param deps.maxRooms for tests */
export function createSessions(deps: { ids: Ids; maxRooms?: number }): Sessions {
  const { ids, maxRooms = MAX_ROOMS } = deps;
  /** In the order of last use. */
  const rooms = new Map<string, { id: string; lastMs: number }>();
  // In both directions: a clock that is set back must not keep a session open for a day.
  const goesOn = (lastMs: number, atMs: number) => Math.abs(atMs - lastMs) < SESSION_GAP_MS;
  return {
    sessionOf(roomId, atMs) {
      const known = rooms.get(roomId);
      const session =
        known !== undefined && goesOn(known.lastMs, atMs)
          ? { id: known.id, lastMs: Math.max(known.lastMs, atMs) }
          : { id: ids.next(), lastMs: atMs };
      rooms.delete(roomId);
      rooms.set(roomId, session);
      const [silent] = rooms.keys();
      if (rooms.size > maxRooms && silent !== undefined) rooms.delete(silent);
      return session.id;
    },
    isOpen(sessionId, atMs) {
      for (const { id, lastMs } of rooms.values())
        if (id === sessionId) return goesOn(lastMs, atMs);
      return false;
    },
  };
}

export const WORK_MEMORY = 'WORK_MEMORY';

export interface WorkMemorySettings {
  /** `CUE_PROJECT`: shared by the agents that name it; absent: one project per agent. */
  project?: string | undefined;
  /** `CUE_STORE_DIFFS`. */
  storeDiffs: boolean;
  /** `CUE_CAPTURE`. */
  capture: boolean;
  /** `CUE_CATALOG_MAX`; absent: the catalog holds everything. */
  catalogMax?: number;
  /** `CUE_TIMEZONE`, in which "yesterday" is read. */
  timezone: string;
}

/** What the composition root hands in; the room takes exactly this. */
export interface WorkMemoryServiceDeps {
  clock: Clock;
  ids: Ids;
  settings: WorkMemorySettings;
  /** Chosen when the service starts; it is stopped with the service. */
  embeddings: (runtime: IAgentRuntime) => Promise<Embeddings>;
  /** Rewrites extracts with a model (`CUE_SUMMARIES=model`); absent: extracts stand. */
  rewrite?: (runtime: IAgentRuntime) => (text: string) => Promise<string>;
  /** Asks a model for phrases of `remind_when`, a phrase a line. */
  phrases?: (runtime: IAgentRuntime) => (text: string) => Promise<string>;
  /** File of the catalog's snapshot; `undefined`: none is kept. */
  snapshotPath?: (runtime: IAgentRuntime, projectId: Uuid) => string | undefined;
  /** Version of the plugin. */
  build: string;
}

/** Types with vectors. */
interface Room {
  memory: WorkMemory;
  checks: MemoryChecks;
  project: ProjectRecords;
  embeddings: Embeddings;
  reembedder: Reembedder;
  stopListening: () => void;
  /** Ends the tries to fill the catalog. */
  stopping: AbortController;
}

export class WorkMemoryService extends Service {
  static override serviceType: string = WORK_MEMORY;
  override capabilityDescription =
    'Work memory: stores what was intended, done and learned, and finds it again without a model call';

  private static readonly provided = handedIn<WorkMemoryServiceDeps>('WorkMemoryService');
  static readonly provide = WorkMemoryService.provided.provide;

  private room: Room | null = null;
  private deps: WorkMemoryServiceDeps | null = null;
  private sessions: Sessions | null = null;
  private readonly observers = new Set<MemoryObserver>();

  /** @throws AppError UNAVAILABLE when the agent has no SQL database, or one without `halfvec` */
  static override async start(runtime: IAgentRuntime): Promise<WorkMemoryService> {
    const deps = WorkMemoryService.provided.of(runtime);
    const service = new WorkMemoryService(runtime);
    service.deps = deps;
    service.sessions = createSessions(deps);
    service.room = await open(runtime, deps, service.observers);
    return service;
  }

  override async stop(): Promise<void> {
    if (!this.room) return;
    const { memory, project, embeddings, reembedder, stopListening, stopping } = this.room;
    this.room = null;
    stopping.abort();
    stopListening();
    await memory.settled();
    await reembedder.stop();
    await project.stop();
    await embeddings.stop();
  }

  private get core(): Room {
    if (!this.room) throw new AppError('UNAVAILABLE', 'the work memory service is not running');
    return this.room;
  }

  get store(): WorkMemory['store'] {
    return this.core.memory.store;
  }
  get capture(): WorkMemory['capture'] {
    return this.core.memory.capture;
  }
  get updateMemory(): WorkMemory['updateMemory'] {
    return this.core.memory.updateMemory;
  }
  get get(): WorkMemory['get'] {
    return this.core.memory.get;
  }
  /** Times in words are read in the agent's zone unless the caller hands in another. */
  get recall(): WorkMemory['recall'] {
    const { memory } = this.core;
    const zone = this.deps?.settings.timezone;
    return (input, caller, options) =>
      memory.recall(input, caller, { ...(zone === undefined ? {} : { zone }), ...options });
  }
  get trace(): WorkMemory['trace'] {
    return this.core.memory.trace;
  }
  get list(): WorkMemory['list'] {
    return this.core.memory.list;
  }
  get link(): WorkMemory['link'] {
    return this.core.memory.link;
  }
  get identity(): WorkMemory['identity'] {
    return this.core.memory.identity;
  }
  get createChapter(): WorkMemory['createChapter'] {
    return this.core.memory.createChapter;
  }
  get listChapters(): WorkMemory['listChapters'] {
    return this.core.memory.listChapters;
  }
  get synthesize(): WorkMemory['synthesize'] {
    return this.core.memory.synthesize;
  }
  get recallWisdom(): WorkMemory['recallWisdom'] {
    return this.core.memory.recallWisdom;
  }
  get forget(): WorkMemory['forget'] {
    return this.core.memory.forget;
  }
  get export(): WorkMemory['export'] {
    return this.core.memory.export;
  }
  get exportLines(): WorkMemory['exportLines'] {
    return this.core.memory.exportLines;
  }
  get import(): WorkMemory['import'] {
    return this.core.memory.import;
  }
  get health(): WorkMemory['health'] {
    return this.core.memory.health;
  }

  /** For rooms that watch: look-ups that cost next to nothing. @throws AppError UNAVAILABLE */
  get checks(): MemoryChecks {
    return this.core.checks;
  }

  /** Tells this observer what happens to memories; returns the way to stop. */
  observe(observer: MemoryObserver): () => void {
    this.observers.add(observer);
    return () => this.observers.delete(observer);
  }

  /** What changes in the project from now on, whichever process did it; what is told can be found here, too. */
  changes(): ChangeLook {
    const { checks, project } = this.core;
    const db = databaseOf(this.runtime);
    const changes = createChangeLook(db, checks.projectId);
    if (defaultFollowMs(db) === null) return changes;
    return {
      async look() {
        const found = await changes.look();
        if (found.length > 0 && project.catalog.status().state === 'ready') await project.follow();
        return found;
      },
    };
  }

  /** Whether finished runs are to be captured. */
  get captures(): boolean {
    return this.deps?.settings.capture ?? false;
  }

  /**
   * The session of a conversation, which goes on by being asked for: called for each message of a
   * room. `undefined` before the start.
   */
  sessionOf(roomId: string): string | undefined {
    return this.sessions?.sessionOf(roomId, this.now());
  }

  /** Whether a session of a conversation goes on. */
  hasSession(sessionId: string): boolean {
    return this.sessions?.isOpen(sessionId, this.now()) ?? false;
  }

  /** The time this room works with, epoch ms. */
  now(): number {
    return this.deps?.clock.now() ?? 0;
  }

  /** Waits until the catalog is loaded and access counts are stored. For tests and demos. */
  async settle(): Promise<void> {
    await this.core.project.catalog.loaded();
    await this.core.memory.settled();
  }
}

async function open(
  runtime: IAgentRuntime,
  deps: WorkMemoryServiceDeps,
  observers: ReadonlySet<MemoryObserver>,
): Promise<Room> {
  const { clock, ids, settings } = deps;
  const db = databaseOf(runtime);
  await requireHalfvec(db);
  const home = await ensureHome(runtime);
  await ensureIndexes(db, RECORD_INDEXES);
  const log = hostLog(runtime, 'memory');
  const agentId: Uuid = runtime.agentId;
  const projectId = projectIdOf(agentId, settings.project);
  const snapshotPath = deps.snapshotPath?.(runtime, projectId);
  const embeddings = await deps.embeddings(runtime);
  const project = openProjectRecords({
    db,
    home,
    projectId,
    types: MEMORY_TYPES,
    analyze,
    clock,
    log,
    build: deps.build,
    indexer: (order) => workerOf('memory/index-worker', order),
    followMs: defaultFollowMs(db),
    // An embedded database has one process, and no index of vectors that it could afford.
    ...(pgliteDirectory(db) === null && settings.catalogMax !== undefined
      ? { most: settings.catalogMax }
      : {}),
    ...(embeddings.beside && { instant: embeddings.beside }),
    ...(snapshotPath === undefined ? {} : { snapshotPath }),
  });
  const { store, catalog } = project;
  // Before the load, so that it knows whose vectors count.
  for (const { name } of EMBEDDED) catalog.shelf(name).setModel(embeddings.current().id);
  const reembedder = createReembedder({
    store,
    types: EMBEDDED,
    embeddings,
    log,
  });
  await project.preload();
  const inBackground = (work: Promise<unknown>, message: string) => {
    work.catch((error: unknown) => log.error({ error: messageOf(error) }, message));
  };
  const stopListening = embeddings.onChange((embedder) => {
    for (const type of EMBEDDED) {
      catalog.shelf(type.name).setModel(embedder.id);
      inBackground(project.loadVectors(type), 'vectors not loaded');
    }
  });
  const stopping = new AbortController();
  inBackground(
    retryStart(project, stopping.signal).then(async () => {
      // What lacks a vector is known of all memories once the search table is filled.
      await project.keepBound();
      if (!stopping.signal.aborted) reembedder.start();
    }),
    'work memory not ready',
  );
  const memory = createWorkMemory({
    records: store,
    embeddings: withWaiting(embeddings, reembedder),
    clock,
    ids,
    log,
    agentId,
    storeDiffs: settings.storeDiffs,
    rewrite: deps.rewrite?.(runtime),
    phrases: deps.phrases?.(runtime),
    onUnembedded: () => inBackground(reembedder.run(), 're-embedding failed'),
    storageProblem: () => storageProblem(db),
    observer: {
      used(use) {
        for (const observer of observers) observer.used(use);
      },
      changed(ids) {
        for (const observer of observers) observer.changed(ids);
      },
      async forgetting(ids, entityId) {
        for (const observer of observers) await observer.forgetting(ids, entityId);
      },
    },
  });
  const checks = createMemoryChecks({
    records: store,
    embedder: () => embeddings.current(),
    clock,
    log,
    agentId,
    agentName: runtime.character.name,
    project: settings.project,
  });
  return { memory, checks, project, embeddings, reembedder, stopListening, stopping };
}
