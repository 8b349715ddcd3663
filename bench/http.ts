/** The HTTP of the load generators: an answer has come when its last byte has. */
import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http';

export interface HttpAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** Asks a port of this machine over the agent's connections. @param sent.text as JSON */
export function askHttp(
  to: { port: number; agent: Agent },
  sent: { method: string; path: string; headers?: OutgoingHttpHeaders; text?: string },
): Promise<HttpAnswer> {
  const { text, ...line } = sent;
  const length = text === undefined ? {} : { 'content-length': Buffer.byteLength(text) };
  const type = text === undefined ? {} : { 'content-type': 'application/json' };
  const headers = { ...type, ...length, ...line.headers };
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', ...to, ...line, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const received = Buffer.concat(chunks).toString('utf8');
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: received });
      });
    });
    asked.on('error', reject);
    asked.end(text);
  });
}
