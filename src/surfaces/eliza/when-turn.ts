/** The service of `/when`, as chat finds it. */

import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { serviceOf } from '../../host/index.js';
import { withTimeout } from '../../shared/async.js';
import { WHEN, WhenService } from '../../when/index.js';

/** How long a message waits for the service, ms; a client of the host waits 15 s for an answer. */
const STARTING_MS = 10_000;

export function whenServiceOf(runtime: IAgentRuntime): WhenService | null {
  return serviceOf(runtime, WhenService);
}

/** Whether there is an index to ask. */
export function hasWhenIndex(runtime: IAgentRuntime): boolean {
  return whenServiceOf(runtime)?.configured === true;
}

/** Services start in the background, so the first message of a chat may come before this one has started. */
export async function whenStarted(runtime: IAgentRuntime): Promise<void> {
  if (whenServiceOf(runtime) !== null) return;
  // Why it could not start stands in the host's log.
  const start = Promise.allSettled([runtime.getServiceLoadPromise(WHEN as ServiceTypeName)]);
  await withTimeout(start, STARTING_MS);
}
