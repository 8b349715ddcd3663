/**
 * The shape of a task: what is done (the verb), to what kind of thing (the head of its object, not
 * what it is called), and what its files and tags say. "Add /users endpoint" and "Implement an
 * endpoint for invoices" are of one shape; "Add auth tests" and "Add auth caching" are not, for
 * `auth` is what they are about, not what they make. Pure.
 */
import { analyze } from '../../shared/text.js';
import { type Clause, clausesOf } from '../matching/index.js';
import { type Kind, verbOf } from '../matching/vocabulary.js';
import {
  BELONGS,
  conceptOfWord,
  ENDS,
  type FileSigns,
  fileSigns,
  isDependencyWord,
  isForSomething,
  isHollow,
  isUntelling,
  kindOfNoun,
  needsModifier,
  THROUGH,
  type Token,
  tokensOf,
  type Word,
  type WordClass,
  wordOf,
} from './words.js';

/** A kind of thing that a task is done to. */
export interface Head {
  /** Concepts of its words; equal for equal kinds. */
  key: string;
  words: Word[];
  /** 1: the object of the verb; less: read from what it belongs to, or from a tag. */
  weight: number;
  from: 'wording' | 'tag';
  /** Of the clause that names it. */
  verb: Kind | undefined;
  /** As it was written, base form or not. */
  verbWord: string | undefined;
}

export interface Shape {
  heads: Head[];
  /** Task type when it says something (`other` does not). */
  type: string | undefined;
  /** Words before the heads, and all tags. */
  modifiers: Word[];
  tags: Word[];
  /** What kinds of names stand in the goal: a route, a path, a number. */
  names: ReadonlySet<WordClass>;
  files: FileSigns;
  /** Every plain word of the clauses that were read, without the verb. */
  words: Word[];
  /** Stems of the goal without verbs: what tells one task of a shape from another. */
  terms: ReadonlySet<string>;
}

export interface TaskText {
  goal: string;
  taskType?: string | undefined;
  files?: readonly string[] | undefined;
  tags?: readonly string[] | undefined;
}

const MOST_HEADS = 6;
const BELONGING = 0.9;
const TAGGED = 0.8;
const DEPENDENCY = 'dependency upgrade';

/**
 * @param task what was or is to be done
 * @param asked true for a task that begins: only what is asked for counts, not what is told or wondered
 */
export function shapeOf(task: TaskText, asked = false): Shape {
  const type = task.taskType === undefined || task.taskType === 'other' ? undefined : task.taskType;
  const shape: Shape = {
    heads: [],
    type,
    modifiers: [],
    words: [],
    tags: (task.tags ?? []).flatMap((tag) =>
      tag
        .split(/[^\p{L}\p{N}]+/u)
        .filter(Boolean)
        .map(wordOf),
    ),
    names: new Set(),
    files: fileSigns(task.files ?? []),
    terms: new Set(analyze(task.goal).filter((term) => verbOf(term) === undefined)),
  };
  const names = new Set<WordClass>();
  const isQuestion = task.goal.includes('?');
  const clauses = clausesOf(task.goal).filter(({ mode }) =>
    // "Summarize the paper" is a task, too; "what does it do?" is none.
    asked ? mode === 'ask' || mode === 'state' || (mode === 'question' && !isQuestion) : true,
  );
  for (const clause of clauses.slice(0, asked ? 6 : 2)) readClause(clause, shape, names);
  for (const tag of task.tags ?? []) readTag(tag, shape);
  const heads = new Map<string, Head>();
  for (const head of shape.heads) {
    const known = heads.get(head.key);
    if (!known || known.weight < head.weight) heads.set(head.key, head);
  }
  return { ...shape, names, heads: [...heads.values()].slice(0, MOST_HEADS) };
}

/** "I'm starting work on the", "continue with the": what is done to it is not said. */
const WORK_ON =
  /^(?:(?:start|begin|continu|resum|proceed)(?:e|ing|ning)?\s+)?(?:(?:the\s+)?work(?:ing)?\s+on|with)\s+/i;
const INDEFINITE = /^(?:an?|another|one more|some|new)\s/i;

function readClause({ text: whole, mode }: Clause, shape: Shape, names: Set<WordClass>): void {
  const text = whole.replace(WORK_ON, '');
  const isNamed = text !== whole || mode !== 'ask' || shape.type !== undefined;
  const [first = ''] = text.toLowerCase().match(/^[a-z]+/) ?? [];
  const found = text === whole ? verbOf(first) : undefined;
  // "I need a new endpoint" asks for one that is not there.
  const wanted = !found && mode === 'ask' && INDEFINITE.test(text) ? 'add' : undefined;
  // A question that is no command: "why the endpoint fails".
  if (mode === 'question' && !found) return;
  const own = found || wanted !== undefined || text !== whole ? undefined : ownVerb(text, mode);
  if (!found && wanted === undefined && own === undefined && !isNamed) return;
  const kind = found?.kind ?? wanted;
  const tokens = tokensOf(found || own !== undefined ? text.slice(first.length) : text);
  for (const token of tokens) if ('word' in token) shape.words.push(...token.word);
  if (own !== undefined) {
    shape.heads.push({
      key: `${ACT}${own.concept}`,
      words: [own],
      weight: BELONGING,
      from: 'wording',
      verb: undefined,
      verbWord: undefined,
    });
  }
  for (const token of tokens) if ('specific' in token) names.add(token.specific);
  const object = phraseAt(tokens, 0);
  shape.modifiers.push(...object.words.slice(0, -1));
  const head = object.words.at(-1);
  const nounKind = head === undefined ? undefined : kindOfNoun(head.concept);
  const made = kind !== undefined && MAKING.has(kind) ? nounKind : undefined;
  const written = {
    verb: made ?? kind,
    verbWord: found ? first : undefined,
    from: 'wording' as const,
  };
  const say = (words: Word[], weight: number) =>
    shape.heads.push({ key: keyOf(words), words, weight, ...written });

  if (isDependency(kind, first, head, shape, names)) {
    const isSaid = shape.files.parts.has('manifest') || names.has('number');
    const upgrade = { ...wordOf('upgrade'), surface: baseOf(first) };
    shape.heads.push({
      key: DEPENDENCY,
      words: [wordOf('dependency'), upgrade],
      weight: shape.type === 'dependency_update' || isSaid ? 1 : 0.7,
      ...written,
      verb: 'upgrade',
    });
    return;
  }
  for (const words of headsOf(object.words)) {
    // "Document the API" is "write the docs of the API".
    const noun =
      written.verb === 'document' ? 'docs' : written.verb === 'test' ? 'test' : undefined;
    const isOf = noun === undefined || words.some(({ concept }) => kindOfNoun(concept));
    say(isOf ? words : [...words, wordOf(noun)], 1);
  }
  for (const { words, after } of phrasesAfter(tokens, object.end)) {
    const inner = words.at(-1);
    if (inner === undefined || isHollow(inner.concept)) {
      // "the failure of the e2e test" is one of an e2e test.
      if (inner && needsModifier(inner.concept) && after === 'of') {
        for (const named of headsOf(words)) say(named, BELONGING);
      }
    } else if (THROUGH.has(after)) say([inner], TAGGED);
    else if (head !== undefined && isForSomething(head.concept) && BELONGS.has(after)) {
      say(nounKind === undefined ? [inner] : [inner, head], BELONGING);
    }
  }
}

/** Begins the key of a kind of task that its verb names: "decode", "validate", "translate". */
export const ACT = 'to ';

/**
 * The first word as a verb of the project's own: what is asked for, or what stands before a
 * determiner or a plural ("decode HEIC files"; not "checkout page crash", "retention of logs").
 */
function ownVerb(text: string, mode: Clause['mode']): Word | undefined {
  const [, first = '', next = '', rest = ''] = /^([a-z]{3,})\s+(\S+)(.*)$/is.exec(text) ?? [];
  const [token] = tokensOf(first);
  if (!token || !('word' in token) || ENDS.has(next.toLowerCase())) return undefined;
  if (mode === 'ask') return token.word[0];
  if (DETERMINER.test(next)) return token.word[0];
  const object: string[] = [];
  for (const word of `${next}${rest}`.split(/\s+/)) {
    if (ENDS.has(word.toLowerCase()) || DETERMINER.test(word)) break;
    object.push(word.replace(/[,;:.!?]+$/, ''));
  }
  const isPlural = object.some((word) => /[^s]s$/i.test(word));
  return isPlural ? token.word[0] : undefined;
}

const DETERMINER = /^(?:the|an?|all|each|every|our|its)$/i;

/** Verbs of which the noun says what is made: tests are written, docs are updated. */
const MAKING: ReadonlySet<Kind> = new Set<Kind>(['add', 'change', 'document', 'test']);

/** The first phrases after the object, with the preposition before each. */
function phrasesAfter(tokens: readonly Token[], start: number): { words: Word[]; after: string }[] {
  const phrases: { words: Word[]; after: string }[] = [];
  for (let at = start; at < tokens.length && phrases.length < 2; ) {
    const token = tokens[at] as Token;
    if (!('stop' in token)) break;
    const { words, end } = phraseAt(tokens, at + 1);
    phrases.push({ words, after: token.stop });
    at = end;
  }
  return phrases;
}

function isDependency(
  kind: Kind | undefined,
  verb: string,
  head: Word | undefined,
  { type, files }: Shape,
  names: Set<WordClass>,
): boolean {
  if (type === 'dependency_update') return kind !== 'remove' && kind !== 'look';
  if (type !== undefined) return false;
  const isPackage = head !== undefined && isDependencyWord(head.concept);
  const isSaid = files.parts.has('manifest') || isPackage;
  if (kind === 'upgrade') return isSaid || names.has('number') || names.size === 0;
  return isSaid && /^(?:updat|install)/.test(verb) && (isPackage || names.has('number'));
}

/** The words of a noun phrase from here to where it ends, and where that is. */
function phraseAt(tokens: readonly Token[], start: number): { words: Word[]; end: number } {
  const words: Word[] = [];
  let implied: Word | null = null;
  let named = false;
  let at = start;
  for (; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if ('stop' in token) {
      // "set up the", "endpoint: /users".
      if (words.length > 0 || named) break;
    } else if ('specific' in token) {
      named = true;
      if (token.specific === 'route') implied ??= wordOf('endpoint');
      else if (token.tail !== null) implied = token.tail;
    } else words.push(...token.word);
  }
  if (words.length === 0 && implied !== null) words.push(implied);
  while (words.length > 1 && isUntelling((words.at(-1) as Word).concept)) words.pop();
  return { words, end: at };
}

/** Kinds that a phrase names: its last noun, or for a noun that needs it, each word before it. */
function headsOf(words: readonly Word[]): Word[][] {
  const head = words.at(-1);
  if (head === undefined) return [];
  if (!isHollow(head.concept)) return [[head]];
  if (!needsModifier(head.concept)) return [];
  return words
    .slice(0, -1)
    .filter(({ concept }) => !isHollow(concept) && !isUntelling(concept))
    .map((modifier) => [modifier, head]);
}

function readTag(tag: string, shape: Shape): void {
  const words = tag
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map(wordOf);
  for (const head of headsOf(words)) {
    shape.heads.push({
      key: keyOf(head),
      words: head,
      weight: TAGGED,
      from: 'tag',
      verb: shape.heads[0]?.verb,
      verbWord: shape.heads[0]?.verbWord,
    });
  }
}

function keyOf(words: readonly Word[]): string {
  return words.map(({ concept }) => concept).join(' ');
}

/** "upgraded" → "upgrade", "bumping" → "bump": for the name of a pattern. */
function baseOf(verb: string): string {
  const bases = ['upgrade', 'bump', 'update', 'install'];
  return bases.find((base) => conceptOfWord(base) === conceptOfWord(verb)) ?? 'upgrade';
}
