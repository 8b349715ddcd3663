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

/** Of what was kept, how many secrets of which kind were taken out. */
export function redactedWords(redacted: readonly { kind: string; count: number }[] = []): string[] {
  return redacted.map(({ kind, count }) => `taken out: ${oneLine(kind)} (${count})`);
}

/** Why it was done less well than usual. */
export function degradedWords(degraded: string | undefined): string[] {
  return degraded === undefined ? [] : [oneLine(degraded)];
}

/**
 * `- old line` and `+ new line`, each with its line number, and a last line that counts them. Lines
 * are compared without their line breaks; blank ones and lines that only moved are left out. Linear.
 */
export function changedLines(before: string, after: string): string {
  const old = before.split(LINE_BREAK);
  const now = after.split(LINE_BREAK);
  const gone = without(old, now);
  const come = without(now, old);
  const lines = inOrder(gone, come);
  return [...lines, `${countedLines(gone)} removed, ${countedLines(come)} added`].join('\n');
}

function countedLines({ length }: readonly Line[]): string {
  return `${length} ${length === 1 ? 'line' : 'lines'}`;
}

const LINE_BREAK = /\r\n|\r|\n/;

interface Line {
  number: number;
  text: string;
}

/** Lines of the first that are not, or not as often, in the second. */
function without(lines: readonly string[], others: readonly string[]): Line[] {
  const counts = new Map<string, number>();
  for (const text of others) counts.set(text, (counts.get(text) ?? 0) + 1);
  const left: Line[] = [];
  for (const [at, text] of lines.entries()) {
    const count = counts.get(text) ?? 0;
    if (count > 0) counts.set(text, count - 1);
    else if (text.trim() !== '') left.push({ number: at + 1, text });
  }
  return left;
}

/** By line number, what goes before what comes: a line and its replacement mostly stand together. */
function inOrder(gone: readonly Line[], come: readonly Line[]): string[] {
  return [
    ...gone.map((line) => ({ ...line, sign: '-' })),
    ...come.map((line) => ({ ...line, sign: '+' })),
  ]
    .sort((a, b) => a.number - b.number)
    .map(({ sign, number, text }) => `${sign} ${number}: ${text}`);
}
