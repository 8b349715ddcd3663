/**
 * Globs on folders and branches, translated to RE2: bash's, with dotfiles, as picomatch reads them
 * with `dot: true`: `*` and `?` within a segment, `**` as a whole segment for none or many, `[a-z]`,
 * `[!a]`, `{a,b}`, `\` before punctuation. A glob is the whole path: `**\/http-proxy*` is
 * `/srv/http-proxy` and not a folder below it, which `**\/http-proxy*\/**` is. Different from picomatch on
 * purpose: matching is linear in the path, parentheses stand for themselves (`Program Files (x86)`), and
 * what means something else elsewhere (`@(a|b)`, `{1..9}`) and a missing closing bracket are errors.
 */
import { RE2JS } from 're2js';
import { type Finding, messageOf } from '../shared/errors.js';

export interface Glob {
  /** `!glob`: takes out of what the others of the list match. */
  excludes: boolean;
  /** Of the glob without its `!`. `path`: see `folderOf`; a branch as it is. */
  test(path: string, ignoreCase?: boolean, steps?: Steps): boolean;
  /** Characters of its translation, which is the cost of one character of a path. */
  size: number;
}

const MAX_GLOB = 256;
/** 256 characters and a few ranges. */
const MAX_SIZE = 1_000;
/** Of the globs of one scope together: 50 with as many characters as most paths have. */
const MAX_SIZE_TOGETHER = 3_500;

/** The one spelling of a glob: `C:\code\*\` is `C:/code/*`. Says nothing about whether it is legal. */
export function plainGlob(glob: string): string {
  const [, not = '', text = ''] = /^(!(?!\())?(.*)$/su.exec(glob.trim().normalize('NFC')) ?? [];
  const slashed = /^(?:[a-z]:\\|\\\\[^\\])/i.test(text) ? text.replaceAll('\\', '/') : text;
  const short = slashed
    .replace(/^(?:\.\/+)+(?=.)/, '')
    .replace(/(?<=.)\/{2,}/g, '/')
    .replace(/(?<=[^\\])\/$/, '');
  return not + short;
}

type Read = Glob | { problem: string };
/** Globs read lately: thousands of hints share a few. Forgotten all at once when full. */
const lately = new Map<string, Read>();
const MOST_KEPT = 1_000;

/** @returns the glob, or in words what is wrong with it */
export function readGlob(glob: string): Read {
  if (glob.length > MAX_GLOB) return { problem: `is longer than ${MAX_GLOB} characters` };
  const known = lately.get(glob);
  if (known !== undefined) return known;
  const read = parse(glob);
  if (lately.size >= MOST_KEPT) lately.clear();
  lately.set(glob, read);
  return read;
}

/** Whether legal globs are too large together for one scope. */
export function areTooLarge(globs: readonly string[]): boolean {
  const sizes = globs.map((glob) => {
    const read = readGlob(glob);
    return 'problem' in read ? 0 : read.size;
  });
  return sizes.reduce((sum, size) => sum + size, 0) > MAX_SIZE_TOGETHER;
}

function parse(glob: string): Read {
  const plain = plainGlob(glob);
  const excludes = plain.startsWith('!') && !plain.startsWith('!(');
  const text = excludes ? plain.slice(1) : plain;
  const problem = refusal(text);
  if (problem !== null) return { problem };
  try {
    const source = translated(text);
    if (source.length > MAX_SIZE) return { problem: 'stands for too many paths' };
    const exact = matcherOf(text, source, false);
    const folded = matcherOf(text, source, true);
    return {
      excludes,
      size: source.length,
      test: (path, ignoreCase = false, steps) =>
        (ignoreCase ? folded : exact).test(path.normalize('NFC'), steps),
    };
  } catch (error) {
    if (error instanceof Refused) return { problem: error.message };
    throw error;
  }
}

function refusal(text: string): string | null {
  if (text === '') return 'is empty';
  if (/\p{Cc}/u.test(text)) return 'has control characters';
  if (/(?:^|[/{(,|])\.\.(?:$|[/}),|])/.test(text.replaceAll('\\.', '.')))
    return 'leads up with ".."';
  return null;
}

/** A store has thousands of globs, of which one path contains the words of few: the others cost little. */
function matcherOf(glob: string, source: string, ignoreCase: boolean): Matcher {
  const folded = (text: string) => (ignoreCase ? text.toLowerCase() : text);
  const needed = folded(neededBy(glob));
  const matches = wholeMatcher(source, ignoreCase);
  return {
    test(path, steps) {
      if (!spend(steps, 1 + (path.length >> 1)) || !folded(path).includes(needed)) return false;
      return spend(steps, source.length * path.length) && matches(path);
    },
  };
}

/** The longest text in every path that the glob matches; empty where finding it needs a parser. */
function neededBy(glob: string): string {
  if (/[\\[({]/.test(glob)) return '';
  // A slash beside `**` may be missing in the path.
  const texts = glob.split(/[*?]+/).map((text) => text.replace(/^\/|\/$/g, ''));
  return texts.reduce((longest, text) => (text.length > longest.length ? text : longest), '');
}

class Refused extends Error {}

function refuse(problem: string): never {
  throw new Refused(problem);
}

/** ASCII punctuation but the slash, which RE2 takes as it is when a backslash stands before it. */
const literal = (text: string): string => text.replace(/[!-.:-@[-`{-~]/g, '\\$&');

const UNKNOWN: readonly (readonly [RegExp, string])[] = [
  [/!\(/, 'has "!(…)", which is not known here: list "!glob" beside the others'],
  [/[@?+*]\(|\([^()]*\|/, 'has "(…|…)", which is not known here: write {a,b}'],
  [/\{[^{},]*\.\.[^{},]*\}/, 'has a range in "{…}", which is not known here: list its words'],
  [/\[:/, 'has a named class in "[…]", which is not known here: write a-z'],
];

/** @throws Refused */
function translated(glob: string): string {
  /**
   * Positions are in `glob`, the end excluded.
   * @param starts, ends whether a path segment begins before the range, and ends after it
   */
  function sequence(from: number, to: number, starts: boolean, ends: boolean): string {
    const isEnd = (at: number) => (at === to ? ends : glob[at] === '/');
    const isSegmentStart = () => (at === from ? starts : glob[at - 1] === '/');
    const take = (length: number, pattern: string) => {
      at += length;
      return pattern;
    };
    let source = '';
    let at = from;

    function piece(): string {
      const character = glob[at] ?? '';
      const rest = glob.slice(at, to);
      if (rest === '/**' && ends) return take(3, '(?:/[^/]*)*');
      if (rest.startsWith('**') && isSegmentStart() && isEnd(at + 2)) {
        if (at + 2 < to) return take(3, '(?:[^/]*/)*');
        if (at === from) return take(2, '(?s:.*)');
      }
      const stars = /^\*+/.exec(rest)?.[0].length;
      if (stars !== undefined) {
        const isWhole = isSegmentStart() && isEnd(at + stars);
        // A segment is never empty.
        return take(stars, isWhole ? '[^/]+' : '[^/]*');
      }
      if (character === '?') return take(1, '[^/]');
      if (character === '[') {
        const [whole, not = '', inner = ''] = classAt(at, to) ?? refuse('has "[" without "]"');
        return take(whole.length, setOf(inner, not !== ''));
      }
      if (character === '{') return choice();
      if (character !== '\\') return take(1, literal(character));
      if (!/^\\[^/\p{L}\p{N}]/u.test(rest)) {
        refuse('has "\\" before no special character (folders are separated by "/")');
      }
      return take(2, literal(rest.charAt(1)));
    }

    function choice(): string {
      const { close, ranges } = partsOf(at, to) ?? refuse('has "{" without "}"');
      if (ranges.length === 1) return take(1, '\\{');
      const [isStart, isLast] = [isSegmentStart(), isEnd(close + 1)];
      const branches = ranges.map(([begin, end]) => sequence(begin, end, isStart, isLast));
      return take(close + 1 - at, `(?:${branches.join('|')})`);
    }

    while (at < to) source += piece();
    return source;
  }

  /** What stands between a brace and the one that closes it, cut at the commas of its level. */
  function partsOf(at: number, to: number) {
    const ranges: [number, number][] = [];
    let from = at + 1;
    let depth = 0;
    for (let index = at; index < to; index += 1) {
      const character = glob.charAt(index);
      if (character === '\\') index += 1;
      else if (character === '[') index += (classAt(index, to)?.[0].length ?? 1) - 1;
      else if (character === '{') depth += 1;
      else if (character === ',' && depth === 1) {
        ranges.push([from, index]);
        from = index + 1;
      } else if (character === '}') {
        depth -= 1;
        if (depth === 0) return { close: index, ranges: [...ranges, [from, index] as const] };
      }
    }
    return null;
  }

  function classAt(at: number, to: number): RegExpExecArray | null {
    CLASS.lastIndex = at;
    const found = CLASS.exec(glob);
    return found !== null && at + found[0].length <= to ? found : null;
  }

  const plain = glob.replace(/\\./g, '__');
  const unknown = UNKNOWN.find(([form]) => form.test(plain));
  if (unknown !== undefined) refuse(unknown[1]);
  return sequence(0, glob.length, true, true);
}

/** `[…]` with its negation and what is in it. The first character may be `]` itself. */
const CLASS = /\[([!^]|(?![!^]))((?:\]|\\[^/]|[^\]\\/])(?:\\[^/]|[^\]\\/])*)\]/y;

/** What stands in the brackets of a class, in RE2's syntax and without the slash. @throws Refused */
function setOf(inner: string, isNegated: boolean): string {
  const signs = [...inner.matchAll(/\\(.)|(.)/gsu)].map(([, escaped, plain]) => ({
    sign: escaped ?? plain ?? '',
    isDash: plain === '-',
  }));
  let ranges = '';
  for (let at = 0; at < signs.length; at += 1) {
    const low = signs[at]?.sign ?? '';
    const high = signs[at + 1]?.isDash === true ? signs[at + 2]?.sign : undefined;
    if (high === undefined) {
      ranges += literal(low);
      continue;
    }
    at += 2;
    const [first, last] = [low.codePointAt(0) ?? 0, high.codePointAt(0) ?? 0];
    if (last < first) refuse('has a range in "[…]" that runs backwards');
    const isAcrossSlash = first < 47 && last > 47;
    ranges += isAcrossSlash
      ? `${literal(low)}-\\.0-${literal(high)}`
      : `${literal(low)}-${literal(high)}`;
  }
  return isNegated ? `[^/${ranges}]` : `[${ranges}]`;
}

/** What many tests may cost together: characters of a text times the size of each pattern. */
export interface Steps {
  /** Below 0: a test was given up. */
  left: number;
}

export interface Matcher {
  /** Also `false` when the steps have run out: a caller that passes some checks `steps.left`. */
  test(text: string, steps?: Steps): boolean;
}

const MAX_TEXT = 500;
const MAX_INSTRUCTIONS = 300;
/** Characters of a text that are searched. */
const MAX_SEARCHED = 2_048;

/** @returns whether the steps sufficed */
export function spend(steps: Steps | undefined, cost: number): boolean {
  if (steps === undefined) return true;
  steps.left -= cost;
  return steps.left >= 0;
}

/**
 * The regular expression of a query, in RE2's syntax: no references back and no looking ahead or
 * behind. It is case-sensitive and may match anywhere in the first 2,048 characters of a text. The
 * finding (`regex`) says what is wrong with it.
 */
export function safeRegex(text: string): Matcher | Finding {
  if (text.length > MAX_TEXT) return finding(`is longer than ${MAX_TEXT} characters`);
  // RE2 would read it as the letter k.
  if (text.includes('\\k<')) return finding('has a reference back, which is not supported');
  try {
    const regex = RE2JS.compile(RE2JS.translateRegExp(text));
    const size = regex.programSize();
    if (size > MAX_INSTRUCTIONS) return finding('is too large');
    return {
      test(whole, steps) {
        const searched = whole.slice(0, MAX_SEARCHED);
        return spend(steps, size * searched.length) && regex.test(searched);
      },
    };
  } catch (error) {
    return finding(messageOf(error));
  }
}

const finding = (message: string): Finding => ({ field: 'regex', message });

/** A matcher of whole texts, compiled at its first use. @param source in RE2's syntax */
export function wholeMatcher(source: string, ignoreCase: boolean): (text: string) => boolean {
  let regex: RE2JS | null = null;
  return (text) => {
    regex ??= RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    return regex.testExact(text);
  };
}
