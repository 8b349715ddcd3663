/** What is known of one connected client. */
import type { McpSession } from './types.js';

export function createSession({ id, isLocal }: { id: string; isLocal: boolean }): McpSession {
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
    }),
  };
  return session;
}
