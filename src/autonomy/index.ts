export {
  type DeliverDeps,
  type DeliveryOutcome,
  type DeliveryRequest,
  deliver,
  type ServerAddress,
} from './delivery.js';
export { type AutonomousInstruction, INSTRUCTION_TYPE, type RunDescriptor } from './inject.js';
export type { ActionOutcome } from './outcome.js';
export { autonomousRoom, tidyAutonomousRooms } from './rooms.js';
export {
  AUTONOMY_LOOP_TASK,
  AUTONOMY_SERVICE,
  type AutonomyChange,
  AutonomyService,
  type AutonomySettings,
  type AutonomyStatus,
  autonomyChangeSchema,
} from './service.js';
