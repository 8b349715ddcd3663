/** Who serves which database on this machine, for the plugin and the programs; commands enter by `client.ts`. */
export { ServingService } from './announce.js';
export { usualPidFile } from './pid-file.js';
