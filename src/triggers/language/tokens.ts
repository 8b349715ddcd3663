/**
 * Text → tokens that remember where they stood. Quoted text and code are one opaque token each, so
 * that no schedule is ever read out of a quotation.
 */
import { readCron } from '../cron-fields.js';
import { repaired, repairedUnit } from './spelling.js';

export type TokenKind =
  | 'word'
  | 'number'
  | 'ordinal'
  | 'clock'
  | 'decimal'
  | 'date'
  | 'iso'
  | 'cron'
  | 'quote'
  | 'mark'
  | 'break';

export interface Token {
  kind: TokenKind;
  /** As written. */
  text: string;
  /** Lower case, spelling repaired; for a cron token the expression. */
  low: string;
  start: number;
  end: number;
}

const CRON_FIELD = '(?:[*?]|[0-9A-Za-z]{1,3})(?:[-/,#][*0-9A-Za-z]{1,3}){0,30}';
const CRON = new RegExp(`^(?:${CRON_FIELD} ){4}${CRON_FIELD}(?![\\w*])`);
const SHORTHAND = /^@(?:yearly|annually|monthly|weekly|daily|midnight|hourly)(?!\w)/i;

const PATTERNS: readonly [TokenKind, RegExp][] = [
  [
    'iso',
    /\d{4}-\d{2}-\d{2}(?:[Tt]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,3})?)?(?:[Zz]|[+-]\d{2}:?\d{2})?)?(?!\w)/y,
  ],
  [
    'date',
    /\d{1,2}([/.])\d{1,2}\1(?:\d{4}|\d{2})(?![\w/])|\d{4}\/\d{1,2}\/\d{1,2}(?![\w/])|\d{1,2}\/\d{1,2}(?![\w/])/y,
  ],
  // "21.4. at 19:00"
  ['date', /\d{1,2}\.\d{1,2}\.(?=\s+[a-z\d])/y],
  ['clock', /\d{1,2}:\d{2}(?::\d{2})?(?!\d|:\d)/y],
  ['decimal', /\d{1,4}\.\d{1,2}(?![\d.])/y],
  ['ordinal', /\d{1,2}(?:st|nd|rd|th)(?!\w)/iy],
  ['word', /2(?:mo[a-z]{1,6}|day|nite|night)(?!\w)/iy],
  ['number', /\d+/y],
  ['word', /(?:every|each|at|from|until|till|by)(?=\d)/iy],
  ['word', /[ap]\.\s?m\.?(?!\w)/iy],
  ['word', /[A-Za-z]+(?:\/[A-Za-z][\w+-]*){1,2}(?![\w/])/y],
  ['word', /\p{L}[\p{L}\p{M}\d_]*(?:['’]\p{L}+)*/uy],
];

const UNIT_LETTERS = /[hdmsw](?=\d)/iy;

/** Reads at most the first `limit` characters. Linear in their number. */
export function tokenize(text: string, limit: number): Token[] {
  const source = text.slice(0, limit);
  const tokens: Token[] = [];
  let at = 0;
  while (at < source.length) {
    const char = source.charAt(at);
    if (char === '\n' || char === '\r') {
      if (tokens.at(-1)?.kind !== 'break') tokens.push(token('break', source, at, at + 1));
      at += 1;
      continue;
    }
    if (char <= ' ' || /[\s\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff]/.test(char)) {
      at += 1;
      continue;
    }
    const next = cronAt(source, at, tokens) ?? quoteAt(source, at) ?? patternAt(source, at, tokens);
    tokens.push(next);
    at = next.end;
  }
  return tokens;
}

function token(kind: TokenKind, source: string, start: number, end: number): Token {
  const text = source.slice(start, end);
  return { kind, text, low: text.toLowerCase(), start, end };
}

/** Five fields that are a valid expression and hold at least one `*`; or `@daily` and its like. */
function cronAt(source: string, at: number, before: readonly Token[]): Token | null {
  const char = source.charAt(at);
  const inner = char === '`' ? at + 1 : at;
  if (!/[\d*?@]/.test(source.charAt(inner))) return null;
  const head = source.slice(inner, inner + 200);
  const match = SHORTHAND.exec(head) ?? CRON.exec(head);
  if (!match) return null;
  // "@daily" right after a word is a mention in a sentence, not an order; it must lead or follow ":".
  const expression = match[0];
  if (!expression.startsWith('@') && (!expression.includes('*') || !readCron(expression).ok))
    return null;
  if (expression.startsWith('@') && before.at(-1)?.kind === 'word' && before.at(-1)?.low !== 'cron')
    return null;
  const end = inner + expression.length;
  if (inner !== at && source.charAt(end) !== '`') return null;
  return { ...token('cron', source, at, inner === at ? end : end + 1), low: expression };
}

const CLOSING: Readonly<Record<string, string>> = {
  '"': '"',
  '“': '”',
  '«': '»',
  '`': '`',
  '„': '“',
};

function quoteAt(source: string, at: number): Token | null {
  const char = source.charAt(at);
  // Quoted mail, headings and comments take the whole line.
  const leads = at === 0 || source.charAt(at - 1) === '\n';
  if (leads && (char === '>' || /^(?:#+[ !]|-- |[-*] ?\[[ x]\])/.test(source.slice(at, at + 8)))) {
    const end = source.indexOf('\n', at);
    return token('quote', source, at, end < 0 ? source.length : end);
  }
  if (source.startsWith('```', at)) {
    const end = source.indexOf('```', at + 3);
    return token('quote', source, at, end < 0 ? source.length : end + 3);
  }
  if (char === "'" || char === '‘') {
    // An apostrophe opens a quotation only before a word and when a closing one ends a word.
    if (!/[\p{L}\d]/u.test(source.charAt(at + 1))) return null;
    const closing = /['’](?![\p{L}\d])/u;
    const rest = source.slice(at + 1, at + 400);
    const end = closing.exec(rest);
    return end ? token('quote', source, at, at + 1 + end.index + 1) : null;
  }
  const close = CLOSING[char];
  if (close === undefined) return null;
  const end = source.indexOf(close, at + 1);
  return end < 0 ? null : token('quote', source, at, end + 1);
}

function patternAt(source: string, at: number, before: readonly Token[]): Token {
  // "2h30m": letters that touch a number end where the next number begins.
  const last = before.at(-1);
  if (last?.kind === 'number' && last.end === at) {
    UNIT_LETTERS.lastIndex = at;
    const letters = UNIT_LETTERS.exec(source);
    if (letters) return token('word', source, at, at + letters[0].length);
  }
  for (const [kind, pattern] of PATTERNS) {
    pattern.lastIndex = at;
    const match = pattern.exec(source);
    if (!match) continue;
    const found = token(kind, source, at, at + match[0].length);
    if (kind === 'word') found.low = wordOf(found, before);
    return found;
  }
  const size = (source.codePointAt(at) ?? 0) > 0xffff ? 2 : 1;
  return token('mark', source, at, at + size);
}

function wordOf(found: Token, before: readonly Token[]): string {
  const low = found.low.replaceAll('’', "'");
  if (/^[ap]\.\s?m/.test(low)) return `${low.charAt(0)}m`;
  if (low === 'a' || low === 'p') {
    const last = before.at(-1);
    const touches =
      last !== undefined &&
      last.end === found.start &&
      (last.kind === 'number' || last.kind === 'clock');
    return touches ? `${low}m` : low;
  }
  if (low.includes('/') || low.includes("'")) return low;
  const last = before.at(-1);
  const counted =
    last?.kind === 'number' || (last?.kind === 'word' && /^(?:every|each)$/.test(last.low));
  const unit = counted ? repairedUnit(low) : low;
  return unit === low ? repaired(low) : unit;
}

/** The lower-case word at `index`, '' outside. Quotes answer '' too: nothing matches them. */
export function lowAt(tokens: readonly Token[], index: number): string {
  const found = tokens[index];
  return found === undefined || found.kind === 'quote' ? '' : found.low;
}
