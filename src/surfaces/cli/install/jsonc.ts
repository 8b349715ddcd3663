/** Which parts of a JSON text are comments, and which commas stand behind a last item. Pure. */

interface Range {
  start: number;
  /** Behind the last character. */
  end: number;
}

const LINE_END = /[\r\n]/g;

interface Found {
  comments: Range[];
  lastCommas: Range[];
}

/** The same text with blanks for comments: all else stays in its place, so do line ends. */
export function withoutComments(text: string): string {
  return blanked(text, found(text).comments);
}

/** The same text as JSON: with blanks for comments and for commas behind a last item. */
export function plainJson(text: string): string {
  const { comments, lastCommas } = found(text);
  const ranges = [...comments, ...lastCommas].sort((one, other) => one.start - other.start);
  return blanked(text, ranges);
}

/** Behind the quote that ends the string which begins at `start`; else the end of the text. */
export function stringEnd(text: string, start: number): number {
  // No regular expression: its stack ends at some millions of characters.
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

function found(text: string): Found {
  const comments: Range[] = [];
  const lastCommas: Range[] = [];
  let comma: number | null = null;
  // One that follows nothing is no comma behind an item.
  let isBehindItem = false;
  for (let at = 0; at < text.length; ) {
    const start = at;
    const end = commentEnd(text, at);
    at = end ?? at + 1;
    if (end !== null) {
      comments.push({ start, end });
      continue;
    }
    switch (text[start]) {
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        continue;
      case ',':
        comma = isBehindItem ? start : null;
        isBehindItem = false;
        continue;
      case ']':
      case '}':
        if (comma !== null) lastCommas.push({ start: comma, end: comma + 1 });
        isBehindItem = true;
        break;
      case '"':
        at = stringEnd(text, start);
        isBehindItem = true;
        break;
      default:
        isBehindItem = text[start] !== '{' && text[start] !== '[';
    }
    comma = null;
  }
  return { comments, lastCommas };
}

/** Behind the comment that begins at `at`, without its line end; `null`: none begins there. */
export function commentEnd(text: string, at: number): number | null {
  if (text[at] !== '/') return null;
  if (text[at + 1] === '/') {
    LINE_END.lastIndex = at;
    return LINE_END.exec(text)?.index ?? text.length;
  }
  if (text[at + 1] !== '*') return null;
  const close = text.indexOf('*/', at + 2);
  return close < 0 ? null : close + 2;
}

/** @param ranges in order */
function blanked(text: string, ranges: readonly Range[]): string {
  let out = '';
  let at = 0;
  for (const { start, end } of ranges) {
    out += text.slice(at, start) + blank(text.slice(start, end));
    at = end;
  }
  return out + text.slice(at);
}

function blank(part: string): string {
  // No quantifier: over a line of megabytes it can overflow the stack.
  const lines = part.split(/([\r\n])/);
  return lines.map((line, place) => (place % 2 === 0 ? ' '.repeat(line.length) : line)).join('');
}
