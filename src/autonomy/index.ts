export {
  type DeliverDeps,
  type DeliveryOutcome,
  type DeliveryRequest,
  deliver,
  type ServerAddress,
} from './delivery.js';
export { tidyAutonomousRooms } from './housekeeping.js';
export { autonomousRoom } from './rooms.js';
export { type AutonomyChange, autonomyChangeSchema } from './schema.js';
export {
  AutonomyService,
  type AutonomySettings,
  type AutonomyStatus,
} from './service.js';
export {
  type ActionOutcome,
  AUTONOMY_LOOP_TASK,
  AUTONOMY_SERVICE,
  type AutonomousInstruction,
  INSTRUCTION_TYPE,
  type RunDescriptor,
} from './types.js';
