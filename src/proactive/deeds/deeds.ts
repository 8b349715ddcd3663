/**
 * What a text says is about to be done to software, or has just failed: "rebuild the proxy", "the tests
 * keep failing", `npm test`. By the grammar of English; what is reported as done, forbidden, put off or
 * only asked about is none. Pure.
 */
import { pathsIn } from '../../shared/path-mentions.js';
import { commandsIn, readCommand } from '../commands.js';
import { reportsProblem } from '../reading/problems.js';
import { partsOf, type Sentence } from '../reading/sentences.js';
import { type Statement, statementsOf } from '../reading/statements.js';
import { DETERMINERS, EMPTY, FINITES, SUBORDINATORS } from '../reading/words.js';
import { deedConcept, isDeed, RUN, STOP } from './concepts.js';
import { weightOf } from './vocabulary.js';

export interface Deed {
  /** As it was said, for people. */
  text: string;
  /** Of what is done: a hint that means one of these is meant. */
  concepts: readonly string[];
  /**
   * Meant instead where a hint means one of them: "run the migration" migrates. What is in both says
   * no more than the verb.
   */
  objects: readonly string[];
  /** Other words of what it is done to, in lower case: of an order, before and behind a preposition. */
  object: readonly string[];
  place: readonly string[];
  /** "Build a page" makes one. */
  isNew: boolean;
  /** Not a failure, and not a command. */
  isOrder: boolean;
}

/** Do something by its noun: "do a build", "get the tests to pass". */
const LIGHT =
  /^(?:do|perform|try|retry|repeat|trigger|kick|get|make|bring|fix|debug|see|check|verify|ensure|confirm|apply|invoke|call|use|finish)$/;
const PLACES =
  /^(?:about|in|into|to|on|onto|at|for|from|within|inside|across|under|over|with|without|using|via|by|of|against|during|through|before|after|until|locally|off|up|down)$/;
/** "Spin it up" starts it, "take it down" stops it. */
const UP = /^(?:spin|bring|fire|stand|boot|put)$/;
const DOWN = /^(?:bring|take|shut|tear)$/;
const INDEFINITE = /^(?:a|an|another|new|some|more)$/;
/** Behind these stands what went wrong, or another clause. */
const BEHIND = /\s(?:with|because|since|after|when|and|but|due to)\s|[:;,"“(]\s?|\s[-–—]\s/i;
/** "X fails when I build it", "check that the tests pass". */
const MEANWHILE =
  /\b(?:when|whenever|while|if|as soon as)(?: (?:i|we|you|they|one))?(?: (?:try|tried|want|start|begin) to)? ([a-z].*)$/i;
const THAT = /^(?:check|verify|ensure|confirm|see|make sure|be sure) (?:that|whether|if) (.+)$/i;
const NEEDED = /^(.{1,100}?) (?:needs? to|ha(?:s|ve) to|must|should) be ([a-z]+)\b/i;
const CLAUSES = /,? (?:and then|and|then|by|;) |, /i;
/** What carries out what the word before it says: "the build step", "the test suite". */
const CARRIER =
  /^(?:suite|step|job|process|pipeline|workflow|script|command|stage|target|task|phase|run|server|service)s?$/;
const FORBIDS = /^(?:please )?(?:do not|don't|never|no need|stop)\b/i;
/** In front of a verb in its base form that is not done. */
const NOT_DONE =
  /^(?:to|not|doesn't|don't|didn't|won't|can't|cannot|couldn't|isn't|aren't|never|even|longer)$/;
const MOST_DEEDS = 4;
const MOST_WORDS = 30;
const MOST_CLAUSES = 6;

const ORDERS: ReadonlySet<Statement['kind']> = new Set<Statement['kind']>([
  'change',
  'investigate',
  'bare',
  'open',
  'how',
]);

/** At most four, in the order in which they are said. */
export function deedsIn(text: string): Deed[] {
  const { sentences, commands } = partsOf(text.replace(/\bwill not\b/gi, "won't"));
  const said = sentences.flatMap(deedsOfSentence);
  return [...said, ...commands.flatMap(deedOfCommand)].slice(0, MOST_DEEDS);
}

/** Of what is about to be run, or just was: a command, or words. */
export function deedsOfAction(action: string): Deed[] {
  const deeds = deedsIn(action);
  if (deeds.length > 0) return deeds;
  const [line = ''] = action.split('\n', 1);
  return deedOfCommand(line);
}

function deedsOfSentence(sentence: Sentence): Deed[] {
  if (FORBIDS.test(sentence.text)) return [];
  const named = commandsIn(sentence.text);
  if (named.length > 0) return named.flatMap(({ text }) => deedOfCommand(text));
  const [first = ''] = wordsIn(sentence.text);
  // "Compiling it gives errors": what goes wrong, not what is wanted.
  if (/ing$/.test(first) && isDeed(first) && reportsProblem(sentence.text, false)) {
    return [failing(sentence.text) ?? []].flat();
  }
  const found = statementsOf(sentence).flatMap(deedsOf);
  if (found.length > 0) return found;
  const parts = sentence.text.split(/[,;]\s+/);
  if (parts.length === 1) return [];
  return parts
    .slice(0, MOST_CLAUSES)
    .flatMap((text) => statementsOf({ ...sentence, text }).flatMap(deedsOf));
}

function deedsOf({ kind, text }: Statement): Deed[] {
  if (FORBIDS.test(text)) return [];
  const wrong = reportsProblem(text, false);
  const orders = ORDERS.has(kind) ? orderedIn(text) : kind === 'wish' ? needed(text) : [];
  const during = wrong ? MEANWHILE.exec(text)?.[1] : undefined;
  const failed = wrong ? [failing(text), during === undefined ? null : ordered(during)] : [];
  return [...orders, ...failed.flatMap((deed) => deed ?? [])];
}

/** "Auth needs to be installed". */
function needed(text: string): Deed[] {
  const [, subject = '', done = ''] = NEEDED.exec(text) ?? [];
  const place = wordsIn(subject).filter((word) => !DETERMINERS.has(word));
  if (!isDeed(done)) return [];
  const concepts = [deedConcept(done)];
  return [{ text, concepts, objects: [], object: [], place, isNew: false, isOrder: false }];
}

/** "Build, test and lint it": the first clause, and each that begins with a deed. */
function orderedIn(text: string): Deed[] {
  const that = THAT.exec(text)?.[1];
  if (that !== undefined) return [failing(that) ?? []].flat();
  return text
    .split(CLAUSES)
    .slice(0, MOST_CLAUSES)
    .flatMap((clause, at) => {
      const [first = ''] = wordsIn(clause);
      return at === 0 || isDeed(first) ? (ordered(clause) ?? []) : [];
    });
}

/** "Run the tests of auth": the verb stands in front. */
function ordered(text: string): Deed | null {
  const [verb = '', ...words] = clauseOf(withoutPaths(text));
  const isUp = UP.test(verb) && words.includes('up');
  const isDown = DOWN.test(verb) && words.includes('down');
  const concept = isUp ? RUN : isDown ? STOP : deedConcept(verb);
  const cut = words.findIndex(
    (word, at) => PLACES.test(word) && !(at === 0 && /^(?:up|down|off)$/.test(word)),
  );
  const object = cut < 0 ? words : words.slice(0, cut);
  const place = cut < 0 ? [] : words.slice(cut + 1);
  const isLight = LIGHT.test(verb) && !isUp && !isDown;
  const doesNoun = isLight || concept === RUN;
  const objects = doesNoun ? object.filter((word) => !DETERMINERS.has(word)) : [];
  if (isLight && !objects.some(isDeed)) return null;
  if (concept === '' || OF_CLAUSE.test(words[0] ?? '')) return null;
  return {
    text,
    concepts: isLight ? [] : [concept],
    objects: [...new Set(objects.map(deedConcept))].filter((each) => each !== ''),
    object: object.filter((word) => !DETERMINERS.has(word)),
    place: place.filter((word) => !DETERMINERS.has(word)),
    isNew: !doesNoun && INDEFINITE.test(object[0] ?? ''),
    isOrder: true,
  };
}

/** "The build of auth fails", "web does not compile". */
function failing(text: string): Deed | null {
  const parts = withoutPaths(text).split(BEHIND);
  const subject = parts.find((part) => reportsProblem(part, true)) ?? parts[0] ?? '';
  const words = wordsIn(subject);
  const at = words.findIndex((word, index) => isDeed(word) && mayFail(words, index));
  const word = words[at];
  if (word === undefined) return null;
  // What stands behind both the deed and its failure says where and how.
  const end = words.findIndex((other, index) => index > at && isFailure(other));
  const others = words
    .slice(0, end < 0 ? words.length : end)
    .filter((other, index) => index !== at && !DETERMINERS.has(other) && !isFailure(other));
  return {
    text,
    concepts: [deedConcept(word)],
    objects: [],
    object: [],
    place: others,
    isNew: false,
    isOrder: false,
  };
}

/** A noun ("the build"), or a verb that is not done ("won't start"); "the building" is a house. */
function mayFail(words: readonly string[], at: number): boolean {
  const word = words[at] ?? '';
  const before = words[at - 1] ?? '';
  if (/ing$/.test(word)) return at === 0;
  if (NOT_DONE.test(before)) return true;
  // "The deploy button": the noun behind it is what is spoken of.
  const after = words[at + 1];
  const isHead =
    after === undefined || AFTER_NOUN.test(after) || FINITES.has(after) || CARRIER.test(after);
  return !/ed$/.test(word) && (isHead || isDeed(after) || isFailure(after));
}

/** `vitest` tests, `eslint` lints. */
const NAMED_FOR = /(?:test|lint)$/;
const ADVERB = /^\p{L}{3,}ly$|^twice$/u;
const AFTER_NOUN =
  /^(?:of|in|on|for|at|from|with|to|keeps?|kept|still|always|often|sometimes|again|now|just|also|does|pass|passes|can|will|\p{L}+(?:ly|n't))$/u;

function isFailure(word: string): boolean {
  return reportsProblem(`x ${word}`, true);
}

/** `npm run lint`, `pytest`. */
function deedOfCommand(text: string): Deed[] {
  const { program, words } = readCommand(text) ?? { program: text.trim(), words: [] };
  if (/\s/.test(program)) return [];
  const spoken = [program, ...words]
    .flatMap((word) => word.split(/[^\p{L}\p{N}]+/u))
    .map((word) => NAMED_FOR.exec(word)?.[0] ?? word);
  const concepts = [...new Set(spoken.filter(isDeed).map(deedConcept))];
  if (concepts.length === 0) return [];
  const others = concepts.length > 1 ? concepts.filter((concept) => concept !== RUN) : concepts;
  return [
    { text, concepts: others, objects: [], object: [], place: [], isNew: false, isOrder: false },
  ];
}

/**
 * Whether a deed is of the project and nothing else: all that it is done to is a word that any project
 * has ("the app", "production") or one that the hint itself has.
 * @param known words of the component and the hint, in lower case
 */
export function isGeneral(words: readonly string[], known: ReadonlySet<string>): boolean {
  return words.every((word) => {
    const concept = deedConcept(word);
    if (concept === '' || isDeed(word) || known.has(word)) return true;
    if (EMPTY.has(word) || CARRIER.test(word) || ADVERB.test(word)) return true;
    return weightOf(concept) < 1;
  });
}

/** "Test whether customers like it": what is tested is said by a clause. */
const OF_CLAUSE = /^(?:whether|if|that|which|what|how|who|whom|whose|where|why)$/;

/** Up to where another clause begins, but for one that is the object. */
function clauseOf(text: string): string[] {
  const [clause = ''] = text.split(/[,;:.!?]\s|\s[-–—]\s/, 1);
  const words = wordsIn(clause);
  const end = words.findIndex((word, at) => at > 1 && (SUBORDINATORS.has(word) || word === 'and'));
  return end < 0 ? words : words.slice(0, end);
}

function wordsIn(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\p{N}][\p{L}\p{N}'’-]*/gu) ?? [];
  return words.slice(0, MOST_WORDS).map((word) => word.replaceAll('’', "'"));
}

function withoutPaths(text: string): string {
  if (!/[./\\]/.test(text)) return text;
  return pathsIn(text).reduce((rest, path) => rest.replaceAll(path, ' '), text);
}
