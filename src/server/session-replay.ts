/** What a client has said in its session, so that it can be said again to the next server. */

import { mkdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { messageOf } from '../shared/errors.js';
import { isObject } from '../shared/json.js';
import { OFFERS_META } from '../surfaces/mcp-client.js';
import type { Env } from './database-location.js';
import type { Server } from './leader-election.js';
import { type Fields, type McpRequest, repeatableTools } from './mcp-exchange.js';
import { readOwnFile, replaceOwnFile } from './pid-file.js';

export interface SessionReplay {
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

export function createSessionReplay(): SessionReplay {
  let hello: McpRequest | null = null;
  let protocolVersion: string | undefined;
  let tools: ReadonlyMap<string, boolean> = new Map();
  let toolList: string | null = null;
  let level: unknown;
  let identity: KeptIdentity | null = null;
  const subscriptions = new Set<string>();

  function noteIdentity({ name, arguments: given }: Fields, result: Fields): void {
    if (name !== IDENTITY || result.isError === true) return;
    const { action, ...asked } = isObject(given) ? given : {};
    if (action !== 'register' && action !== 'resume') return;
    const made = isObject(result.structuredContent) ? result.structuredContent : {};
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
      const { clientInfo } = isObject(hello?.params) ? hello.params : {};
      return isObject(clientInfo) && typeof clientInfo.name === 'string' ? clientInfo.name : null;
    },
    get identity() {
      return identity;
    },
    set identity(known) {
      identity = known;
    },
    inItsName(request) {
      const { name, arguments: given } = isObject(request.params) ? request.params : {};
      if (identity === null || request.method !== 'tools/call' || name !== IDENTITY) return request;
      const asked = isObject(given) ? given : {};
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
      if (!isObject(result)) return;
      const params = isObject(request.params) ? request.params : {};
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

export interface KeptIdentity {
  agent_id: string;
  resume_token: string;
  name: string | null;
}

/** Of one client, by the name that it gives itself, at one agent and project. Nothing of it throws. */
export interface IdentityKeeper {
  /** `null`: none is kept, or the server is not known to be this person's. */
  of(server: Server, client: string): KeptIdentity | null;
  /** Whether it is kept now. */
  keep(server: Server, client: string, identity: KeptIdentity): boolean;
  drop(server: Server, client: string): void;
}

export interface IdentityKeeperDeps {
  env: Env;
  cwd: string;
  home?: string;
  /** One line for people. */
  log(line: string): void;
}

const NAME_DIGITS = 32;

export function createIdentityKeeper(deps: IdentityKeeperDeps): IdentityKeeper {
  const { env, cwd, log, home = homedir() } = deps;

  /** `null` where another user could have said that it is the server: it would be sent the token. */
  function pathOf({ address, identity }: Server, client: string): string | null {
    if (address.localKey === undefined) return null;
    const { createHash } = process.getBuiltinModule('node:crypto');
    const { agentId, project, database } = identity;
    const name = createHash('sha256')
      .update(JSON.stringify([agentId, project, database, client]))
      .digest('hex')
      .slice(0, NAME_DIGITS);
    return join(folderOf(database), 'identities', `${name}.json`);
  }

  function folderOf(database: string | null): string {
    if (env.CUE_DATA_DIR) return resolve(cwd, env.CUE_DATA_DIR);
    return database === null ? join(home, '.cue') : join(dirname(database), 'cue');
  }

  return {
    of(server, client) {
      const path = pathOf(server, client);
      if (path === null) return null;
      try {
        return identityIn(readOwnFile(path, false));
      } catch (error) {
        const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
        if (!isMissing) log(`the identity in ${path} is not resumed: ${messageOf(error)}`);
        return null;
      }
    },
    keep(server, client, { agent_id, resume_token, name }) {
      const path = pathOf(server, client);
      if (path === null) return false;
      try {
        mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
        const text = JSON.stringify({ client, agent_id, resume_token, name });
        replaceOwnFile(path, `${text}\n`);
        return true;
      } catch (error) {
        log(`the identity of ${client} is not kept in ${path}: ${messageOf(error)}`);
        return false;
      }
    },
    drop(server, client) {
      const path = pathOf(server, client);
      try {
        if (path !== null) rmSync(path, { force: true });
      } catch (error) {
        log(`${path} cannot be removed: ${messageOf(error)}`);
      }
    },
  };
}

/** @throws Error for what says of no identity who it is */
function identityIn(text: string): KeptIdentity {
  const read: unknown = JSON.parse(text);
  const { agent_id, resume_token, name } = isObject(read) ? read : {};
  if (typeof agent_id !== 'string' || typeof resume_token !== 'string') {
    throw new Error('it holds no agent_id and resume_token');
  }
  return { agent_id, resume_token, name: typeof name === 'string' ? name : null };
}
