/** What we know of elizaOS: services, rooms, rights and models. Its database has a door of its own, `database.ts`. */
export { lockOf, unlockOf } from './directory-lock.js';
export { addCalls, countingModelCalls, type ModelCalls, noteTokens } from './model-calls.js';
export { isPrivateRoom } from './private-room.js';
export { isProjectAdmin, isWorldAdmin } from './rights.js';
export type {
  ActionOutcome,
  AutonomousInstruction,
  DeliveryOutcome,
  DeliveryRequest,
  RunDescriptor,
} from './run-port.js';
export {
  askSmallModel,
  handedIn,
  modelProvider,
  serviceOf,
  serviceStart,
  startedService,
} from './services.js';
export { createPlace, type Place } from './working-directory.js';
