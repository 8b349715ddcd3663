/**
 * Words of the index that may stand for a word of the question: words of the same beginning
 * (`config`, `configuration`), words used for one another, and what a mistyped word was meant to be.
 */
import { addTo } from '../../shared/multimap.js';
import { SYNONYMS } from './synonyms.js';

export interface Variant {
  term: string;
  /** Share of its own weight that it is worth; 1 for the word itself. */
  share: number;
}

const SYNONYM = 0.5;
const SAME_START = 0.6;
/** Of what a mistyped word was most probably meant to be, and next. */
const TYPOS = [0.7, 0.4] as const;
/** Letters that words share at least. */
const START = 4;
/** Typos are looked for in words of at least so many letters; in longer ones two. */
const ONE_TYPO = 4;
const TWO_TYPOS = 8;
/** Words whose variants are kept. */
const MOST_ASKED = 5_000;

export interface Variants {
  /** Best first, each once; the word itself is the first where it stands in the index. */
  of(term: string): readonly Variant[];
}

/** The part of the keyword index that is used here. */
export interface Known {
  has(term: string): boolean;
  documents(term: string): number;
}

interface Word {
  term: string;
  letters: number;
}

/** All words of an index, so that those that are like another are near. A change makes a new one. */
export interface Vocabulary {
  byStart: ReadonlyMap<string, readonly Word[]>;
  byLength: ReadonlyMap<number, readonly Word[]>;
}

export const NO_WORDS: Vocabulary = { byStart: new Map(), byLength: new Map() };

/** @param added words that are not in it. @param removed words that are */
export function changeVocabulary(
  before: Vocabulary,
  { added, removed }: { added: readonly string[]; removed: readonly string[] },
): Vocabulary {
  const more = added.filter(isLong).map((term) => ({ term, letters: lettersOf(term) }));
  const less = removed.filter(isLong);
  if (more.length + less.length === 0) return before;
  return {
    byStart: changeLists(before.byStart, startingOf, more, less),
    byLength: changeLists(before.byLength, ({ length }) => length, more, less),
  };
}

function changeLists<K>(
  before: ReadonlyMap<K, readonly Word[]>,
  keyOf: (term: string) => K,
  added: readonly Word[],
  removed: readonly string[],
): ReadonlyMap<K, readonly Word[]> {
  const lists = new Map<K, readonly Word[]>(before);
  const gone = new Set(removed);
  for (const key of new Set(removed.map(keyOf))) {
    const left = lists.get(key)?.filter(({ term }) => !gone.has(term)) ?? [];
    if (left.length > 0) lists.set(key, left);
    else lists.delete(key);
  }
  const come = new Map<K, Word[]>();
  for (const word of added) addTo(come, keyOf(word.term), word);
  for (const [key, words] of come) lists.set(key, [...(lists.get(key) ?? []), ...words]);
  return lists;
}

function isLong(term: string): boolean {
  return term.length >= START;
}

function startingOf(term: string): string {
  return term.slice(0, START);
}

export function createVariants(known: Known, { byStart, byLength }: Vocabulary): Variants {
  const asked = new Map<string, readonly Variant[]>();
  function variantsOf(term: string): Variant[] {
    const found = new Map<string, number>();
    const note = (other: string, share: number) => {
      if (share > (found.get(other) ?? 0)) found.set(other, share);
    };
    if (known.has(term)) note(term, 1);
    for (const other of SYNONYMS.get(term) ?? []) if (known.has(other)) note(other, SYNONYM);
    for (const { term: other } of byStart.get(startingOf(term)) ?? []) {
      note(other, SAME_START * startShared(term, other));
    }
    if (!known.has(term)) {
      const meant = typosOf(term, byLength).sort(
        (a, b) => plausibility(b, term) - plausibility(a, term) || (a < b ? -1 : 1),
      );
      for (const [place, other] of meant.slice(0, TYPOS.length).entries()) {
        note(other, TYPOS[place] ?? 0);
      }
    }
    return [...found]
      .map(([other, share]) => ({ term: other, share }))
      .sort((a, b) => b.share - a.share || (a.term < b.term ? -1 : 1));
  }

  /** Rather a frequent word than a rare one, and one that begins alike: the first letter is seen. */
  function plausibility(other: string, term: string): number {
    const frequency = Math.log(1 + known.documents(other));
    return startOf(other, term) + frequency;
  }

  return {
    of(term) {
      const before = asked.get(term);
      if (before !== undefined) return before;
      const found = variantsOf(term);
      if (asked.size >= MOST_ASKED) asked.clear();
      asked.set(term, found);
      return found;
    },
  };
}

/** Share of the longer word that both begin with; 0 unless one is nearly the beginning of the other. */
function startShared(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  const longer = Math.max(a.length, b.length);
  const same = startOf(a, b);
  return same >= START && same >= shorter - 1 && 2 * same >= longer ? same / longer : 0;
}

/** Letters that both begin with. */
function startOf(a: string, b: string): number {
  const shorter = Math.min(a.length, b.length);
  let same = 0;
  while (same < shorter && a[same] === b[same]) same += 1;
  return same;
}

function typosOf(term: string, byLength: Vocabulary['byLength']): string[] {
  if (term.length < ONE_TYPO || /\d/.test(term)) return [];
  const most = term.length >= TWO_TYPOS ? 2 : 1;
  const letters = lettersOf(term);
  const found: string[] = [];
  for (let length = term.length - most; length <= term.length + most; length += 1) {
    for (const other of byLength.get(length) ?? []) {
      // An exchanged letter changes the set of letters in two places; most words differ in more.
      if (bitsOf(letters ^ other.letters) > 2 * most) continue;
      if (editDistance(term, other.term, most) <= most) found.push(other.term);
    }
  }
  return found;
}

/** The set of letters, a bit for each; others than a to z share bits. */
function lettersOf(term: string): number {
  let letters = 0;
  for (let at = 0; at < term.length; at += 1) letters |= 1 << (term.charCodeAt(at) & 31);
  return letters;
}

function bitsOf(set: number): number {
  let bits = 0;
  for (let rest = set; rest !== 0; rest &= rest - 1) bits += 1;
  return bits;
}

/**
 * Letters left out, added, exchanged or swapped with their neighbour between two words; anything
 * above `most` is said to be `most + 1`.
 */
function editDistance(a: string, b: string, most: number): number {
  if (Math.abs(a.length - b.length) > most) return most + 1;
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      let cost = Math.min(exchanged, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      }
      row.push(cost);
      least = Math.min(least, cost);
    }
    if (least > most) return most + 1;
    before = last;
    last = row;
  }
  return last[b.length] ?? most + 1;
}
