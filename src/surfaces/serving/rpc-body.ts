/** What a bridge has to know of the JSON-RPC that it passes on. */
import { type AppError, ERROR_TABLE } from '../../shared/errors.js';

/** Of the protocol itself (https://www.jsonrpc.org/specification). */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const INTERNAL_ERROR = -32603;

/**
 * Methods that may be carried out twice. Reads change nothing; set, delete and import lead to the same
 * end (a second set counts one more version, a second delete may find nothing any more). A second `bump`
 * would count a use that never was.
 */
const REPEATABLE: ReadonlySet<string> = new Set(
  [
    'get_hint',
    'query',
    'list_components',
    'export',
    'status',
    'set_hint',
    'delete_hint',
    'import',
  ].flatMap((name) => [`nudge.${name}`, `nudge_${name}`]),
);

/** Whether it does no harm to send it again when nobody knows what became of it. */
export function isRepeatable(body: unknown): boolean {
  if (Array.isArray(body)) return body.every(isRepeatable);
  if (!isObject(body) || typeof body.method !== 'string') return true;
  // Carried out already, it would now meet a version that it has made itself.
  if (isObject(body.params) && Object.hasOwn(body.params, 'if_match_version')) return false;
  return REPEATABLE.has(body.method);
}

/** Those that an agent waits for before it goes on. */
const READS: ReadonlySet<string> = new Set(
  ['get_hint', 'query', 'list_components', 'status'].map((name) => `nudge.${name}`),
);

/** Whether all of it only looks something up, and takes no time that counts. */
export function isQuick(body: unknown): boolean {
  if (Array.isArray(body)) return body.every(isQuick);
  return isObject(body) && typeof body.method === 'string' && READS.has(body.method);
}

/** What we throw, to each request of the body; `null` when there are only notifications. */
export function failureOf(body: unknown, { code, message, details }: AppError): string | null {
  return errorToEach(body, {
    ...{ code: ERROR_TABLE[code].rpc, message },
    data: { reason: code, details },
  });
}

/** The same error for each request of the body; `null` when there are only notifications. */
export function errorToEach(body: unknown, error: object): string | null {
  if (!Array.isArray(body)) {
    const id = idOf(body);
    return id === undefined ? null : response(id, error);
  }
  const ids = body.map(idOf).filter((id) => id !== undefined);
  return ids.length === 0 ? null : `[${ids.map((id) => response(id, error)).join(',')}]`;
}

export function response(id: unknown, error: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error });
}

/** `undefined`: a notification. What is no request is answered, too: without an id. */
function idOf(body: unknown): unknown {
  if (!isObject(body)) return null;
  const { id } = body;
  if (typeof id === 'string' || typeof id === 'number' || id === undefined) return id;
  return null;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
