/**
 * The hint store of one project in one process (seed `nudge.md`, DESIGN §10): every operation over
 * one store. Each takes what a caller sent and who the caller is; results are the seed's objects.
 */
import { type IAgentRuntime, Service } from '@elizaos/core';
import type { Caller, RecordStore } from '../records/index.js';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { createGuard, type Guard } from './guard.js';
import { createHintRows, type HintRows } from './persist.js';
import { counts, createOffering, getHint, listComponents, type Offering, query } from './reads.js';
import {
  bumpParams,
  deleteHintParams,
  exportParams,
  getHintParams,
  type Hints,
  importParams,
  listComponentsParams,
  listHintsParams,
  parse,
  queryParams,
  setHintParams,
} from './schema.js';
import { createHintStore, type HintContext, type HintObserver } from './store.js';
import { exportHints, type ImportOptions, importHints, listHints } from './transfer.js';
import type { Quotas } from './variants.js';
import { bump, deleteHint, type SetOptions, setHint } from './writes.js';

export interface HintSettings extends Quotas {
  /** `session` or an ISO-8601 duration, for hints of the operator that say nothing. */
  defaultTtl: string;
  /** Whether what looks like a secret is refused. */
  guard: boolean;
}

export interface HintsDeps {
  clock: Clock;
  log: Log;
  settings: HintSettings;
  rows: HintRows;
  projectId: Uuid;
  agentId: Uuid;
  /** Of the serving process; the operator's hints with TTL `session` end with it. */
  sessionId: string;
  /** Whether a session of a client goes on; absent: they all do. */
  isSessionOpen?: (sessionId: string) => boolean;
  /** Whether a person is owner or admin of the world of a room; absent: nobody is. */
  isAdmin?: (entityId: string, roomId: string) => Promise<boolean>;
  /** Rooms that quote hints. */
  observer?: HintObserver | undefined;
  /** Instead of the one that the settings ask for. */
  secretGuard?: Guard;
}

/** As `Hints`, and what its host needs. */
export interface HintRoom extends Hints {
  /** `share`: for everybody, though it is set in chat; owner and admins only. */
  setHint(...args: [...Parameters<Hints['setHint']>, SetOptions?]): ReturnType<Hints['setHint']>;
  import(...args: [...Parameters<Hints['import']>, ImportOptions?]): ReturnType<Hints['import']>;
  /** For rooms that show hints unasked. */
  readonly offering: Offering;
  /** Reads the stored hints: once at start, and again where other processes write, too. */
  refresh(): Promise<void>;
}

export function createHints(deps: HintsDeps): HintRoom {
  const { clock, settings, sessionId, projectId, agentId, observer } = deps;
  const { maxHints, maxComponents, maxPerComponent, defaultTtl } = settings;
  const { rows, log } = deps;
  const { isSessionOpen } = deps;
  const store = createHintStore({ rows, log, isSessionOpen, onReturned: observer?.returned });
  const room: HintContext = {
    store,
    clock,
    guard: deps.secretGuard ?? createGuard({ enabled: settings.guard }),
    quotas: { maxHints, maxComponents, maxPerComponent },
    defaultTtl,
    project: { projectId, agentId },
    sessionId,
    observer,
    openedAt: new Date(clock.now()).toISOString(),
    isAdmin: deps.isAdmin ?? (async () => false),
  };

  return {
    sessionId,

    async setHint(params, caller, options) {
      return setHint(room, parse(setHintParams, params), caller, options);
    },
    async getHint(params, caller) {
      return getHint(room, parse(getHintParams, params), caller);
    },
    async query(params, caller) {
      return query(room, parse(queryParams, params), caller);
    },
    async deleteHint(params, caller) {
      return deleteHint(room, parse(deleteHintParams, params), caller);
    },
    async listComponents(params, caller) {
      parse(listComponentsParams, params);
      return { components: listComponents(room, caller) };
    },
    async bump(params, caller) {
      return { hint: await bump(room, parse(bumpParams, params), caller) };
    },
    async list(params, caller) {
      const { component } = parse(listHintsParams, params);
      return { hints: await listHints(room, component, caller) };
    },
    async export(params, caller) {
      const { component } = parse(exportParams, params);
      return { payload: await exportHints(room, component, caller) };
    },
    async import(params, caller, options) {
      return importHints(room, parse(importParams, params, 'payload'), caller, options);
    },
    sweep: () => store.inTurn(() => store.expire(clock.now())),
    counts: (caller: Caller) => counts(room, caller),
    offering: createOffering(room),
    refresh: () => store.inTurn(() => store.refresh(clock.now())),
  };
}

export const HINTS = 'HINTS';

/** Handed in by the composition root. */
export interface HintServiceDeps {
  clock: Clock;
  log: Log;
  settings: HintSettings;
  /** New with every start of the process. */
  sessionId: string;
  /** Records of the project, once work memory has started. @throws AppError */
  memory: (runtime: IAgentRuntime) => Promise<{
    store: RecordStore;
    /** Other processes may write to the database, too: their hints are read with every sweep. */
    isShared: boolean;
  }>;
  /** Rooms that quote hints; they may start later. */
  observer?: (runtime: IAgentRuntime) => HintObserver;
  /** Whether a session of a client goes on. */
  isSessionOpen: (runtime: IAgentRuntime, sessionId: string) => boolean;
  /** Whether a person is owner or admin of the world that a room belongs to. */
  isAdmin: (runtime: IAgentRuntime, entityId: string, roomId: string) => Promise<boolean>;
}

const SWEEP_MS = MINUTE_MS;
const RETRY_MS = 5_000;

export class HintService extends Service {
  static override serviceType: string = HINTS;
  override capabilityDescription =
    'Hints: small facts of a component (how to build, run, test it) for the place one is in';

  private static readonly provided = new WeakMap<IAgentRuntime, HintServiceDeps>();

  /** Called by the plugin's `init`: hands in what the host cannot. */
  static provide(runtime: IAgentRuntime, deps: HintServiceDeps): void {
    HintService.provided.set(runtime, deps);
  }

  private room: HintRoom | null = null;
  private isRead = false;
  private retrying: NodeJS.Timeout | undefined;
  private sweeping: NodeJS.Timeout | undefined;
  private lastSweep: Promise<void> = Promise.resolve();

  /** @throws AppError UNAVAILABLE without the plugin or without work memory */
  static override async start(runtime: IAgentRuntime): Promise<HintService> {
    const deps = HintService.provided.get(runtime);
    if (!deps) {
      throw new AppError(
        'UNAVAILABLE',
        'HintService needs the cue plugin: add it to the character',
      );
    }
    const { store, isShared } = await deps.memory(runtime);
    const { clock, log, settings, sessionId } = deps;
    const room = createHints({
      ...{ clock, log, settings, sessionId },
      rows: createHintRows({ records: store, log }),
      projectId: store.projectId,
      agentId: runtime.agentId,
      isSessionOpen: (id) => deps.isSessionOpen(runtime, id),
      isAdmin: (entityId, roomId) => deps.isAdmin(runtime, entityId, roomId),
      observer: deps.observer?.(runtime),
    });
    const service = new HintService(runtime);
    service.room = room;
    await service.read(room, log);
    service.sweepEvery(SWEEP_MS, isShared ? room.refresh : room.sweep, log);
    return service;
  }

  override async stop(): Promise<void> {
    clearInterval(this.sweeping);
    clearTimeout(this.retrying);
    const { room } = this;
    this.room = null;
    await this.lastSweep;
    // The sweep is queued, so that pending writes finish first.
    if (this.isRead) await room?.sweep();
  }

  /**
   * What is stored; a database that is away for a moment must not end the start, which would end the
   * whole process, and half a store must not answer as if it were all.
   */
  private async read(room: HintRoom, log: Log): Promise<void> {
    try {
      await room.refresh();
      this.isRead = true;
    } catch (error) {
      if (this.room !== room) return;
      log.error({ reason: messageOf(error) }, 'stored hints could not be read, trying again');
      this.retrying = setTimeout(() => {
        if (this.room === room) void this.read(room, log);
      }, RETRY_MS).unref();
    }
  }

  private sweepEvery(ms: number, sweep: () => Promise<unknown>, log: Log): void {
    this.sweeping = setInterval(() => {
      this.lastSweep = sweep().then(
        () => undefined,
        (error: unknown) => log.warn({ reason: messageOf(error) }, 'hints were not swept'),
      );
    }, ms).unref();
  }

  private get core(): HintRoom {
    if (!this.room) throw new AppError('UNAVAILABLE', 'the hint service is not running');
    if (this.isRead) return this.room;
    throw new AppError('UNAVAILABLE', 'the stored hints have not been read yet; try again shortly');
  }

  /** Whether it runs and has read what is stored. */
  get ready(): boolean {
    return this.room !== null && this.isRead;
  }

  get sessionId(): string {
    return this.core.sessionId;
  }
  get setHint(): HintRoom['setHint'] {
    return this.core.setHint;
  }
  get getHint(): HintRoom['getHint'] {
    return this.core.getHint;
  }
  get query(): HintRoom['query'] {
    return this.core.query;
  }
  get deleteHint(): HintRoom['deleteHint'] {
    return this.core.deleteHint;
  }
  get listComponents(): HintRoom['listComponents'] {
    return this.core.listComponents;
  }
  get bump(): HintRoom['bump'] {
    return this.core.bump;
  }
  get list(): HintRoom['list'] {
    return this.core.list;
  }
  get export(): HintRoom['export'] {
    return this.core.export;
  }
  get import(): HintRoom['import'] {
    return this.core.import;
  }
  get counts(): HintRoom['counts'] {
    return this.core.counts;
  }
  get offering(): HintRoom['offering'] {
    return this.core.offering;
  }
  get sweep(): HintRoom['sweep'] {
    return this.core.sweep;
  }
}
