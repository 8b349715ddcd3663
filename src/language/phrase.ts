/**
 * The words of a text in one spelling: numbers as digits, names in full, units in the singular. The
 * grammar is written over `text`; every word remembers where it stood, so that what was read can be
 * taken out of what was written.
 */
import { ordinal } from '../shared/text.js';
import {
  MONTHS,
  ONE_WORDS,
  ORDINALS,
  repaired,
  SPELLINGS,
  TEN_WORDS,
  UNIT_SPELLINGS,
  WEEKDAYS,
} from './words.js';

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
    let next = cronAt(source, at, tokens) ?? quoteAt(source, at) ?? patternAt(source, at, tokens);
    while (isJoined(source, next.end)) {
      const joined = patternAt(source, next.end + 1, tokens);
      next = token(next.kind, source, at, joined.end);
    }
    tokens.push(next);
    at = next.end;
  }
  return tokens;
}

const JOINER = /(?<=[^\0-\x7f\s])[\u200c\u200d](?=[^\0-\x7f\s])/uy;

/** Between emoji, and between the letters of some scripts, a joiner is part of what it joins. */
function isJoined(source: string, at: number): boolean {
  JOINER.lastIndex = at;
  return JOINER.test(source);
}

function token(kind: TokenKind, source: string, start: number, end: number): Token {
  const text = source.slice(start, end);
  return { kind, text, low: text.toLowerCase(), start, end };
}

/** Five fields that hold at least one `*`, valid or not; or `@daily` and its like. */
function cronAt(source: string, at: number, before: readonly Token[]): Token | null {
  const char = source.charAt(at);
  const inner = char === '`' ? at + 1 : at;
  if (!/[\d*?@]/.test(source.charAt(inner))) return null;
  const head = source.slice(inner, inner + 200);
  const match = SHORTHAND.exec(head) ?? CRON.exec(head);
  if (!match) return null;
  // "@daily" right after a word is a mention in a sentence, not an order; it must lead or follow ":".
  const expression = match[0];
  if (!expression.startsWith('@') && !expression.includes('*')) return null;
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
  return repaired(low);
}

/** The lower-case word at `index`, '' outside. Quotes answer '' too: nothing matches them. */
export function lowAt(tokens: readonly Token[], index: number): string {
  const found = tokens[index];
  return found === undefined || found.kind === 'quote' ? '' : found.low;
}

export interface Phrase {
  words: readonly Token[];
  /** The words, joined by single spaces. */
  text: string;
  /** Where each word begins in `text`; one more for its end. */
  offsets: readonly number[];
  /** From the end of a word in `text` to the index of the word behind it. */
  ends: ReadonlyMap<number, number>;
}

/** What a reader found, and the index of the first word behind it. */
export interface Read<T> {
  value: T;
  to: number;
}

/** Texts are read to here. */
const READ_LIMIT = 2_000;
const WORD_LIMIT = 400;

export function phraseOf(text: string): Phrase {
  return phraseOfWords(normalised(tokenize(text, READ_LIMIT)).slice(0, WORD_LIMIT));
}

export function phraseOfWords(words: readonly Token[]): Phrase {
  const offsets: number[] = [];
  const ends = new Map<number, number>();
  let at = 0;
  words.forEach((word, index) => {
    offsets.push(at);
    ends.set(at + word.low.length, index + 1);
    at += word.low.length + 1;
  });
  offsets.push(at);
  return { words, text: words.map((word) => word.low).join(' '), offsets, ends };
}

/** A pattern over whole words, to be matched at one of them. */
export function pattern(source: string): RegExp {
  return new RegExp(`${source}(?= |$)`, 'y');
}

/** `at` matched at word `index`; `null` when it does not match there or ends inside a word. */
export function match(
  phrase: Phrase,
  index: number,
  at: RegExp,
): { groups: RegExpExecArray; to: number } | null {
  const offset = phrase.offsets[index];
  if (offset === undefined || index >= phrase.words.length) return null;
  at.lastIndex = offset;
  const groups = at.exec(phrase.text);
  if (!groups) return null;
  const to = groups[0] === '' ? index : phrase.ends.get(offset + groups[0].length);
  return to === undefined ? null : { groups, to };
}

/** The word at `index` in its one spelling; '' outside. */
export function wordAt({ words }: Phrase, index: number): string {
  return words[index]?.low ?? '';
}

export function touches({ words }: Phrase, index: number): boolean {
  const here = words[index];
  const before = words[index - 1];
  return here !== undefined && before !== undefined && before.end === here.start;
}

function normalised(tokens: readonly Token[]): Token[] {
  const words: Token[] = [];
  let at = 0;
  while (at < tokens.length) {
    const here = tokens[at];
    if (!here) break;
    const found = numberAt(tokens, at) ??
      splitMeridiem(tokens, at) ?? { low: spelled(tokens, at, words), to: at + 1 };
    const last = tokens[found.to - 1] ?? here;
    const kind = found.to > at + 1 || found.low !== here.low ? kindOf(found.low, here) : here.kind;
    words.push({ ...here, kind, low: found.low, end: last.end });
    at = found.to;
  }
  return words;
}

function kindOf(low: string, here: Token): Token['kind'] {
  if (/^\d+$/.test(low)) return 'number';
  if (/^\d+\.\d+$/.test(low)) return 'decimal';
  if (/^\d+:\d\d$/.test(low)) return 'clock';
  return /^\d+(?:st|nd|rd|th)$/.test(low) ? 'ordinal' : here.kind;
}

/** "nine a m". */
function splitMeridiem(tokens: readonly Token[], at: number): { low: string; to: number } | null {
  const low = lowOf(tokens, at);
  if (!/^[ap]$/.test(low) || lowOf(tokens, at + 1) !== 'm' || at === 0) return null;
  const numeric = tokens[at - 1]?.kind === 'number' || ONE_WORDS.has(lowOf(tokens, at - 1));
  return numeric || TEN_WORDS.has(lowOf(tokens, at - 1)) ? { low: `${low}m`, to: at + 2 } : null;
}

const lowOf = (tokens: readonly Token[], index: number): string => tokens[index]?.low ?? '';

/** Numbers, ordinals and clock times in words: "twenty-five", "thirtieth", "six thirty", "twelve oh three". */
function numberAt(tokens: readonly Token[], index: number): { low: string; to: number } | null {
  const ordinal = ordinalAt(tokens, index);
  if (ordinal) return ordinal;
  const first = cardinalAt(tokens, index);
  if (!first) {
    const halves = lowOf(tokens, index) === '1/2' || lowOf(tokens, index) === '½';
    return halves ? { low: '0.5', to: index + 1 } : null;
  }
  let at = first.to;
  if (lowOf(tokens, at) === '-') at += 1;
  const zero = /^(?:oh?|zero)$/.test(lowOf(tokens, at));
  const ones = zero && lowOf(tokens, at + 1) === '-' ? at + 2 : at + 1;
  const second = cardinalAt(tokens, zero ? ones : at);
  const isMinute = second && (zero ? second.value < 10 : second.value >= 10 && second.value < 60);
  const counts = second && UNIT_SPELLINGS[lowOf(tokens, second.to)] !== undefined;
  if (first.value >= 1 && first.value <= 12 && isMinute && !counts) {
    return { low: `${first.value}:${String(second.value).padStart(2, '0')}`, to: second.to };
  }
  return { low: String(first.value), to: first.to };
}

function cardinalAt(tokens: readonly Token[], index: number): { value: number; to: number } | null {
  const small = belowHundred(tokens, index);
  if (!small) return null;
  let { value, to } = small;
  for (const [word, size] of [
    ['hundred', 100],
    ['thousand', 1_000],
  ] as const) {
    if (lowOf(tokens, to) !== word) continue;
    value *= size;
    to += 1;
    const and = lowOf(tokens, to) === 'and' ? to + 1 : to;
    const rest = belowHundred(tokens, and);
    if (rest) {
      value += rest.value;
      to = rest.to;
    }
  }
  return { value, to };
}

function belowHundred(
  tokens: readonly Token[],
  index: number,
): { value: number; to: number } | null {
  const low = lowOf(tokens, index);
  const ten = TEN_WORDS.get(low);
  if (ten === undefined) {
    const one = ONE_WORDS.get(low);
    return one === undefined ? null : { value: one, to: index + 1 };
  }
  const dash = lowOf(tokens, index + 1) === '-' ? 1 : 0;
  const one = ONE_WORDS.get(lowOf(tokens, index + 1 + dash));
  return one !== undefined && one >= 1 && one <= 9
    ? { value: ten + one, to: index + 2 + dash }
    : { value: ten, to: index + 1 };
}

function ordinalAt(tokens: readonly Token[], index: number): { low: string; to: number } | null {
  const low = lowOf(tokens, index);
  const ten = TEN_WORDS.get(low);
  if (ten !== undefined) {
    const dash = lowOf(tokens, index + 1) === '-' ? 1 : 0;
    const one = ORDINALS[lowOf(tokens, index + 1 + dash)];
    const to = index + 2 + dash;
    // "thirty second timer" counts seconds, "the twenty second of June" days.
    const seconds = one === 2 && !/^(?:of|day)$/.test(lowOf(tokens, to)) && !isDated(tokens, index);
    return one === undefined || one > 9 || seconds ? null : { low: ordinal(ten + one), to };
  }
  if (tokens[index]?.kind === 'ordinal')
    return { low: ordinal(Number.parseInt(low, 10)), to: index + 1 };
  const value = ORDINALS[low];
  if (value === undefined) return null;
  const month = lowOf(tokens, lowOf(tokens, index + 1) === 'of' ? index + 2 : index + 1);
  if (value === 2 && !isMonthName(month)) return null;
  return { low: ordinal(value), to: index + 1 };
}

const isDated = (tokens: readonly Token[], index: number): boolean =>
  /^(?:the|on)$/.test(lowOf(tokens, index - 1)) || isMonthName(lowOf(tokens, index - 1));

const isMonthName = (low: string): boolean => Object.hasOwn(MONTHS, SPELLINGS[low] ?? low);

/** Abbreviations that are English words of their own: they are days only beside words of time. */
const DAY_LIKE = /^(?:wed|(?:sat|sun|mon|fri)s?)$/;
const BEFORE_A_DAY =
  /^(?:on|every|each|next|this|and|,|-|to|or|through|thru|until|till|from|starting|other|&|for|of|last|only|\d+|(?:sun|mon|tues|wednes|thurs|fri|satur)days?)$/;
const JOINS_DAYS = /^(?:and|or|to|,|-|&|through|thru)$/;
const BEHIND_A_DAY =
  /^(?:at|@|,|-|morning|afternoon|evening|night|early|late|noon|midday|noontime|lunchtime|to|through|thru|in|\d.*|sat|sun|mon|tue|tues|wed|thu|thur|thurs|fri)$/;

const dayName = (token: Token | undefined): string =>
  SPELLINGS[token?.low ?? ''] ?? token?.low ?? '';
const DAY_JOINER = /^(?:and|or|&|\+|\/)$/;
const touchingBehind = (tokens: readonly Token[], index: number): string =>
  tokens[index]?.end === tokens[index + 1]?.start ? lowOf(tokens, index + 1) : '';

function spelled(tokens: readonly Token[], index: number, before: readonly Token[]): string {
  const here = tokens[index];
  if (!here) return '';
  const { low } = here;
  if (here.kind === 'quote') return '"';
  if (here.kind === 'cron') return '*';
  if (here.kind === 'break') return '\n';
  const last = before.at(-1);
  const next = tokens[index + 1];
  if (DAY_LIKE.test(low) && here.text === low) {
    const listed = JOINS_DAYS.test(last?.low ?? '') && !/day|^\d/.test(before.at(-2)?.low ?? '');
    const ordinal = last?.kind === 'ordinal' || (BEFORE_A_DAY.test(last?.low ?? '') && !listed);
    const joined = DAY_JOINER.test(next?.low ?? '') && /day|^\d/.test(dayName(tokens[index + 2]));
    if (!ordinal && !joined && !BEHIND_A_DAY.test(next?.low ?? '')) return low;
  }
  const touching = last !== undefined && last.end === here.start && /\d$/.test(last.low);
  if (touching && /^[smdw]$/.test(low))
    return { s: 'second', m: 'minute', d: 'day', w: 'week' }[low] ?? low;
  if (low === '+' && !/^\d/.test(touchingBehind(tokens, index))) return 'and';
  // "close the till"
  if (low === 'till' && /^(?:the|an?|my|our|your|his|her|their|this)$/.test(last?.low ?? ''))
    return low;
  const bare = low.replace(/^(today|tomorrow|tonight|\w+day)['’]s$/, '$1');
  return SPELLINGS[bare] ?? UNIT_SPELLINGS[bare] ?? bare;
}

export interface Range {
  from: number;
  to: number;
}

const ABBREVIATED =
  /^(?:mon|tue|tues|wed|thu|thur|thurs|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|mr|mrs|ms|dr|st|no|vs|etc|approx|e|g|i)$/i;

/** Sentences end at . ! ? ; and at line breaks, statements also before the request they lead to. */
export function splitSentences(phrase: Phrase): Range[] {
  const { words } = phrase;
  const ranges: Range[] = [];
  let from = 0;
  for (let index = 0; index < words.length; index += 1) {
    if (!endsSentence(phrase, index)) continue;
    let to = index + 1;
    while (/^[.!?;\n]$/.test(wordAt(phrase, to))) to += 1;
    ranges.push({ from, to });
    from = to;
    index = to - 1;
  }
  if (from < words.length) ranges.push({ from, to: words.length });
  return ranges.flatMap((range) => splitStatement(phrase, range));
}

function endsSentence(phrase: Phrase, index: number): boolean {
  const here = phrase.words[index];
  if (here?.kind === 'break') return !/^[,:]$/.test(wordAt(phrase, index - 1));
  if (here?.kind !== 'mark') return false;
  if (/^[!?;。！？…]$/.test(here.low)) return true;
  if (here.low !== '.') return false;
  const next = phrase.words[index + 1];
  if (next === undefined || next.kind === 'break') return true;
  if (next.start === here.end) return false;
  const before = phrase.words[index - 1]?.text ?? '';
  return !(ABBREVIATED.test(before) && /^\d|^(?:at|and|to|through|,|-)$/.test(next.low));
}

const STATEMENT =
  /^(?:i|i'?m|i'?ve|i'?ll|we|we're|my|our|the|there|there'?s|it|it'?s|he|she|they|this|that|you)$/;
const REQUEST =
  /^(?:(?:so|and|but|then|please|,) )*(?:(?:remind|ping|notify|alert|nudge|wake|tell|text|message|warn|buzz|call) (?:me|us)|(?:can|could|would|will) (?:you|u)|let (?:me|us) know|set (?:an?|my|the) (?:reminder|alarm|timer))(?: |$)/;

/** Where in the range something is asked for. */
export function requestAt(phrase: Phrase, { from, to }: Range): number | null {
  for (let index = from; index < to; index += 1) {
    const start = phrase.offsets[index] ?? 0;
    if (REQUEST.test(phrase.text.slice(start, start + 80))) return index;
  }
  return null;
}

/** What is asked for leans on what is said in front of it. */
const OF_AN_EVENT =
  /(?:^| )(?:before|beforehand|prior|earlier|in advance|ahead|after|(?:that|same) (?:day|morning|afternoon|evening|night))(?: |$)/;
const CLAUSE = /^(?:if|unless|when|whenever|what|in case) /;
const isOfTime = ({ kind, low }: Token): boolean =>
  /^(?:number|clock|ordinal|date|iso)$/.test(kind) ||
  /^(?:to)?(?:day|night|morrow)$|^noon$/.test(low) ||
  WEEKDAYS[low] !== undefined;
const TOLD = /^\S+ (?:said|says|told|asked|wrote|used to) /;

/** "I have a call at 5, so remind me at 4:45": what is asked for is a sentence of its own. */
function splitStatement(phrase: Phrase, range: Range): Range[] {
  const text = phrase.text.slice(phrase.offsets[range.from], phrase.offsets[range.to]);
  if (TOLD.test(text)) return [range];
  const states = STATEMENT.test(wordAt(phrase, range.from));
  for (let index = range.from + 2; index < range.to - 1; index += 1) {
    if (!/^(?:,|-|so|but|and|\))$/.test(wordAt(phrase, index))) continue;
    const start = phrase.offsets[index + 1] ?? 0;
    const asked = phrase.text.slice(start, phrase.offsets[range.to]);
    const timed =
      !CLAUSE.test(text) &&
      [range.from, index].every((at, half) =>
        phrase.words.slice(at, half === 0 ? index : range.to).some(isOfTime),
      );
    if (REQUEST.test(asked.slice(0, 80)) && (states || timed || OF_AN_EVENT.test(asked))) {
      return [
        { from: range.from, to: index },
        { from: index + 1, to: range.to },
      ];
    }
  }
  return [range];
}
