/** Lines of a stream of bytes, none of them held when it is too long. */
import { isUtf8 } from 'node:buffer';

export type Line = { text: string } | { unreadable: 'too large' | 'not utf-8' };

const LINE_FEED = 10;

/** @returns what takes the next bytes; call it without any at the end, for a last line without a break */
export function lineReader(maxBytes: number, take: (line: Line) => void): (bytes?: Buffer) => void {
  let parts: Buffer[] = [];
  let size = 0;

  function add(part: Buffer): void {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
  }
  function end(): void {
    const bytes = Buffer.concat(parts);
    const isTooLarge = size > maxBytes;
    parts = [];
    size = 0;
    if (isTooLarge) take({ unreadable: 'too large' });
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
