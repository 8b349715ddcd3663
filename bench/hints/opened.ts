/** The hint service of a bench agent, opened as the plugin opens it, with room for its workload. */
import type { IAgentRuntime } from '@elizaos/core';
import { DEFAULT_QUOTAS, HintService, type Hints } from '../../src/hints/index.js';
import { systemClock } from '../../src/shared/clock.js';
import { randomIds } from '../../src/shared/ids.js';
import { hostLog } from '../../src/shared/log.js';
import { openMemory } from '../memory/opened.js';
import { PER_COMPONENT, payloadOf } from './workload.js';

export const OPERATOR = { kind: 'operator' } as const;

/** Opens work memory once; each call of what it returns starts the hints anew. */
export async function hintStarter(
  runtime: IAgentRuntime,
  { size, directory }: { size: number; directory: string },
): Promise<{ start: () => Promise<HintService>; stop: () => Promise<void> }> {
  const { service } = await openMemory(runtime, directory);
  await service.settle();
  const { maxHints, maxComponents, maxPerComponent } = DEFAULT_QUOTAS;
  HintService.provide(runtime, {
    clock: systemClock,
    log: hostLog(runtime, 'hints'),
    settings: {
      // Twice: what ends with the session is set beside what is there.
      maxHints: Math.max(maxHints, 2 * size),
      maxComponents: Math.max(maxComponents, Math.ceil(size / PER_COMPONENT)),
      maxPerComponent,
      guard: true,
      defaultTtl: 'session',
    },
    sessionId: randomIds.next(),
    memory: async () => ({ store: service.checks.store, isShared: false }),
    isSessionOpen: () => true,
    isAdmin: async () => false,
  });
  return { start: () => HintService.start(runtime), stop: () => service.stop() };
}

/** @throws Error when not every hint came in */
export async function fill(
  hints: Hints,
  size: number,
  payload = payloadOf(size, systemClock.now()),
): Promise<void> {
  const { imported, reasons } = await hints.import({ payload }, OPERATOR);
  if (imported === size) return;
  throw new Error(`${imported} of ${size} hints came in: ${reasons.slice(0, 3).join('; ')}`);
}
