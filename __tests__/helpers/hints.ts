/** Hints of a booted agent. */
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { HINTS, type HintService } from '../../src/hints/index.js';

/** The service once it has read its rows. */
export async function hintsOf(runtime: IAgentRuntime): Promise<HintService> {
  return (await runtime.getServiceLoadPromise(HINTS as ServiceTypeName)) as HintService;
}
