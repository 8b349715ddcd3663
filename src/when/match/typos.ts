/** What a mistyped word was most probably meant to be. Pure. */

/** Mistakes are looked for in words of at least so many letters; in longer ones two. */
const ONE_MISTAKE = 4;
const TWO_MISTAKES = 8;

/** `null`: nothing is spelled like it. @param frequency how often a word of `known` is used; 0: no more */
export function meantWord(
  term: string,
  known: readonly string[],
  frequency: (word: string) => number,
): string | null {
  if (term.length < ONE_MISTAKE || /\d/.test(term)) return null;
  const most = term.length >= TWO_MISTAKES ? 2 : 1;
  let best: string | null = null;
  let highest = 0;
  for (const word of known) {
    // A mistake in the first letter is seen by whoever makes it.
    if (word[0] !== term[0] || Math.abs(word.length - term.length) > most) continue;
    if (mistakes(term, word) > most) continue;
    const likely =
      frequency(word) === 0 ? 0 : startShared(term, word) + Math.log(1 + frequency(word));
    if (likely <= highest) continue;
    best = word;
    highest = likely;
  }
  return best;
}

/** Letters that both begin with. */
function startShared(a: string, b: string): number {
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  return same;
}

/** Letters left out, added, exchanged or swapped with their neighbour. */
function mistakes(a: string, b: string): number {
  let before: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const exchanged = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? (before[j - 2] ?? 0) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(exchanged, swapped, (last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    before = last;
    last = row;
  }
  return last[b.length] ?? 0;
}
