/** Work memory of a booted agent. */
import type { IAgentRuntime, ServiceTypeName } from '@elizaos/core';
import { WORK_MEMORY, type WorkMemoryService } from '../../src/memory/index.js';

/** The service once its catalog is loaded. */
export async function memoryOf(runtime: IAgentRuntime): Promise<WorkMemoryService> {
  const service = await runtime.getServiceLoadPromise(WORK_MEMORY as ServiceTypeName);
  const memory = service as WorkMemoryService;
  await memory.settle();
  return memory;
}
