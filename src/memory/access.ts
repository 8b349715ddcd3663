/**
 * Whose hand asks: what a caller may read, as whom it writes, and where what it makes belongs
 * (DESIGN §3). Pure.
 */
import { type Caller, projectScope, type Reader, type Scope } from '../records/index.js';
import { descendsFrom } from '../shared/ancestry.js';
import { AppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';

export type { Caller } from '../records/index.js';

export function readerOf(caller: Caller): Reader {
  switch (caller.kind) {
    case 'operator':
      return { kind: 'operator' };
    case 'agent':
      return { kind: 'agent' };
    case 'entity':
      return { kind: 'entity', entityId: caller.entityId, roomId: caller.roomId };
  }
}

/** The identity that a caller has registered, or names; absent: none. */
export function registeredIdOf(caller: Caller): Uuid | undefined {
  switch (caller.kind) {
    case 'operator':
      return caller.agentId;
    case 'agent':
      return caller.identityId;
    case 'entity':
      return undefined;
  }
}

/** The identity a caller writes as; `agentId` is the Eliza agent's. */
export function authorOf(caller: Caller, agentId: Uuid): Uuid {
  return registeredIdOf(caller) ?? agentId;
}

/** Where something new belongs: as private as the place it was made in, unless said otherwise. */
export function scopeOf(
  caller: Caller,
  place: { projectId: Uuid; agentId: Uuid; said?: 'project' | undefined },
): Scope {
  const authorId = authorOf(caller, place.agentId);
  const { projectId } = place;
  if (caller.kind !== 'entity') {
    return projectScope(projectId, authorId);
  }
  const { entityId, roomId } = caller;
  const visibility = place.said ?? (caller.private ? 'user' : 'room');
  return { projectId, visibility, entityId, roomId, authorId };
}

/** A client that has registered no identity, under that of its session. */
export function inSession(caller: Caller, { ofSession }: Pick<WriteRule, 'ofSession'>): Caller {
  if (caller.kind !== 'agent' || caller.identityId !== undefined) return caller;
  const { sessionId } = caller;
  return sessionId === undefined ? caller : { ...caller, identityId: ofSession(sessionId) };
}

/** What is needed to judge a writer. */
export interface WriteRule {
  agentId: Uuid;
  /** Identity of what a session wrote before it registered one. */
  ofSession(sessionId: string): Uuid;
  /** Parent of a registered identity, `null` for none. */
  parentOf(identityId: Uuid): Promise<Uuid | null>;
}

/**
 * Only the author writes: the operator everything, a client its own and its subagents' records and
 * what its session wrote before it registered, a person what was made with them. What was made with a
 * person is nobody else's to change. A client is never the Eliza agent.
 */
export async function mayWrite(
  caller: Caller,
  scope: Pick<Scope, 'authorId' | 'entityId'>,
  rule: WriteRule,
): Promise<boolean> {
  if (caller.kind === 'operator') return true;
  if (caller.kind === 'entity') {
    return scope.authorId === rule.agentId && scope.entityId === caller.entityId;
  }
  if (scope.entityId !== null) return false;
  const { identityId, sessionId } = caller;
  if (sessionId !== undefined && scope.authorId === rule.ofSession(sessionId)) return true;
  if (identityId === undefined) return false;
  return descendsFrom(scope.authorId, identityId, rule.parentOf);
}

/** @throws AppError PERMISSION_DENIED */
export async function requireWrite(
  caller: Caller,
  scope: Pick<Scope, 'authorId' | 'entityId'>,
  rule: WriteRule,
): Promise<void> {
  if (await mayWrite(caller, scope, rule)) return;
  const message = 'only its author may change this memory';
  throw new AppError('PERMISSION_DENIED', message, { what: 'memory' });
}

/**
 * Where something made from other records belongs: never more open than the most private source.
 * Sources of two different audiences leave it to operators alone.
 */
export function narrowestScope(sources: readonly Scope[], made: Scope): Scope {
  const closed = sources.filter(({ visibility }) => visibility !== 'project');
  const [first] = closed;
  if (!first) return made;
  const same = closed.every(
    (scope) =>
      scope.visibility === first.visibility &&
      (first.visibility === 'user'
        ? scope.entityId === first.entityId
        : scope.roomId === first.roomId),
  );
  const { visibility, entityId, roomId } = first;
  return same
    ? { ...made, visibility, entityId, roomId }
    : { ...made, visibility: 'user', entityId: null, roomId: null };
}
