/** The difference of two texts for people: lines that went and lines that came, in order. Pure. */

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
  return [...lines, `${counted(gone)} removed, ${counted(come)} added`].join('\n');
}

function counted({ length }: readonly Line[]): string {
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
