/** Who serves which database on this machine: what the composition roots use of it. */
export { RPC_PATH } from './discovery.js';
export { type Identity, identify } from './identify.js';
export { isLocalKey, LOCAL_KEY_HEADER, localKey } from './local-key.js';
export { addressOf, namedServer } from './look-around.js';
export {
  pidFileOf,
  pidFiles,
  readPidFile,
  removePidFile,
  usualPidFile,
  writePidFile,
  writerMark,
} from './pid-file.js';
export {
  type Env,
  meantPlace,
  nameOfPlace,
  type Place,
  personalPlace,
  shownPlace,
} from './place.js';
export type { PrimaryAgent, StartAgent, StartAgentOptions } from './types.js';
