/**
 * Stored text on its way into an offer: data that people and agents wrote at some time, and that
 * stands in a prompt unasked. Built on `safe`, and stricter: an offer quotes in passing, the memory
 * itself can be recalled byte for byte, so here nothing has to survive that could pass for markup,
 * for a line of ours or for a command. Pure.
 */
import { safe } from '../../shared/safe-text.js';
import { analyze } from '../../shared/text.js';

/** A phrase shows a few hundred characters at most; the rest need not be cleaned. */
const MOST_CHARACTERS = 600;
const ESC = '\u001b';
const CSI = '\u009b';
const BELL = '\u0007';
/** Terminal sequences: colours and titles, whole. */
const ANSI = new RegExp(
  `(?:${ESC}\\[|${CSI})[0-?]*[ -/]*[@-~]|${ESC}\\][^${BELL}${ESC}]{0,200}(?:${BELL}|${ESC}\\\\)|${ESC}.`,
  'g',
);
/**
 * What takes no width, and variation selectors (which can carry bytes), private use and halves of
 * characters: unseen by a reader, read by a model.
 */
const HIDDEN =
  /\u034f|[\ufe00-\ufe0f]|[\p{Cf}\p{Co}\p{Cs}\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0]|[\u{e0100}-\u{e01ef}]/gu;
/** ASCII in disguise: full width, small forms, mathematical letters. */
const DISGUISED = /[\uff01-\uff5e\ufe50-\ufe6b\u{1d400}-\u{1d7ff}]/gu;
const STACKED_MARKS = /(\p{M}{3})\p{M}+/gu;
const BREAKS = /[\r\n\u0085\u2028\u2029]+/;
/** What makes a heading, a list, a quotation, a table or a rule of a line. */
const LINE_MARKS = /^(?:\s*(?:[#>*+=~|•-]+(?=\s|$)|-{3,}|={3,}|_{3,}|\*{3,}|~{3,}))+\s*/;

/** Brackets that stay: an index, an empty pair, the `[id]` of a path. Others read as a label or link. */
const BRACKETS =
  /(?<=[\w/.)])\[[\w.$-]{0,30}\](?![([:])|\[\d*\](?![([:])|\[[\w.-]{1,30}\](?=\.[a-z]{1,5}\b)|[[\]]/g;

const REPLACED: readonly (readonly [RegExp, string])[] = [
  // The bracket of a tag, also as an entity or an escape, however often it was escaped.
  [/&(?:amp;)*(?:lt|#0*60|#x0*3c);?|\\u00?3c|\\x3c|%3c|</gi, '‹'],
  [/&(?=(?:amp;)*#x?[0-9a-f]{1,8};?)/gi, '& '],
  [/[【〔〖〘〚⟦❲⦗]/g, '('],
  [/[】〕〗〙〛⟧❳⦘]/g, ')'],
  // The end of a quotation of ours, and the quotes of JSON.
  [/["“”„‟«»]/g, "'"],
  // Fences and headings.
  [/`/g, "'"],
  [/~{3,}/g, '~~'],
  [/#{2,}/g, '#'],
  [/\{(?=%)/g, '{ '],
  // What our own lines are made of.
  [/[→⇒⟶➔➙-➾⮕⇨↦↪►▶]/gu, '->'],
  [/[•‣◦⁃∙●▪▸]/gu, '-'],
  [/⚠/gu, '!'],
  [/[—–―]/g, '-'],
  [/\brecall\s*\(/gi, 'recall: '],
  [/\b(mem|chap|wis|offer)_(?=[0-9a-f-]{8})/gi, '$1 '],
  [/\s+/g, ' '],
];

/**
 * A stored text as one line without anything that a prompt, a renderer or a reader could take for
 * more than words; a few hundred characters at most. May be empty. Repeating it changes nothing.
 */
export function stored(text: string): string {
  const seen = text.replace(ANSI, '').replace(HIDDEN, '');
  const plain = seen
    .replace(DISGUISED, (found) => found.normalize('NFKC'))
    .replace(STACKED_MARKS, '$1')
    .split(BREAKS)
    .map((line) => line.replace(LINE_MARKS, ''))
    .join(' ');
  let line = safe(firstOf(plain.trim(), MOST_CHARACTERS)).replace(BRACKETS, (found) =>
    found === '[' ? '(' : found === ']' ? ')' : found,
  );
  for (const [pattern, by] of REPLACED) line = line.replace(pattern, by);
  return line.replace(LINE_MARKS, '').trim();
}

/** A stored text at any width; cleaned once, however often its length is tried. */
export type Phrase = (width: number) => string;

/** As a phrase inside a sentence of ours: without the full stop; `instead` when there is no word. */
export function phrase(text: string, instead = '(no words)'): Phrase {
  const words = wordsOf(text) || instead;
  return (width) => brief(words, width);
}

/** The same between quotation marks: its own words, from the first on. */
export function quoted(text: string): Phrase {
  const words = wordsOf(text) || '(no words)';
  return (width) => `"${brief(words, width, true)}"`;
}

/** The name of a person or a file: no words are left out of it (see `shorten`). */
export function name(text: string, instead: string): Phrase {
  const words = wordsOf(text) || instead;
  return (width) => shorten(words, width);
}

function wordsOf(text: string): string {
  return stored(text).replace(/[\s.;,:]+$/u, '');
}

/** What stands before a word that was cut off. */
const LOOSE_END = /[\s.;,:([{"'-]+$/u;

/** Roughly what a character costs in tokens, in quarters: letters share one, others do not. */
function widthOf(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  return code < 0x80 ? 1 : code < 0x2e80 ? 2 : 4;
}

/**
 * The text itself when it is at most `width` wide (ASCII 1, other letters 2, ideographs and emoji 4),
 * else its beginning and `…`; between words where one ends near, never inside a character.
 */
export function shorten(text: string, width: number): string {
  let used = 0;
  let cut = 0;
  for (const character of text) {
    used += widthOf(character);
    if (used > width) break;
    cut += character.length;
  }
  if (cut === text.length) return text;
  const head = text.slice(0, cut);
  const edge = text.charAt(cut) === ' ' ? cut : head.lastIndexOf(' ');
  const kept = edge > cut * 0.6 ? head.slice(0, edge) : head;
  return `${kept.replace(LOOSE_END, '')}…`;
}

/** What a headline leaves out. In lower case only: `A` names things, too. */
const ARTICLES = new Set(['a', 'an', 'the']);
/** Beside the function words of search: these, too, promise a word that is no longer there. */
const OPEN_ENDED = new Set(
  (
    'after against along among around because before behind below beside between beyond during each ' +
    'every except how instead like near per since so than through toward towards unless until upon ' +
    'via what when where whether which while who whose why within another other'
  ).split(' '),
);
/** Fewest words that are left of a phrase when a name or a bracket at its end is left out whole. */
const FEWEST = 2;

/**
 * The text itself when it is at most `width` wide (as `shorten` measures), else its most telling
 * beginning: without articles, and where that is too long still, whole words and `…`, not ending in
 * a word that leads to another ("Retry with the…"), in the middle of a name of several words or in an
 * open bracket. A single word that is too long is cut.
 *
 * @param verbatim articles stay, because the text is quoted
 */
export function brief(text: string, width: number, verbatim = false): string {
  if (isWithin(text, width)) return text;
  const all = text.split(' ');
  const telling = verbatim ? all : all.filter((word) => !ARTICLES.has(word));
  const short = telling.join(' ');
  if (isWithin(short, width)) return short;
  let end = 0;
  for (let length = 0; end < telling.length; end += 1) {
    length += totalWidth(telling[end] ?? '') + (end === 0 ? 0 : 1);
    if (length > width) break;
  }
  const kept = telling.slice(0, wholeEnd(telling, end));
  if (kept.length === 0) return shorten(short, width);
  return `${kept.join(' ').replace(LOOSE_END, '')}…`;
}

/** Where to cut, at `end` or before it. */
function wholeEnd(words: readonly string[], end: number): number {
  let cut = end;
  const isName = (at: number) => /^\p{Lu}/u.test(words[at] ?? '');
  const isSentenceEnd = (at: number) => /[.!?:;,]$/.test(words[at] ?? '');
  while (cut > FEWEST && isName(cut) && isName(cut - 1) && !isSentenceEnd(cut - 1)) cut -= 1;
  // Where every word is capital, that is no name.
  if (cut === FEWEST) cut = end;
  const opened = words.slice(0, cut).findLastIndex((word) => /^[('‹{]/.test(word));
  const isClosed = words.slice(opened, cut).some((word) => /[)'›}][.,;:]?$/.test(word));
  if (opened >= FEWEST && !isClosed) cut = opened;
  while (cut > 1 && leadsOn(words[cut - 1] ?? '')) cut -= 1;
  return cut;
}

function leadsOn(word: string): boolean {
  return analyze(word).length === 0 || OPEN_ENDED.has(word.toLowerCase());
}

function isWithin(text: string, width: number): boolean {
  return text.length <= width * 2 && totalWidth(text) <= width;
}

function totalWidth(text: string): number {
  let total = 0;
  for (const character of text) total += widthOf(character);
  return total;
}

function firstOf(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}
