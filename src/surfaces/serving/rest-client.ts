/** The REST routes of whoever serves, as commands ask them. */
import { AppError, ERROR_TABLE, type ErrorCode } from '../../shared/errors.js';
import {
  type Answer,
  type Exchange,
  exchange,
  isObject,
  otherAnswer,
  parsed,
  shown,
  unavailable,
} from './http-exchange.js';
import type { ServerAddress } from './types.js';

export interface RestRequest extends Omit<Exchange, 'method'> {
  /** Below `/cue`: `/triggers`. */
  path: string;
  /** GET when absent. */
  method?: Exchange['method'];
}

/**
 * One request, never repeated.
 * @returns the body, of a shape the caller has to check; `{ lines: true }` where they went to `onLines`
 * @throws AppError with the code of the route's own error, or as `exchange` does
 */
export async function askRest(
  address: ServerAddress,
  { path, method = 'GET', ...request }: RestRequest,
): Promise<Record<string, unknown>> {
  const route = `${method} /cue${path}`;
  const whole = `${baseOf(address)}${path}`;
  const answer = await exchange(address, { ...request, method, path: whole });
  return bodyOf(answer, address, route);
}

/** Of all routes, in the place where that of JSON-RPC is. */
function baseOf({ path }: ServerAddress): string {
  return path.replace(/\/rpc$/, '');
}

function bodyOf(answer: Answer, address: ServerAddress, route: string): Record<string, unknown> {
  const { status, text, wentOut } = answer;
  if (wentOut) return { lines: true };
  const isGood = status >= 200 && status < 300;
  const body = parsed(text);
  if (isGood && isObject(body)) return body;
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  const code = codeOf(error.code);
  if (code === null || status === 401 || typeof error.message !== 'string') {
    throw otherAnswer(answer, body, address);
  }
  const details = isObject(error.details) ? error.details : {};
  // Not what was asked for is missing, but who could say so.
  if (code === 'NOT_FOUND' && details.what === 'route') {
    const message = `the server at ${address.baseUrl} does not know ${route}: it is an older version`;
    throw unavailable(address, 'foreign', message, true);
  }
  if (code === 'NOT_FOUND' && details.what === 'agent') {
    const message = `the server at ${address.baseUrl} is for another agent: ${shown(error.message)}`;
    throw unavailable(address, 'refused', message, true);
  }
  throw new AppError(code, error.message, details);
}

function codeOf(code: unknown): ErrorCode | null {
  const codes = Object.keys(ERROR_TABLE) as ErrorCode[];
  return codes.find((one) => one === code) ?? null;
}
