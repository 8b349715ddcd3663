/**
 * Globs on folders and branches: bash's, with dotfiles, as picomatch reads them with `dot: true`:
 * `*` and `?` within a segment, `**` as a whole segment for none or many, `[a-z]`, `[!a]`,
 * `[[:digit:]]`, `{a,b}`, `{1..9}`, `@(a|b)`, `(a|b)`, `?(a)`, `+(a)`, `*(a)`, `\` before punctuation.
 * A glob is the whole path: `**\/http-proxy*` is `/srv/http-proxy` and not a folder below it, which
 * `**\/http-proxy*\/**` is. Different from picomatch on purpose: matching is linear in the path,
 * `{1..10}` are ten numbers, parentheses without `|` stand for themselves (`Program Files (x86)`),
 * `!(…)` is refused (a scope lists `!glob` instead), and what has no closing bracket is an error.
 */
import {
  exactly,
  literal,
  type Matcher,
  matcherOf,
  type Pattern,
  repeated,
  type Steps,
  spendOn,
} from './automaton.js';
import { rangeOf, setOf } from './glob-sets.js';

export interface Glob {
  /** `!glob`: takes out of what the others of the list match. */
  excludes: boolean;
  /** Of the glob without its `!`. `path`: see `folderOf`; a branch as it is. */
  test(path: string, ignoreCase?: boolean, steps?: Steps): boolean;
  /** Upper bound of what one character of a path costs. */
  states: number;
}

const MAX_GLOB = 256;
/** Wildcards, braces and groups of one glob. */
const MAX_WILD = 16;
/** 256 characters and a few ranges. */
const MAX_STATES = 1_000;
/** Of the globs of one scope together: 50 with as many characters as most paths have. */
const MAX_STATES_TOGETHER = 3_000;
const SLASH = 47;

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
  const known = lately.get(glob);
  if (known !== undefined) return known;
  const read = glob.length > MAX_GLOB ? tooLong : parse(glob);
  if (lately.size >= MOST_KEPT) lately.clear();
  if (read !== tooLong) lately.set(glob, read);
  return read;
}

/** Whether legal globs are too large together for one scope. */
export function areTooLarge(globs: readonly string[]): boolean {
  const sizes = globs.map((glob) => {
    const read = readGlob(glob);
    return 'problem' in read ? 0 : read.states;
  });
  return sizes.reduce((sum, states) => sum + states, 0) > MAX_STATES_TOGETHER;
}

const tooLong: Read = { problem: `is longer than ${MAX_GLOB} characters` };

function parse(glob: string): Read {
  const plain = plainGlob(glob);
  const excludes = plain.startsWith('!') && !plain.startsWith('!(');
  const text = excludes ? plain.slice(1) : plain;
  const problem = refusal(text);
  if (problem !== null) return { problem };
  const exact = compiled(text);
  if ('problem' in exact) return exact;
  let folded: Matcher | null = null;
  return {
    excludes,
    states: exact.states,
    test(path, ignoreCase = false, steps) {
      if (!ignoreCase) return exact.test(path.normalize('NFC'), steps);
      if (folded === null) {
        const lower = compiled(text.toLowerCase());
        folded = 'problem' in lower ? { states: 0, test: () => false } : lower;
      }
      return folded.test(path.normalize('NFC').toLowerCase(), steps);
    },
  };
}

function refusal(text: string): string | null {
  if (text === '') return 'is empty';
  if (/\p{Cc}/u.test(text)) return 'has control characters';
  if (/(?:^|[/{(,|])\.\.(?:$|[/}),|])/.test(text.replaceAll('\\.', '.')))
    return 'leads up with ".."';
  return null;
}

function compiled(text: string): Matcher | { problem: string } {
  if (!/[\\*?+@!()[\]{}|]/.test(text)) {
    return { states: 1, test: (path, steps) => spendOn(path, steps) && path === text };
  }
  const parser = createParser([...text]);
  const pattern = parser.sequence(0, parser.length, true, true);
  const problem = parser.problem();
  if (problem !== null) return { problem };
  return matcherOf(pattern, 'whole', MAX_STATES) ?? { problem: 'stands for too many paths' };
}

const within: Pattern = { kind: 'one', has: (code) => code !== SLASH };
const slash = exactly('/');
const segment = repeated(within, 0);
const foldersBefore = repeated({ kind: 'all', of: [segment, slash] }, 0);
const foldersAfter = repeated({ kind: 'all', of: [slash, segment] }, 0);
const everything = repeated({ kind: 'one', has: () => true }, 0);

/** Positions are in `glob`; ranges are from (included) to (excluded). */
function createParser(glob: readonly string[]) {
  let problem: string | null = null;
  let wild = 0;

  const fail = (reason: string): void => {
    problem ??= reason;
  };

  /** @param starts, ends whether a path segment begins before the range, and ends after it */
  function sequence(
    from: number,
    to: number,
    starts: boolean,
    ends: boolean,
    isRepeated = false,
  ): Pattern {
    const of: Pattern[] = [];
    let isStart = starts;
    let at = from;
    while (at < to && problem === null) {
      const begin = isStart;
      isStart = glob[at] === '/';
      const globstar = globstarAt(at, from, to, begin, ends);
      if (globstar) {
        wild += 1;
        of.push(globstar.pattern);
        at = globstar.next;
        isStart = glob[at - 1] === '/';
        continue;
      }
      const [pattern, next] = piece(at, to, begin, ends, isRepeated);
      of.push(pattern);
      at = next;
    }
    if (wild > MAX_WILD) fail(`has more than ${MAX_WILD} wildcards`);
    return { kind: 'all', of };
  }

  /** `**` as a whole segment, with a slash beside it: `a/**` is `a`, too. */
  function globstarAt(at: number, from: number, to: number, isStart: boolean, ends: boolean) {
    const isEnd = (end: number) => (end === to ? ends : glob[end] === '/');
    if (glob[at] === '/' && isStars(at + 1, to) && glob[at + 3] !== '(' && at + 3 === to && ends) {
      return { pattern: foldersAfter, next: at + 3 };
    }
    if (!isStart || !isStars(at, to) || !isEnd(at + 2)) return null;
    if (at + 2 < to) return { pattern: foldersBefore, next: at + 3 };
    // Alone, or as a branch: `{**,a}`.
    return at === from ? { pattern: everything, next: to } : null;
  }

  const isStars = (at: number, to: number): boolean =>
    at + 2 <= to && glob[at] === '*' && glob[at + 1] === '*';

  function piece(
    at: number,
    to: number,
    isStart: boolean,
    ends: boolean,
    isRepeated: boolean,
  ): [Pattern, number] {
    const character = glob[at] ?? '';
    if (glob[at + 1] === '(' && at + 1 < to && '@?+*!'.includes(character)) {
      return group(at, to, isStart, ends, isRepeated);
    }
    switch (character) {
      case '*': {
        let next = at + 1;
        while (next < to && glob[next] === '*' && glob[next + 1] !== '(') next += 1;
        wild += 1;
        // A segment is never empty.
        const isWhole = isStart && (next === to ? ends : glob[next] === '/');
        return [repeated(within, isWhole ? 1 : 0), next];
      }
      case '?':
        return [within, at + 1];
      case '[':
        return characterClass(at, to);
      case '{':
        return braces(at, to, isStart, ends, isRepeated);
      case '(':
        return alternatives(at, to, isStart, ends, isRepeated);
      case '\\':
        return escaped(at, to);
      default:
        return [exactly(character), at + 1];
    }
  }

  function escaped(at: number, to: number): [Pattern, number] {
    const next = glob[at + 1];
    if (at + 1 >= to || next === undefined || next === '/' || /[\p{L}\p{N}]/u.test(next)) {
      fail('has "\\" before no special character (folders are separated by "/")');
      return [within, to];
    }
    return [exactly(next), at + 2];
  }

  function group(
    at: number,
    to: number,
    isStart: boolean,
    ends: boolean,
    isRepeated: boolean,
  ): [Pattern, number] {
    wild += 1;
    const kind = glob[at] ?? '';
    const parts = partsOf(at + 1, to, '(', ')', '|');
    if (kind === '!') fail('has "!(…)", which is not known here: list "!glob" beside the others');
    else if (parts === null) fail(`has "${kind}(" without ")"`);
    const many = kind === '+' || kind === '*';
    if (many && isRepeated) fail('repeats what is repeated');
    if (parts === null || problem !== null) return [within, to];
    const after = parts.close + 1;
    const isEnd = !many && endsAt(after, to, ends);
    const one = branches(parts.ranges, isStart && !many, isEnd, isRepeated || many);
    const min = kind === '+' || kind === '@' ? 1 : 0;
    return [repeated(one, min, many ? Number.POSITIVE_INFINITY : 1), after];
  }

  function alternatives(
    at: number,
    to: number,
    isStart: boolean,
    ends: boolean,
    isRepeated: boolean,
  ): [Pattern, number] {
    const parts = partsOf(at, to, '(', ')', '|');
    if (parts === null || parts.ranges.length < 2) return [exactly('('), at + 1];
    wild += 1;
    const after = parts.close + 1;
    return [branches(parts.ranges, isStart, endsAt(after, to, ends), isRepeated), after];
  }

  function braces(
    at: number,
    to: number,
    isStart: boolean,
    ends: boolean,
    isRepeated: boolean,
  ): [Pattern, number] {
    const parts = partsOf(at, to, '{', '}', ',');
    if (parts === null) {
      fail('has "{" without "}"');
      return [within, to];
    }
    const after = parts.close + 1;
    if (parts.ranges.length > 1) {
      wild += 1;
      return [branches(parts.ranges, isStart, endsAt(after, to, ends), isRepeated), after];
    }
    const inner = glob.slice(at + 1, parts.close).join('');
    const range = rangeOf(inner);
    if (range === null) return [exactly('{'), at + 1];
    wild += 1;
    if ('problem' in range) {
      fail(range.problem);
      return [within, to];
    }
    return [{ kind: 'any', of: range.words.map(literal) }, after];
  }

  const endsAt = (at: number, to: number, ends: boolean): boolean =>
    at === to ? ends : glob[at] === '/';

  function branches(
    ranges: readonly (readonly [number, number])[],
    isStart: boolean,
    ends: boolean,
    isRepeated: boolean,
  ): Pattern {
    return {
      kind: 'any',
      of: ranges.map(([from, to]) => sequence(from, to, isStart, ends, isRepeated)),
    };
  }

  /** What stands between a bracket and the one that closes it, cut at the separators of its level. */
  function partsOf(at: number, to: number, open: string, close: string, separator: string) {
    const ranges: [number, number][] = [];
    let from = at + 1;
    let depth = 0;
    let others = 0;
    for (let index = at; index < to; index += 1) {
      const character = glob[index] ?? '';
      if (character === '\\') index += 1;
      else if (character === '[') index = (classEnd(index, to) ?? index + 1) - 1;
      else if (character === open) depth += 1;
      else if (character === close) {
        depth -= 1;
        if (depth === 0) return { close: index, ranges: [...ranges, [from, index] as const] };
      } else if ('{('.includes(character)) others += 1;
      else if ('})'.includes(character)) others = Math.max(0, others - 1);
      else if (character === separator && depth === 1 && others === 0) {
        ranges.push([from, index]);
        from = index + 1;
      }
    }
    return null;
  }

  /** The position after the `]`. The first character may be `]` itself. */
  function classEnd(at: number, to: number): number | null {
    let index = at + 1;
    if (glob[index] === '!' || glob[index] === '^') index += 1;
    for (let first = index; index < to; index += 1) {
      const character = glob[index];
      if (character === '\\') index += 1;
      else if (character === '[' && glob[index + 1] === ':') {
        const named = glob.indexOf(']', index);
        if (named > 0 && glob[named - 1] === ':') index = named;
      } else if (character === ']' && index > first) return index + 1;
      else if (character === '/') return null;
      first = Math.min(first, index);
    }
    return null;
  }

  function characterClass(at: number, to: number): [Pattern, number] {
    const end = classEnd(at, to);
    if (end === null) {
      fail('has "[" without "]"');
      return [within, to];
    }
    const not = glob[at + 1] === '!' || glob[at + 1] === '^';
    const set = setOf(glob.slice(at + (not ? 2 : 1), end - 1).join(''));
    if (set === null) {
      fail('has a range in "[…]" that runs backwards, or an unknown name');
      return [within, to];
    }
    return [{ kind: 'one', has: (code) => code !== SLASH && set(code) !== not }, end];
  }

  return { length: glob.length, sequence, problem: () => problem };
}
