/**
 * What stands in the lines that commands print for people. A text of somebody else's cannot pass for
 * lines of ours: it is one line, or stands indented.
 */

const BREAK = /\r\n|[\n\r\v\f\u0085\u2028\u2029]/;

export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');
}

export function indented(text: string, indent = '  '): string[] {
  return text.split(BREAK).map((line) => (line === '' ? line : `${indent}${line}`));
}

/** `2026-11-27 17:00 UTC` */
export function minuteOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** What is beside a page of a list: that there is more, and how to get it. */
export function pageWords(
  { total, nextCursor }: { total: number; nextCursor: string | null },
  shown: number,
): string[] {
  return nextCursor === null ? [] : [`${shown} of ${total}; more: --cursor ${nextCursor}`];
}
