/** Requests as a client of the REST surface makes them. */
import { request } from 'node:http';

export interface Answer {
  status: number;
  type: string;
  /** Parsed when the answer is JSON, else its text. */
  body: Record<string, unknown>;
  text: string;
}

export interface Call {
  body?: unknown;
  /** Sent as it is; the caller sets the content type. */
  raw?: string;
  headers?: Record<string, string>;
}

/** With node's own client, which unlike `fetch` lets a test choose Host and Origin. */
export function call(method: string, url: string, options: Call = {}): Promise<Answer> {
  const payload =
    options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        agent: false,
        headers: {
          ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(payload === undefined
            ? {}
            : { 'content-length': String(Buffer.byteLength(payload)) }),
          ...options.headers,
        },
      },
      (received) => {
        const chunks: Buffer[] = [];
        received.on('data', (chunk: Buffer) => chunks.push(chunk));
        received.on('error', reject);
        received.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          const type = received.headers['content-type'] ?? '';
          resolve({ status: received.statusCode ?? 0, type, text, body: jsonOf(type, text) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(payload);
  });
}

function jsonOf(type: string, text: string): Record<string, unknown> {
  return type.startsWith('application/json') ? (JSON.parse(text) as Record<string, unknown>) : {};
}

/** `code` and the fields blamed, of an error answer. */
export function errorOf(answer: Answer): { code: string; fields: string[]; message: string } {
  const error = answer.body.error as {
    code: string;
    message: string;
    details: { findings?: { field: string }[] };
  };
  return {
    code: error.code,
    message: error.message,
    fields: (error.details.findings ?? []).map((one) => one.field),
  };
}
