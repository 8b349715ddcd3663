/** Who serves the memory to this machine: what the composition roots use of it. */
export { RPC_PATH } from './discovery.js';
export { identify } from './identify.js';
export { isLocalKey, LOCAL_KEY_HEADER, localKey } from './local-key.js';
export { addressOf, namedServer } from './look-around.js';
export { readPidFile, removePidFile, writePidFile, writerMark } from './pid-file.js';
export type { PrimaryAgent, StartAgent } from './types.js';
