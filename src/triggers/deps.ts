/** What creating, changing, reading and moving triggers are handed by the composition root. */
import type { Records } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Dispatcher } from './dispatch.js';
import type { Expectations } from './expectations.js';
import type { Ledger } from './ledger/index.js';
import type { AutonomyPort } from './ports.js';
import type { TaskStore } from './tasks/index.js';

export interface TriggerSettings {
  enabled: boolean;
  /** Why nothing that is due runs here, and what to do; `null`: it runs. */
  paused: string | null;
  minIntervalMs: number;
  maxPerCreator: number;
  maxPerAgent: number;
  hotWindowMs: number;
  allowSeconds: boolean;
}

export interface TriggersDeps {
  records: Records;
  store: TaskStore;
  ledger: Ledger;
  dispatcher: Dispatcher;
  expectations: Expectations;
  autonomy: AutonomyPort;
  clock: Clock;
  ids: Ids;
  log: Log;
  owner: string;
  settings: () => TriggerSettings;
  /** Owner or admin of the world that the room belongs to. */
  isAdmin: (entityId: string, roomId: string | undefined) => Promise<boolean>;
  /** Parent of a client's identity, `null` for none; absent: nobody has one. */
  parentOf?: (identityId: string) => Promise<string | null>;
}
