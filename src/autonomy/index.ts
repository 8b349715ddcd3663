export {
  type DeliverDeps,
  deliver,
  type ServerAddress,
} from './delivery.js';
export { INSTRUCTION_TYPE } from './inject.js';
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
