/**
 * The regular expression of a query: JavaScript's syntax without flags, run in linear time
 * (`automaton.ts`), so that `(a+)+b` is as harmless as `ab`. What cannot be run like that is refused:
 * references back and looking ahead or behind. Pure.
 */

import { type Finding, messageOf } from '../shared/errors.js';
import {
  exactly,
  inRanges,
  isWord,
  type Matcher,
  matcherOf,
  type Pattern,
  repeated,
} from './automaton.js';

const MAX_TEXT = 500;
const MAX_STATES = 300;
/** Of a text, more is not looked at. */
const MAX_LOOKED_AT = 2_048;

type Has = (code: number) => boolean;

/**
 * Whether a text holds a match (of its first 2,048 characters), case-sensitive. The finding
 * (`regex`) says what is wrong: no regular expression, too long, or something that is refused.
 */
export function safeRegex(text: string): Matcher | Finding {
  if (text.length > MAX_TEXT) return finding(`is longer than ${MAX_TEXT} characters`);
  try {
    // Whether it is one at all is the engine's word; it is not run.
    new RegExp(text);
  } catch (error) {
    return finding(messageOf(error));
  }
  const parser = createParser([...text]);
  const pattern = parser.read();
  const refused = parser.refused();
  if (refused !== null) return finding(`${refused} is not known here`);
  const matcher = matcherOf(pattern, 'part', MAX_STATES);
  if (matcher === null) return finding('is too large');
  const { states, test } = matcher;
  return { states, test: (looked, steps) => test(looked.slice(0, MAX_LOOKED_AT), steps) };
}

const finding = (message: string): Finding => ({ field: 'regex', message });

const isDigit: Has = (code) => code >= 48 && code <= 57;
const isSpace: Has = inRanges([
  ...([
    [0x09, 0x0d],
    [0x20, 0x20],
    [0xa0, 0xa0],
    [0x1680, 0x1680],
    [0x2000, 0x200a],
  ] as const),
  ...([
    [0x2028, 0x2029],
    [0x202f, 0x202f],
    [0x205f, 0x205f],
    [0x3000, 0x3000],
    [0xfeff, 0xfeff],
  ] as const),
]);
const not =
  (has: Has): Has =>
  (code) =>
    !has(code);
const anyOf =
  (sets: readonly Has[]): Has =>
  (code) =>
    sets.some((has) => has(code));
const isLineEnd: Has = (code) => code === 10 || code === 13 || code === 0x2028 || code === 0x2029;

const SETS: ReadonlyMap<string, Has> = new Map([
  ['d', isDigit],
  ['D', not(isDigit)],
  ['w', isWord],
  ['W', not(isWord)],
  ['s', isSpace],
  ['S', not(isSpace)],
]);
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['0', 0],
]);

/** Of a text that the engine has accepted. */
function createParser(text: readonly string[]) {
  let at = 0;
  let refused: string | null = null;

  const refuse = (what: string): void => {
    refused ??= what;
    at = text.length;
  };
  const isNext = (word: string): boolean => text.slice(at, at + word.length).join('') === word;

  function alternatives(): Pattern {
    const of = [sequence()];
    while (text[at] === '|') {
      at += 1;
      of.push(sequence());
    }
    return { kind: 'any', of };
  }

  function sequence(): Pattern {
    const of: Pattern[] = [];
    while (at < text.length && text[at] !== '|' && text[at] !== ')') of.push(quantified(term()));
    return { kind: 'all', of };
  }

  function term(): Pattern {
    const character = text[at] ?? '';
    if (character === '(') return group();
    if (character === '[') return { kind: 'one', has: characterClass() };
    if (character === '\\') return escaped();
    at += 1;
    if (character === '^') return { kind: 'at', place: 'start' };
    if (character === '$') return { kind: 'at', place: 'end' };
    if (character === '.') return { kind: 'one', has: not(isLineEnd) };
    return exactly(character);
  }

  function group(): Pattern {
    const look = ['(?=', '(?!', '(?<=', '(?<!'].find(isNext);
    if (look !== undefined) refuse(`"${look}"`);
    else if (isNext('(?:')) at += 3;
    else if (isNext('(?<')) at = text.indexOf('>', at) + 1;
    else if (isNext('(?')) refuse('"(?" with flags');
    else at += 1;
    const inner = alternatives();
    at += 1;
    return inner;
  }

  function quantified(of: Pattern): Pattern {
    const [whole, low = '', comma, high] =
      /^(?:[*+?]|\{(\d+)(?:(,)(\d*))?\})/.exec(text.slice(at, at + 24).join('')) ?? [];
    if (whole === undefined) return of;
    at += whole.length;
    // Lazy or not: the same texts match.
    if (text[at] === '?') at += 1;
    if (whole === '?') return repeated(of, 0, 1);
    if (whole === '*' || whole === '+') return repeated(of, whole === '+' ? 1 : 0);
    const min = Number(low);
    if (comma === undefined) return repeated(of, min, min);
    return repeated(of, min, high === '' ? undefined : Number(high));
  }

  function escaped(): Pattern {
    const next = text[at + 1] ?? '';
    if (next === 'b' || next === 'B') {
      at += 2;
      return { kind: 'at', place: next === 'b' ? 'edge' : 'inside' };
    }
    if (/[1-9k]/.test(next)) refuse('a reference back');
    const found = escapedSet();
    return { kind: 'one', has: typeof found === 'number' ? (code) => code === found : found };
  }

  /** One character or a set, inside and outside of a class. */
  function escapedSet(): number | Has {
    const next = text[at + 1] ?? '';
    const set = SETS.get(next) ?? CONTROLS.get(next);
    if (set !== undefined) {
      at += 2;
      return set;
    }
    const [hex, two, four] =
      /^\\(?:x([\da-f]{2})|u([\da-f]{4}))/i.exec(text.slice(at, at + 6).join('')) ?? [];
    if (hex !== undefined) {
      at += hex.length;
      return Number.parseInt(two ?? four ?? '', 16);
    }
    if (/[\p{L}\p{N}]/u.test(next)) refuse(`"\\${next}"`);
    else at += 2;
    return next.codePointAt(0) ?? 0;
  }

  function characterClass(): Has {
    at += 1;
    const isNegated = text[at] === '^';
    if (isNegated) at += 1;
    const ranges: [number, number][] = [];
    const sets = new Set<Has>();
    while (at < text.length && text[at] !== ']') {
      const low = member();
      if (text[at] !== '-' || text[at + 1] === ']' || typeof low !== 'number') {
        if (typeof low === 'number') ranges.push([low, low]);
        else sets.add(low);
        continue;
      }
      at += 1;
      const high = member();
      // `[a-\d]`: the engine takes the dash as a character.
      if (typeof high === 'number') ranges.push([low, high]);
      else {
        ranges.push([low, low], [45, 45]);
        sets.add(high);
      }
    }
    at += 1;
    const has = anyOf([inRanges(ranges), ...sets]);
    return isNegated ? not(has) : has;
  }

  function member(): number | Has {
    if (text[at] === '\\' && text[at + 1] === 'b') {
      at += 2;
      return 8;
    }
    if (text[at] === '\\') return escapedSet();
    at += 1;
    return text[at - 1]?.codePointAt(0) ?? 0;
  }

  return { read: alternatives, refused: () => refused };
}
