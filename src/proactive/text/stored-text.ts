/**
 * Stored text on its way into an offer, at the width that there is room for. Pure.
 */
import { safePhrase } from '../../shared/safe-text.js';
import { analyze } from '../../shared/text.js';

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
  return safePhrase(text).replace(/[\s.;,:]+$/u, '');
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
