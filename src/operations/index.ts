/** Every operation, told once: what REST, MCP and the OpenAPI document are made of. */
import { healthOperations } from './health.js';
import { hintOperations } from './hints.js';
import { knowledgeOperations } from './knowledge.js';
import { memoryOperations } from './memory.js';
import { offerOperations } from './offers.js';
import type { Operation, Tool } from './operation.js';
import { triggerOperations } from './triggers.js';
import { whenOperations } from './when.js';

export { type AgentHealth, healthOf } from './health.js';
export { forWhom, offerId, offerText } from './offers.js';
export * from './operation.js';
export * from './query.js';
export * from './services.js';
export { quoted, readable } from './shown.js';
export { knowledgeBlock, recallText } from './when.js';

export const OPERATIONS: readonly Operation[] = [
  ...memoryOperations,
  ...knowledgeOperations,
  ...whenOperations,
  ...offerOperations,
  ...hintOperations,
  ...triggerOperations,
  ...healthOperations,
];

/** Whether agents may call it, too. */
export function isTool(operation: Operation): operation is Tool {
  return 'text' in operation;
}
