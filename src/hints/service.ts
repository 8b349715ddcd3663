/** The Eliza service `HINTS`: the hint store of one agent (DESIGN §10). */
import { type IAgentRuntime, Service } from '@elizaos/core';
import type { RecordStore } from '../records/index.js';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import type { Log } from '../shared/log.js';
import type { HintObserver } from './context.js';
import { createHints, type HintRoom, type HintSettings } from './hints.js';
import { createHintRows } from './persist.js';

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
