/** A client of `GET /cue/stream`. */
import { get, type IncomingMessage } from 'node:http';

export interface StreamEvent {
  event: string;
  id: string;
  data: Record<string, unknown>;
}

export interface Stream {
  status: number | undefined;
  type: string | undefined;
  /** What is no event: the name, and comments. */
  head: string;
  events: StreamEvent[];
  close(): void;
}

/** @param url with its query */
export async function openStream(url: string, lastId?: string): Promise<Stream> {
  const headers = lastId === undefined ? {} : { 'last-event-id': lastId };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    get(url, { agent: false, headers }, resolve).on('error', reject);
  });
  const stream: Stream = {
    status: answer.statusCode,
    type: answer.headers['content-type'],
    head: '',
    events: [],
    close: () => answer.destroy(),
  };
  let text = '';
  answer.on('error', () => {});
  answer.on('data', (piece: Buffer) => {
    text += piece.toString('utf8');
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = Object.fromEntries(
        block.split('\n').map((line) => [line.split(': ')[0], line.slice(line.indexOf(': ') + 2)]),
      );
      if (fields.event === undefined) stream.head += block;
      else {
        const data = JSON.parse(fields.data ?? '');
        stream.events.push({ ...(fields as object), data } as StreamEvent);
      }
    }
  });
  return stream;
}

export function dataOf({ events }: Stream, event: string): StreamEvent['data'][] {
  return events.filter((one) => one.event === event).map(({ data }) => data);
}
