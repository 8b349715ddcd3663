/** A client of the Eliza server over HTTP, as somebody else's program would be one. */
import { PATIENCE, StepError, until } from './transcript.js';

export interface ChannelMessage {
  id: string;
  fromAgent: boolean;
  text: string;
  atMs: number;
  inReplyTo: string | null;
  /** Set on the answer of a trigger's run. */
  triggerRunId: string | null;
}

export interface Answer {
  status: number;
  body: unknown;
}

const REQUEST_MS = PATIENCE * 15_000;
const REPLY_MS = 15_000;
/** More than a demo ever says. */
const MESSAGES = 200;

export type Client = ReturnType<typeof createClient>;

export function createClient(baseUrl: string) {
  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await fetch(new URL(path, baseUrl), {
      method,
      signal: AbortSignal.timeout(REQUEST_MS),
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    try {
      return { status: response.status, body: JSON.parse(text) };
    } catch {
      return { status: response.status, body: text.slice(0, 200) };
    }
  }

  /** The body of an answer with that status; anything else is an error that shows it. */
  async function ask(status: number, method: string, path: string, body?: unknown) {
    const answer = await call(method, path, body);
    if (answer.status !== status) {
      throw new StepError(
        `${method} ${path} answered ${answer.status}, not ${status}: ${JSON.stringify(answer.body)}`,
      );
    }
    return answer.body;
  }

  async function agentId(): Promise<string> {
    const body = await ask(200, 'GET', '/api/agents');
    return text(at(at(at(at(body, 'data'), 'agents'), '0'), 'id'));
  }

  /** A new conversation; the channel outlives the session, which dies with the server. */
  async function openChat(agent: string, userId: string) {
    const body = await ask(201, 'POST', '/api/messaging/sessions', { agentId: agent, userId });
    const sessionId = text(at(body, 'sessionId'));
    const channelId = text(at(body, 'channelId'));
    return {
      sessionId,
      channelId,
      /** Says it and waits for the reply in the channel. */
      async say(content: string): Promise<ChannelMessage> {
        const sent = await ask(201, 'POST', `/api/messaging/sessions/${sessionId}/messages`, {
          content,
        });
        const id = text(at(at(sent, 'userMessage'), 'id'));
        return until(`a reply to "${content}"`, REPLY_MS, async () =>
          (await messagesOf(channelId)).find(
            (message) => message.fromAgent && message.inReplyTo === id,
          ),
        );
      },
    };
  }

  /** Everything in the channel, oldest first. */
  async function messagesOf(channelId: string): Promise<ChannelMessage[]> {
    const path = `/api/messaging/channels/${channelId}/messages?limit=${MESSAGES}`;
    const rows = at(at(await ask(200, 'GET', path), 'data'), 'messages');
    if (!Array.isArray(rows)) throw new StepError(`${path} answered no list`);
    return rows.map(messageOf).sort((one, other) => one.atMs - other.atMs);
  }

  return { call, ask, agentId, openChat, messagesOf };
}

function messageOf(row: unknown): ChannelMessage {
  const optional = (value: unknown) => (typeof value === 'string' ? value : null);
  return {
    id: text(at(row, 'id')),
    fromAgent: at(row, 'sourceType') === 'agent_response',
    text: String(at(row, 'content')),
    atMs: Number(at(row, 'created_at')),
    inReplyTo: optional(at(row, 'inReplyToRootMessageId')),
    triggerRunId: optional(at(at(row, 'metadata'), 'triggerRunId')),
  };
}

/** A field of parsed JSON, `undefined` where there is none. */
export function at(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null
    ? (value as Record<string, unknown>)[key]
    : undefined;
}

function text(value: unknown): string {
  if (typeof value === 'string') return value;
  throw new StepError(`the server left out a text where one belongs: ${JSON.stringify(value)}`);
}
