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

/** `2026-11-27 18:00 CET`, in a zone of its own; UTC where it has none. */
export function minuteIn(ms: number, timeZone = 'UTC'): string {
  const format = new Intl.DateTimeFormat('en-GB', { ...MINUTE, timeZone });
  const parts = format.formatToParts(ms);
  const of = (type: Intl.DateTimeFormatPartTypes) =>
    parts.find((part) => part.type === type)?.value ?? '';
  const day = `${of('year')}-${of('month')}-${of('day')}`;
  return `${day} ${of('hour')}:${of('minute')} ${of('timeZoneName')}`;
}

const MINUTE: Intl.DateTimeFormatOptions = {
  ...{ year: 'numeric', month: '2-digit', day: '2-digit' },
  ...{ hour: '2-digit', minute: '2-digit', hourCycle: 'h23', timeZoneName: 'short' },
};

/** Cells as columns, two spaces apart. */
export function aligned(rows: readonly (readonly string[])[]): string {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows
    .map((row) => row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).trimEnd()}…`;
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
