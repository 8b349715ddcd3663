/**
 * The response that our own listener hands to routes: Node's, with the little of express that the host
 * promises them.
 */
import { type IncomingMessage, ServerResponse } from 'node:http';

/** How long, and how many bytes, what is left of a request is thrown away before its connection ends. */
const LINGER_MS = 2_000;
const LINGER_BYTES = 16 * 1024 * 1024;

export class ListenerAnswer<
  Request extends IncomingMessage = IncomingMessage,
> extends ServerResponse<Request> {
  private isLast = false;

  constructor(...args: ConstructorParameters<typeof ServerResponse<Request>>) {
    super(...args);
    // With one header set, `getHeader` knows those of `writeHead`, too.
    this.setHeader('x-content-type-options', 'nosniff');
  }

  /**
   * For a request whose body is left unread: the answer closes its connection, but not at once. Closed
   * over bytes that still arrive, it would be reset, and the client might never see the answer.
   */
  closeAfterwards(): void {
    this.isLast = true;
    this.setHeader('connection', 'close');
  }

  get isEventStream(): boolean {
    return String(this.getHeader('content-type')).startsWith('text/event-stream');
  }

  status(code: number): this {
    this.statusCode = code;
    return this;
  }

  /** @throws TypeError for what JSON cannot say */
  json(data: unknown): this {
    const text = JSON.stringify(data);
    if (!this.hasHeader('content-type')) {
      this.setHeader('content-type', 'application/json; charset=utf-8');
    }
    return this.send(text);
  }

  send(data: unknown): this {
    const text = typeof data === 'string' || Buffer.isBuffer(data) ? data : JSON.stringify(data);
    if (!this.isLast) return this.end(text);
    this.setHeader('content-length', Buffer.byteLength(text));
    this.write(text);
    discard(this.req, () => this.end());
    return this;
  }
}

/** Reads a request to its end without keeping any of it, within bounds. */
function discard(request: IncomingMessage, done: () => void): void {
  let bytes = 0;
  const end = (): void => {
    clearTimeout(timer);
    request.off('data', count);
    done();
  };
  const count = (chunk: Buffer): void => {
    bytes += chunk.length;
    if (bytes > LINGER_BYTES) end();
  };
  const timer = setTimeout(end, LINGER_MS).unref();
  request.once('close', end);
  request.on('data', count);
  request.resume();
}
