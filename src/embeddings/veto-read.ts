/** Reads of an intent what the veto rules compare. */
import {
  ALTERNATIVES,
  AMBIGUOUS,
  FILLERS,
  NEGATIONS,
  NUMBER_WORDS,
  OPPOSITE_ACTIONS,
  OPPOSITE_STATES,
  PHRASES,
  SAME_WORD,
} from './veto-words.js';

export interface IntentReading {
  /** Base forms of all words, fillers too. */
  words: ReadonlySet<string>;
  /** Words that say what is to be done. */
  actions: ReadonlySet<string>;
  /** Words right behind a negation. */
  negated: ReadonlySet<string>;
  /** Words behind "from": what is left, as what is denied may be. */
  left: ReadonlySet<string>;
  /** `word>in`, `word>out`: particles with the word that they belong to. */
  particles: ReadonlySet<string>;
  /** Whether it tells how things are: what it denies is what is wrong, not what is not wanted. */
  describes: boolean;
  /** `x>y` for "x to y". */
  swaps: ReadonlySet<string>;
  numbers: ReadonlySet<string>;
  quoted: ReadonlySet<string>;
  /** Last parts of paths. */
  files: ReadonlySet<string>;
  /** Proper names and identifiers, in lower case. */
  names: ReadonlySet<string>;
  /** Content words that are none of the above: the build of the sentence. */
  frame: ReadonlySet<string>;
}

const MAX_CHARACTERS = 2_000;
const QUOTED = /"([^"\n]{1,80})"|`([^`\n]{1,80})`|“([^”\n]{1,80})”|(?<!\w)'([^'\n]{1,80})'(?!\w)/g;
const FILE =
  /(?:[\w.@-]*[\\/])+[\w.@-]+|\b[\w-]+\.(?:[cm]?[jt]sx?|py|rb|go|rs|java|kt|php|cs|cpp|c|h|css|scss|html|vue|svelte|json|ya?ml|toml|md|txt|sql|sh|env|csv|pdf|docx?|xlsx?|png|jpe?g)\b/gi;
const NUMBER =
  /(?<![\w.#-])[v#]?(\d+(?:[.,]\d+)*)(?:st|nd|rd|th)?(?=$|[^\w.]|\.(?:\s|$)|(?:ms|s|m|h|kb|mb|gb|tb|k|px|%)\b)/gi;
const IDENTIFIER =
  /\b(?:[a-z]+[a-z0-9]*(?:[A-Z][a-zA-Z0-9]*)+|[A-Za-z]\w*_\w+|[a-z]\w+\.[a-z]\w+)\b/g;
/** After these a command begins. */
const BEFORE_COMMAND = new Set(
  'please to and then should must can could will let lets help i we you not never now just also or'.split(
    ' ',
  ),
);
const PASSIVE = new Set(['be', 'been', 'being', 'get', 'got', 'is', 'are', 'was', 'were']);
const PARTICLES: ReadonlySet<string> = new Set(['up', 'down', 'on', 'off', 'in', 'out']);
const PLAIN_NEGATION: ReadonlySet<string> = new Set(['instead', 'rather']);

const ACTIONS = new Set(OPPOSITE_ACTIONS.flatMap(([one, other]) => [...one, ...other]));
const LISTED = new Set([
  ...ACTIONS,
  ...OPPOSITE_STATES.flatMap(([one, other]) => [...one, ...other]),
  ...ALTERNATIVES.flatMap((words) => [...words]),
]);

export function readIntent(text: string): IntentReading {
  let rest = text.slice(0, MAX_CHARACTERS).normalize('NFKC').replace(/[’‘]/g, "'");
  const take = (pattern: RegExp, into: Set<string>, value: (match: RegExpExecArray) => string) => {
    for (const match of rest.matchAll(pattern)) into.add(value(match).toLowerCase());
    rest = rest.replace(pattern, ' ');
  };
  const quoted = new Set<string>();
  const files = new Set<string>();
  const names = new Set<string>();
  const numbers = new Set<string>();
  take(QUOTED, quoted, (match) => match[1] ?? match[2] ?? match[3] ?? match[4] ?? '');
  take(FILE, files, (match) => match[0].split(/[\\/]/).at(-1) ?? '');
  for (const [identifier] of rest.matchAll(IDENTIFIER)) names.add(identifier.toLowerCase());
  for (const name of properNames(rest)) names.add(name);
  for (const match of rest.matchAll(NUMBER)) numbers.add(plainNumber(match[1] ?? ''));

  let spoken = rest.toLowerCase();
  for (const [phrase, action] of PHRASES) spoken = spoken.replace(phrase, action);
  const tokens = spoken.match(/[\p{L}\p{N}_]+(?:[.'_-][\p{L}\p{N}]+)*|[,;:.!?]/gu) ?? [];
  const reading = readTokens(tokens, numbers);
  const frame = new Set(
    [...reading.words].filter(
      (word) => !FILLERS.has(word) && !names.has(word) && !numbers.has(word) && word.length > 1,
    ),
  );
  return { ...reading, numbers, quoted, files, names, frame, describes: describes(spoken) };
}

const SUBJECT =
  /^\W*(?:the|a|an|our|my|your|this|that|these|some|all|it|we|they|i|he|she|users?)\b/;
const PLURAL_SUBJECT =
  /^\W*(?!(?:always|sometimes|perhaps|besides|afterwards|does|has|was|alias|bias)\b)[a-z]{3,}[^sui\W]s\b(?! ?[:,])/;
/** What is wanted rather than told, whoever is named first. */
const WANTED =
  /\b(?:should|shall|must|let|lets|want|need|needs|ought|please|could|would|'d|'ll|don't want|going to|has to|have to)\b/;

/** "The printer does not work", "invoices show boxes instead of umlauts". */
function describes(spoken: string): boolean {
  return (SUBJECT.test(spoken) || PLURAL_SUBJECT.test(spoken)) && !WANTED.test(spoken);
}

function readTokens(tokens: readonly string[], numbers: Set<string>) {
  const words = new Set<string>();
  const actions = new Set<string>();
  const negated = new Set<string>();
  const swaps = new Set<string>();
  const left = new Set<string>();
  const particles = new Set<string>();
  let previous = '';
  let denies = 0;
  let before: string | null = null;
  for (const token of tokens) {
    if (/^[,;:.!?]$/.test(token)) {
      previous = '';
      denies = 0;
      continue;
    }
    const number = NUMBER_WORDS.get(token);
    if (number !== undefined) numbers.add(number);
    const base = baseOf(token);
    words.add(base);
    const commanded = previous === '' || BEFORE_COMMAND.has(previous);
    const passive = token !== base && PASSIVE.has(previous);
    const described = token !== base && token.endsWith('s');
    if (ACTIONS.has(base) && denies === 0 && !described) {
      if (commanded || passive || (token === base && !AMBIGUOUS.has(base))) actions.add(base);
    }
    const startsDenial =
      NEGATIONS.has(token) ||
      (previous === 'instead' && token === 'of') ||
      (previous === 'rather' && token === 'than');
    if (startsDenial) denies = 3;
    else if (denies > 0 && !FILLERS.has(base) && !PLAIN_NEGATION.has(base)) {
      negated.add(base);
      denies = 0;
    } else if (denies > 0) denies--;
    if (previous === 'from') left.add(base);
    if (PARTICLES.has(token) && previous !== '') particles.add(`${baseOf(previous)}>${token}`);
    if (previous === 'to' && before !== null) swaps.add(`${before}>${base}`);
    if (token === 'to') before = previous === '' ? null : baseOf(previous);
    previous = token;
  }
  for (const word of negated) words.delete(word);
  return { words, actions, negated, swaps, left, particles };
}

/** Capitalised words that do not begin a sentence; none in a text that capitalises everything. */
function properNames(text: string): string[] {
  const words = text.match(/[\p{L}][\p{L}\p{N}]*/gu) ?? [];
  const capital = words.filter((word) => /^\p{Lu}/u.test(word)).length;
  if (words.length > 3 && capital > words.length * 0.6) return [];
  return [...text.matchAll(/(?<![.!?:]\s*|^\s*)(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]+/gu)].map(
    ([name]) => (SAME_WORD.get(name.toLowerCase()) ?? name).toLowerCase(),
  );
}

const plainNumber = (digits: string) => digits.replace(/,/g, '').replace(/(?:\.0+)+$/, '');

/** Base form of the words in our lists; other words lose the endings that grammar adds. */
export function baseOf(word: string): string {
  const same = SAME_WORD.get(word);
  if (same !== undefined) return same;
  const inflected = INFLECTED.get(word);
  if (inflected !== undefined) return inflected;
  if (word.length < 5 || LISTED.has(word)) return word;
  return word
    .replace(/ies$/, 'y')
    .replace(/(sses|shes|ches|xes)$/, (end) => end.slice(0, -2))
    .replace(/(?<![siu])s$/, '')
    .replace(/(?<=\w{3})(?:ing|ed)$/, '')
    .replace(/([bdglmnprt])\1$/, '$1');
}

const INFLECTED: ReadonlyMap<string, string> = new Map(
  [...ACTIONS, 'succeed', 'pass', 'fail', 'work', 'break', 'read', 'write', 'cache', 'use'].flatMap(
    (verb) => inflectionsOf(verb).map((form): [string, string] => [form, verb]),
  ),
);

function inflectionsOf(verb: string): string[] {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  const third = /(?:s|sh|ch|x|z)$/.test(verb) ? `${verb}es` : `${verb}s`;
  const forms = [third, `${stem}ed`, `${stem}ing`];
  const last = verb.at(-1) ?? '';
  if (/[^aeiou][aeiou][bdglmnprt]$/.test(verb)) forms.push(`${verb}${last}ed`, `${verb}${last}ing`);
  if (/[^aeiou]y$/.test(verb)) forms.push(`${verb.slice(0, -1)}ies`, `${verb.slice(0, -1)}ied`);
  return forms;
}
