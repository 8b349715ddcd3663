/** How one agent's hints are put together from settings, the host and work memory. */
import type { IAgentRuntime } from '@elizaos/core';
import { DEFAULT_QUOTAS, HintService, parseTtl } from '../hints/index.js';
import { createPlace, serviceOf } from '../host/index.js';
import { WorkMemoryService } from '../memory/index.js';
import {
  createHintMatch,
  type DetectorContext,
  ProactiveService,
  type SlotDetectors,
} from '../proactive/index.js';
import { databaseOf, pgliteDirectory } from '../records/index.js';
import type { Settings } from '../settings.js';
import type { Clock } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Ids } from '../shared/ids.js';
import { atLeast, hostLog } from '../shared/log.js';
import { McpService } from '../surfaces/mcp/index.js';
import { startedWorkMemory } from './wire-memory.js';

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
    isSessionOpen,
    log: atLeast(settings.NUDGE_LOG_LEVEL, hostLog(runtime, 'hints')),
    sessionId: ids.next(),
    settings: {
      ...DEFAULT_QUOTAS,
      maxHints: settings.NUDGE_MAX_HINTS,
      guard: settings.NUDGE_SECRET_GUARD,
      defaultTtl,
    },
    observer: (host) => ({
      forgetting: async (ids) => serviceOf(host, ProactiveService)?.observer.forgetting(ids),
      returned: (ids) => serviceOf(host, ProactiveService)?.observer.returned(ids),
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

/** A client's session is one of MCP or that of a conversation. */
function isSessionOpen(runtime: IAgentRuntime, sessionId: string): boolean {
  const services = [serviceOf(runtime, WorkMemoryService), serviceOf(runtime, McpService)];
  return services.some((one) => one?.hasSession(sessionId));
}

/** What was set for a session of MCP goes when that ends, not with the next sweep. */
export function endSessionHints(runtime: IAgentRuntime): void {
  const service = serviceOf(runtime, HintService);
  if (!service?.ready) return;
  service.sweep().catch((error: unknown) => {
    hostLog(runtime, 'hints').warn({ reason: messageOf(error) }, 'hints were not swept');
  });
}

/** The detector that offers hints; the service may start after the offers do. */
export function hintSlot(runtime: IAgentRuntime, context: DetectorContext): SlotDetectors {
  const { clock } = context;
  const place = createPlace({ clock, cwd: () => process.cwd(), platform: process.platform });
  return {
    hintMatch: createHintMatch(context, () => {
      const service = serviceOf(runtime, HintService);
      if (!service?.ready) return null;
      return { offering: service.offering, place: place.facts, folderOf: place.folderOf };
    }),
  };
}
