/**
 * The hint store of one project in one process (seed `nudge.md`, DESIGN §10): every operation over
 * one store. Each takes what a caller sent and who the caller is; results are the seed's objects.
 */
import type { Caller } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { HintContext, HintObserver } from './context.js';
import { exportHints } from './export.js';
import { createGuard, type Guard } from './guard/index.js';
import { type ImportOptions, importHints } from './import.js';
import { createOffering, type Offering } from './offering.js';
import type { HintRows } from './persist.js';
import type { Quotas } from './quota.js';
import { counts, getHint, listComponents, query } from './reads.js';
import {
  bumpParams,
  deleteHintParams,
  exportParams,
  getHintParams,
  importParams,
  listComponentsParams,
  parse,
  queryParams,
  setHintParams,
} from './schema.js';
import { createHintStore } from './store.js';
import type { Hints } from './types.js';
import { bump, deleteHint, type SetOptions, setHint } from './writes.js';

export interface HintSettings extends Quotas {
  /** `session` or an ISO-8601 duration, for hints of the operator that say nothing. */
  defaultTtl: string;
  /** Whether what looks like a secret is refused. */
  guard: boolean;
}

export interface HintsDeps {
  clock: Clock;
  log: Log;
  settings: HintSettings;
  rows: HintRows;
  projectId: Uuid;
  agentId: Uuid;
  /** Of the serving process; the operator's hints with TTL `session` end with it. */
  sessionId: string;
  /** Whether a session of a client goes on; absent: they all do. */
  isSessionOpen?: (sessionId: string) => boolean;
  /** Whether a person is owner or admin of the world of a room; absent: nobody is. */
  isAdmin?: (entityId: string, roomId: string) => Promise<boolean>;
  /** Rooms that quote hints. */
  observer?: HintObserver | undefined;
  /** Instead of the one that the settings ask for. */
  secretGuard?: Guard;
}

/** As `Hints`, and what its host needs. */
export interface HintRoom extends Hints {
  /** `share`: for everybody, though it is set in chat; owner and admins only. */
  setHint(...args: [...Parameters<Hints['setHint']>, SetOptions?]): ReturnType<Hints['setHint']>;
  import(...args: [...Parameters<Hints['import']>, ImportOptions?]): ReturnType<Hints['import']>;
  /** For rooms that show hints unasked. */
  readonly offering: Offering;
  /** Reads the stored hints: once at start, and again where other processes write, too. */
  refresh(): Promise<void>;
}

export function createHints(deps: HintsDeps): HintRoom {
  const { clock, settings, sessionId, projectId, agentId, observer } = deps;
  const { maxHints, maxComponents, maxPerComponent, defaultTtl } = settings;
  const { rows, log } = deps;
  const { isSessionOpen } = deps;
  const store = createHintStore({ rows, log, isSessionOpen, onReturned: observer?.returned });
  const room: HintContext = {
    store,
    clock,
    guard: deps.secretGuard ?? createGuard({ enabled: settings.guard }),
    quotas: { maxHints, maxComponents, maxPerComponent },
    defaultTtl,
    project: { projectId, agentId },
    sessionId,
    observer,
    openedAt: new Date(clock.now()).toISOString(),
    isAdmin: deps.isAdmin ?? (async () => false),
  };

  return {
    sessionId,

    async setHint(params, caller, options) {
      return setHint(room, parse(setHintParams, params), caller, options);
    },
    async getHint(params, caller) {
      return getHint(room, parse(getHintParams, params), caller);
    },
    async query(params, caller) {
      return query(room, parse(queryParams, params), caller);
    },
    async deleteHint(params, caller) {
      return deleteHint(room, parse(deleteHintParams, params), caller);
    },
    async listComponents(params, caller) {
      parse(listComponentsParams, params);
      return { components: listComponents(room, caller) };
    },
    async bump(params, caller) {
      return { hint: await bump(room, parse(bumpParams, params), caller) };
    },
    async export(params, caller) {
      const { component } = parse(exportParams, params);
      return { payload: await exportHints(room, component, caller) };
    },
    async import(params, caller, options) {
      return importHints(room, parse(importParams, params, 'payload'), caller, options);
    },
    sweep: () => store.inTurn(() => store.expire(clock.now())),
    counts: (caller: Caller) => counts(room, caller),
    offering: createOffering(room),
    refresh: () => store.inTurn(() => store.refresh(clock.now())),
  };
}
