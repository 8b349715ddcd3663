/** Short hands for tests of the trigger routes. */
import { expect } from 'vitest';
import { type Answer, call } from './http.js';
import type { TestServer } from './server.js';

export type Row = Record<string, unknown> & { id: string; taskId: string };

export const hourly = { triggerType: 'interval', intervalMs: 3_600_000 };

export interface RestClient {
  (method: string, path: string, body?: unknown): Promise<Answer>;
  /** Creates a trigger that must succeed. */
  made(body?: Record<string, unknown>): Promise<Row>;
  clear(): Promise<void>;
}

/** `server` is asked at each call: it starts in a hook. */
export function restClient(server: () => TestServer): RestClient {
  const rest = (method: string, path: string, body?: unknown) =>
    call(method, `${server().baseUrl}/cue${path}`, body === undefined ? {} : { body });
  return Object.assign(rest, {
    async made(body: Record<string, unknown> = {}): Promise<Row> {
      const draft = { instructions: 'water the plants', schedule: hourly, ...body };
      const answer = await rest('POST', '/triggers', draft);
      expect({ status: answer.status, text: answer.text }).toMatchObject({ status: 201 });
      return answer.body.trigger as Row;
    },
    async clear(): Promise<void> {
      const { body } = await rest('GET', '/triggers?limit=500');
      for (const { id } of body.triggers as Row[]) await rest('DELETE', `/triggers/${id}`);
    },
  });
}
