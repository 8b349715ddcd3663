/** The Eliza service `TRIGGERS`: composes the room for one agent and hosts it (DESIGN §2). */
import { type IAgentRuntime, Service, type UUID } from '@elizaos/core';
import { handedIn } from '../host/index.js';
import {
  createRecords,
  databaseOf,
  ensureHome,
  ensureIndexes,
  existingRooms,
  pgliteDirectory,
} from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import type { Clock } from '../shared/clock.js';
import { holdsDirectory } from '../shared/dir-lock.js';
import { AppError, messageOf, wrongField } from '../shared/errors.js';
import type { Ids } from '../shared/ids.js';
import { hostLog } from '../shared/log.js';
import { isTimeZone, timeZoneProblem } from '../shared/zones.js';
import { type Budget, type BudgetSettings, createBudget } from './budget.js';
import {
  CLOCK_JUMP_MS,
  createDispatcher,
  createWorkerHost,
  type Dispatcher,
  ensureHeartbeat,
  type WorkerHost,
} from './dispatch.js';
import { createDueTimer, type DueTimer } from './due-timer.js';
import { createLedger } from './ledger.js';
import type { AutonomyPort, Parts, StepObserver, TriggerSettings } from './parts.js';
import { createReconciler, createWaitingRuns, createWriteBackGuard } from './reconcile.js';
import {
  type Explanation,
  explain,
  type HostFacts,
  healthOf,
  type ReportDeps,
  type TriggerHealth,
} from './report.js';
import { createRequests, type TriggerRequests } from './requests.js';
import type { KnownZone } from './retime.js';
import { LEDGER_INDEXES } from './run-history.js';
import { createRuns } from './runs.js';
import type { Requester } from './schema.js';
import { createTaskStore, TASK_BATCH, type TaskStore } from './store.js';
import {
  DEDUPE_FORM,
  dedupeKeyOf,
  readableRows,
  scheduleOf,
  TRIGGER_TASK_NAME,
} from './task-codec.js';
import { TASK_INDEXES } from './task-table.js';
import { createTriggerLook, type TriggerLook } from './trigger-look.js';
import { createTriggers, type Triggers } from './triggers.js';

export const TRIGGER_SERVICE = 'TRIGGERS';
/** What the composition root hands in; the room takes exactly this. */
export interface TriggerServiceDeps {
  clock: Clock;
  ids: Ids;
  settings: () => TriggerSettings & BudgetSettings;
  /** Zone for people who have told none. */
  timezone: string;
  /** Where that zone comes from: a setting of the agent, or the machine. */
  timezoneSource: 'agent' | 'host';
  /** Built when the service starts: the database is there then, and not before. */
  autonomy: (runtime: IAgentRuntime) => Promise<AutonomyPort>;
  /** Lets the autonomy loop take the instructions that wait for it. */
  onCycle: (runtime: IAgentRuntime, hook: () => Promise<number>) => void;
  isAdmin: (
    runtime: IAgentRuntime,
    entityId: string,
    roomId: string | undefined,
  ) => Promise<boolean>;
  autonomyPresent: (runtime: IAgentRuntime) => boolean;
  /** Parent of a client's identity, `null` for none. */
  parentOf: (runtime: IAgentRuntime, identityId: string) => Promise<string | null>;
  onStep?: StepObserver;
  leaseMs?: number;
}

interface Room {
  triggers: Triggers;
  budget: Budget;
  dispatcher: Dispatcher;
  dueTimer: DueTimer;
  report: ReportDeps;
  roomsThatExist: (roomIds: string[]) => Promise<Set<string>>;
}

export class TriggerService extends Service {
  static override serviceType: string = TRIGGER_SERVICE;
  override capabilityDescription =
    'Scheduled triggers: wakes the agent at a time, once or again and again, and keeps a ledger of every run';

  private static readonly provided = handedIn<{ deps: TriggerServiceDeps; host: WorkerHost }>(
    'TriggerService',
  );

  /**
   * Called by the plugin's `init`: hands in what the host cannot and registers the task workers,
   * before any creation path opens (seed §8.1).
   */
  static provide(runtime: IAgentRuntime, deps: TriggerServiceDeps): void {
    const host = createWorkerHost({
      clock: deps.clock,
      stopped: () => stoppedReason(deps.settings()),
    });
    TriggerService.provided.provide(runtime, { deps, host });
    for (const worker of host.workers) runtime.registerTaskWorker(worker);
  }

  /** The operations; `start` hands them in. */
  declare readonly create: Triggers['create'];
  declare readonly createMany: Triggers['createMany'];
  declare readonly confirmationFor: Triggers['confirmationFor'];
  declare readonly get: Triggers['get'];
  declare readonly list: Triggers['list'];
  declare readonly promptSummary: Triggers['promptSummary'];
  declare readonly runs: Triggers['runs'];
  declare readonly allRuns: Triggers['allRuns'];
  declare readonly runOf: Triggers['runOf'];
  declare readonly recentRuns: Triggers['recentRuns'];
  declare readonly upcoming: Triggers['upcoming'];
  declare readonly update: Triggers['update'];
  declare readonly pause: Triggers['pause'];
  declare readonly resume: Triggers['resume'];
  declare readonly skipNext: Triggers['skipNext'];
  declare readonly snooze: Triggers['snooze'];
  declare readonly snoozeFor: Triggers['snoozeFor'];
  declare readonly pauseUntil: Triggers['pauseUntil'];
  declare readonly delete: Triggers['remove'];
  declare readonly run: Triggers['run'];
  declare readonly exportAll: Triggers['exportAll'];
  /**
   * The same for requests from outside of a conversation, read and judged from unknown data: the
   * schedule may be text.
   */
  declare readonly requests: TriggerRequests;

  private room: Room | null = null;
  private deps: TriggerServiceDeps | null = null;
  private host: WorkerHost | null = null;
  private readonly watchers = new Set<() => void>();
  private recovery: Promise<void> = Promise.resolve();

  /** @throws AppError UNAVAILABLE when the agent has no SQL database */
  static override async start(runtime: IAgentRuntime): Promise<TriggerService> {
    const { deps, host } = TriggerService.provided.of(runtime);
    const service = new TriggerService(runtime);
    service.deps = deps;
    service.host = host;
    const untilMs = deps.clock.now();
    const { wasAheadMs } = await ensureHeartbeat(runtime, untilMs);
    const onStep: StepObserver = async (step, triggerRunId) => {
      for (const watcher of service.watchers) watcher();
      await deps.onStep?.(step, triggerRunId);
    };
    service.room = await compose(runtime, { ...deps, onStep }, host, {
      fromMs: untilMs + wasAheadMs,
      untilMs,
    });
    const { dispatcher, triggers, roomsThatExist } = service.room;
    const requests = createRequests({
      triggers,
      roomsThatExist,
      settings: () => service.settings,
      now: () => service.now(),
      zoneOf: (entityId) => service.zoneOf(entityId),
    });
    Object.assign(service, { ...triggers, delete: triggers.remove, requests });
    const log = hostLog(runtime, 'triggers');
    host.attach(dispatcher, deps.clock.now(), (byMs) => {
      service.recovery = service.recovery
        .then(async () => {
          await ensureHeartbeat(runtime, deps.clock.now());
          await dispatcher.clockSetBack(byMs);
          await dispatcher.heartbeat();
        })
        .catch((error: unknown) =>
          log.error({ error: messageOf(error) }, 'what waits could not be aligned anew'),
        );
    });
    // Catch-up runs in the background: the agent answers at once.
    service.recovery = (async () => {
      // A last beat in the future means that the clock was set back while no process ran.
      if (wasAheadMs > CLOCK_JUMP_MS) await dispatcher.clockSetBack(wasAheadMs);
      await dispatcher.recover();
    })().catch((error: unknown) => log.error({ error: messageOf(error) }, 'recovery failed'));
    return service;
  }

  override async stop(): Promise<void> {
    this.host?.detach();
    await this.room?.dispatcher.stop();
  }

  private get core(): Room {
    if (!this.room) throw new AppError('UNAVAILABLE', 'the trigger service has not started');
    return this.room;
  }

  /** Counts a model call of the plugin's own. Why the cost guard refuses it, else `null`. */
  async beginModelCall(): Promise<string | null> {
    const { budget, report } = this.core;
    return budget.begin(report.clock.now(), false);
  }

  /** @throws AppError DISABLED when triggers are switched off */
  ensureEnabled(): void {
    this.core.triggers.mustBeOn();
  }

  /** Why nothing that is due runs here, and what to do; `null`: it does. */
  get resting(): string | null {
    return this.settings.paused;
  }

  health(): Promise<TriggerHealth> {
    return healthOf(this.core.report);
  }

  why(id: string, requester: Requester): Promise<Explanation> {
    return explain(this.core.report, id, requester);
  }

  /** What changes among triggers and runs from now on, whichever process did it. */
  changes(): TriggerLook {
    return createTriggerLook(this.core.report);
  }

  /** Tells that a run of this process has come a step further; returns the way to stop. */
  onProgress(listener: () => void): () => void {
    this.watchers.add(listener);
    return () => this.watchers.delete(listener);
  }

  /** The agent's zone, for people who have told none. */
  get timezone(): string {
    return this.deps?.timezone ?? 'UTC';
  }

  /** What the person has told us, or `null`. */
  async toldTimezone(entityId: string): Promise<string | null> {
    const told = await this.runtime.getCache<string>(zoneKey(entityId));
    return typeof told === 'string' && isTimeZone(told) ? told : null;
  }

  /** The zone of a person: what they have told, what their entity says, else the agent's. */
  async zoneOf(entityId: string | undefined): Promise<KnownZone> {
    const own = entityId === undefined ? null : await this.personsTimezone(entityId);
    if (own !== null) return { name: own, source: 'person' };
    return { name: this.timezone, source: this.deps?.timezoneSource ?? 'host' };
  }

  private async personsTimezone(entityId: string): Promise<string | null> {
    const told = await this.toldTimezone(entityId);
    if (told !== null) return told;
    const said = (await this.runtime.getEntityById(entityId as UUID))?.metadata?.timezone;
    return typeof said === 'string' && isTimeZone(said) ? said : null;
  }

  /**
   * Keeps it, and moves what had only the zone of the machine.
   * @throws InvalidInputError when it is not a time zone
   */
  async rememberTimezone(entityId: string, timezone: string): ReturnType<Triggers['followZone']> {
    const problem = timeZoneProblem(timezone);
    if (problem !== null) throw wrongField('timezone', problem);
    await this.runtime.setCache(zoneKey(entityId), timezone);
    return this.core.triggers.followZone(entityId, timezone);
  }

  get settings(): TriggerSettings & BudgetSettings {
    if (!this.deps) throw new AppError('UNAVAILABLE', 'the trigger service has not started');
    return this.deps.settings();
  }

  /** The time this room works with, epoch ms. */
  now(): number {
    return this.deps?.clock.now() ?? 0;
  }

  /**
   * Resolves when what an earlier process or a clock that was set back has left is claimed; the runs may
   * still be under way.
   */
  recovered(): Promise<void> {
    return this.recovery;
  }

  /** Claims what is due now and waits until every run under way here has ended. For tests and demos. */
  async settle(): Promise<void> {
    await this.recovery;
    await this.core.dispatcher.drain();
    await this.core.dispatcher.idle();
  }

  /** From now on what is due waits for the host's tick. For tests that move the clock themselves. */
  leaveToTick(): void {
    this.core.dueTimer.stop();
  }

  /** One heartbeat now: promotes, retries, takes over, delivers. */
  async heartbeat(): Promise<void> {
    await this.core.dispatcher.heartbeat();
  }
}

function zoneKey(entityId: string): string {
  return `cue:timezone:${entityId}`;
}

async function compose(
  runtime: IAgentRuntime,
  deps: TriggerServiceDeps,
  host: WorkerHost,
  away: { fromMs: number; untilMs: number },
): Promise<Room> {
  const db = databaseOf(runtime);
  const home = await ensureHome(runtime);
  await ensureIndexes(db, [...TASK_INDEXES, ...LEDGER_INDEXES]);
  const records = createRecords({ db, home });
  const store = createTaskStore(records);
  const ledger = createLedger(records, deps.leaseMs);
  const { clock, ids } = deps;
  const log = hostLog(runtime, 'triggers');
  const autonomy = await deps.autonomy(runtime);
  // Before anything can be asked for, so that it is known again.
  const upgraded = await upgradeTriggers(store, home.agentId, clock.now());
  if (upgraded > 0) log.info({ upgraded }, 'triggers of an older version upgraded');
  const { onStep, settings } = deps;
  const stopped = () => stoppedReason(settings());
  const budget = createBudget(records, settings);
  const owner = ids.next();
  const shared = { records, store, ledger, budget, autonomy, clock, ids, log, owner };
  const parts: Parts = { ...shared, settings, stopped, onStep };
  const guard = createWriteBackGuard();
  const dueTimer = createDueTimer(clock);
  const reconciler = createReconciler({ ...parts, guard, dueTimer });
  const runs = createRuns({ ...parts, applyRunResult: reconciler.applyRunResult });
  const waiting = createWaitingRuns({ ...parts, runs });
  const soleOwner = isOursAlone(pgliteDirectory(db));
  const dispatcher = createDispatcher({
    ...parts,
    ...{ guard, reconciler, runs, waiting, away, soleOwner, dueTimer },
    hostTick: () => tickNow(runtime),
  });
  const triggers = createTriggers({
    ...parts,
    ...{ guard, reconciler, runs, dispatcher },
    isAdmin: (entityId, roomId) => deps.isAdmin(runtime, entityId, roomId),
    parentOf: (identityId) => deps.parentOf(runtime, identityId),
  });
  deps.onCycle(runtime, () => dispatcher.runCycle());
  return {
    triggers,
    dispatcher,
    dueTimer,
    budget,
    roomsThatExist: (roomIds) => existingRooms(records, roomIds),
    report: { ...parts, triggers, host: () => hostFacts(runtime, deps, host) },
  };
}

/** What its timer does once a second (`TaskService.checkTasks`); a host that has no such method has its tick. */
async function tickNow(runtime: IAgentRuntime): Promise<void> {
  const tasks: object = runtime.getService('task') ?? {};
  if ('checkTasks' in tasks && typeof tasks.checkTasks === 'function') await tasks.checkTasks();
}

/** The lock of an embedded database's directory is taken before this service starts. */
function isOursAlone(directory: string | 'memory' | null): boolean {
  return directory !== null && (directory === 'memory' || holdsDirectory(directory));
}

function hostFacts(runtime: IAgentRuntime, deps: TriggerServiceDeps, host: WorkerHost): HostFacts {
  const worker = runtime.getTaskWorker(TRIGGER_TASK_NAME);
  const ours = worker !== undefined && host.workers.includes(worker);
  return {
    taskServicePresent: runtime.getService('task') !== null,
    workerRegistered: ours,
    workerTakenBy: worker !== undefined && !ours ? TRIGGER_TASK_NAME : null,
    autonomyPresent: deps.autonomyPresent(runtime),
  };
}

function stoppedReason(settings: TriggerSettings): string | null {
  if (!settings.enabled) return 'CUE_TRIGGERS_ENABLED is false';
  return settings.paused;
}

/**
 * Makes the keys anew by which a repeated request is known, so that a repeat after the upgrade is still
 * one. What is damaged stays as it is. How many that were.
 */
export async function upgradeTriggers(
  store: TaskStore,
  agentId: string,
  nowMs: number,
): Promise<number> {
  let count = 0;
  for await (const rows of store.ofOtherForm(DEDUPE_FORM, TASK_BATCH)) {
    const writes = readableRows(rows).map(({ row, trigger }) => {
      const dedupeKey = dedupeKeyOf(agentId, trigger, scheduleOf(trigger));
      // Resumed after failures, which stood on the task alone: they do not count.
      const isResumed = trigger.lastStatus === 'failed' && trigger.failureCount === 0;
      return {
        id: row.id,
        trigger: { dedupeKey, ...(isResumed ? { failuresFromMs: nowMs } : {}) },
      };
    });
    await store.merge(writes);
    count += writes.length;
    await yieldToLoop();
  }
  return count;
}
