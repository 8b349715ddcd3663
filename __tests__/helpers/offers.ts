/** Proactive offers of a booted agent. */
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { PROACTIVE, type ProactiveService } from '../../src/proactive/index.js';

export async function offersOf(runtime: IAgentRuntime): Promise<ProactiveService> {
  return (await runtime.getServiceLoadPromise(PROACTIVE as ServiceTypeName)) as ProactiveService;
}
