/** Lines of a stream of bytes, none of them held when it is too long. */
import { isUtf8 } from 'node:buffer';

export type Line =
  | { text: string }
  | { unreadable: 'not utf-8' }
  /** `ends`: what it began and ended with. */
  | { unreadable: 'too large'; ends: [string, string] };

const LINE_FEED = 10;
/** Of a line that is not held. */
const END_BYTES = 200;

/** @returns what takes the next bytes; call it without any at the end, for a last line without a break */
export function lineReader(maxBytes: number, take: (line: Line) => void): (bytes?: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;
  let head = Buffer.alloc(0);
  let tail = Buffer.alloc(0);

  function add(part: Buffer): void {
    const wasHeld = size <= maxBytes;
    size += part.length;
    parts.push(part);
    if (size <= maxBytes) return;
    const bytes = Buffer.concat(parts);
    parts = [];
    if (wasHeld) head = Buffer.from(bytes.subarray(0, END_BYTES));
    tail = Buffer.from(Buffer.concat([tail, bytes]).subarray(-END_BYTES));
  }
  function end(): void {
    const bytes = Buffer.concat(parts);
    const isTooLarge = size > maxBytes;
    const ends: [string, string] = [head.toString('utf8'), tail.toString('utf8')];
    parts = [];
    size = 0;
    tail = Buffer.alloc(0);
    if (isTooLarge) take({ unreadable: 'too large', ends });
    else if (!isUtf8(bytes)) take({ unreadable: 'not utf-8' });
    else take({ text: bytes.toString('utf8') });
  }

  return (bytes) => {
    if (bytes === undefined) {
      if (size > 0) end();
      return;
    }
    let start = 0;
    for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, start)) {
      add(bytes.subarray(start, at));
      end();
      start = at + 1;
    }
    if (start < bytes.length) add(bytes.subarray(start));
  };
}
