/** The started services, as surfaces ask for them. */
import type { IAgentRuntime, Service } from '@elizaos/core';
import { AUTONOMY_SERVICE, AutonomyService } from '../autonomy/index.js';
import { HINTS, HintService } from '../hints/index.js';
import { WORK_MEMORY, WorkMemoryService } from '../memory/index.js';
import { PROACTIVE, ProactiveService } from '../proactive/index.js';
import { AppError } from '../shared/errors.js';
import { TRIGGER_SERVICE, TriggerService } from '../triggers/index.js';
import { NO_INDEX, WHEN, WhenService } from '../when/index.js';

type Of<S extends Service> = (runtime: IAgentRuntime) => S;

export const autonomyOf: Of<AutonomyService> = (runtime) =>
  started(runtime, AUTONOMY_SERVICE, AutonomyService, 'autonomy');
export const hintsOf: Of<HintService> = (runtime) => started(runtime, HINTS, HintService, 'hint');
export const memoryOf: Of<WorkMemoryService> = (runtime) =>
  started(runtime, WORK_MEMORY, WorkMemoryService, 'work memory');
export const offersOf: Of<ProactiveService> = (runtime) =>
  started(runtime, PROACTIVE, ProactiveService, 'proactive');
/** Also while triggers are switched off: for health. */
export const triggersOf: Of<TriggerService> = (runtime) =>
  started(runtime, TRIGGER_SERVICE, TriggerService, 'trigger');
/** Also without an index: for health. */
export const startedWhen: Of<WhenService> = (runtime) =>
  started(runtime, WHEN, WhenService, '/when');

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

/**
 * Services start in the background, so the first requests of an agent may come before them.
 * @throws AppError UNAVAILABLE
 */
function started<S extends Service>(
  runtime: IAgentRuntime,
  type: string,
  kind: abstract new (...args: never[]) => S,
  name: string,
): S {
  const service = runtime.getServicesByType(type).find((one): one is S => one instanceof kind);
  if (service) return service;
  throw new AppError('UNAVAILABLE', `the ${name} service has not started; try again shortly`);
}
