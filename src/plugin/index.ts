/**
 * The composition root: settings, services, workers, events and surfaces of one agent. Everything
 * the rooms must not read themselves (time, chance, environment, the host) is handed in here.
 */

import { dirname, resolve } from 'node:path';
import {
  EventType,
  type IAgentRuntime,
  ModelType,
  type Plugin,
  type ServiceTypeName,
} from '@elizaos/core';
import {
  AUTONOMY_LOOP_TASK,
  AUTONOMY_SERVICE,
  AutonomyService,
  deliver,
  tidyAutonomousRooms,
} from '../autonomy/index.js';
import { HOST_HANDLER_PRIORITY } from '../embeddings/index.js';
import { HintService } from '../hints/index.js';
import { isProjectAdmin, isWorldAdmin, lockOf, noteTokens, serviceOf } from '../host/index.js';
import { WorkMemoryService } from '../memory/index.js';
import { ProactiveService } from '../proactive/index.js';
import { databaseOf, pgliteDirectory } from '../records/index.js';
import { ServingService, usualPidFile } from '../server/index.js';
import {
  parseSettings,
  pausedNow,
  pidEnvironment,
  type Settings,
  serverEnvironment,
  settingReader,
  shownSettings,
} from '../settings.js';
import { withTimeout } from '../shared/async.js';
import { type Clock, systemClock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { type Ids, randomIds } from '../shared/ids.js';
import { fieldOf } from '../shared/json.js';
import {
  announced,
  createHintsProvider,
  createOffersProvider,
  createWhenIndexProvider,
  cueActions,
  cueEvaluators,
  type EventHandlers,
  memoryServiceOf,
  missingModel,
  openQuestionProvider,
  proactiveEvents,
  standInForModel,
  tellModelFailures,
  triggersProvider,
  turnHasEnded,
  workMemoryProvider,
} from '../surfaces/eliza/index.js';
import { McpService, TOOL_CHOICES } from '../surfaces/mcp/index.js';
import { createRoutes } from '../surfaces/rest/index.js';
import { type AutonomyPort, type StepObserver, TriggerService } from '../triggers/index.js';
import { WhenService } from '../when/index.js';
import { selfTest } from './self-test.js';
import { endSessionHints, provideHints } from './wire-hints.js';
import { dataDirectory, embedForHost, parentOf, provideWorkMemory } from './wire-memory.js';
import { provideProactive } from './wire-proactive.js';
import { provideWhen } from './wire-when.js';

/** What a test or an embedding host may replace. */
export interface CueOptions {
  clock?: Clock;
  ids?: Ids;
  /** Called after each step of a dispatch; a crash test stops the process there. */
  onStep?: StepObserver;
  fetch?: typeof fetch;
  /** How long a run belongs to a process that gives no sign of life, ms; 30 s when absent. */
  leaseMs?: number;
  /** Absolute: the project whose `/when` index is followed where settings name none; none when absent. */
  whenFolder?: string | null;
  /** Absolute: where the panel is built; `dist/panel` of the package when absent. */
  panelFolder?: string;
  /** Why nothing runs in this process that is due, and what to do; absent: it does. */
  resting?: string;
  /** How long a turn waits for what is to be offered in it, ms; 30 when absent. */
  turnBudgetMs?: number;
  /** How long a detector of offers may take, ms; 2 s when absent. */
  detectorTimeoutMs?: number;
}

const AUTONOMY_WAIT_MS = 20_000;
const WARM_UP_AFTER_MS = 5_000;
const PAUSED = 'all triggers are paused: unset CUE_TRIGGERS_PAUSED, and what is due runs';

/** The plugin with its own clock, ids or observer; `cuePlugin` is the one with the machine's. */
export function createCuePlugin(options: CueOptions = {}): Plugin {
  const clock = options.clock ?? systemClock;
  const ids = options.ids ?? randomIds;
  const watchOf = (payload: unknown) => {
    const runtime = runtimeOf(payload);
    return runtime ? autonomyOf(runtime)?.watch : undefined;
  };

  return {
    name: 'cue',
    description:
      'Prospective memory: scheduled triggers that wake the agent, and the right memory at the right moment',
    dependencies: ['@elizaos/plugin-bootstrap'],
    init: async (_config, runtime) => {
      const read = settingReader(runtime);
      const settings = parseSettings(read);
      AutonomyService.provide(runtime, {
        settings: {
          enabled: settings.CUE_AUTONOMY,
          loop: settings.CUE_AUTONOMY_LOOP,
          intervalMs: settings.CUE_AUTONOMY_INTERVAL_MS,
        },
        clock,
        missingModel: () => missingModel(runtime),
        ...(options.resting === undefined ? {} : { resting: options.resting }),
        ...(options.onStep ? { onStep: options.onStep } : {}),
      });
      runtime.registerTaskWorker({
        name: AUTONOMY_LOOP_TASK,
        validate: async () => (await autonomyOf(runtime)?.unavailable()) === null,
        execute: async () => {
          // Not awaited: a turn of the model takes longer than a tick.
          void autonomyOf(runtime)?.runCycle();
          return undefined;
        },
      });
      const timezone = settings.CUE_TIMEZONE ?? hostTimezone();
      provideWorkMemory(runtime, settings, { clock, ids, timezone });
      const { turnBudgetMs, detectorTimeoutMs } = options;
      provideProactive(runtime, settings, {
        ...{ clock, ids, turnBudgetMs, detectorTimeoutMs },
        // No person writes to an agent at rest, and whoever it serves waits for its first answer.
        ...(options.resting === undefined ? {} : { warmUpAfterMs: WARM_UP_AFTER_MS }),
      });
      provideWhen(runtime, settings, {
        clock,
        folder: options.whenFolder,
        isAdmin: isProjectAdmin,
      });
      provideHints(runtime, settings, { clock, ids, isAdmin: isProjectAdmin });
      provideMcp(runtime, settings, { clock, ids });
      TriggerService.provide(runtime, {
        clock,
        ids,
        timezone,
        timezoneSource: settings.CUE_TIMEZONE === undefined ? 'host' : 'agent',
        settings: () =>
          triggerSettings(settings, options.resting ?? (pausedNow(read, settings) ? PAUSED : null)),
        autonomy: async (host) => {
          // Once more, now that the database is open: `init` may not have known its directory.
          await lockOf(host);
          return autonomyPort(host, settings, options.fetch ?? fetch);
        },
        onCycle: (host, hook) => autonomyOf(host)?.onCycle(hook),
        isAdmin: isWorldAdmin,
        parentOf,
        autonomyPresent: (host) => host.getServicesByType(AUTONOMY_SERVICE).length > 0,
        ...(options.onStep ? { onStep: options.onStep } : {}),
        ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
      });
      if (options.resting === undefined) {
        // Only then have all plugins registered their models; nothing waits for it.
        runtime.initPromise
          .then(() => {
            standInForModel(runtime);
            tellModelFailures(runtime, clock);
          })
          .catch((error: unknown) =>
            runtime.logger.error(
              { src: 'plugin:cue', error: messageOf(error) },
              'nobody will be told when the language model is missing or fails',
            ),
          );
      }
      // No service starts before this ends, and what comes after it would come after other plugins, too.
      await lockOf(runtime);
    },
    services: [
      AutonomyService,
      TriggerService,
      WorkMemoryService,
      ProactiveService,
      WhenService,
      HintService,
      McpService,
      ServingService,
    ],
    // A handler that throws aborts the host's own emitter (ELIZA_GUIDE §4); these cannot.
    events: together(
      {
        [EventType.RUN_STARTED]: [
          async (payload) => watchOf(payload)?.onRunStarted(payload),
          async (payload) => noteMessage(payload),
        ],
        [EventType.RUN_ENDED]: [
          async (payload) => watchOf(payload)?.onRunEnded(payload),
          async (payload) => noteTurnEnd(payload),
        ],
        [EventType.ACTION_COMPLETED]: [
          async (payload) => watchOf(payload)?.onActionCompleted(payload),
        ],
        [EventType.MODEL_USED]: [async (payload) => noteTokens(payload)],
      },
      proactiveEvents(),
    ),
    actions: cueActions,
    providers: [
      triggersProvider,
      workMemoryProvider,
      createHintsProvider(options.turnBudgetMs),
      createWhenIndexProvider(options.turnBudgetMs),
      createOffersProvider(options.turnBudgetMs),
      openQuestionProvider,
    ],
    evaluators: cueEvaluators,
    // The host orders models by this: any other provider of embeddings comes before ours.
    priority: HOST_HANDLER_PRIORITY,
    models: { [ModelType.TEXT_EMBEDDING]: embedForHost },
    tests: [selfTest],
    routes: createRoutes({
      apiKey: () => serverEnvironment().apiKey,
      panelFolder: options.panelFolder,
      settings: (runtime) => shownSettings(settingReader(runtime)),
    }),
  };
}

/** The plugin, ready for a character's list. */
export const cuePlugin: Plugin = createCuePlugin();

function triggerSettings(settings: Settings, paused: string | null) {
  return {
    enabled: settings.CUE_TRIGGERS_ENABLED,
    paused,
    minIntervalMs: settings.CUE_TRIGGER_MIN_INTERVAL_MS,
    maxPerCreator: settings.CUE_TRIGGER_MAX_PER_CREATOR,
    maxPerAgent: settings.CUE_TRIGGER_MAX_PER_AGENT,
    hotWindowMs: settings.CUE_HOT_WINDOW_MS,
    allowSeconds: settings.CUE_CRON_SECONDS,
    runsPerHour: settings.CUE_TRIGGER_RUNS_PER_HOUR,
    runsPerDay: settings.CUE_TRIGGER_RUNS_PER_DAY,
  };
}

function autonomyOf(runtime: IAgentRuntime): AutonomyService | null {
  return serviceOf(runtime, AutonomyService);
}

async function autonomyPort(
  runtime: IAgentRuntime,
  settings: Settings,
  fetcher: typeof fetch,
): Promise<AutonomyPort> {
  // Services start side by side; for a type that nobody registers the promise never settles.
  const started = runtime
    .getServiceLoadPromise(AUTONOMY_SERVICE as ServiceTypeName)
    .catch((error: unknown) => {
      runtime.logger.error(
        { src: 'plugin:cue', error: messageOf(error) },
        'autonomy did not start',
      );
    });
  await withTimeout(started, AUTONOMY_WAIT_MS);
  const absent = 'the autonomy service is not running';
  return {
    unavailable: async () => {
      const service = autonomyOf(runtime);
      return service ? service.unavailable() : absent;
    },
    cycleReason: async () => (await autonomyOf(runtime)?.cycleReason()) ?? absent,
    inject: async (request) => {
      const service = autonomyOf(runtime);
      if (!service) throw new Error(absent);
      return service.injectAutonomousInstruction(request);
    },
    storedAnswer: async (triggerRunId) =>
      (await autonomyOf(runtime)?.storedAnswer(triggerRunId)) ?? null,
    clockSetBack: async () => autonomyOf(runtime)?.clockSetBack(),
    resendsUnknown: () => settings.CUE_DELIVERY_RESEND,
    tidy: async (nowMs) => {
      await tidyAutonomousRooms(runtime, databaseOf(runtime), nowMs);
    },
    deliver: async (attempt, onSending) => {
      await announced(runtime, attempt.roomId);
      return deliver(
        {
          runtime,
          db: databaseOf(runtime),
          server: () => {
            const { baseUrl, apiKey } = serverEnvironment();
            return { baseUrl, ...(apiKey === undefined ? {} : { apiKey }) };
          },
          fetch: fetcher,
          resendUnknown: settings.CUE_DELIVERY_RESEND,
          onSending,
        },
        attempt,
      );
    },
  };
}

function hostTimezone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';
}

/** The handlers of both for each event, the first's first. */
function together(one: EventHandlers, other: EventHandlers): NonNullable<Plugin['events']> {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return Object.fromEntries(
    [...names].map((name) => [name, [...(one[name] ?? []), ...(other[name] ?? [])]]),
  );
}

/** Each message keeps the session of its room open, also those that no memory is asked about. */
function noteMessage(payload: unknown): void {
  const runtime = runtimeOf(payload);
  const roomId = fieldOf(payload, 'roomId');
  if (runtime && typeof roomId === 'string') memoryServiceOf(runtime)?.sessionOf(roomId);
}

function noteTurnEnd(payload: unknown): void {
  const runtime = runtimeOf(payload);
  if (runtime) turnHasEnded(runtime, fieldOf(payload, 'messageId'));
}

function runtimeOf(payload: unknown): IAgentRuntime | undefined {
  const runtime = fieldOf(payload, 'runtime');
  return typeof runtime === 'object' && runtime !== null && 'getServicesByType' in runtime
    ? (runtime as IAgentRuntime)
    : undefined;
}

/** @throws Error naming the setting that is wrong */
function provideMcp(
  runtime: IAgentRuntime,
  settings: Settings,
  { clock, ids }: { clock: Clock; ids: Ids },
): void {
  const { CUE_MCP_TOOLS: tools, CUE_FILE_ROOTS: roots } = settings;
  const wrong = tools?.filter((name) => !TOOL_CHOICES.includes(name)) ?? [];
  if (wrong.length > 0) {
    throw new Error(
      `cue: wrong setting: CUE_MCP_TOOLS has "${wrong.join('", "')}": choose from ${TOOL_CHOICES.join(', ')}`,
    );
  }
  const fileRoots = roots?.map((root) => resolve(root));
  const privateFolders = () => privateFoldersOf(runtime, settings);
  McpService.provide(runtime, {
    ...{ clock, ids, tools, fileRoots, privateFolders },
    onSessionEnded: endSessionHints,
  });
}

/** The database in use, what is kept beside it, and the files that name servers with their keys. */
function privateFoldersOf(runtime: IAgentRuntime, settings: Settings): string[] {
  const database = pgliteDirectory(databaseOf(runtime));
  return [
    ...(database === null || database === 'memory' ? [] : [resolve(database)]),
    dataDirectory(runtime, settings).path,
    dirname(usualPidFile(pidEnvironment())),
  ];
}
