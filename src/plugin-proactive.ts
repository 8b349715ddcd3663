/** How one agent's offers are put together from settings, the host and work memory. */
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { WORK_MEMORY, WorkMemoryService } from './memory/index.js';
import { type ObservedMemory, ProactiveService, parseConfig } from './proactive/index.js';
import { databaseOf, pgliteDirectory } from './records/index.js';
import { offersEnabledNow, type Settings, settingReader } from './settings.js';
import type { Clock } from './shared/clock.js';
import { AppError, InvalidInputError } from './shared/errors.js';
import type { Ids } from './shared/ids.js';

const MEMORY_WAIT_MS = 25_000;
/** Of the host's cache, which has one per agent. */
const TURNS_KEY = 'cue:turns';
const DEFAULT_PREFIX = 'RUM';

/** @throws Error naming what is wrong in `CUE_DETECTORS` or `CUE_OFFERS_PREFIX` */
export function provideProactive(
  runtime: IAgentRuntime,
  settings: Settings,
  { clock, ids, turnBudgetMs }: { clock: Clock; ids: Ids; turnBudgetMs?: number | undefined },
): void {
  const config = configOf(settings);
  const prefix = prefixOf(settings.CUE_OFFERS_PREFIX);
  ProactiveService.provide(runtime, {
    clock,
    ids,
    config,
    prefix,
    enabled: () => offersEnabledNow(settingReader(runtime), settings),
    memory: workMemory,
    turnBudgetMs,
    shared: (host) => pgliteDirectory(databaseOf(host)) === null,
    turnCounts: (host) => ({
      read: async () => countsOf(await host.getCache(TURNS_KEY)),
      write: async (counts) => {
        await host.setCache(TURNS_KEY, counts);
      },
    }),
  });
}

function configOf(settings: Settings) {
  try {
    return parseConfig(settings.CUE_DETECTORS);
  } catch (error) {
    if (!(error instanceof InvalidInputError)) throw error;
    throw new Error(`cue: wrong setting: ${error.message}`, { cause: error });
  }
}

/** One short word; brackets around it are ours. */
function prefixOf(setting: string | undefined): string {
  const word = setting?.trim().replace(/^\[(.*)\]$/, '$1') ?? '';
  if (word === '') return DEFAULT_PREFIX;
  if (/^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,19}$/u.test(word)) return word;
  throw new Error(
    `cue: wrong setting: CUE_OFFERS_PREFIX must be a word of at most 20 letters and digits, not "${word}"`,
  );
}

/** Services start side by side; for a type that nobody registers the promise never settles. */
async function workMemory(runtime: IAgentRuntime): Promise<ObservedMemory> {
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), MEMORY_WAIT_MS);
    timer.unref();
  });
  try {
    const service = await Promise.race([
      runtime.getServiceLoadPromise(WORK_MEMORY as ServiceTypeName),
      patience,
    ]);
    if (service instanceof WorkMemoryService) return service;
    throw new AppError('UNAVAILABLE', 'offers need work memory, and its service has not started');
  } finally {
    clearTimeout(timer);
  }
}

function countsOf(cached: unknown): Record<string, number> {
  if (typeof cached !== 'object' || cached === null) return {};
  return Object.fromEntries(
    Object.entries(cached).filter((entry): entry is [string, number] => Number.isFinite(entry[1])),
  );
}
