/** The services of an agent: they start side by side in the background, and any of them may be missing. */
import type { IAgentRuntime, Service, ServiceTypeName } from '@elizaos/core';
import { AppError } from '../shared/errors.js';
import { within } from '../shared/within.js';

type ServiceClass<S extends Service> = (abstract new (
  ...args: never[]
) => S) & {
  serviceType: string;
};

/** `null`: it has not started, or another plugin has the same type. */
export function serviceOf<S extends Service>(
  runtime: IAgentRuntime,
  kind: ServiceClass<S>,
): S | null {
  const services = runtime.getServicesByType(kind.serviceType);
  return services.find((one): one is S => one instanceof kind) ?? null;
}

/** @param name for the message. @throws AppError UNAVAILABLE */
export function startedService<S extends Service>(
  runtime: IAgentRuntime,
  kind: ServiceClass<S>,
  name: string,
): S {
  const service = serviceOf(runtime, kind);
  if (service) return service;
  throw new AppError('UNAVAILABLE', `the ${name} service has not started; try again shortly`);
}

/**
 * Waits for a service to start; of a type that nobody registers, the host's promise never settles.
 * @throws what the start of the service threw
 */
export async function serviceStart<S extends Service>(
  runtime: IAgentRuntime,
  kind: ServiceClass<S>,
  waitMs: number,
): Promise<S | null> {
  const start = runtime.getServiceLoadPromise(kind.serviceType as ServiceTypeName);
  const service = await within(start, waitMs);
  return service instanceof kind ? service : null;
}
