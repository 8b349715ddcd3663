/** Server-sent events as they come in pieces (HTML Living Standard §9.2.6), as far as MCP uses them. */
import { StringDecoder } from 'node:string_decoder';

export interface SseEvent {
  /** Of this event or the last one that had any. */
  id: string | undefined;
  /** `message` when it has no name. */
  name: string;
  data: string;
}

const BREAK = /\r\n|\n|\r/;

/** @returns what takes the next bytes; events without data only set the id */
export function sseReader(take: (event: SseEvent) => void): (bytes: Buffer) => void {
  const decoder = new StringDecoder('utf8');
  let rest: string[] = [];
  let id: string | undefined;
  let name = '';
  let data: string[] = [];

  function field(line: string): void {
    const at = line.indexOf(':');
    // A comment.
    if (at === 0) return;
    const key = at < 0 ? line : line.slice(0, at);
    const value = at < 0 ? '' : line.slice(at + 1).replace(/^ /, '');
    if (key === 'data') data.push(value);
    else if (key === 'event') name = value;
    else if (key === 'id' && !value.includes('\0')) id = value;
  }
  function end(): void {
    take({ id, name: name || 'message', data: data.join('\n') });
    name = '';
    data = [];
  }

  return (bytes) => {
    const text = decoder.write(bytes);
    rest.push(text);
    // A long line comes in many pieces: only a break makes them worth joining.
    if (!BREAK.test(text)) return;
    const whole = rest.join('');
    // What follows a carriage return at the end may belong to it.
    const isHalf = whole.endsWith('\r');
    const lines = (isHalf ? whole.slice(0, -1) : whole).split(BREAK);
    rest = [`${lines.pop() ?? ''}${isHalf ? '\r' : ''}`];
    for (const line of lines) {
      if (line === '') end();
      else field(line);
    }
  };
}
