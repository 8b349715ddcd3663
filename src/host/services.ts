/** The services of an agent: they start side by side in the background, and any of them may be missing. */
import { type IAgentRuntime, ModelType, type Service, type ServiceTypeName } from '@elizaos/core';
import { withTimeout } from '../shared/async.js';
import { AppError } from '../shared/errors.js';

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

/** What the plugin's `init` hands to a service before it starts, because the host cannot. */
export function handedIn<Deps>(service: string) {
  const byAgent = new WeakMap<IAgentRuntime, Deps>();
  return {
    provide(runtime: IAgentRuntime, deps: Deps): void {
      byAgent.set(runtime, deps);
    },
    /** @throws AppError UNAVAILABLE without the plugin */
    of(runtime: IAgentRuntime): Deps {
      const deps = byAgent.get(runtime);
      if (deps) return deps;
      throw new AppError('UNAVAILABLE', `${service} needs the cue plugin: add it to the character`);
    },
  };
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
  const service = await withTimeout(start, waitMs);
  return service instanceof kind ? service : null;
}

/** The plugin that answers this kind of call: the first of the host's list, as `useModel` picks it. */
export function modelProvider(runtime: IAgentRuntime, type: string): string {
  const models: unknown = 'models' in runtime ? runtime.models : undefined;
  const handlers: unknown = models instanceof Map ? models.get(type) : undefined;
  const [first] = Array.isArray(handlers) ? handlers : [];
  const provider: unknown = first?.provider;
  return typeof provider === 'string' ? provider : 'unknown';
}

/** @throws AppError UNAVAILABLE for an answer without text */
export async function askSmallModel(runtime: IAgentRuntime, prompt: string): Promise<string> {
  const answer: unknown = await runtime.useModel(ModelType.TEXT_SMALL, { prompt });
  if (typeof answer === 'string') return answer;
  throw new AppError('UNAVAILABLE', 'the model answered without text');
}
