/** What we know of elizaOS: its database, services, rooms, rights and models. */
export {
  type Database,
  databaseOf,
  type Executor,
  inIndexOrder,
  pgliteDirectory,
  requireHalfvec,
  rowsOf,
  sqlList,
  storageProblem,
} from './database.js';
export { lockOf, unlockOf } from './directory-lock.js';
export { askSmallModel, embeddingProvider } from './models.js';
export { isPrivateRoom } from './private-room.js';
export { isProjectAdmin, isWorldAdmin } from './rights.js';
export { serviceOf, serviceStart, startedService } from './services.js';
export { createPlace, type Place } from './working-directory.js';
