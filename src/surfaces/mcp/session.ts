/** What is known of one connected client. */
import type { OperationCall } from '../../operations/index.js';
import type { Caller } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { Log } from '../../shared/log.js';

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

/** What a tool is called with. */
export interface ToolCall extends OperationCall {
  session: McpSession;
  log: Log;
  /** No model reads the answer. */
  withoutOffers?: boolean;
}

/** One connection. */
export interface McpSession {
  /** Also the session of what it stores (DESIGN §1). */
  readonly id: string;
  /** Set by the tool `identity`. */
  identityId: Uuid | null;
  /** What the client calls itself; `null` before it has said so. */
  clientName: string | null;
  /** On this machine, as the same person: its roots may be read (`resources/read`). */
  readonly isLocal: boolean;
  /** Who asks, for every service. */
  caller(): Caller & { kind: 'agent' };
}
