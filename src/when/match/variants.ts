/**
 * Words of the index that may stand for a word of the question: words of the same beginning
 * (`config`, `configuration`), words used for one another, and what a mistyped word was meant to be.
 */
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

/** @param known all words of the index, with the documents they stand in */
export function createVariants(
  known: ReadonlyMap<string, { documents: readonly number[] }>,
): Variants {
  const byStart = new Map<string, string[]>();
  const byLength = new Map<number, { term: string; letters: number }[]>();
  const asked = new Map<string, readonly Variant[]>();
  for (const term of known.keys()) {
    if (term.length < START) continue;
    push(byStart, term.slice(0, START), term);
    push(byLength, term.length, { term, letters: lettersOf(term) });
  }
  function variantsOf(term: string): Variant[] {
    const found = new Map<string, number>();
    const note = (other: string, share: number) => {
      if (share > (found.get(other) ?? 0)) found.set(other, share);
    };
    if (known.has(term)) note(term, 1);
    for (const other of SYNONYMS.get(term) ?? []) if (known.has(other)) note(other, SYNONYM);
    for (const other of byStart.get(term.slice(0, START)) ?? []) {
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
      .sort((a, b) => b.share - a.share);
  }

  /** Rather a frequent word than a rare one, and one that begins alike: the first letter is seen. */
  function plausibility(other: string, term: string): number {
    const frequency = Math.log(1 + (known.get(other)?.documents.length ?? 0));
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

function typosOf(
  term: string,
  byLength: ReadonlyMap<number, readonly { term: string; letters: number }[]>,
): string[] {
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

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const list = map.get(key);
  if (list === undefined) map.set(key, [value]);
  else list.push(value);
}
