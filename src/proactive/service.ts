/** The Eliza service `PROACTIVE`: opens the room for one agent and hosts it (DESIGN §2). */
import { type IAgentRuntime, Service } from '@elizaos/core';
import type { MemoryChecks, MemoryObserver } from '../memory/index.js';
import type { Clock } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import type { Ids } from '../shared/ids.js';
import { hostLog } from '../shared/log.js';
import type { SlotDetectors } from './asking.js';
import type { ProactiveConfig } from './config.js';
import type { Proactive } from './core-types.js';
import type { DetectorContext } from './detectors/context.js';
import { NOBODY, type SourceObserver } from './observer.js';
import { createProactive, type ProactiveCoreDeps } from './proactive.js';

export const PROACTIVE = 'PROACTIVE';

/** What the composition root hands in; the room takes exactly this. */
export interface ProactiveServiceDeps {
  clock: Clock;
  ids: Ids;
  config: ProactiveConfig;
  /** `CUE_OFFERS_ENABLED`, read anew at each call, so that it works without a restart. */
  enabled: () => boolean;
  /** `CUE_OFFERS_PREFIX`. */
  prefix: string;
  /** Work memory, once it has started. @throws AppError UNAVAILABLE */
  memory: (runtime: IAgentRuntime) => Promise<ObservedMemory>;
  /** Turns by day, kept beside the records (the host's cache). */
  turnCounts: (runtime: IAgentRuntime) => ProactiveCoreDeps['turnCounts'];
  /** How long a turn waits for offers, ms; 30 when absent. */
  turnBudgetMs?: number | undefined;
  /** How long a detector may take, ms; 2 s when absent. */
  detectorTimeoutMs?: number | undefined;
  /** From the start until detectors are warmed up, ms; at once when absent. */
  warmUpAfterMs?: number | undefined;
  /** Other processes may write to the same database. */
  shared: (runtime: IAgentRuntime) => boolean;
  /**
   * Detectors of other rooms, made once at the start; a room that starts later is looked up by them at
   * each question (`createWhenMatch`).
   */
  slots?: (runtime: IAgentRuntime, context: DetectorContext) => SlotDetectors;
}

/** What this room needs of work memory. */
export interface ObservedMemory {
  readonly checks: MemoryChecks;
  observe(observer: MemoryObserver): () => void;
}

interface Room {
  proactive: Proactive & { observer: SourceObserver };
  stopObserving: () => void;
}

export class ProactiveService extends Service implements Proactive {
  static override serviceType: string = PROACTIVE;
  override capabilityDescription =
    'Proactive offers: shows the right work memory at the right moment, and measures what it was good for';

  private static readonly provided = new WeakMap<IAgentRuntime, ProactiveServiceDeps>();

  /** Called by the plugin's `init`: hands in what the host cannot. */
  static provide(runtime: IAgentRuntime, deps: ProactiveServiceDeps): void {
    ProactiveService.provided.set(runtime, deps);
  }

  private room: Room | null = null;
  private deps: ProactiveServiceDeps | null = null;

  /** @throws AppError UNAVAILABLE without the plugin or without work memory */
  static override async start(runtime: IAgentRuntime): Promise<ProactiveService> {
    const deps = ProactiveService.provided.get(runtime);
    if (!deps) {
      throw new AppError(
        'UNAVAILABLE',
        'ProactiveService needs the cue plugin: add it to the character',
      );
    }
    const memory = await deps.memory(runtime);
    const context: DetectorContext = {
      checks: memory.checks,
      clock: deps.clock,
      config: () => deps.config,
      prefix: deps.prefix,
    };
    const proactive = createProactive({
      ...context,
      ids: deps.ids,
      log: hostLog(runtime, 'proactive'),
      enabled: deps.enabled,
      turnCounts: deps.turnCounts(runtime),
      slots: deps.slots?.(runtime, context) ?? {},
      shared: deps.shared(runtime),
      turnBudgetMs: deps.turnBudgetMs,
      detectorTimeoutMs: deps.detectorTimeoutMs,
      warmUpAfterMs: deps.warmUpAfterMs,
    });
    const service = new ProactiveService(runtime);
    service.deps = deps;
    service.room = { proactive, stopObserving: memory.observe(proactive.observer) };
    return service;
  }

  override async stop(): Promise<void> {
    if (!this.room) return;
    const { proactive, stopObserving } = this.room;
    this.room = null;
    stopObserving();
    await proactive.stop();
  }

  private get core(): Proactive {
    if (!this.room) throw new AppError('UNAVAILABLE', 'the proactive service is not running');
    return this.room.proactive;
  }

  /** Whether anything is offered at all. */
  enabled(): boolean {
    return this.room !== null && (this.deps?.enabled() ?? false);
  }

  /** @throws AppError DISABLED while `CUE_OFFERS_ENABLED` is false */
  requireEnabled(): void {
    if (this.enabled()) return;
    throw new AppError('DISABLED', 'offers are switched off (CUE_OFFERS_ENABLED)');
  }

  /**
   * For rooms whose records are sources of offers, as work memory tells it: what was recalled and by
   * whom, what is to be forgotten, and what of that is set anew. What has merely changed needs no telling: offers that wait find
   * out (`Detector.revisions`). Nothing while the service does not run.
   */
  get observer(): SourceObserver {
    return this.room?.proactive.observer ?? NOBODY;
  }

  get detectors(): Proactive['detectors'] {
    return this.core.detectors;
  }
  get onFileTouch(): Proactive['onFileTouch'] {
    return this.core.onFileTouch;
  }
  get onIntentStated(): Proactive['onIntentStated'] {
    return this.core.onIntentStated;
  }
  get onTaskStart(): Proactive['onTaskStart'] {
    return this.core.onTaskStart;
  }
  get onActionPlanned(): Proactive['onActionPlanned'] {
    return this.core.onActionPlanned;
  }
  get onActionCompleted(): Proactive['onActionCompleted'] {
    return this.core.onActionCompleted;
  }
  get gave(): Proactive['gave'] {
    return this.core.gave;
  }
  get onSessionStart(): Proactive['onSessionStart'] {
    return this.core.onSessionStart;
  }
  get happen(): Proactive['happen'] {
    return this.core.happen;
  }
  get offersForTurn(): Proactive['offersForTurn'] {
    return this.core.offersForTurn;
  }
  get turnEnded(): Proactive['turnEnded'] {
    return this.core.turnEnded;
  }
  get concerns(): Proactive['concerns'] {
    return this.core.concerns;
  }
  get onAgentActivity(): Proactive['onAgentActivity'] {
    return this.core.onAgentActivity;
  }
  get clients(): Proactive['clients'] {
    return this.core.clients;
  }
  get list(): Proactive['list'] {
    return this.core.list;
  }
  get get(): Proactive['get'] {
    return this.core.get;
  }
  get acknowledge(): Proactive['acknowledge'] {
    return this.core.acknowledge;
  }
  get dismiss(): Proactive['dismiss'] {
    return this.core.dismiss;
  }
  get used(): Proactive['used'] {
    return this.core.used;
  }
  get openWarnings(): Proactive['openWarnings'] {
    return this.core.openWarnings;
  }
  get openOffers(): Proactive['openOffers'] {
    return this.core.openOffers;
  }
  get stats(): Proactive['stats'] {
    return this.core.stats;
  }
  get resetLearned(): Proactive['resetLearned'] {
    return this.core.resetLearned;
  }
  get health(): Proactive['health'] {
    return this.core.health;
  }
  get decisions(): Proactive['decisions'] {
    return this.core.decisions;
  }
  get subscribe(): Proactive['subscribe'] {
    return this.core.subscribe;
  }
  get settled(): Proactive['settled'] {
    return this.core.settled;
  }
}
