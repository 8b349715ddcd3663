/** Which words of two tasks are the same: written alike, apart, in one, or misspelt. Pure. */
import { type Reading, SPECIFIC, type Term } from './reading.js';
import { weightOf } from './vocabulary.js';

export interface Pairs {
  common: [Term, Term][];
  /** Words of the file that both are about, which both say. */
  ofFile: [Term, Term][];
  /** By concept, of the first and of the second. */
  onlyA: [string, Term][];
  onlyB: [string, Term][];
}

/** @param ignored concepts of the file that both are about */
export function pairsOf(a: Reading, b: Reading, ignored: ReadonlySet<string> | undefined): Pairs {
  const onlyA = new Map(a.terms);
  const onlyB = new Map(b.terms);
  const ofFile: [Term, Term][] = [];
  for (const concept of ignored ?? []) {
    const left = onlyA.get(concept);
    const right = onlyB.get(concept);
    if (left && right) ofFile.push([left, right]);
    onlyA.delete(concept);
    onlyB.delete(concept);
  }
  const common: [Term, Term][] = [];
  const take = (inA: string, inB: string) => {
    const left = onlyA.get(inA);
    const right = onlyB.get(inB);
    if (!left || !right) return;
    common.push([left, right]);
    onlyA.delete(inA);
    onlyB.delete(inB);
  };
  for (const concept of [...onlyA.keys()]) take(concept, concept);
  // `getUserById` beside "get the user by id", and "time out" beside "timeout", on either side.
  for (const [mine, theirs] of [
    [onlyA, onlyB],
    [onlyB, onlyA],
  ] as const) {
    for (const [concept, whole] of [...theirs]) {
      if (!whole.parts?.every((part) => mine.has(part) || weightOf(part) < SPECIFIC)) continue;
      const said = whole.parts.filter((part) => mine.has(part));
      if (said.length < whole.parts.length && !said.some((part) => weightOf(part) >= SPECIFIC))
        continue;
      common.push([whole, whole]);
      theirs.delete(concept);
      for (const part of whole.parts) mine.delete(part);
    }
  }
  for (const [mine, theirs, joined] of [
    [onlyA, onlyB, a.joined],
    [onlyB, onlyA, b.joined],
  ] as const) {
    for (const concept of [...theirs.keys()]) {
      const parts = joined.get(concept);
      const said = parts?.find((part) => mine.has(part));
      if (parts === undefined || said === undefined) continue;
      const whole = theirs.get(concept) as Term;
      common.push([whole, whole]);
      theirs.delete(concept);
      for (const part of parts) mine.delete(part);
    }
  }
  for (const [inA, { stem }] of [...onlyA]) {
    const inB = [...onlyB].find(([, other]) => isSpeltAlike(stem, other.stem));
    if (inB !== undefined) take(inA, inB[0]);
  }
  return { common, ofFile, onlyA: [...onlyA], onlyB: [...onlyB] };
}

/** One family (`authent`, `authentic`) or one typing error apart; words of ASCII letters only. */
export function isSpeltAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < 5 || long.length - short.length > 3) return false;
  if (!/^[a-z]+$/.test(one) || !/^[a-z]+$/.test(other)) return false;
  if (long.startsWith(short)) return true;
  // First letters are rarely mistyped, and "unload" is not "upload".
  if (short.length < 6 || short.slice(0, 2) !== long.slice(0, 2)) return false;
  return isWithin(short, long, short.length >= 9 ? 2 : 1);
}

/** Whether so few letters inserted, left out or replaced turn one into the other. */
function isWithin(short: string, long: string, edits: number): boolean {
  let row = Array.from({ length: long.length + 1 }, (_, at) => at);
  for (let i = 1; i <= short.length; i++) {
    const next = [i];
    for (let j = 1; j <= long.length; j++) {
      const replaced = (row[j - 1] as number) + (short[i - 1] === long[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return (row[long.length] as number) <= edits;
}
