/** Who may see and change which trigger: one rule for every surface; and what the room's operations share. */
import { descendsFrom } from '../shared/ancestry.js';
import { AppError, NotFoundError } from '../shared/errors.js';
import { derivedId, isUuid } from '../shared/ids.js';
import type { Dispatcher } from './dispatch.js';
import type { Parts } from './parts.js';
import type { Reconciler, WriteBackGuard } from './reconcile.js';
import type { Runs } from './runs.js';
import type { Requester, TriggerConfig } from './schema.js';
import { decodeTrigger, homeRoomOf, summaryOf, type TriggerTaskRow } from './task-codec.js';
import type { PersonVisibility, Visibility } from './task-table.js';

export interface TriggersDeps extends Parts {
  dispatcher: Dispatcher;
  reconciler: Reconciler;
  runs: Runs;
  guard: WriteBackGuard;
  /** Owner or admin of the world that the room belongs to. */
  isAdmin: (entityId: string, roomId: string | undefined) => Promise<boolean>;
  /** Parent of a client's identity, `null` for none; absent: no client has a parent. */
  parentOf?: (identityId: string) => Promise<string | null>;
}

const CLIENTS_MAY =
  'over MCP only who made a trigger, or the parent of that subagent, may change, run or delete it; ' +
  'the operator may: cue trigger update, run or delete';

/** As lists print it: `[e71298c6]`. */
const ID_PREFIX = /^\[?([0-9a-f]{8}[0-9a-f-]{0,27})\]?$/i;
/** Of those that fit, as many are looked at. */
const MOST_CANDIDATES = 20;

type Client = Extract<Requester, { kind: 'agent' }>;

export type Access = ReturnType<typeof createAccess>;

export function createAccess({
  store,
  isAdmin,
  parentOf = async () => null,
}: Pick<TriggersDeps, 'store' | 'isAdmin' | 'parentOf'>) {
  async function mayChange(
    requester: Requester,
    trigger: Partial<TriggerConfig>,
  ): Promise<boolean> {
    if (requester.kind === 'operator') return true;
    if (requester.kind === 'agent') {
      const { creatorAgentId } = trigger;
      // What has no author is the operator's.
      if (creatorAgentId === undefined || !isProjects(trigger)) return false;
      return isClients(requester, creatorAgentId);
    }
    if (trigger.creatorEntityId !== undefined && trigger.creatorEntityId === requester.entityId) {
      return true;
    }
    // The world of the trigger, not the asker's: in a chat of two the host makes everyone an owner.
    const homeRoomId = homeRoomOf(trigger);
    return homeRoomId !== undefined && isAdmin(requester.entityId, homeRoomId);
  }

  /** Its own, and what its subagents have made, at whatever depth. */
  async function isClients(requester: Client, creatorAgentId: string): Promise<boolean> {
    if (clientIdsOf(requester).includes(creatorAgentId)) return true;
    const { identityId } = requester;
    return identityId !== undefined && descendsFrom(creatorAgentId, identityId, parentOf);
  }

  async function maySee(requester: Requester, trigger: Partial<TriggerConfig>): Promise<boolean> {
    if (requester.kind === 'operator') return true;
    if (requester.kind === 'agent') return isProjects(trigger);
    if (requester.roomId !== undefined && homeRoomOf(trigger) === requester.roomId) return true;
    return mayChange(requester, trigger);
  }

  /**
   * The stored trigger, if the requester may see it; what one may not see does not exist.
   * @param id of the trigger or its task, its first eight hex digits or more, or the trigger's name
   * @throws AppError NOT_FOUND; INVALID_INPUT listing the candidates when several have that name
   */
  async function rowOf(id: string, requester: Requester): Promise<TriggerTaskRow> {
    const row = isUuid(id) ? await store.byId(id.toLowerCase()) : await named(id, requester);
    if (!row || !(await maySee(requester, summaryOf(row)))) throw new NotFoundError('trigger', id);
    // A damaged trigger does not say whose it is.
    const isUnread = requester.kind === 'agent' && !decodeTrigger(row.metadata).ok;
    if (isUnread) throw new NotFoundError('trigger', id);
    return row;
  }

  async function named(ref: string, requester: Requester): Promise<TriggerTaskRow | null> {
    const prefix = ID_PREFIX.exec(ref.trim())?.[1]?.toLowerCase();
    const found = prefix === undefined ? [] : await store.byIdPrefix(prefix, MOST_CANDIDATES);
    const rows = found.length > 0 ? found : await store.byName(ref, MOST_CANDIDATES);
    const seen: TriggerTaskRow[] = [];
    for (const row of rows) if (await maySee(requester, summaryOf(row))) seen.push(row);
    const [only, ...others] = seen;
    if (only === undefined || others.length === 0) return only ?? null;
    const candidates = seen.map(summaryOf).map(({ id, displayName, scheduleText }) => ({
      ...{ id, displayName, scheduleText },
    }));
    const lines = candidates.map((one) => `${one.displayName} [${one.id}] ${one.scheduleText}`);
    throw new AppError(
      'INVALID_INPUT',
      `several triggers are called "${ref}"; name one by its id: ${lines.join('; ')}`,
      { candidates },
    );
  }

  /** The stored trigger, if the requester may change it. */
  async function changeable(id: string, requester: Requester): Promise<TriggerTaskRow> {
    const row = await rowOf(id, requester);
    if (!(await mayChange(requester, summaryOf(row)))) {
      throw new AppError(
        'PERMISSION_DENIED',
        requester.kind === 'agent'
          ? CLIENTS_MAY
          : 'only the creator of a trigger or an owner or admin may change it',
      );
    }
    return row;
  }

  return { mayChange, maySee, rowOf, changeable };
}

/** The trigger of a row; a damaged one can only be deleted. */
export function readableTrigger(row: TriggerTaskRow): TriggerConfig {
  const decoded = decodeTrigger(row.metadata);
  if (decoded.ok) return decoded.trigger;
  throw new AppError(
    'CONFLICT',
    `this trigger is set aside (${decoded.reason}); it can only be deleted`,
  );
}

/** As whom a client makes triggers; one that registers later keeps what its session has made. */
export function clientIdsOf({ identityId, sessionId }: Client): string[] {
  return [
    ...(identityId === undefined ? [] : [identityId]),
    ...(sessionId === undefined ? [] : [derivedId('trigger client', sessionId)]),
  ];
}

/** It belongs to no person and no conversation. */
export function isProjects(trigger: Partial<TriggerConfig>): boolean {
  return trigger.creatorEntityId === undefined && homeRoomOf(trigger) === undefined;
}

/**
 * A run acts with the rights of its trigger's creator and speaks where its answers go: whoever speaks
 * for nobody cannot choose either. @throws AppError PERMISSION_DENIED
 */
export function mustSpeakForItself(
  requester: Requester,
  asked: Partial<Pick<TriggerConfig, 'creatorEntityId' | 'originRoomId'>> & { deliverTo?: unknown },
): void {
  if (requester.kind !== 'agent') return;
  const fields = ['creatorEntityId', 'originRoomId', 'deliverTo'] as const;
  const named = fields.filter((field) => asked[field] !== undefined);
  if (named.length === 0) return;
  throw new AppError(
    'PERMISSION_DENIED',
    `an MCP client speaks for no person and in no conversation: leave out ${named.join(', ')}`,
  );
}

/** What the requester sees in lists. */
export function visibleTo(requester: Extract<Requester, { kind: 'entity' }>): PersonVisibility;
export function visibleTo(requester: Exclude<Requester, { kind: 'operator' }>): Visibility;
export function visibleTo(requester: Exclude<Requester, { kind: 'operator' }>): Visibility {
  if (requester.kind === 'agent') return { projectOnly: true };
  return {
    creatorEntityId: requester.entityId,
    ...(requester.roomId === undefined ? {} : { homeRoomId: requester.roomId }),
  };
}
