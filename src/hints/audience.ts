/**
 * Whose a hint is (DESIGN §3, §10). Hints set in chat are private to the person, in whatever room;
 * all others belong to the project, which is one store that every client shares (seed §11). Unlike a
 * memory, such a hint has no owner: any client, registered or not, may change, use and delete what another
 * one has set, and `if_match_version` keeps two clients from overwriting each other by accident. The
 * author field only records who set it first. A person changes the project's hints only as owner or admin. The
 * operator reads and deletes everything, private hints too, where they do not stand beside one of the
 * project (`answersOf` in `reads.ts`). Pure.
 */
import {
  type Caller,
  canRead,
  identityOfSession,
  projectScope,
  type Scope,
} from '../records/index.js';
import { derivedId, type Uuid } from '../shared/ids.js';

export interface ProjectIds {
  projectId: Uuid;
  /** The Eliza agent's. */
  agentId: Uuid;
}

/** Where a new hint of the caller belongs. @param isShared for everybody, though it is set in chat */
export function audienceFor(caller: Caller, isShared: boolean, project: ProjectIds): Scope {
  const { projectId, agentId } = project;
  if (caller.kind === 'entity') {
    const { entityId, roomId } = caller;
    const visibility = isShared ? 'project' : 'user';
    return { projectId, visibility, entityId, roomId, authorId: agentId };
  }
  const authorId = authorOf(caller, project);
  return projectScope(projectId, authorId);
}

/** As in work memory, an unregistered client is known by its session and never counts as the Eliza agent. */
function authorOf(caller: Exclude<Caller, { kind: 'entity' }>, project: ProjectIds): Uuid {
  if (caller.kind === 'operator') return caller.agentId ?? project.agentId;
  const { identityId, sessionId } = caller;
  const ofSession =
    sessionId === undefined ? null : identityOfSession(project.projectId, sessionId);
  return identityId ?? ofSession ?? project.agentId;
}

/** The person a private hint belongs to; `null`: it is the project's. */
export function ownerOf({ visibility, entityId }: Scope): Uuid | null {
  return visibility === 'project' ? null : entityId;
}

export function mayRead(caller: Caller, audience: Scope): boolean {
  const { kind } = caller;
  return canRead(kind === 'entity' ? { kind, entityId: caller.entityId } : { kind }, audience);
}

/** @param isAdmin of the world the person asks in */
export function mayWrite(caller: Caller, audience: Scope, isAdmin: boolean): boolean {
  if (caller.kind === 'operator') return true;
  const isProjects = audience.visibility === 'project';
  if (caller.kind === 'agent') return isProjects;
  return isProjects ? isAdmin : audience.entityId === caller.entityId;
}

/** Whether the hint is the caller's own; it comes before the project's when both score the same. */
export function isOwn(caller: Caller, audience: Scope): boolean {
  return caller.kind === 'entity' && ownerOf(audience) === caller.entityId;
}

/** The same component, key, normalized scope and owner are the same hint, on every machine. */
export function hintId(
  projectId: Uuid,
  { component, key, scope }: { component: string; key: string; scope: string },
  audience: Scope,
): Uuid {
  return derivedId('cue_hint', projectId, component, key, scope, ownerOf(audience) ?? '');
}
