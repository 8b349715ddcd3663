/**
 * A message with what stands in backticks or quotation marks taken out, so that rules about words
 * read none of it: each piece is one character of the private use area until it is put back. Pure.
 */

/** Somewhat more than the largest value with its message around it. */
const MAX_READ = 20_000;
const MOST_SPANS = 50;
const FIRST = 0xe000;
const PRIVATE = /[\ue000-\uf8ff]/g;
const QUOTED = /"([^"\n]{1,2000})"|“([^”\n]{1,2000})”/g;
/** ` ```bash ` and its kind: what follows on the line names the language. */
const INFO = /^[a-z0-9+#.-]{0,20}[^\S\n]*\n/i;

/** Any one piece, inside of a character class. */
export const SPAN = '\\ue000-\\ue0ff';
const SPANS = new RegExp(`[${SPAN}]`, 'g');

interface Span {
  /** Without its marks. */
  text: string;
  raw: string;
  isCode: boolean;
}

export interface Masked {
  text: string;
  hasCode: boolean;
  /** The piece that a text is, if it is one and nothing else. */
  spanOf(text: string): Span | null;
  /** With the pieces in their place; `raw` with their marks, too. */
  restore(text: string, raw?: 'raw'): string;
}

export function mask(message: string): Masked {
  const spans: Span[] = [];
  const take = (span: Span): string => {
    if (spans.length >= MOST_SPANS) return span.raw;
    spans.push(span);
    return String.fromCharCode(FIRST + spans.length - 1);
  };
  const clean = message.slice(0, MAX_READ).replace(PRIVATE, ' ');
  const text = withoutCode(clean, take).replace(QUOTED, (raw, straight?: string, curly?: string) =>
    take({ text: straight ?? curly ?? '', raw, isCode: false }),
  );
  const at = (one: string) => spans[one.charCodeAt(0) - FIRST];
  return {
    text,
    hasCode: spans.some(({ isCode }) => isCode),
    spanOf: (one) => (one.length === 1 ? (at(one) ?? null) : null),
    restore: (masked, raw) =>
      masked.replace(SPANS, (one) => at(one)?.[raw === 'raw' ? 'raw' : 'text'] ?? ''),
  };
}

/** Code spans and fences as CommonMark has them: as many backticks at the end as at the beginning. */
function withoutCode(text: string, take: (span: Span) => string): string {
  const runs = [...text.matchAll(/`+/g)].map(({ 0: run, index }) => ({ at: index, run }));
  const open = new Set<number>();
  let out = '';
  let from = 0;
  for (let index = 0; index < runs.length; index += 1) {
    const first = runs[index];
    // Lengths of which no other run follows are few, and each is looked for once.
    if (first === undefined || open.has(first.run.length)) continue;
    const closing = runs.findIndex(({ run }, at) => at > index && run.length === first.run.length);
    const last = runs[closing];
    if (last === undefined) {
      open.add(first.run.length);
      continue;
    }
    const end = last.at + last.run.length;
    const inner = text.slice(first.at + first.run.length, last.at);
    const raw = text.slice(first.at, end);
    const code = codeOf(inner, first.run.length);
    out += text.slice(from, first.at);
    out += code === '' ? raw : take({ text: code, raw, isCode: true });
    from = end;
    index = closing;
  }
  return out + text.slice(from);
}

function codeOf(inner: string, marks: number): string {
  if (marks >= 3 && inner.includes('\n')) return inner.replace(INFO, '').replace(/\n$/, '');
  // One space at each end makes room for a backtick.
  const isPadded = /^ [\s\S]* $/.test(inner) && inner.trim() !== '';
  return isPadded ? inner.slice(1, -1) : inner.trim() === '' ? '' : inner;
}
