export {
  type DeliverDeps,
  type DeliveryOutcome,
  type DeliveryRequest,
  deliver,
  deliveryMessageId,
  type ServerAddress,
} from './delivery.js';
export { autonomousRoom } from './rooms.js';
export {
  AutonomyService,
  type AutonomySettings,
  type AutonomyStatus,
  MIN_LOOP_INTERVAL_MS,
} from './service.js';
export {
  type ActionOutcome,
  AUTONOMY_LOOP_TASK,
  AUTONOMY_SERVICE,
  type AutonomousInstruction,
  INSTRUCTION_TYPE,
  type RunDescriptor,
} from './types.js';
