/** The started services, as surfaces ask for them. */

import type { IAgentRuntime, Service } from '@elizaos/core';
import { AutonomyService } from '../autonomy/index.js';
import { HintService } from '../hints/index.js';
import { startedService } from '../host/index.js';
import { WorkMemoryService } from '../memory/index.js';
import { ProactiveService } from '../proactive/index.js';
import { AppError } from '../shared/errors.js';
import { TriggerService } from '../triggers/index.js';
import { NO_INDEX, WhenService } from '../when/index.js';

type Of<S extends Service> = (runtime: IAgentRuntime) => S;

export const autonomyOf: Of<AutonomyService> = (runtime) =>
  startedService(runtime, AutonomyService, 'autonomy');
export const hintsOf: Of<HintService> = (runtime) => startedService(runtime, HintService, 'hint');
export const memoryOf: Of<WorkMemoryService> = (runtime) =>
  startedService(runtime, WorkMemoryService, 'work memory');
export const offersOf: Of<ProactiveService> = (runtime) =>
  startedService(runtime, ProactiveService, 'proactive');
/** Also while triggers are switched off: for health. */
export const triggersOf: Of<TriggerService> = (runtime) =>
  startedService(runtime, TriggerService, 'trigger');
/** Also without an index: for health. */
export const startedWhen: Of<WhenService> = (runtime) =>
  startedService(runtime, WhenService, '/when');

/** @throws AppError UNAVAILABLE, and DISABLED while triggers are switched off */
export function enabledTriggersOf(runtime: IAgentRuntime): TriggerService {
  const service = triggersOf(runtime);
  service.ensureEnabled();
  return service;
}

/** The same, with an index that has come since the start. */
export async function followedWhen(runtime: IAgentRuntime): Promise<WhenService> {
  await startedWhen(runtime).follow();
  return whenOf(runtime);
}

/** @throws AppError UNAVAILABLE, and DISABLED without an index */
export function whenOf(runtime: IAgentRuntime): WhenService {
  const service = startedWhen(runtime);
  if (service.configured) return service;
  throw new AppError('DISABLED', NO_INDEX);
}
