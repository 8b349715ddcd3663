/** One request of MCP to a server, until its answer is there. */
import { setTimeout as delay } from 'node:timers/promises';
import { deferred } from './deferred.js';
import { exchangeMcp, type McpLink, type McpOutcome, type StreamEnd } from './mcp-http.js';
import { type Fields, heard, type McpRequest } from './mcp-messages.js';

export type NotCarried = Exclude<McpOutcome, { taken: unknown }>;

export type Carried = { answer: Fields; sessionId: string | undefined } | NotCarried;

export interface CarryOptions {
  /** Breaks it off. */
  signal: AbortSignal;
  /** As `McpExchange`. */
  answerBytes?: number;
  /** The server has begun with it. */
  onTaken?(): void;
  /** What the server says beside the answer. */
  onOther(message: Fields): void;
}

const RESUMES = 3;
const RESUME_MS = 200;

/** A stream that breaks is taken up where it broke, if the server keeps it. Never rejects. */
export async function carry(
  link: McpLink,
  request: McpRequest,
  { signal, answerBytes, onTaken, onOther }: CarryOptions,
): Promise<Carried> {
  const answered = deferred<StreamEnd>();
  let answer: Fields | undefined;
  const onMessage = (message: Fields): void => {
    const told = heard(message);
    if (told.kind === 'answer' && told.id === request.id) {
      answer = message;
      answered.resolve({ lastEventId: undefined, why: 'answered' });
    } else onOther(message);
  };
  const text = JSON.stringify(request);
  const how = { signal, answerBytes, onMessage };
  const first = await exchangeMcp(link, { method: 'POST', text, ...how });
  if (!('taken' in first)) return first;
  onTaken?.();
  const { sessionId } = first.taken;
  let end = await Promise.race([answered.promise, first.taken.ended]);
  for (let resumes = 0; resumes < RESUMES; resumes += 1) {
    const { lastEventId } = end;
    if (answer !== undefined || lastEventId === undefined || signal.aborted) break;
    await delay(RESUME_MS);
    const again = await exchangeMcp(link, { method: 'GET', lastEventId, ...how });
    if (!('taken' in again)) break;
    end = await Promise.race([answered.promise, again.taken.ended]);
  }
  if (answer !== undefined) return { answer, sessionId };
  return end.isTooLarge
    ? { refused: { code: 'TOO_LARGE', message: end.why } }
    : { broken: end.why };
}
