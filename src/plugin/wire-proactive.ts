/** How one agent's offers are put together from settings, the host and work memory. */
import type { IAgentRuntime } from '@elizaos/core';
import { ProactiveService, type ProactiveServiceDeps, parseConfig } from '../proactive/index.js';
import { databaseOf, pgliteDirectory, projectIdOf } from '../records/index.js';
import { offersEnabledNow, type Settings, settingReader } from '../settings.js';
import { InvalidInputError } from '../shared/errors.js';
import { turnsIn } from './turn-store.js';
import { hintSlot } from './wire-hints.js';
import { startedWorkMemory } from './wire-memory.js';
import { whenSlot } from './wire-when.js';

const DEFAULT_PREFIX = 'RUM';

/** @throws Error naming what is wrong in `CUE_DETECTORS` or `CUE_OFFERS_PREFIX` */
export function provideProactive(
  runtime: IAgentRuntime,
  settings: Settings,
  options: Pick<
    ProactiveServiceDeps,
    'clock' | 'ids' | 'turnBudgetMs' | 'detectorTimeoutMs' | 'warmUpAfterMs'
  >,
): void {
  const config = configOf(settings);
  const prefix = prefixOf(settings.CUE_OFFERS_PREFIX);
  ProactiveService.provide(runtime, {
    ...options,
    config,
    prefix,
    enabled: () => offersEnabledNow(settingReader(runtime), settings),
    memory: (host) => startedWorkMemory(host, 'offers'),
    slots: (host, context) => ({ ...whenSlot(host, context), ...hintSlot(host, context) }),
    shared: (host) => pgliteDirectory(databaseOf(host)) === null,
    turnCounts: (host) =>
      turnsIn(() => databaseOf(host), {
        agentId: host.agentId,
        projectId: projectIdOf(host.agentId, settings.CUE_PROJECT),
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
