/**
 * What a cosine cannot see: "Add the index" and "Drop the index" are nearly the same sentence to every
 * model measured, nearer than most true re-asks. These rules compare what two intents do, deny, count
 * and name. They only ever forbid a match, and only where both texts say something: English.
 */

import type { IntentReading } from './veto-read.js';
import { readIntent } from './veto-read.js';
import {
  ALTERNATIVES,
  OPPOSITE_ACTIONS,
  OPPOSITE_PARTICLES,
  OPPOSITE_STATES,
} from './veto-words.js';

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
  const a = readIntent(first);
  const b = readIntent(second);

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
