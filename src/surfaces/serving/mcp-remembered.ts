/** What a client has said in its session, so that it can be said again to the next server. */
import { OFFERS_META } from '../offers-meta.js';
import { type Fields, isFields, type McpRequest, repeatableTools } from './mcp-messages.js';

export interface Remembered {
  /** Its `initialize`; `null` before that was answered. */
  readonly hello: McpRequest | null;
  /** Agreed on with the first server. */
  readonly protocolVersion: string | undefined;
  /** It has said `notifications/initialized`. */
  isReady: boolean;
  /** Name → whether it may be called twice; of all that were listed. */
  readonly tools: ReadonlyMap<string, boolean>;
  /** The list that the client has, as text; `null`: it has not asked. */
  readonly toolList: string | null;
  /** Takes note of a request that was answered. */
  note(request: McpRequest, answer: Fields): void;
  /** What is to be said again after the handshake, in this order. */
  requests(): { method: string; params: Fields }[];
}

const IDENTITY = 'identity';
/** What waits for the client would be lost in an answer that it is not given. */
const QUIET = { [OFFERS_META]: false };

export function createRemembered(): Remembered {
  let hello: McpRequest | null = null;
  let protocolVersion: string | undefined;
  let tools: ReadonlyMap<string, boolean> = new Map();
  let toolList: string | null = null;
  let level: unknown;
  let identity: Fields | null = null;
  const subscriptions = new Set<string>();

  function noteIdentity({ name, arguments: given }: Fields, result: Fields): void {
    if (name !== IDENTITY || result.isError === true) return;
    const { action, agent_id, resume_token } = isFields(given) ? given : {};
    const made = isFields(result.structuredContent) ? result.structuredContent : {};
    if (action === 'resume') identity = { action: 'resume', agent_id, resume_token };
    if (action !== 'register') return;
    identity = { action: 'resume', agent_id: made.agent_id, resume_token: made.resume_token };
  }

  return {
    isReady: false,
    get hello() {
      return hello;
    },
    get protocolVersion() {
      return protocolVersion;
    },
    get tools() {
      return tools;
    },
    get toolList() {
      return toolList;
    },
    note(request, { result }) {
      if (!isFields(result)) return;
      const params = isFields(request.params) ? request.params : {};
      const uri = typeof params.uri === 'string' ? params.uri : null;
      switch (request.method) {
        case 'initialize':
          hello = request;
          protocolVersion =
            typeof result.protocolVersion === 'string' ? result.protocolVersion : undefined;
          break;
        case 'tools/list':
          tools = new Map([...tools, ...repeatableTools(result)]);
          if (params.cursor === undefined) toolList = JSON.stringify(result.tools);
          break;
        case 'tools/call':
          noteIdentity(params, result);
          break;
        case 'logging/setLevel':
          level = params.level;
          break;
        case 'resources/subscribe':
          if (uri !== null) subscriptions.add(uri);
          break;
        case 'resources/unsubscribe':
          if (uri !== null) subscriptions.delete(uri);
          break;
        default:
      }
    },
    requests: () => [
      // First: who one is decides what may be read.
      ...(identity === null
        ? []
        : [
            { method: 'tools/call', params: { name: IDENTITY, arguments: identity, _meta: QUIET } },
          ]),
      ...(level === undefined ? [] : [{ method: 'logging/setLevel', params: { level } }]),
      ...[...subscriptions].map((uri) => ({ method: 'resources/subscribe', params: { uri } })),
    ],
  };
}
