/** The started service a route works with. */
import type { IAgentRuntime, Service } from '@elizaos/core';
import { AppError } from '../../shared/errors.js';

/**
 * Services start in the background, so the first requests of an agent may come before them.
 * @throws AppError UNAVAILABLE
 */
export function startedService<S extends Service>(
  runtime: IAgentRuntime,
  type: string,
  kind: abstract new (...args: never[]) => S,
  name: string,
): S {
  const service = runtime.getServicesByType(type).find((one): one is S => one instanceof kind);
  if (service) return service;
  throw new AppError('UNAVAILABLE', `the ${name} service has not started; try again shortly`);
}
