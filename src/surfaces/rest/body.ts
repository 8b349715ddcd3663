/**
 * Bodies of requests where no host reads them for us: JSON of at most 2 MB, as the Eliza server takes
 * it. What cannot be read is a value: who asks is judged before what they sent.
 */
import type { IncomingMessage } from 'node:http';
import { type AppError, InvalidInputError, wrongField } from '../../shared/errors.js';

/** As `express.json` of the host has it. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;

const JSON_TYPE = 'application/json';

/** Stands where the body would; the route that wants one answers with the error. */
export class UnreadableBody {
  readonly error: AppError;
  constructor(error: AppError) {
    this.error = error;
  }
}

/** Whether the request says that its body is over the limit, before any of it has come. */
export function announcesTooMuch({ headers }: IncomingMessage): boolean {
  return Number(headers['content-length'] ?? 0) > MAX_BODY_BYTES;
}

/**
 * The parsed body; `undefined` for what is no JSON by its content type, as on the host. Reads no more
 * than the limit: what is over it stays in the request.
 * @returns `null` when the client has gone
 */
export async function readBody(request: IncomingMessage): Promise<{ body: unknown } | null> {
  if (announcesTooMuch(request)) return { body: tooLarge() };
  const bytes = await bytesOf(request);
  if (bytes === 'gone') return null;
  return { body: bytes === 'too large' ? tooLarge() : parsed(request, bytes) };
}

function bytesOf(request: IncomingMessage): Promise<Buffer | 'too large' | 'gone'> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      request.off('data', take);
      request.pause();
      resolve('too large');
    };
    request.on('data', take);
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('close', () => resolve('gone'));
    // Its close says the same.
    request.on('error', () => {});
  });
}

function parsed({ headers }: IncomingMessage, bytes: Buffer): unknown {
  const [type = '', ...parameters] = (headers['content-type'] ?? '').toLowerCase().split(';');
  if (type.trim() !== JSON_TYPE) return undefined;
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') return unreadable('must be sent uncompressed');
  const charset = parameters.find((one) => one.trim().startsWith('charset='));
  if (charset && !/=\s*"?utf-?8"?\s*$/.test(charset)) return unreadable('must be UTF-8');
  // The host takes an empty body for an empty object, and none at all for none.
  const isAnnounced = 'content-length' in headers || 'transfer-encoding' in headers;
  if (bytes.length === 0) return isAnnounced ? {} : undefined;
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return unreadable('is not valid JSON');
  }
}

function unreadable(message: string): UnreadableBody {
  return new UnreadableBody(wrongField('(body)', message));
}

function tooLarge(): UnreadableBody {
  const message = `is over ${MAX_BODY_BYTES} bytes`;
  return new UnreadableBody(new InvalidInputError([{ field: '(body)', message }], 'TOO_LARGE'));
}
