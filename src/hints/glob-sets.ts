/** What stands in the brackets of a glob: `{1..10}`, `[a-z[:digit:]]`. Pure. */
import { inRanges, isWord } from './automaton.js';

const MAX_RANGE = 100;

/** `1..10` (zeros kept), `a..e`; `null`: no range. */
export function rangeOf(text: string): { words: string[] } | { problem: string } | null {
  const [, first, last] = /^(-?\d{1,9}|[a-z])\.\.(-?\d{1,9}|[a-z])$/iu.exec(text) ?? [];
  if (first === undefined || last === undefined) {
    return /^-?\w+\.\.-?\w+(?:\.\.-?\w+)?$/.test(text)
      ? { problem: `has the range {${text}}, which is not known here` }
      : null;
  }
  const isNumber = /\d$/.test(first);
  if (isNumber !== /\d$/.test(last)) return { problem: `has the range {${text}} of two kinds` };
  const numberOf = (word: string) => (isNumber ? Number(word) : (word.codePointAt(0) ?? 0));
  const [low, high] = [numberOf(first), numberOf(last)].toSorted((a, b) => a - b);
  if (low === undefined || high === undefined) return null;
  if (high - low >= MAX_RANGE) return { problem: `has the range {${text}} of over ${MAX_RANGE}` };
  const isPadded = [first, last].some((word) => /^-?0\d/.test(word));
  const width = isPadded ? Math.max(first.length, last.length) : 0;
  const words = Array.from({ length: high - low + 1 }, (_, index) => {
    const code = low + index;
    return isNumber ? String(code).padStart(width, '0') : String.fromCodePoint(code);
  });
  return { words };
}

const isDigit = (code: number): boolean => code >= 48 && code <= 57;
const isAlpha = (code: number): boolean => isWord(code) && !isDigit(code) && code !== 95;
const NAMED: Readonly<Record<string, (code: number) => boolean>> = {
  alnum: (code) => isAlpha(code) || isDigit(code),
  alpha: isAlpha,
  digit: isDigit,
  lower: (code) => code >= 97 && code <= 122,
  upper: (code) => code >= 65 && code <= 90,
  space: (code) => code === 32 || (code >= 9 && code <= 13),
  punct: (code) => code > 32 && code < 127 && !isAlpha(code) && !isDigit(code),
  word: isWord,
  xdigit: (code) => isDigit(code) || (code >= 97 && code <= 102) || (code >= 65 && code <= 70),
};

/** The set that stands in a bracket, without its negation; `null`: cannot be read. */
export function setOf(inner: string): ((code: number) => boolean) | null {
  const ranges: [number, number][] = [];
  const sets = new Set<(code: number) => boolean>();
  const names = inner.replaceAll(/\[:([a-z]+):\]/g, (_, name: string) => {
    const named = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
    if (named) sets.add(named);
    return named ? '' : '[:';
  });
  if (names.includes('[:')) return null;
  const codes = [...names.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) => ({
    code: (escaped ?? plain ?? '').codePointAt(0) ?? 0,
    isDash: plain === '-',
  }));
  for (let at = 0; at < codes.length; at += 1) {
    const low = codes[at];
    const high = codes[at + 2];
    if (low === undefined) continue;
    if (codes[at + 1]?.isDash !== true || high === undefined) {
      ranges.push([low.code, low.code]);
      continue;
    }
    if (high.code < low.code) return null;
    ranges.push([low.code, high.code]);
    at += 2;
  }
  const all = [inRanges(ranges), ...sets];
  return (code) => all.some((has) => has(code));
}
