/** What is known of one connected client. */
import type { McpSession } from './types.js';

export interface SessionFacts extends Pick<McpSession, 'id' | 'isLocal'> {
  /** The session of its own that its hooks speak in. */
  clientSession?: string | undefined;
}

export function createSession({ id, isLocal, clientSession }: SessionFacts): McpSession {
  const session: McpSession = {
    id,
    isLocal,
    identityId: null,
    clientName: null,
    caller: () => ({
      kind: 'agent',
      sessionId: id,
      ...(session.identityId === null ? {} : { identityId: session.identityId }),
      ...(session.clientName === null ? {} : { clientName: session.clientName }),
      ...(clientSession === undefined ? {} : { clientSession }),
    }),
  };
  return session;
}
