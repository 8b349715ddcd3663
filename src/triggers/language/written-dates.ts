/** Dates written with their month: "March 3rd", "2026-12-24", "24/12/2026". */
import { en } from 'chrono-node';
import { type Read, readInteger, readOrdinal } from './amounts.js';
import type { DayRef } from './facts.js';
import { lowAt, type Token } from './tokens.js';
import { type DayPart, MONTHS } from './words.js';

/** A day, with the part of it where one word says both ("tonight"). */
export type FoundDay = DayRef & { part?: DayPart };
export const dayOf = ({ part: _part, ...day }: FoundDay): DayRef => day as DayRef;
export const partOf = (found: FoundDay): { part?: DayPart } =>
  found.part ? { part: found.part } : {};

export function found(value: FoundDay, to: number): Read<FoundDay> {
  return { value, to };
}

/** A day that has to be asked for. */
export function ask(question: string): FoundDay {
  return { type: 'ask', question };
}

/** Dates with a month in them, in letters or figures. */
export function readWrittenDate(
  tokens: readonly Token[],
  index: number,
  introduced: boolean,
): Read<FoundDay> | null {
  const here = tokens[index];
  if (!here) return null;
  if (here.kind === 'iso') return readIso(here.text, index + 1);
  if (here.kind === 'date') return readFigures(here.text, index + 1, introduced);
  return readMonthName(tokens, index);
}

function readIso(text: string, to: number): Read<FoundDay> | null {
  const [year = 0, month = 0, day = 0] = text.slice(0, 10).split('-').map(Number);
  if (!isDate(year, month, day)) return null;
  if (text.length <= 10) return found({ type: 'date', year, month, day }, to);
  return Number.isNaN(Date.parse(/[zZ]|[+-]\d{2}:?\d{2}$/.test(text) ? text : `${text}Z`))
    ? null
    : found({ type: 'instant', iso: text.toUpperCase() }, to);
}

/** Which of day and month comes first is a matter of country: where both could be either, ask. */
function readFigures(text: string, to: number, introduced: boolean): Read<FoundDay> | null {
  const numbers = text.split(/[/.]/).map(Number);
  const [a = 0, b = 0, c] = numbers;
  if (text.length > 7 && a > 1000)
    return isDate(a, b, c ?? 0)
      ? found({ type: 'date', year: a, month: b, day: c ?? 0 }, to)
      : null;
  if (c === undefined && !introduced) return null;
  const year = c === undefined ? {} : { year: c < 100 ? 2000 + c : c };
  const checkYear = year.year ?? 2024;
  const dayFirst = isDate(checkYear, b, a);
  const monthFirst = isDate(checkYear, a, b);
  if (text.includes('.'))
    return dayFirst ? found({ type: 'date', ...year, month: b, day: a }, to) : null;
  if (dayFirst && monthFirst && a !== b) {
    return found(ask(`Is ${text} day/month or month/day? Please write the month as a word.`), to);
  }
  if (dayFirst) return found({ type: 'date', ...year, month: b, day: a }, to);
  return monthFirst ? found({ type: 'date', ...year, month: a, day: b }, to) : null;
}

/**
 * "March 3rd", "3rd of March, 2027", "Dec. 24": chrono reads them. It is given only the words that can
 * be part of a date, and only what it is certain of is used: its guesses depend on the machine's zone.
 */
function readMonthName(tokens: readonly Token[], index: number): Read<FoundDay> | null {
  const at = lowAt(tokens, index) === 'the' ? index + 1 : index;
  const starts =
    isMonth(tokens, at) || readOrdinal(tokens, at) !== null || readInteger(tokens, at) !== null;
  if (!starts) return null;
  let to = at;
  let months = 0;
  while (to < at + 7 && isDateWord(tokens, to)) {
    if (isMonth(tokens, to)) months += 1;
    if (months > 1) break;
    to += 1;
  }
  if (months === 0) return null;
  // Longest first, so that "March 3 9am" leaves the 9 alone.
  for (let tries = 0; to > at + 1 && tries < 4; to -= 1) {
    if (/^(?:of|[,.-])$/.test(lowAt(tokens, to - 1))) continue;
    tries += 1;
    const words = tokens
      .slice(at, to)
      .map((token) => token.low)
      .join(' ')
      .replaceAll(' .', '.')
      .replaceAll(' ,', ',');
    const date = dateOfWords(words);
    if (date) return found(date, to);
  }
  return null;
}

const REFERENCE = new Date(Date.UTC(2024, 0, 1, 12));
const MAX_REMEMBERED = 500;
/** chrono takes a tenth of a millisecond; a text of nothing but dates must not take a second. */
const remembered = new Map<string, FoundDay | null>();

function dateOfWords(words: string): FoundDay | null {
  const known = remembered.get(words);
  if (known !== undefined) return known;
  const date = parseDateWords(words);
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(words, date);
  return date;
}

function parseDateWords(words: string): FoundDay | null {
  const [result] = en.strict.parse(words, REFERENCE);
  if (result?.index !== 0 || result.text.length !== words.length || result.end) return null;
  const { start } = result;
  if (!start.isCertain('day') || !start.isCertain('month') || start.isCertain('hour')) return null;
  const month = start.get('month') ?? 0;
  const day = start.get('day') ?? 0;
  const year = start.isCertain('year') ? { year: start.get('year') ?? 0 } : {};
  return isDate(year.year ?? 2024, month, day) ? { type: 'date', ...year, month, day } : null;
}

function isMonth(tokens: readonly Token[], index: number): boolean {
  return Object.hasOwn(MONTHS, lowAt(tokens, index));
}

function isDateWord(tokens: readonly Token[], index: number): boolean {
  const here = tokens[index];
  if (!here) return false;
  if (here.kind === 'number') return here.low.length <= 2 || /^20\d\d$|^19\d\d$/.test(here.low);
  if (here.kind === 'mark') return here.low === ',' || here.low === '.' || here.low === '-';
  return (
    isMonth(tokens, index) ||
    here.low === 'of' ||
    readOrdinal(tokens, index) !== null ||
    readInteger(tokens, index) !== null
  );
}

function isDate(year: number, month: number, day: number): boolean {
  if (month < 1 || month > 12 || day < 1) return false;
  return day <= new Date(Date.UTC(year, month, 0)).getUTCDate();
}
