/** What a command needs of whoever serves: where it is, who it is, and one question. Loads nothing else. */
export * from './connect.js';
export * from './database-location.js';
export * from './find-server.js';
export type { PrimaryAgent, StartAgent, StartAgentOptions } from './own-server.js';
export * from './pid-file.js';
export * from './server-probe.js';
