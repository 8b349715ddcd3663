/** The service of `/when`, as chat finds it. */
import type { IAgentRuntime } from '@elizaos/core';
import { WHEN, WhenService } from '../../when/index.js';

export function whenServiceOf(runtime: IAgentRuntime): WhenService | null {
  const found = runtime.getServicesByType(WHEN).find((service) => service instanceof WhenService);
  return found instanceof WhenService ? found : null;
}

/** Whether there is an index to ask. */
export function hasWhenIndex(runtime: IAgentRuntime): boolean {
  return whenServiceOf(runtime)?.configured === true;
}
