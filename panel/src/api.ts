/** Asking the server: the key, the agent, and errors in its own words. */

/** Where the web UI of the host keeps the key of this server. */
const KEY_NAME = `eliza-api-key-${location.origin}`;
const AGENT_ID = new URLSearchParams(location.search).get('agentId');

export interface Finding {
  field: string;
  message: string;
  /** A sentence for whoever wrote what is wrong. */
  text?: string;
}

interface ApiErrorOptions {
  status: number;
  code: string;
  details?: ErrorDetails | undefined;
  cause?: unknown;
}

interface ErrorDetails {
  findings?: readonly Finding[];
  /** What is there already, of a `DUPLICATE`. */
  existingId?: string;
}

/** What the server refused, or that it could not be reached (`status` 0). */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly findings: readonly Finding[];
  readonly existingId: string | undefined;

  constructor(message: string, { status, code, details = {}, cause }: ApiErrorOptions) {
    super(message, { cause });
    this.status = status;
    this.code = code;
    this.findings = details.findings ?? [];
    this.existingId = details.existingId;
  }

  get isUnauthenticated(): boolean {
    return this.status === 401;
  }
}

let key = readKey();

function readKey(): string | null {
  try {
    return localStorage.getItem(KEY_NAME);
  } catch {
    // A browser may forbid it; then the key is asked for each time.
    return null;
  }
}

/** Takes a key that a person typed, when the server accepts it. @throws ApiError */
export async function signIn(typed: string): Promise<void> {
  // No header has such characters, so no server such a key.
  if ([...typed].some((character) => character > 'ÿ')) {
    throw new ApiError('This is no key.', { status: 401, code: 'UNAUTHENTICATED' });
  }
  const before = key;
  key = typed;
  try {
    await ask('/health');
  } catch (error) {
    key = before;
    throw error;
  }
  try {
    localStorage.setItem(KEY_NAME, typed);
  } catch {
    // It lasts as long as the page, then.
  }
}

/** The address of a route of Cue, for the agent that this page is about. */
export function addressOf(path: string, query: Query = {}): string {
  const address = new URL(`/cue${path}`, location.origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') address.searchParams.set(name, String(value));
  }
  if (AGENT_ID !== null) address.searchParams.set('agentId', AGENT_ID);
  return address.href;
}

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

export function authHeaders(): Record<string, string> {
  return key === null || key === '' ? {} : { 'x-api-key': key };
}

export interface Ask {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  query?: Query;
  body?: object;
  signal?: AbortSignal;
  /** Sent to its end also when the page is left; of itself so for DELETE. */
  keepalive?: boolean;
}

/** The answer of a route below `/cue`. @throws ApiError */
export async function ask<T = unknown>(
  path: string,
  { query, body, ...how }: Ask = {},
): Promise<T> {
  const { method = body === undefined ? 'GET' : 'POST', signal, keepalive } = how;
  const response = await reach(addressOf(path, query), {
    method,
    headers: {
      ...authHeaders(),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal }),
    // What is deleted when the page is left is deleted nevertheless.
    keepalive: keepalive ?? method === 'DELETE',
  });
  const answer: unknown = await response.json().catch((cause: unknown) => {
    if (signal?.aborted) throw cause;
    if (!response.ok) return null;
    throw new ApiError('The answer of the server was cut off.', {
      status: 0,
      code: 'UNREACHABLE',
      cause,
    });
  });
  if (response.ok) return answer as T;
  throw errorOf(response.status, answer);
}

async function reach(address: string, init: RequestInit): Promise<Response> {
  try {
    return await fetch(address, init);
  } catch (cause) {
    if (init.signal?.aborted) throw cause;
    throw new ApiError('The server does not answer.', {
      status: 0,
      code: 'UNREACHABLE',
      cause,
    });
  }
}

function errorOf(status: number, answer: unknown): ApiError {
  const { error } = Object(answer) as {
    error?: { code?: string; message?: string; details?: ErrorDetails };
  };
  const message = error?.message ?? `The server answered with status ${status}.`;
  const code = error?.code ?? 'UNKNOWN';
  return new ApiError(message, { status, code, details: error?.details });
}
