/** What a client has said in its session, so that it can be said again to the next server. */
import { OFFERS_META } from '../offers-meta.js';
import type { KeptIdentity } from './kept-identity.js';
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
  /** Resources were listed without those that only a server knows. */
  isListPartial: boolean;
  /** Takes note of a request that was answered. */
  note(request: McpRequest, answer: Fields): void;
  /** Its name of itself; `null` before its `initialize` was answered. */
  readonly client: string | null;
  /** Who it is: registered or resumed by itself, or kept from before. */
  identity: KeptIdentity | null;
  /**
   * The request as it is to be sent: who is somebody already and wants to register, without another name,
   * or to resume without the token, which only the bridge has, resumes.
   */
  inItsName(request: McpRequest): McpRequest;
  /** What is to be said again after the handshake, in this order. */
  requests(): { method: string; params: Fields }[];
}

export const IDENTITY = 'identity';
/** What waits for the client would be lost in an answer that it is not given. */
const QUIET = { [OFFERS_META]: false };

export function createRemembered(): Remembered {
  let hello: McpRequest | null = null;
  let protocolVersion: string | undefined;
  let tools: ReadonlyMap<string, boolean> = new Map();
  let toolList: string | null = null;
  let level: unknown;
  let identity: KeptIdentity | null = null;
  const subscriptions = new Set<string>();

  function noteIdentity({ name, arguments: given }: Fields, result: Fields): void {
    if (name !== IDENTITY || result.isError === true) return;
    const { action, ...asked } = isFields(given) ? given : {};
    if (action !== 'register' && action !== 'resume') return;
    const made = isFields(result.structuredContent) ? result.structuredContent : {};
    const { agent_id, resume_token } = action === 'resume' ? asked : made;
    if (typeof agent_id !== 'string' || typeof resume_token !== 'string') return;
    identity = { agent_id, resume_token, name: typeof made.name === 'string' ? made.name : null };
  }

  return {
    isReady: false,
    isListPartial: false,
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
    get client() {
      const { clientInfo } = isFields(hello?.params) ? hello.params : {};
      return isFields(clientInfo) && typeof clientInfo.name === 'string' ? clientInfo.name : null;
    },
    get identity() {
      return identity;
    },
    set identity(known) {
      identity = known;
    },
    inItsName(request) {
      const { name, arguments: given } = isFields(request.params) ? request.params : {};
      if (identity === null || request.method !== 'tools/call' || name !== IDENTITY) return request;
      const asked = isFields(given) ? given : {};
      const isSame =
        asked.action === 'register'
          ? asked.type !== 'subagent' && (asked.name ?? identity.name) === identity.name
          : asked.action === 'resume' &&
            asked.resume_token === undefined &&
            (asked.agent_id ?? identity.agent_id) === identity.agent_id;
      if (!isSame) return request;
      return {
        ...request,
        params: { ...Object(request.params), arguments: resumption(identity).arguments },
      };
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
      ...(identity === null ? [] : [{ method: 'tools/call', params: resumption(identity) }]),
      ...(level === undefined ? [] : [{ method: 'logging/setLevel', params: { level } }]),
      ...[...subscriptions].map((uri) => ({ method: 'resources/subscribe', params: { uri } })),
    ],
  };
}

/** Parameters of the call. */
export function resumption({ agent_id, resume_token }: KeptIdentity) {
  return {
    ...{ name: IDENTITY, arguments: { action: 'resume', agent_id, resume_token } },
    _meta: QUIET,
  };
}
