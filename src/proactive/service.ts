/** The Eliza service `PROACTIVE`: opens the module for one agent and hosts it (DESIGN §2). */
import { type IAgentRuntime, Service } from '@elizaos/core';
import { handedIn } from '../host/index.js';
import type { MemoryChecks, MemoryObserver } from '../memory/index.js';
import { AppError } from '../shared/errors.js';
import { hostLog } from '../shared/log.js';
import type { ProactiveConfig } from './config.js';
import type { DetectorContext } from './detectors/detection.js';
import {
  createProactive,
  type Proactive,
  type ProactiveCoreDeps,
  type SourceObserver,
} from './proactive.js';
import type { SlotDetectors } from './types.js';

export const PROACTIVE = 'PROACTIVE';

/** What the composition root hands in; the module takes exactly this. */
export interface ProactiveServiceDeps
  extends Pick<
    ProactiveCoreDeps,
    // `enabled` is read anew at each call, so that CUE_OFFERS_ENABLED works without a restart.
    'clock' | 'ids' | 'enabled' | 'prefix' | 'turnBudgetMs' | 'detectorTimeoutMs' | 'warmUpAfterMs'
  > {
  config: ProactiveConfig;
  /** Work memory, once it has started. @throws AppError UNAVAILABLE */
  memory: (runtime: IAgentRuntime) => Promise<ObservedMemory>;
  /** Turns by day, kept beside the records (the host's cache). */
  turnCounts: (runtime: IAgentRuntime) => ProactiveCoreDeps['turnCounts'];
  /** Other processes may write to the same database. */
  shared: (runtime: IAgentRuntime) => boolean;
  /**
   * Detectors of other modules, made once at the start; a module that starts later is looked up by them
   * at each question (`createWhenMatch`).
   */
  slots?: (runtime: IAgentRuntime, context: DetectorContext) => SlotDetectors;
}

/** What this module needs of work memory. */
export interface ObservedMemory {
  readonly checks: MemoryChecks;
  observe(observer: MemoryObserver): () => void;
}

const NOBODY: SourceObserver = {
  used: () => {},
  changed: () => {},
  forgetting: async () => {},
  returned: () => {},
};

interface Running {
  proactive: ReturnType<typeof createProactive>;
  stopObserving: () => void;
}

export class ProactiveService extends Service implements Proactive {
  static override serviceType: string = PROACTIVE;
  override capabilityDescription =
    'Proactive offers: shows the right work memory at the right moment, and measures what it was good for';

  private static readonly provided = handedIn<ProactiveServiceDeps>('ProactiveService');
  static readonly provide = ProactiveService.provided.provide;

  private running: Running | null = null;
  private deps: ProactiveServiceDeps | null = null;

  /** @throws AppError UNAVAILABLE without the plugin or without work memory */
  static override async start(runtime: IAgentRuntime): Promise<ProactiveService> {
    const deps = ProactiveService.provided.of(runtime);
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
    service.running = { proactive, stopObserving: memory.observe(proactive.observer) };
    return service;
  }

  override async stop(): Promise<void> {
    if (!this.running) return;
    const { proactive, stopObserving } = this.running;
    this.running = null;
    stopObserving();
    await proactive.stop();
  }

  private get core(): Proactive {
    if (!this.running) throw new AppError('UNAVAILABLE', 'the proactive service is not running');
    return this.running.proactive;
  }

  /** Whether anything is offered at all. */
  enabled(): boolean {
    return this.running !== null && (this.deps?.enabled() ?? false);
  }

  /** @throws AppError DISABLED while `CUE_OFFERS_ENABLED` is false */
  requireEnabled(): void {
    if (this.enabled()) return;
    throw new AppError('DISABLED', 'offers are switched off (CUE_OFFERS_ENABLED)');
  }

  /**
   * For modules whose records are sources of offers: they tell what was recalled and by whom, what is to
   * be forgotten, and what of that is set anew. What has merely changed needs no telling: offers that
   * wait find out (`Detector.revisions`). Nothing while the service does not run.
   */
  get observer(): SourceObserver {
    return this.running?.proactive.observer ?? NOBODY;
  }

  get detectors(): Proactive['detectors'] {
    return this.core.detectors;
  }
  get clients(): Proactive['clients'] {
    return this.core.clients;
  }

  // The rest of `Proactive`, which says what each does.
  onFileTouch: Proactive['onFileTouch'] = (...given) => this.core.onFileTouch(...given);
  onIntentStated: Proactive['onIntentStated'] = (...given) => this.core.onIntentStated(...given);
  onTaskStart: Proactive['onTaskStart'] = (...given) => this.core.onTaskStart(...given);
  onActionPlanned: Proactive['onActionPlanned'] = (...given) => this.core.onActionPlanned(...given);
  onActionCompleted: Proactive['onActionCompleted'] = (...given) =>
    this.core.onActionCompleted(...given);
  gave: Proactive['gave'] = (...given) => this.core.gave(...given);
  onSessionStart: Proactive['onSessionStart'] = (...given) => this.core.onSessionStart(...given);
  happen: Proactive['happen'] = (...given) => this.core.happen(...given);
  offersForTurn: Proactive['offersForTurn'] = (...given) => this.core.offersForTurn(...given);
  turnEnded: Proactive['turnEnded'] = (...given) => this.core.turnEnded(...given);
  concerns: Proactive['concerns'] = (...given) => this.core.concerns(...given);
  onAgentActivity: Proactive['onAgentActivity'] = (...given) => this.core.onAgentActivity(...given);
  list: Proactive['list'] = (...given) => this.core.list(...given);
  get: Proactive['get'] = (...given) => this.core.get(...given);
  acknowledge: Proactive['acknowledge'] = (...given) => this.core.acknowledge(...given);
  dismiss: Proactive['dismiss'] = (...given) => this.core.dismiss(...given);
  used: Proactive['used'] = (...given) => this.core.used(...given);
  openWarnings: Proactive['openWarnings'] = (...given) => this.core.openWarnings(...given);
  openOffers: Proactive['openOffers'] = (...given) => this.core.openOffers(...given);
  stats: Proactive['stats'] = (...given) => this.core.stats(...given);
  resetLearned: Proactive['resetLearned'] = (...given) => this.core.resetLearned(...given);
  health: Proactive['health'] = (...given) => this.core.health(...given);
  decisions: Proactive['decisions'] = (...given) => this.core.decisions(...given);
  subscribe: Proactive['subscribe'] = (...given) => this.core.subscribe(...given);
  settled: Proactive['settled'] = (...given) => this.core.settled(...given);
}
