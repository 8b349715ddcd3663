/**
 * The session that a client of a bridge has with whoever serves: begun anew with each server, and with
 * the same one when it has forgotten it, without the client's noticing.
 */

import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import { type Ids, randomIds } from '../shared/ids.js';
import { isObject } from '../shared/json.js';
import type { LeaderElection, Server } from './leader-election.js';
import {
  type Carried,
  exchangeMcp,
  type Fields,
  heard,
  type McpLink,
  type McpRequest,
  type MessageId,
  type NotCarried,
  notification,
  resumableRequest,
} from './mcp-exchange.js';
import type { RequestRetry } from './request-retry.js';
import { isSameServer } from './server-probe.js';
import { type IdentityKeeper, resumption, type SessionReplay } from './session-replay.js';

export interface Session {
  readonly server: Server;
  readonly link: McpLink;
  readonly isOver: boolean;
  /** What the server says unasked, to the client. */
  relay(message: Fields): void;
}

export interface Sessions {
  /** With the client's own `initialize`. */
  begin(server: Server, hello: McpRequest, signal: AbortSignal): Promise<Carried>;
  /** The one with this server, begun if need be, with all that is replay. Never rejects. */
  at(server: Server): Promise<{ session: Session } | NotCarried>;
  /** The server knows it no more. */
  over(session: Session): void;
  /** What needs no answer, in the session that there is; else it is dropped. Never rejects. */
  tell(message: object): Promise<void>;
  /** Of the client, to a request of the server. */
  answer(id: MessageId, message: Fields): void;
  /** The client is there: what the server says unasked is heard from now on. */
  ready(): Promise<void>;
  /** With the server of this moment, or one that is missed. */
  readonly hasBegun: boolean;
  /** A request of our own. */
  ask(session: Session, signal: AbortSignal, method: string, params: Fields): Promise<Carried>;
  /** Leaves the server, as well as it can in a short time. */
  end(): Promise<void>;
}

export interface SessionsDeps {
  election: LeaderElection;
  replay: SessionReplay;
  attempt: RequestRetry['attempt'];
  /** Groups of tools that the client has chosen. */
  tools?: string | undefined;
  /** The session of its own that the client's hooks speak in. */
  clientSession?: string | undefined;
  /** Absent: nobody is replay from one process to the next. */
  keeper?: IdentityKeeper | undefined;
  ids?: Ids;
  /** How long the end waits for the server to hear of it, ms; half a second when absent. */
  leaveMs?: number;
  /** One message to the client. */
  emit(line: string): void;
  /** One line for people. */
  log(line: string): void;
}

interface Open extends Session {
  link: McpLink;
  isOver: boolean;
  isHeard: boolean;
  readonly stop: AbortController;
}

/** A request of a server to the client, under an id of ours: those of two servers could be the same. */
interface Asked {
  session: Open;
  id: MessageId;
}

/** Before a stream that has ended is opened again. */
const AGAIN_MS = SECOND_MS;
/** Before a session that the server has ended, for being silent or one too many, is begun anew unasked. */
const RENEW_MS = 30 * SECOND_MS;
const LEAVE_MS = 500;
const NOT_ALLOWED = 405;
const BAD_REQUEST = 400;
const CANCELLED = 'notifications/cancelled';
const INITIALIZED = notification('notifications/initialized');

export function createSessions(deps: SessionsDeps): Sessions {
  const { election, replay, attempt, tools, clientSession, emit, log, ids = randomIds } = deps;
  const { leaveMs = LEAVE_MS, keeper } = deps;
  const connection = ids.next();
  const asked = new Map<MessageId, Asked>();
  let current: Open | null = null;
  let opening: { server: Server; opened: Promise<{ session: Open } | NotCarried> } | null = null;
  let count = 0;
  let isClosed = false;

  election.onChange((server) => {
    if (!server || isClosed) return;
    if (current && !isSameServer(current.server, server)) over(current);
    if (replay.isReady) void at(server);
  });

  function made(server: Server): Open {
    const session: Open = {
      server,
      link: { address: server.address, tools, clientSession, connection },
      isOver: false,
      isHeard: false,
      stop: new AbortController(),
      relay: (message) => relay(session, message),
    };
    return session;
  }

  function relay(session: Open, message: Fields): void {
    if (session.isOver) return;
    const told = heard(message);
    if (told.kind === 'request') {
      const id = ownId();
      asked.set(id, { session, id: told.request.id });
      emit(JSON.stringify({ ...message, id }));
    } else if (told.kind === 'notification') {
      if (told.method !== CANCELLED) emit(JSON.stringify(message));
      else forget(session, told.params);
    }
  }

  /** The server waits no more for an answer of the client. */
  function forget(session: Open, params: Fields): void {
    for (const [requestId, one] of asked) {
      if (one.session !== session || one.id !== params.requestId) continue;
      asked.delete(requestId);
      emit(notification(CANCELLED, { ...params, requestId }));
    }
  }

  function ownId(): string {
    count += 1;
    return `cue:${count}`;
  }

  function over(session: Open): void {
    if (session.isOver) return;
    session.isOver = true;
    session.stop.abort();
    if (current === session) current = null;
    for (const [requestId, one] of asked) {
      if (one.session !== session) continue;
      asked.delete(requestId);
      emit(notification(CANCELLED, { requestId, reason: 'the server has gone' }));
    }
  }

  async function greet(session: Open, hello: McpRequest, signal: AbortSignal): Promise<Carried> {
    const onOther = session.relay;
    const carried = await resumableRequest(session.link, hello, { signal, onOther });
    if (!('answer' in carried) || !isObject(carried.answer.result)) return carried;
    const { protocolVersion } = carried.answer.result;
    session.link = {
      ...session.link,
      ...(carried.sessionId === undefined ? {} : { sessionId: carried.sessionId }),
      ...(typeof protocolVersion === 'string' ? { protocolVersion } : {}),
    };
    return carried;
  }

  async function at(server: Server): Promise<{ session: Open } | NotCarried> {
    if (current && isSameServer(current.server, server)) return { session: current };
    if (opening && isSameServer(opening.server, server)) return opening.opened;
    const opened = open(server).finally(() => {
      if (opening?.opened === opened) opening = null;
    });
    opening = { server, opened };
    return opened;
  }

  async function open(server: Server): Promise<{ session: Open } | NotCarried> {
    const { hello, protocolVersion } = replay;
    if (hello === null)
      return { error: { code: -32600, message: 'begin with initialize' }, status: 0 };
    const session = made(server);
    const failure = await trying(
      session,
      async (signal) =>
        (await handshake(session, signal, hello, protocolVersion)) ??
        (await restore(session, signal)),
    );
    if (failure) {
      over(session);
      return failure;
    }
    current = session;
    if (replay.isReady) hear(session);
    return { session };
  }

  /** Broken off when the session is over, or its server hangs. */
  async function trying<T>(
    session: Open,
    exchange: (signal: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const one = attempt(session.server, session.stop.signal);
    return exchange(one.signal).finally(one.end);
  }

  async function handshake(
    session: Open,
    signal: AbortSignal,
    hello: McpRequest,
    protocolVersion: string | undefined,
  ): Promise<NotCarried | null> {
    const params = { ...(isObject(hello.params) ? hello.params : {}), protocolVersion };
    const again: McpRequest = { ...hello, id: ownId(), params };
    const carried = await greet(session, again, signal);
    if (!('answer' in carried)) return carried;
    const { error } = carried.answer;
    if (isObject(error)) return { error, status: 0 };
    const spoken = session.link.protocolVersion;
    if (spoken === protocolVersion) return null;
    const message = `the server speaks ${spoken} of MCP, not ${protocolVersion}: start the client anew`;
    return { refused: { code: 'UNAVAILABLE', message } };
  }

  /** Says again what the client has said; what the server does not take is told to people. */
  async function restore(session: Open, signal: AbortSignal): Promise<NotCarried | null> {
    if (!replay.isReady) return null;
    const told = await exchangeMcp(session.link, { method: 'POST', text: INITIALIZED, signal });
    if (!('taken' in told)) return told;
    const notResumed = await resumeKept(session, signal);
    if (notResumed) return notResumed;
    for (const { method, params } of replay.requests()) {
      const carried = await ask(session, signal, method, params);
      if (!('answer' in carried)) return carried;
      const { error, result } = carried.answer;
      const isRefused = isObject(error) || (isObject(result) && result.isError === true);
      if (isRefused)
        log(`the next server did not take ${method} again: ${JSON.stringify(error ?? result)}`);
    }
    if (replay.isListPartial) emit(notification('notifications/resources/list_changed'));
    replay.isListPartial = false;
    const { toolList } = replay;
    if (toolList === null) return null;
    const listed = await ask(session, signal, 'tools/list', {});
    if (!('answer' in listed)) return listed;
    if (replay.toolList !== toolList) emit(notification('notifications/tools/list_changed'));
    return null;
  }

  /** As who the client was in the process before. One that the project knows no more is kept no longer. */
  async function resumeKept(session: Open, signal: AbortSignal): Promise<NotCarried | null> {
    const { client } = replay;
    if (!keeper || client === null || replay.identity !== null) return null;
    const kept = keeper.of(session.server, client);
    if (kept === null) return null;
    const carried = await ask(session, signal, 'tools/call', resumption(kept));
    if (!('answer' in carried)) return carried;
    const { error, result } = carried.answer;
    if (!isObject(error) && isObject(result) && result.isError !== true) {
      replay.identity = kept;
      return null;
    }
    log(`the identity ${kept.agent_id} was not resumed: ${JSON.stringify(error ?? result)}`);
    const { code } = Object(Object(Object(result)._meta)['cue/error']);
    if (code === 'NOT_FOUND' || code === 'PERMISSION_DENIED') keeper.drop(session.server, client);
    return null;
  }

  async function ask(
    session: Session,
    signal: AbortSignal,
    method: string,
    params: Fields,
  ): Promise<Carried> {
    const request: McpRequest = { jsonrpc: '2.0', id: ownId(), method, params };
    const carried = await resumableRequest(session.link, request, {
      signal,
      onOther: session.relay,
    });
    if ('answer' in carried) replay.note(request, carried.answer);
    return carried;
  }

  /** Keeps the session's own stream open. */
  function hear(session: Open): void {
    if (session.isHeard || session.isOver) return;
    session.isHeard = true;
    listen(session).catch((error: unknown) => log(`unexpected: ${messageOf(error)}`));
  }

  async function listen(session: Open): Promise<void> {
    const { signal } = session.stop;
    let lastEventId: string | undefined;
    while (!session.isOver) {
      const outcome = await exchangeMcp(session.link, {
        ...{ method: 'GET', lastEventId, signal },
        onMessage: session.relay,
      });
      if ('taken' in outcome) {
        const end = await outcome.taken.ended;
        if (outcome.taken.isOver) {
          if (lastEventId === undefined) return;
          // What followed that event is; the session may have another stream.
          lastEventId = undefined;
          continue;
        }
        lastEventId = end.lastEventId ?? lastEventId;
      } else if ('unknownSession' in outcome) {
        over(session);
        setTimeout(renew, RENEW_MS).unref();
      } else if ('error' in outcome) {
        // The server has no such stream, or has not kept what followed that event.
        if (outcome.status === NOT_ALLOWED) return;
        if (outcome.status === BAD_REQUEST) lastEventId = undefined;
      }
      if (session.isOver) return;
      election.doubt(session.server);
      await delay(AGAIN_MS, undefined, { ref: false });
    }
  }

  function renew(): void {
    if (!isClosed && !current && election.current) void at(election.current);
  }

  async function post(session: Open, message: object): Promise<void> {
    const text = JSON.stringify(message);
    const outcome = await trying(session, (signal) =>
      exchangeMcp(session.link, { method: 'POST', text, signal }),
    );
    if ('unknownSession' in outcome) over(session);
  }

  return {
    async begin(server, hello, signal) {
      const session = made(server);
      const carried = await greet(session, hello, signal);
      if (!('answer' in carried) || !isObject(carried.answer.result)) return carried;
      replay.note(hello, carried.answer);
      current = session;
      return carried;
    },
    at,
    over: (session) => {
      if (current === session) over(current);
    },
    async tell(message) {
      const isServed =
        current && election.current && isSameServer(current.server, election.current);
      if (current && isServed) await post(current, message);
    },
    answer(id, message) {
      const one = asked.get(id);
      asked.delete(id);
      if (one && !one.session.isOver) void post(one.session, { ...message, id: one.id });
    },
    async ready() {
      replay.isReady = true;
      const session = current;
      if (session) {
        await post(session, JSON.parse(INITIALIZED) as object);
        // Whether that failed, too, the next call learns by itself.
        await trying(session, (signal) => resumeKept(session, signal));
        hear(session);
      } else renew();
    },
    get hasBegun() {
      return current !== null;
    },
    ask,
    async end() {
      isClosed = true;
      const session = current;
      if (!session) return;
      const signal = AbortSignal.timeout(leaveMs);
      await exchangeMcp(session.link, { method: 'DELETE', signal });
      over(session);
    },
  };
}
