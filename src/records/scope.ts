/**
 * Who may read a record and who may change it (DESIGN §3). The rule exists once: the catalog
 * compiles it into a bit test, SQL into a condition, and both come from here.
 */
import { derivedId, type Uuid } from '../shared/ids.js';

export const VISIBILITIES = ['user', 'room', 'project'] as const;
export type Visibility = (typeof VISIBILITIES)[number];

/** Where a record belongs. Stored in `metadata.scope`. */
export interface Scope {
  projectId: Uuid;
  visibility: Visibility;
  /** The person it was made with; needed for `user`. */
  entityId: Uuid | null;
  /** The conversation it was made in; needed for `room`. */
  roomId: Uuid | null;
  /** The agent identity that wrote it (an Eliza agent's id or a registered identity). */
  authorId: Uuid;
}

/** Of what everybody in a project may see. */
export function projectScope(projectId: Uuid, authorId: Uuid): Scope {
  return { projectId, visibility: 'project', entityId: null, roomId: null, authorId };
}

/**
 * Whose eyes a read has. `operator` (REST, command line) sees the whole project; `entity` is a
 * person in a room; `agent` is a client that speaks for nobody (MCP): what is open to the project.
 */
export type Reader =
  | { kind: 'operator' }
  | { kind: 'entity'; entityId: Uuid; roomId?: Uuid }
  | { kind: 'agent' };

/**
 * Who asks a room for something, and in which session. `operator`: REST and the command line.
 * `entity`: a person in a conversation with the agent; `private` when nobody else is in the room (DM
 * or SELF). `agent`: an MCP client; `identityId` once it has registered or resumed, which the surface
 * has checked by `identity`; until then it writes as its session (`sessionId`, which the surface gives
 * and no client chooses), and `clientName` is what it calls itself. `clientSession` is the session that
 * its own hooks speak in: offers made for that one are also for it, and it gives no other right.
 */
export type Caller =
  | { kind: 'operator'; agentId?: Uuid; sessionId?: string }
  | { kind: 'entity'; entityId: Uuid; roomId: Uuid; private: boolean; sessionId?: string }
  | {
      kind: 'agent';
      identityId?: Uuid;
      sessionId?: string;
      clientName?: string;
      clientSession?: string;
    };

/**
 * As whom a session writes whose client has registered nothing. Nobody can ask for it by name, and
 * nobody has a token of it: it ends with the session.
 */
export function identityOfSession(projectId: Uuid, sessionId: string): Uuid {
  return derivedId('identity', projectId, 'session', sessionId);
}

/**
 * The audience of a record as one short word, so that a catalog can intern it: `p` everybody in the
 * project, `u:<entity>`, `r:<room>`. A scope that lacks its id is readable by operators only (`-`).
 */
export function audienceOf(scope: Pick<Scope, 'visibility' | 'entityId' | 'roomId'>): string {
  switch (scope.visibility) {
    case 'project':
      return 'p';
    case 'user':
      return scope.entityId === null ? '-' : `u:${scope.entityId}`;
    case 'room':
      return scope.roomId === null ? '-' : `r:${scope.roomId}`;
  }
}

/** The audiences a reader belongs to; `null`: all of them. */
export function audiencesOf(reader: Reader): ReadonlySet<string> | null {
  switch (reader.kind) {
    case 'operator':
      return null;
    case 'agent':
      return new Set(['p']);
    case 'entity':
      return new Set([
        'p',
        `u:${reader.entityId}`,
        ...(reader.roomId === undefined ? [] : [`r:${reader.roomId}`]),
      ]);
  }
}

export function canRead(
  reader: Reader,
  scope: Pick<Scope, 'visibility' | 'entityId' | 'roomId'>,
): boolean {
  const audiences = audiencesOf(reader);
  return audiences === null || audiences.has(audienceOf(scope));
}
