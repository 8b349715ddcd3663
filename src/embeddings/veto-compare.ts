/** How two readings are laid side by side. */
import type { IntentReading } from './veto-read.js';

type Words = ReadonlySet<string>;

/** Words of `a` from one side and of `b` from the other, where neither text has both. */
export function contradiction(a: Words, b: Words, one: Words, other: Words): string | null {
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
export function within(words: Words, list: Words): Set<string> {
  const found = new Set<string>();
  for (const word of words) if (list.has(word)) found.add(word);
  return found;
}

/**
 * What each text names that the other does not; `null` unless both do: a text that says less (or
 * more) is not another task for it.
 */
export function leftOver(
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
export function sameFrame(a: IntentReading, b: IntentReading): boolean {
  const common = [...a.frame].filter((word) => b.frame.has(word)).length;
  const smaller = Math.min(a.frame.size, b.frame.size);
  return common > 0 && common >= smaller * 0.5;
}
