/**
 * What a cosine cannot see: "Add the index" and "Drop the index" are nearly the same sentence to every
 * model measured, nearer than most true re-asks. These rules compare what two intents do, deny, count
 * and name. They only ever forbid a match, and only where both texts say something: English.
 */
import { RecencyCache } from '../shared/recency-cache.js';

/** The word lists of the veto rules. Words are in lower case and in their base form. */

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** What is done to a thing, and what undoes it. A word may stand in several pairs. */
const OPPOSITE_ACTIONS: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [
    set('add create introduce insert include make build implement provision keep restore append'),
    set('remove delete drop destroy erase purge exclude discard eliminate'),
  ],
  [
    set('enable activate allow permit unblock'),
    set('disable deactivate forbid block prohibit deny'),
  ],
  [set('start launch begin resume unpause restart'), set('stop halt kill terminate pause suspend')],
  [set('upgrade'), set('downgrade')],
  [set('encrypt'), set('decrypt')],
  [set('encode serialize marshal'), set('decode deserialize unmarshal')],
  [set('compress zip pack'), set('decompress unzip unpack extract')],
  [set('increase raise enlarge grow extend lengthen'), set('decrease reduce lower shrink shorten')],
  [set('install'), set('uninstall')],
  [set('import upload push'), set('export download pull')],
  [set('upload'), set('download')],
  [set('subscribe'), set('unsubscribe')],
  [set('register'), set('unregister deregister')],
  [set('merge'), set('revert')],
  [set('deploy release publish'), set('revert undeploy unpublish withdraw')],
  [set('commit apply'), set('revert undo')],
  [set('show display reveal'), set('hide conceal')],
  [set('open reopen'), set('close')],
  [set('lock'), set('unlock')],
  [set('mount'), set('unmount')],
  [set('connect attach link'), set('disconnect detach unlink')],
  [set('grant'), set('revoke')],
  [set('accept approve confirm'), set('reject decline refuse')],
  [set('buy purchase'), set('sell')],
  [set('hire'), set('fire dismiss')],
  [set('pin'), set('unpin')],
  [set('freeze'), set('unfreeze thaw')],
  [set('archive'), set('restore unarchive')],
  [set('minimize'), set('maximize')],
  [set('expand'), set('collapse')],
  [set('mute'), set('unmute')],
  [set('follow'), set('unfollow')],
  [set('split'), set('join merge combine')],
  [set('book reserve order'), set('cancel')],
  [set('save'), set('discard delete')],
  [set('lend'), set('borrow')],
  [set('send'), set('receive')],
  [set('login'), set('logout')],
  [set('load'), set('unload')],
  [set('wrap'), set('unwrap')],
  [set('check tick'), set('uncheck untick')],
  [set('mask'), set('unmask')],
];

/**
 * Words that are nouns or adjectives as often as verbs ("at start", "open issues", "the release"):
 * they are actions only where a command stands.
 */
const AMBIGUOUS = set(
  'start stop open close lock show display release import export upload download push pull block pause ' +
    'order book fire link load check lower save restore make build pin archive split order publish commit ' +
    'pack extract apply join check receive send restart mask follow tick kill drop grow keep include ' +
    'login logout wrap mount include lower extend',
);

/** Opposites that describe rather than act; they count between sentences of one build only. */
const OPPOSITE_STATES: readonly (readonly [ReadonlySet<string>, ReadonlySet<string>])[] = [
  [set('succeed pass work'), set('fail break')],
  [set('success'), set('failure')],
  [set('public'), set('private')],
  [set('ascending'), set('descending')],
  [set('before'), set('after')],
  [set('always'), set('never')],
  [set('first'), set('last')],
  [set('next'), set('previous last')],
  [set('client frontend'), set('server backend')],
  [set('read'), set('write')],
  [set('left'), set('right')],
  [set('top'), set('bottom')],
  [set('old'), set('new')],
  [set('input'), set('output')],
  [set('source'), set('target destination')],
  [set('internal'), set('external')],
  [set('sync synchronous'), set('async asynchronous')],
  [set('light'), set('dark')],
  [set('horizontal'), set('vertical')],
  [set('minimum min'), set('maximum max')],
  [set('morning'), set('evening')],
  [set('incoming inbound'), set('outgoing outbound')],
];

/** They turn a verb around: "scale up" and "scale down". */
const OPPOSITE_PARTICLES: readonly (readonly [string, string])[] = [
  ['up', 'down'],
  ['on', 'off'],
  ['in', 'out'],
];

/** Things of which a task means one and not another. */
const ALTERNATIVES: readonly ReadonlySet<string>[] = [
  set('react vue angular svelte solidjs preact ember'),
  set('mysql postgresql sqlite mongodb mariadb oracle dynamodb cassandra redis memcached mssql'),
  set('jest mocha vitest jasmine ava playwright cypress selenium pytest junit'),
  set('npm pnpm yarn bun'),
  set('webpack vite rollup esbuild parcel'),
  set('aws azure gcp heroku vercel netlify cloudflare'),
  set('linux windows macos ubuntu debian'),
  set('android ios'),
  set('javascript typescript python java kotlin golang rust ruby php swift scala'),
  set(
    'english german french spanish italian portuguese polish dutch russian chinese japanese korean',
  ),
  set('monday tuesday wednesday thursday friday saturday sunday'),
  set('january february march april june july august september october november december'),
  set('staging production development'),
  set('chrome firefox safari edge'),
  set('github gitlab bitbucket'),
  set('slack discord telegram whatsapp'),
  set('csv json xml yaml pdf'),
  set('rest graphql grpc'),
  set('kafka rabbitmq sqs nats'),
  set('nginx apache caddy'),
  set('openai anthropic ollama gemini'),
  set('breakfast lunch dinner'),
];

/** One word for what has several. */
const SAME_WORD: ReadonlyMap<string, string> = new Map([
  ['postgres', 'postgresql'],
  ['mongo', 'mongodb'],
  ['k8s', 'kubernetes'],
  ['js', 'javascript'],
  ['ts', 'typescript'],
  ['py', 'python'],
  ['prod', 'production'],
  ['dev', 'development'],
  ['osx', 'macos'],
  ['mac', 'macos'],
  ['yml', 'yaml'],
  ['mon', 'monday'],
  ['tue', 'tuesday'],
  ['wed', 'wednesday'],
  ['thu', 'thursday'],
  ['fri', 'friday'],
  ['removal', 'remove'],
  ['deletion', 'delete'],
  ['creation', 'create'],
  ['activation', 'activate'],
  ['deactivation', 'deactivate'],
  ['encryption', 'encrypt'],
  ['decryption', 'decrypt'],
  ['installation', 'install'],
  ['succeeded', 'succeed'],
  ['success', 'succeed'],
  ['failure', 'fail'],
  ['broken', 'break'],
  ['sold', 'sell'],
  ['bought', 'buy'],
  ['hid', 'hide'],
  ['hidden', 'hide'],
  ['shown', 'show'],
]);

/** Phrases read as one action. */
const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\bget rid of\b/g, 'remove'],
  [/\btake out\b/g, 'remove'],
  [/\b(?:turn|switch)(?:ed)? on\b/g, 'enable'],
  [/\b(?:turn|switch)(?:ed)? off\b/g, 'disable'],
  [/\b(?:turn|switch)(?:ed)? (the |my )?([\w ]{1,20}?) on\b/g, 'enable $1$2'],
  [/\b(?:turn|switch)(?:ed)? (the |my )?([\w ]{1,20}?) off\b/g, 'disable $1$2'],
  [/\bscale (the [\w]+ )?up\b/g, 'increase $1'],
  [/\bscale (the [\w]+ )?down\b/g, 'decrease $1'],
  [/\b(?:roll|rolled) back\b|\brollback\b/g, 'revert'],
  [/\bshut down\b|\bshutdown\b/g, 'stop'],
  [/\b(?:log|sign) (?:in|on)\b/g, 'login'],
  [/\b(?:log|sign) (?:out|off)\b/g, 'logout'],
  [/\bopt in\b/g, 'enable'],
  [/\bopt out\b/g, 'disable'],
  [/\bset up\b/g, 'setup'],
  [/\bback ?up\b/g, 'backup'],
];

/** What denies the word after it. */
const NEGATIONS = set(
  "not don't dont doesn't didn't never without avoid cannot can't won't shouldn't isn't aren't no",
);

/** Words that carry nothing when two sentences are laid side by side. */
const FILLERS = set(
  'a an and are as at be been by can could do does for from had has have how i if into is it its just me my ' +
    'of or our please shall should so some that the their them then there these they this those to us was we ' +
    'were what when which who will would you your need want let make any all also',
);

const NUMBER_WORDS: ReadonlyMap<string, string> = new Map(
  (
    'two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen ' +
    'eighteen nineteen twenty'
  )
    .split(' ')
    .map((word, at) => [word, String(at + 2)]),
);

/** How two readings are laid side by side. */
type Words = ReadonlySet<string>;

/** Words of `a` from one side and of `b` from the other, where neither text has both. */
function contradiction(a: Words, b: Words, one: Words, other: Words): string | null {
  const a1 = firstOf(a, one);
  const a2 = firstOf(a, other);
  // Both or neither, and that is nearly always: the rest need not be looked for.
  if ((a1 === undefined) === (a2 === undefined)) return null;
  const b1 = firstOf(b, one);
  const b2 = firstOf(b, other);
  if (a1 !== undefined && b2 !== undefined && b1 === undefined) return `${a1} / ${b2}`;
  if (a2 !== undefined && b1 !== undefined && b2 === undefined) return `${a2} / ${b1}`;
  return null;
}

function firstOf(words: Words, side: Words): string | undefined {
  for (const word of words) if (side.has(word)) return word;
  return undefined;
}

/** The words that are in the list, too. */
function within(words: Words, list: Words): Set<string> {
  const found = new Set<string>();
  for (const word of words) if (list.has(word)) found.add(word);
  return found;
}

/**
 * What each text names that the other does not; `null` unless both do: a text that says less (or
 * more) is not another task for it.
 */
function leftOver(
  a: Words,
  b: Words,
  readingA?: IntentReading,
  readingB?: IntentReading,
): [Set<string>, Set<string>] | null {
  const onlyA = new Set([...a].filter((name) => !b.has(name) && !isSpoken(name, readingB)));
  const onlyB = new Set([...b].filter((name) => !a.has(name) && !isSpoken(name, readingA)));
  return onlyA.size > 0 && onlyB.size > 0 ? [onlyA, onlyB] : null;
}

/** `getUser`, get_user and "get user" are one name; a name may be written small. */
function isSpoken(name: string, reading: IntentReading | undefined): boolean {
  if (!reading) return false;
  if (reading.words.has(name)) return true;
  const joined = name.replace(/[_.]/g, '');
  return [...reading.names].some((other) => other.replace(/[_.]/g, '') === joined);
}

/** Whether the sentences are built of mostly the same words, so that a difference is the point. */
function sameFrame(a: IntentReading, b: IntentReading): boolean {
  const common = [...a.frame].filter((word) => b.frame.has(word)).length;
  const smaller = Math.min(a.frame.size, b.frame.size);
  return common > 0 && common >= smaller * 0.5;
}

/** `reason` says in words for the user why two similar intents are not one. */
export type Veto = { vetoed: false } | { vetoed: true; reason: string };

const NO_VETO: Veto = { vetoed: false };
const veto = (reason: string): Veto => ({ vetoed: true, reason });
const either = (words: ReadonlySet<string>) => [...words].join(', ');

/** All alternatives: most texts name none of them. */
const THINGS = new Set(ALTERNATIVES.flatMap((words) => [...words]));

const REPAIRS = ['fix', 'repair', 'solve', 'resolve', 'debug', 'investigate'];
const isRepair = (words: ReadonlySet<string>) => REPAIRS.some((word) => words.has(word));

function turnedAround(word: string, one: string, other: string): string {
  if (word.endsWith(`>${one}`)) return word.slice(0, -one.length) + other;
  return word.endsWith(`>${other}`) ? word.slice(0, -other.length) + one : '';
}

/**
 * Whether two similar texts must not be taken for the same task. Symmetric, pure, about 0.03 ms for two
 * sentences, nearly all of it their reading; texts are read up to 2,000 characters.
 */
export function vetoOf(first: string, second: string): Veto {
  const a = readingOf(first);
  const b = readingOf(second);

  const bothAct = a.actions.size > 0 && b.actions.size > 0;
  for (const [one, other] of bothAct ? OPPOSITE_ACTIONS : []) {
    const found = contradiction(a.actions, b.actions, one, other);
    if (found) return veto(`opposite actions: ${found}`);
  }
  // "It cannot be imported" is what "fix the import" is about.
  const told = a.describes !== b.describes;
  const repair = told || isRepair(a.words) !== isRepair(b.words);
  for (const [words, left, negated] of [
    [a.words, a.left, b.negated],
    [b.words, b.left, a.negated],
  ] as const) {
    if (repair) break;
    const denied = [...negated].find((word) => words.has(word) && !left.has(word));
    const inBoth = denied !== undefined && a.negated.has(denied) && b.negated.has(denied);
    if (denied !== undefined && !inBoth) return veto(`one of them says not: ${denied}`);
  }
  for (const swap of a.swaps) {
    const [from, to] = swap.split('>');
    if (b.swaps.has(`${to}>${from}`)) return veto(`opposite directions: ${from}, ${to}`);
  }
  for (const [kind, ofA, ofB] of [
    ['numbers', a.numbers, b.numbers],
    ['quoted texts', a.quoted, b.quoted],
    ['files', a.files, b.files],
  ] as const) {
    const differ = leftOver(ofA, ofB);
    if (differ) return veto(`different ${kind}: ${either(differ[0])} / ${either(differ[1])}`);
  }
  const thingsOfA = within(a.words, THINGS);
  const thingsOfB = thingsOfA.size === 0 ? thingsOfA : within(b.words, THINGS);
  for (const alternatives of thingsOfB.size === 0 ? [] : ALTERNATIVES) {
    const differ = leftOver(within(thingsOfA, alternatives), within(thingsOfB, alternatives));
    if (differ) return veto(`different things: ${either(differ[0])} / ${either(differ[1])}`);
  }
  for (const [one, other] of OPPOSITE_PARTICLES) {
    const turned = [...a.particles].find((word) => b.particles.has(turnedAround(word, one, other)));
    if (turned !== undefined) return veto(`opposites: ${turned.replace('>', ' ')}`);
  }
  if (!sameFrame(a, b)) return NO_VETO;
  for (const [one, other] of told ? [] : OPPOSITE_STATES) {
    const found = contradiction(a.words, b.words, one, other);
    if (found) return veto(`opposites: ${found}`);
  }
  const names = leftOver(a.names, b.names, a, b);
  if (names) return veto(`different names: ${either(names[0])} / ${either(names[1])}`);
  return NO_VETO;
}

/** Reads of an intent what the veto rules compare. */

interface IntentReading {
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

/** One text is compared with many; about 5 KB each. */
const readings = new RecencyCache<string, IntentReading>(500);

function readingOf(text: string): IntentReading {
  const known = readings.get(text);
  if (known !== undefined) return known;
  const reading = readIntent(text);
  readings.set(text, reading);
  return reading;
}

function readIntent(text: string): IntentReading {
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
function baseOf(word: string): string {
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
