/** The offers of an agent, as rooms whose records they quote reach them: `undefined` before they start. */
import type { IAgentRuntime } from '@elizaos/core';
import { PROACTIVE, ProactiveService } from '../proactive/index.js';

export function offersOf(runtime: IAgentRuntime): ProactiveService | undefined {
  return runtime
    .getServicesByType(PROACTIVE)
    .find((service): service is ProactiveService => service instanceof ProactiveService);
}
