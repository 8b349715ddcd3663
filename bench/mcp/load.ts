/**
 * The client, a process of its own: keep-alive connections, each of which asks again as soon as it has
 * its answer. An answer counts when its last byte has come.
 */
import { Agent, type OutgoingHttpHeaders } from 'node:http';
import { LATEST_PROTOCOL_VERSION } from '@modelcontextprotocol/sdk/types.js';
import { askHttp } from '../http.js';
import { answerParent } from '../in-child.js';

export interface LoadRequest {
  port: number;
  /** What is asked, one after the other; of the first some do not count. */
  asked: readonly Asked[];
  warmUp: number;
  connections: number;
  /** Only begins and ends as many sessions. */
  onlySessions?: true;
}

/** A call of MCP, or a path of REST. */
export type Asked = { method: string; params: object } | { path: string; body: object };

export interface LoadReport {
  each: number[];
  /** Of all that counts, ms. */
  took: number;
}

const PATH = '/cue/mcp';
const ACCEPT = 'application/json, text/event-stream';

interface Answer {
  sessionId: string | undefined;
  text: string;
}

answerParent(async (load: LoadRequest): Promise<LoadReport> => {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections });
  const send = sender(load.port, agent);
  const each: number[] = [];
  let next = 0;
  let began = 0;
  const connection = async () => {
    const session = await beginSession(send);
    while (next < load.asked.length) {
      const index = next;
      next += 1;
      const question = load.asked[index];
      if (question === undefined) break;
      if (index === load.warmUp) began = performance.now();
      const from = performance.now();
      if (load.onlySessions) await endSession(send, await beginSession(send));
      else await ask(send, session, index, question);
      if (index >= load.warmUp) each.push(performance.now() - from);
    }
    await endSession(send, session);
  };
  await Promise.all(Array.from({ length: load.connections }, connection));
  const took = performance.now() - began;
  agent.destroy();
  return { each, took };
});

type Send = ReturnType<typeof sender>;

async function beginSession(send: Send): Promise<OutgoingHttpHeaders> {
  const clientInfo = { name: 'bench', version: '1.0.0' };
  const { sessionId } = await send(
    'POST',
    PATH,
    {},
    {
      ...{ jsonrpc: '2.0', id: 0, method: 'initialize' },
      params: { protocolVersion: LATEST_PROTOCOL_VERSION, capabilities: {}, clientInfo },
    },
  );
  if (sessionId === undefined) throw new Error('no session has begun');
  const headers = {
    ...{ 'mcp-session-id': sessionId, 'mcp-protocol-version': LATEST_PROTOCOL_VERSION },
  };
  await send('POST', PATH, headers, { jsonrpc: '2.0', method: 'notifications/initialized' });
  return headers;
}

const endSession = (send: Send, session: OutgoingHttpHeaders) => send('DELETE', PATH, session);

async function ask(send: Send, session: OutgoingHttpHeaders, id: number, asked: Asked) {
  const { text } =
    'path' in asked
      ? await send('POST', asked.path, {}, asked.body)
      : await send('POST', PATH, session, { jsonrpc: '2.0', id, ...asked });
  const isGood =
    'path' in asked || (text.includes('"result":') && !text.includes('"isError":true'));
  if (!isGood) throw new Error(`${JSON.stringify(asked)} was answered ${text.slice(0, 300)}`);
}

function sender(port: number, agent: Agent) {
  return async (
    method: string,
    path: string,
    more: OutgoingHttpHeaders,
    body?: object,
  ): Promise<Answer> => {
    const { status, headers, text } = await askHttp(
      { port, agent },
      {
        ...{ method, path, headers: { accept: ACCEPT, ...more } },
        ...(body === undefined ? {} : { text: JSON.stringify(body) }),
      },
    );
    if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text.slice(0, 300)}`);
    const id = headers['mcp-session-id'];
    return { sessionId: typeof id === 'string' ? id : undefined, text };
  };
}
