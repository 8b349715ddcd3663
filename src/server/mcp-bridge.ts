/**
 * MCP on standard input and output, passed on to whoever serves. Plain calls of `nudge.*` are taken on
 * the same lines (docs/rest.md): both are JSON-RPC.
 */

import type { Readable, Writable } from 'node:stream';
import { deferred, withTimeout } from '../shared/async.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError } from '../shared/errors.js';
import { isObject } from '../shared/json.js';
import { greetingOf } from '../surfaces/mcp-greeting.js';
import { type Bridge, startBridge } from './json-lines.js';
import type { LeaderElection, Server } from './leader-election.js';
import {
  answered,
  type Carried,
  type Fields,
  failed,
  type Heard,
  heard,
  isRepeatable,
  type McpRequest,
  type MessageId,
  type NotCarried,
  refused,
  resumableRequest,
} from './mcp-exchange.js';
import { createSessions, type Session, type SessionsDeps } from './mcp-sessions.js';
import { createRequestRetry, unknownOutcome, unserved, type Wait } from './request-retry.js';
import {
  createForwarder,
  FORWARD_LIMITS,
  type ForwardLimits,
  INVALID_REQUEST,
  response,
} from './rpc-forward.js';
import { createSessionReplay, IDENTITY, type IdentityKeeper } from './session-replay.js';

export interface McpBridgeDeps {
  input: Readable;
  output: Writable;
  election: LeaderElection;
  clock: Clock;
  /** Groups of tools, comma-separated; absent: those of the server's settings. */
  tools?: string | undefined;
  /** The session of its own that the client's hooks speak in (`x-cue-session`). */
  clientSession?: string | undefined;
  /** Absent: nobody is replay from one process to the next. */
  keeper?: IdentityKeeper | undefined;
  /** How long the end waits for the server to hear of it, ms; half a second when absent. */
  leaveMs?: number;
  /** One line for people. */
  log(line: string): void;
}

export interface McpBridge {
  start(): Bridge;
  /** Breaks off what is held and under way, with answers that say so, and why. */
  giveUp(why?: string): void;
}

const NUDGE = /^nudge[._]/;
const NO_BATCH = { code: INVALID_REQUEST, message: 'a batch holds at least one request' };

export function createMcpBridge(deps: McpBridgeDeps): McpBridge {
  const { input, output, election, clock } = deps;
  let emit: (line: string) => void = () => {};
  const calls = createForwarder(election, { clock });
  const mcp = createMcpForwarder({ ...deps, emit: (line) => emit(line) });

  const one = (message: unknown): Promise<string | null> =>
    isNudge(message) ? calls.send(JSON.stringify(message), message) : mcp.send(message);

  async function send(text: string, body: unknown): Promise<string | null> {
    if (!Array.isArray(body)) return isNudge(body) ? calls.send(text, body) : mcp.send(body);
    if (body.length === 0) return response(null, NO_BATCH);
    if (body.every(isNudge)) return calls.send(text, body);
    const answers = (await Promise.all(body.map(one))).filter((answer) => answer !== null);
    return answers.length === 0 ? null : `[${answers.join(',')}]`;
  }

  return {
    start() {
      const bridge = startBridge({ input, output, send });
      emit = bridge.write;
      return {
        gone: bridge.gone,
        get isUsed() {
          return bridge.isUsed;
        },
        get hasGreeted() {
          return mcp.hasGreeted;
        },
        async close() {
          await bridge.close();
          await mcp.end();
        },
      };
    },
    giveUp(why) {
      calls.close(why);
      mcp.close(why);
    },
  };
}

function isNudge(message: unknown): boolean {
  return isObject(message) && typeof message.method === 'string' && NUDGE.test(message.method);
}

export interface McpForwarder {
  /**
   * @param message of the client
   * @returns the answer in one line, an error where it could not be brought; `null` when none is due.
   * Never rejects
   */
  send(message: unknown): Promise<string | null>;
  /** What is held is answered with an error that says why, what is under way is broken off. */
  close(why?: string): void;
  /** Leaves the server. */
  end(): Promise<void>;
  /** Its client was greeted while there was no server: it is owed one, or why there is none. */
  readonly hasGreeted: boolean;
}

export interface McpForwardDeps extends Omit<SessionsDeps, 'replay' | 'attempt'> {
  clock: Clock;
  limits?: ForwardLimits;
}

/** One request on its way. */
interface Call {
  request: McpRequest;
  wait: Wait;
  stop: AbortController;
  isCancelled: boolean;
  /** It has been sent to somebody. */
  isSent: boolean;
  /** Resolves when a server has begun with it, or nobody will. */
  readonly begun: Promise<void>;
  begin(): void;
}

/** A first start takes longer than the next one, for which calls are held. */
const FIRST_MS = MINUTE_MS;
/** Until it is known whether a server is there; one that hangs keeps nobody from a handshake. */
const LOOK_MS = SECOND_MS;
const CANCELLED = 'notifications/cancelled';
const INITIALIZED = 'notifications/initialized';

export function createMcpForwarder(deps: McpForwardDeps): McpForwarder {
  const { election, clock, tools, keeper, limits = FORWARD_LIMITS } = deps;
  const chosen = tools === undefined ? undefined : tools.split(',').map((group) => group.trim());
  const replay = createSessionReplay();
  const retry = createRequestRetry(election, clock);
  const sessions = createSessions({ ...deps, replay, attempt: retry.attempt });
  const calls = new Map<MessageId, Call>();
  let turn: Promise<unknown> = Promise.resolve();
  let hasServed = election.current !== null;
  election.onChange((server) => {
    if (server) hasServed = true;
  });
  let hasGreeted = false;

  /** Without a server, where none is there and none is needed. */
  function greeting(asked: McpRequest): string | null {
    if (election.current) return null;
    const isFirst = replay.hello === null;
    if (isFirst !== (asked.method === 'initialize')) return null;
    const result = greetingOf(asked.method, isObject(asked.params) ? asked.params : {}, chosen);
    if (result === null) return null;
    hasGreeted = true;
    if (asked.method === 'resources/list') replay.isListPartial = true;
    replay.note(asked, { result });
    return answered(asked.id, result);
  }

  async function request(asked: McpRequest): Promise<string | null> {
    const { id, method } = asked;
    // The bridge is the party that is to say whether it is there.
    if (method === 'ping') return answered(id, {});
    if (replay.hello !== null) {
      const list = greeting(asked);
      if (list !== null) return list;
    }
    if (!election.current && calls.size >= limits.held) {
      return failed(asked, unserved(`${calls.size} calls wait for a server already`));
    }
    const place = takePlace();
    const call = callOf(asked, place.leave);
    calls.set(id, call);
    try {
      return await Promise.race([place.ready.then(() => bring(call)), cancelled(call)]);
    } catch (error) {
      if (error instanceof AppError) return call.isCancelled ? null : failed(asked, error);
      throw error;
    } finally {
      call.begin();
      place.leave();
      if (calls.get(id) === call) calls.delete(id);
    }
  }

  function callOf(asked: McpRequest, leave: () => void): Call {
    const isHello = asked.method === 'initialize';
    const begun = deferred<void>();
    return {
      request: asked,
      wait: retry.wait(hasServed ? limits.heldMs : FIRST_MS),
      stop: new AbortController(),
      isCancelled: false,
      isSent: false,
      begun: begun.promise,
      begin() {
        begun.resolve();
        // What follows the handshake needs its answer.
        if (!isHello) leave();
      },
    };
  }

  /** Its turn comes when all before have begun. */
  function takePlace(): { ready: Promise<unknown>; leave: () => void } {
    const ready = turn;
    const left = deferred<void>();
    turn = ready.then(() => left.promise);
    return { ready, leave: () => left.resolve() };
  }

  /** No answer is due to what the client has cancelled. */
  function cancelled({ stop }: Call): Promise<null> {
    return new Promise((resolve) => {
      stop.signal.addEventListener('abort', () => {
        if (!retry.isClosed) resolve(null);
      });
    });
  }

  /** @throws AppError */
  async function bring(call: Call): Promise<string | null> {
    const { request: asked, wait } = call;
    if (asked.method === 'initialize' && replay.hello === null && !election.current) {
      await withTimeout(election.looked, LOOK_MS);
      const hello = greeting(asked);
      if (hello !== null) return hello;
    }
    return retry.bring({
      ...{ wait, heldMs: limits.heldMs, signal: call.stop.signal },
      isCancelled: () => call.isCancelled,
      mayRepeat: () => isRepeatable(asked, replay.tools) !== false,
      async send(server, signal, isAgain) {
        const outcome = await bringTo(server, call, signal, isAgain);
        if ('error' in outcome) return { done: refused(asked.id, outcome.error) };
        if (!('answer' in outcome)) return outcome;
        replay.note(call.request, outcome.answer);
        return { done: JSON.stringify(withoutToken(server, call.request, outcome.answer)) };
      },
    });
  }

  /** @throws AppError when it may not be tried again */
  async function bringTo(
    server: Server,
    call: Call,
    signal: AbortSignal,
    isAgain: boolean,
  ): Promise<Carried> {
    const { request: asked } = call;
    if (asked.method === 'initialize' && replay.hello === null) {
      return sessions.begin(server, asked, signal);
    }
    const opened = await sessions.at(server);
    if (!('session' in opened)) return notBegun(opened);
    const { session } = opened;
    if (isAgain) {
      const may = await mayRepeat(asked, session, signal);
      if (may !== true) return may;
    }
    if (call.isCancelled) return { undelivered: 'cancelled' };
    call.isSent = true;
    call.request = replay.inItsName(asked);
    const onTaken = call.begin;
    const onOther = session.relay;
    const carried = await resumableRequest(session.link, call.request, {
      signal,
      onTaken,
      onOther,
    });
    if ('unknownSession' in carried) sessions.over(session);
    return carried;
  }

  /** The answer as the client gets it: the token of who it is now is kept here, where it can be. */
  function withoutToken(server: Server, { method, params }: McpRequest, answer: Fields): Fields {
    const { client, identity } = replay;
    const { result } = answer;
    const isIdentity = method === 'tools/call' && isObject(params) && params.name === IDENTITY;
    if (!keeper || !isIdentity || !isObject(result) || client === null || !identity) return answer;
    const shown = result.structuredContent;
    // A subagent is one of several under its client: which one the next process is, nobody knows.
    if (!isObject(shown) || shown.type !== 'main') return answer;
    const { agent_id, resume_token } = identity;
    if (shown.agent_id !== agent_id || !keeper.keep(server, client, identity)) return answer;
    const { resume_token: _kept, ...structuredContent } = shown;
    const content = JSON.stringify(result.content).replaceAll(
      `Keep resume_token: ${resume_token}`,
      'Its token is kept here: your next session in this project is this identity by itself.',
    );
    return { ...answer, result: { ...result, structuredContent, content: JSON.parse(content) } };
  }

  /** @throws AppError when it may not */
  async function mayRepeat(
    asked: McpRequest,
    session: Session,
    signal: AbortSignal,
  ): Promise<true | NotCarried> {
    if (isRepeatable(asked, replay.tools) === undefined) {
      const listed = await sessions.ask(session, signal, 'tools/list', {});
      if (!('answer' in listed)) return notBegun(listed);
    }
    if (isRepeatable(asked, replay.tools)) return true;
    throw unknownOutcome('it is no call that may be made twice');
  }

  function cancel(message: Extract<Heard, { kind: 'notification' }>): void {
    const { requestId } = message.params;
    const isId = typeof requestId === 'string' || typeof requestId === 'number';
    const call = isId ? calls.get(requestId) : undefined;
    if (!call || call.request.method === 'initialize') return;
    call.isCancelled = true;
    void (async () => {
      if (call.isSent) {
        await call.begun;
        const { method, params } = message;
        await sessions.tell({ jsonrpc: '2.0', method, params });
      }
      call.stop.abort();
    })();
  }

  async function tell(message: Extract<Heard, { kind: 'notification' }>): Promise<void> {
    if (message.method === CANCELLED) return cancel(message);
    const place = takePlace();
    await place.ready;
    try {
      const { method, params } = message;
      // While whoever is to hear it hangs, it is held as calls are; then only the next one can be told.
      if (method !== INITIALIZED || sessions.hasBegun) {
        await retry
          .wait(limits.heldMs)
          .server()
          .catch(() => null);
      }
      if (method === INITIALIZED) await sessions.ready();
      else await sessions.tell({ jsonrpc: '2.0', method, params });
    } finally {
      place.leave();
    }
  }

  return {
    async send(message) {
      const told = heard(message);
      switch (told.kind) {
        case 'request':
          return request(told.request);
        case 'notification':
          await tell(told);
          return null;
        case 'answer':
          sessions.answer(told.id, told.message);
          return null;
        case 'none': {
          const id = isObject(message) ? message.id : null;
          const isId = typeof id === 'string' || typeof id === 'number';
          const error = { code: INVALID_REQUEST, message: 'this is no message of JSON-RPC 2.0' };
          return JSON.stringify({ jsonrpc: '2.0', id: isId ? id : null, error });
        }
      }
    },
    close(why) {
      retry.close(why);
      for (const { stop } of calls.values()) stop.abort();
    },
    end: sessions.end,
    get hasGreeted() {
      return hasGreeted;
    },
  };
}

/** The call itself has not been sent. */
function notBegun(outcome: NotCarried): NotCarried {
  if ('broken' in outcome) return { undelivered: outcome.broken };
  if ('unknownSession' in outcome) return { undelivered: outcome.unknownSession };
  return outcome;
}
