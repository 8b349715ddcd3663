/**
 * The phrases of a sentence that say how long, where and for whom a hint counts: "for two hours", "on
 * branch dev", "on windows", "tagged docker", "priority 8", "for everybody". Pure.
 */
import { FOR_GOOD, type HintMeta, type HintScope } from '../../hints/index.js';
import { SPAN } from './hint-mask.js';

export interface Phrases {
  /** `session` or ISO 8601; absent: not said. */
  ttl?: string;
  tags: string[];
  priority?: number;
  confidence?: number;
  scope: HintScope;
  share: boolean;
}

type Names = (text: string) => string;
type Take = (into: Phrases, groups: string[], restore: Names) => void;

const NUMBERS =
  'an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|sixty|ninety'.split(
    '|',
  );
const VALUES: Readonly<Record<string, number>> = {
  ...{ a: 1, an: 1, one: 1, two: 2, three: 3, four: 4, five: 5, six: 6, seven: 7, eight: 8 },
  ...{ nine: 9, ten: 10, eleven: 11, twelve: 12, fifteen: 15, twenty: 20, thirty: 30 },
  ...{ forty: 40, sixty: 60, ninety: 90 },
};
const UNITS: readonly [RegExp, (count: string) => string][] = [
  [/^s/, (count) => `PT${count}S`],
  [/^mo/, (count) => `P${count}M`],
  [/^m/, (count) => `PT${count}M`],
  [/^h/, (count) => `PT${count}H`],
  [/^d/, (count) => `P${count}D`],
  [/^w/, (count) => `P${count}W`],
  [/^y/, (count) => `P${count}Y`],
];
const COUNT = `(half an?|\\d+(?:\\.\\d+)?|${NUMBERS.join('|')})`;
const UNIT = '(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|weeks?|months?|years?)';
const OS = '(?:windows|win(?:32|64)|linux|mac ?os(?: ?x)?|macs?|os ?x|darwin)';
const AND = '(?:\\s*,\\s*(?:and |or )?|\\s+(?:and|or)\\s+)';
const WORD = `[\\w.*?/@+!{}${SPAN}-]+`;
/** A name does not end with the full stop of the sentence. */
const NAME = `${WORD}(?<![.,!?])`;
/** "dev,main", "dev and main", "dev, main and next"; behind "dev, " alone another phrase may begin. */
const listOf = (one: string) =>
  `(?:${one}, ){0,20}${one},? (?:and|or) ${one}|${one}(?:,${one}){0,20}`;
const LIST = listOf(NAME);
const TAG = `#?[\\p{L}\\p{N}${SPAN}][\\p{L}\\p{N}_.:${SPAN}-]*(?<![.,:])`;
const PATH = `(?:/|[a-z]:[\\\\/]|\\*\\*?/)[^\\s,;()]*(?<![.,!?])`;

const PHRASES: readonly (readonly [string, Take])[] = [
  [
    `for (?:the next |about |at most )?${COUNT}[ -]?${UNIT}`,
    (into, [count = '', unit = '']) => {
      into.ttl = durationOf(count, unit);
    },
  ],
  [
    "(?:for|during|in) (?:this|the(?: current)?|our) session(?: only)?|session[- ]only|until (?:the |a |you )?(?:next )?restart|until (?:the|this) session(?: ends|'s end)|until the end of (?:the|this) session",
    (into) => {
      into.ttl = 'session';
    },
  ],
  [
    'for good|for ?ever|for always|for all time|always|permanently|without (?:an )?end',
    (into) => {
      into.ttl = FOR_GOOD;
    },
  ],
  [
    '(?:with )?(?:a |the )?ttl(?: of)?\\s*[:=]?\\s*(session|P[0-9TYMWDHS.,]{1,40}(?<![.,]))',
    (into, [ttl = '']) => {
      into.ttl = /^session$/i.test(ttl) ? 'session' : ttl.toUpperCase();
    },
  ],
  [
    `(?:on|for|in) (?:the |my |our )?branch(?:es)? (${LIST})`,
    (into, [names = ''], restore) => addTo(into.scope, 'branch', listed(names, restore)),
  ],
  [
    `(?:on|for|in) (?:the |my |our )?(${NAME}) branch(?:es)?`,
    (into, [name = ''], restore) => addTo(into.scope, 'branch', listed(name, restore)),
  ],
  [
    `(?:on|for|under|in) (?:an? |the |my |our )?(${OS}(?:${AND}${OS})*)(?: only| machines?| systems?| hosts?| computers?)?`,
    (into, [names = '']) => {
      const systems = names.split(new RegExp(AND, 'i')).map(systemOf);
      into.scope.os = [...new Set([...(into.scope.os ?? []), ...systems])];
    },
  ],
  [
    `(?:in|for) (?:the )?repo(?:sitory)? (${NAME.replace('[\\w', '[\\w:')})`,
    (into, [name = ''], restore) => {
      into.scope.repo = restore(name);
    },
  ],
  [
    `(?:in|under|inside|below|within) (?:the )?(?:folder |directory |path )?(${PATH})`,
    (into, [path = ''], restore) => addTo(into.scope, 'cwd_glob', [globOf(restore(path))]),
  ],
  [
    '(?:when|if|while|where) \\$?([A-Z_][A-Z0-9_]*) is set',
    (into, [name = '']) => addTo(into.scope, 'env_required', [name]),
  ],
  [
    `(?:when|if|while|where) \\$?([A-Z_][A-Z0-9_]*)(?:\\s*==?\\s*| is | equals )(${NAME})`,
    (into, [name = '', value = ''], restore) => {
      into.scope.env_match = { ...into.scope.env_match, [name]: restore(value) };
    },
  ],
  [
    `(?:tagged(?: as| with)? |with (?:the )?tags? |tags?\\s*[:=]\\s*)(${TAG}(?:, ${TAG})+(?=[\\s.)]*$)|${listOf(TAG)})`,
    (into, [names = ''], restore) => addTags(into, listed(names, restore)),
  ],
  ['#(\\p{L}[\\p{L}\\p{N}_-]{1,49})', (into, [name = '']) => addTags(into, [name])],
  [
    '(?:with |at |of )?(?:a )?priority(?: of)?\\s*[:=]?\\s*(\\d+(?:\\.\\d+)?)',
    (into, [number = '']) => {
      into.priority = Number(number);
    },
  ],
  [
    '(?:with |at |of )?(?:a )?confidence(?: of)?\\s*[:=]?\\s*(\\d+(?:\\.\\d+)?)',
    (into, [number = '']) => {
      into.confidence = Number(number);
    },
  ],
  [
    '(?:for|with) (?:everybody|everyone|all(?: of us)?|the (?:whole |entire )?(?:team|project))|(?:and )?share (?:it|this|that)(?: with (?:everybody|everyone|all(?: of us)?|us|the (?:whole |entire )?(?:team|project)))?',
    (into) => {
      into.share = true;
    },
  ],
];

/** Names of variables are capital; everything else is read in any case. */
const flagsOf = (pattern: string) => (pattern.includes('[A-Z_]') ? 'u' : 'iu');
const END = `(?=$|[\\s.,;:!?)])`;
const BETWEEN = '[\\s,;(]';

interface Rule {
  first: RegExp;
  last: RegExp;
  inside: RegExp;
  take: Take;
}

const RULES: readonly Rule[] = PHRASES.map(([pattern, take]) => {
  const flags = flagsOf(pattern);
  const core = `(?:and |but |only |just )?(?:${pattern})(?: only)?`;
  return {
    first: new RegExp(`^\\(?${core}${END}[\\s,;:).]*`, flags),
    last: new RegExp(`(?<!${BETWEEN})${BETWEEN}{1,10}${core}[\\s).,;!?]{0,10}$`, flags),
    inside: new RegExp(`(?<![^\\s,;(])\\(?${core}${END}\\)?`, flags),
    take,
  };
});

export function noPhrases(): Phrases {
  return { tags: [], scope: {}, share: false };
}

/**
 * Takes the phrases out of a text: those at its beginning and end; with `everywhere` all of them,
 * which is safe only where the value of the hint is no part of the text.
 */
export function takePhrases(
  text: string,
  into: Phrases,
  restore: Names,
  everywhere: boolean,
): string {
  let rest = text.trim();
  for (let round = 0; round < 20; round += 1) {
    const before = rest;
    for (const rule of RULES) {
      for (const kind of ['first', 'last'] as const)
        rest = takeOne(rest, rule, kind, into, restore);
    }
    if (rest !== before || !everywhere) {
      if (rest === before) return rest;
      continue;
    }
    for (const rule of RULES) rest = takeOne(rest, rule, 'inside', into, restore);
    if (rest === before) return rest;
  }
  return rest;
}

function takeOne(
  text: string,
  rule: Rule,
  kind: 'first' | 'last' | 'inside',
  into: Phrases,
  restore: Names,
): string {
  const found = rule[kind].exec(text);
  if (!found) return text;
  rule.take(
    into,
    found.slice(1).map((group) => group ?? ''),
    restore,
  );
  const head = text.slice(0, found.index);
  const tail = text.slice(found.index + found[0].length);
  return `${head.trimEnd()} ${tail.trimStart()}`.trim();
}

export function metaOf({ ttl, tags, priority, confidence, scope, share: _ }: Phrases): HintMeta {
  return {
    ...(ttl === undefined ? {} : { ttl }),
    ...(tags.length === 0 ? {} : { tags }),
    ...(priority === undefined ? {} : { priority }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(Object.keys(scope).length === 0 ? {} : { scope }),
  };
}

function durationOf(count: string, unit: string): string {
  const name = unit.toLowerCase();
  const number = /^half/i.test(count) ? 0.5 : (VALUES[count.toLowerCase()] ?? Number(count));
  const [, iso] = UNITS.find(([start]) => start.test(name)) ?? [];
  return iso?.(String(number)) ?? '';
}

function systemOf(name: string): 'linux' | 'darwin' | 'windows' {
  if (/^win/i.test(name.trim())) return 'windows';
  return /^linux/i.test(name.trim()) ? 'linux' : 'darwin';
}

function listed(names: string, restore: Names): string[] {
  return names
    .split(new RegExp(AND, 'i'))
    .map((name) => restore(name).trim().replace(/^#/, ''))
    .filter((name) => name !== '');
}

/** A folder stands for all that is below it. */
function globOf(path: string): string {
  const slashed = path.replaceAll('\\', '/');
  return /[*?[{]/.test(slashed) ? slashed : `${slashed.replace(/\/+$/, '')}/**`;
}

function addTo(
  scope: HintScope,
  field: 'branch' | 'cwd_glob' | 'env_required',
  names: readonly string[],
): void {
  scope[field] = [...new Set([...(scope[field] ?? []), ...names])];
}

function addTags(into: Phrases, names: readonly string[]): void {
  into.tags = [...new Set([...into.tags, ...names])];
}
