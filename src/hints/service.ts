/**
 * The hint store of one project in one process (seed `nudge.md`, DESIGN §10): every operation over
 * one store. Each takes what a caller sent and who the caller is; results are the seed's objects.
 */
import { type IAgentRuntime, Service } from '@elizaos/core';
import { handedIn } from '../host/index.js';
import type { Caller, RecordStore } from '../records/index.js';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { createGuard, type Guard } from './guard.js';
import { createHintRows, type HintRows } from './persist.js';
import { counts, createOffering, getHint, listComponents, type Offering, query } from './reads.js';
import {
  type BumpParams,
  bumpParams,
  type ComponentCount,
  type DeleteHintParams,
  type DeleteResult,
  deleteHintParams,
  type ExportParams,
  exportParams,
  type GetHintParams,
  type GetResult,
  getHintParams,
  type Hint,
  type HintCounts,
  type ImportOutcome,
  type ImportParams,
  importParams,
  type ListedHint,
  type ListHintsParams,
  listComponentsParams,
  listHintsParams,
  parse,
  type QueryParams,
  type QueryResult,
  queryParams,
  type SetHintParams,
  type SetResult,
  type StorePayload,
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

export type HintRoom = ReturnType<typeof createHints>;
/** The operations on hints; each checks shape, rights and quotas, and throws AppError codes. */
export type Hints = Omit<HintRoom, 'refresh'>;

export function createHints(deps: HintsDeps) {
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

    /** `share`: for everybody, though it is set in chat; owner and admins only. */
    async setHint(params: SetHintParams, caller: Caller, options?: SetOptions): Promise<SetResult> {
      return setHint(room, parse(setHintParams, params), caller, options);
    },
    async getHint(params: GetHintParams, caller: Caller): Promise<GetResult> {
      return getHint(room, parse(getHintParams, params), caller);
    },
    async query(params: QueryParams, caller: Caller): Promise<QueryResult> {
      return query(room, parse(queryParams, params), caller);
    },
    async deleteHint(params: DeleteHintParams, caller: Caller): Promise<DeleteResult> {
      return deleteHint(room, parse(deleteHintParams, params), caller);
    },
    async listComponents(
      params: object,
      caller: Caller,
    ): Promise<{ components: ComponentCount[] }> {
      parse(listComponentsParams, params);
      return { components: listComponents(room, caller) };
    },
    async bump(params: BumpParams, caller: Caller): Promise<{ hint: Hint }> {
      return { hint: await bump(room, parse(bumpParams, params), caller) };
    },
    async list(params: ListHintsParams, caller: Caller): Promise<{ hints: ListedHint[] }> {
      const { component } = parse(listHintsParams, params);
      return { hints: await listHints(room, component, caller) };
    },
    async export(params: ExportParams, caller: Caller): Promise<{ payload: StorePayload }> {
      const { component } = parse(exportParams, params);
      return { payload: await exportHints(room, component, caller) };
    },
    async import(
      params: ImportParams,
      caller: Caller,
      options?: ImportOptions,
    ): Promise<ImportOutcome> {
      return importHints(room, parse(importParams, params, 'payload'), caller, options);
    },
    /** Removes expired hints and returns their number. */
    sweep: (): Promise<number> => store.inTurn(() => store.expire(clock.now())),
    counts: (caller: Caller): HintCounts => counts(room, caller),
    /** For rooms that show hints unasked. */
    offering: createOffering(room),
    /** Reads the stored hints: once at start, and again where other processes write, too. */
    refresh: (): Promise<void> => store.inTurn(() => store.refresh(clock.now())),
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

  private static readonly provided = handedIn<HintServiceDeps>('HintService');
  static readonly provide = HintService.provided.provide;

  private room: HintRoom | null = null;
  private isRead = false;
  private retrying: NodeJS.Timeout | undefined;
  private sweeping: NodeJS.Timeout | undefined;
  private lastSweep: Promise<void> = Promise.resolve();

  /** @throws AppError UNAVAILABLE without the plugin or without work memory */
  static override async start(runtime: IAgentRuntime): Promise<HintService> {
    const deps = HintService.provided.of(runtime);
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
  get offering(): Offering {
    return this.core.offering;
  }
  setHint: HintRoom['setHint'] = (...given) => this.core.setHint(...given);
  getHint: HintRoom['getHint'] = (...given) => this.core.getHint(...given);
  query: HintRoom['query'] = (...given) => this.core.query(...given);
  deleteHint: HintRoom['deleteHint'] = (...given) => this.core.deleteHint(...given);
  listComponents: HintRoom['listComponents'] = (...given) => this.core.listComponents(...given);
  bump: HintRoom['bump'] = (...given) => this.core.bump(...given);
  list: HintRoom['list'] = (...given) => this.core.list(...given);
  export: HintRoom['export'] = (...given) => this.core.export(...given);
  import: HintRoom['import'] = (...given) => this.core.import(...given);
  counts: HintRoom['counts'] = (...given) => this.core.counts(...given);
  sweep: HintRoom['sweep'] = () => this.core.sweep();
}
