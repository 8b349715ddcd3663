/** The Eliza service `WHEN`: one agent's `/when` knowledge (DESIGN §9), synced from its files. */
import { type IAgentRuntime, Service } from '@elizaos/core';
import type { RecordStore } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import { AppError, messageOf } from '../shared/errors.js';
import { hostLog } from '../shared/log.js';
import type { MatchEmbedder } from './match/matcher.js';
import type { WhenPaths } from './types.js';
import { openWhen } from './when.js';
import type { When, WhenObserver } from './when-types.js';

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
  /** Records of the project and what embeds, once work memory has started. @throws AppError */
  memory: (runtime: IAgentRuntime) => Promise<{
    store: RecordStore;
    embedder: () => MatchEmbedder;
    /** Calls the listener when another model begins to serve; returns the way to stop. */
    onEmbedder: (listener: () => void) => () => void;
  }>;
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

  private static readonly provided = new WeakMap<IAgentRuntime, WhenServiceDeps>();

  /** Called by the plugin's `init`: hands in what the host cannot. */
  static provide(runtime: IAgentRuntime, deps: WhenServiceDeps): void {
    WhenService.provided.set(runtime, deps);
  }

  private deps: WhenServiceDeps | null = null;
  private openOn: ((paths: WhenPaths | null) => Promise<When>) | null = null;
  private looking: NodeJS.Timeout | undefined;
  private following: Promise<void> = Promise.resolve();
  private room: When | null = null;
  private close: () => void = () => {};

  /** @throws AppError UNAVAILABLE without the plugin or without work memory */
  static override async start(runtime: IAgentRuntime): Promise<WhenService> {
    const deps = WhenService.provided.get(runtime);
    if (!deps) {
      throw new AppError(
        'UNAVAILABLE',
        'WhenService needs the cue plugin: add it to the character',
      );
    }
    const { store, ...embedding } = await deps.memory(runtime);
    const service = new WhenService(runtime);
    service.deps = deps;
    service.openOn = (paths) =>
      openWhen({
        records: store,
        ...embedding,
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

  private get core(): When {
    if (!this.room) throw new AppError('UNAVAILABLE', 'the when service is not running');
    return this.room;
  }

  /** Whether there is an index at all. */
  get configured(): boolean {
    return this.room?.configured ?? false;
  }
  get turns(): When['turns'] {
    return this.core.turns;
  }
  get recall(): When['recall'] {
    return this.core.recall;
  }
  get find(): When['find'] {
    return this.core.find;
  }
  get relevant(): When['relevant'] {
    return this.core.relevant;
  }
  get entries(): When['entries'] {
    return this.core.entries;
  }
  get current(): When['current'] {
    return this.core.current;
  }
  get offered(): When['offered'] {
    return this.core.offered;
  }
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
  get validate(): When['validate'] {
    return this.core.validate;
  }
  get stats(): When['stats'] {
    return this.core.stats;
  }
  get health(): When['health'] {
    return this.core.health;
  }
  /** Reads the files now; resolves when their rows are written. For tests and after an edit. */
  get settled(): When['settled'] {
    return this.core.settled;
  }
}
