/** How one agent's hints are put together from settings, the host and work memory. */
import type { IAgentRuntime } from '@elizaos/core';
import { DEFAULT_QUOTAS, HINTS, HintService, parseTtl } from './hints/index.js';
import { startedWorkMemory } from './plugin-memory.js';
import { offersOf } from './plugin-offers.js';
import { createPlace } from './plugin-place.js';
import { createHintMatch, type DetectorContext, type SlotDetectors } from './proactive/index.js';
import { databaseOf, pgliteDirectory } from './records/index.js';
import type { Settings } from './settings.js';
import type { Clock } from './shared/clock.js';
import type { Ids } from './shared/ids.js';
import { atLeast, hostLog } from './shared/log.js';

/** @throws Error naming the setting that is wrong */
export function provideHints(
  runtime: IAgentRuntime,
  settings: Settings,
  {
    clock,
    ids,
    isAdmin,
  }: {
    clock: Clock;
    ids: Ids;
    isAdmin: (runtime: IAgentRuntime, entityId: string, roomId: string) => Promise<boolean>;
  },
): void {
  const defaultTtl = settings.NUDGE_DEFAULT_TTL;
  const ttl = parseTtl(defaultTtl);
  if ('finding' in ttl) {
    throw new Error(`cue: wrong setting: NUDGE_DEFAULT_TTL ${ttl.finding.message}`);
  }
  HintService.provide(runtime, {
    clock,
    isAdmin,
    log: atLeast(settings.NUDGE_LOG_LEVEL, hostLog(runtime, 'hints')),
    sessionId: ids.next(),
    settings: {
      ...DEFAULT_QUOTAS,
      maxHints: settings.NUDGE_MAX_HINTS,
      guard: settings.NUDGE_SECRET_GUARD,
      defaultTtl,
    },
    observer: (host) => ({
      forgetting: async (ids) => offersOf(host)?.observer.forgetting(ids),
      returned: (ids) => offersOf(host)?.observer.returned(ids),
    }),
    memory: async (host) => {
      const memory = await startedWorkMemory(host, 'hints');
      return {
        store: memory.checks.store,
        isShared: pgliteDirectory(databaseOf(host)) === null,
      };
    },
  });
}

/** The detector that offers hints; the service may start after the offers do. */
export function hintSlot(runtime: IAgentRuntime, context: DetectorContext): SlotDetectors {
  const { clock } = context;
  const place = createPlace({ clock, cwd: () => process.cwd(), platform: process.platform });
  return {
    hintMatch: createHintMatch(context, () => {
      const service = runtime
        .getServicesByType(HINTS)
        .find((one): one is HintService => one instanceof HintService);
      if (!service?.ready) return null;
      return { offering: service.offering, place: place.facts, folderOf: place.folderOf };
    }),
  };
}
