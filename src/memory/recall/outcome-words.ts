/**
 * Questions that only ask, and those that ask for an outcome: "what failed", "what didn't work".
 * Word by word: one pattern for all of it would take exponential time on "is is is … x". Pure.
 */

/** The filter that asks for the same. */
export type Outcome = 'failures_only' | 'success_only';

/** What is left of "what did we do yesterday?" once its time or file is read: nothing to search. */
const ASKING = new Set(
  (
    'what which show tell list did do does done was were is are has have had happened happen i we you ' +
    'us me it the a about memories memory thing things stuff work worked working on everything all ' +
    'been up to there any anything from of in for learn learned learnt get got go going went gone my our your with s'
  ).split(' '),
);

const OUTCOMES: ReadonlyMap<string, Outcome> = new Map([
  ...'fail fails failed failing failure failures wrong broke error errors mistake mistakes'
    .split(' ')
    .map((word) => [word, 'failures_only'] as const),
  ...'succeed succeeded success successes successful successfully well work works worked working'
    .split(' ')
    .map((word) => [word, 'success_only'] as const),
]);
const WORK = new Set(['work', 'works', 'worked', 'working']);
/** What worked or did not: never "we", who work on something. */
const SUBJECTS = new Set(['what', 'which', 'thing', 'things', 'stuff', 'everything', 'anything']);
const DO = new Set(['do', 'does', 'did']);
const HAVE = new Set(['has', 'have', 'had', 's']);
const BE = new Set(['is', 'are', 'was', 'were', 'been', 's']);
const GO = new Set(['go', 'goes', 'going', 'went', 'gone']);
const NOT = new Set(['not', 'never']);
/** What may stand between a subject and its outcome. */
const CHAIN = new Set([...DO, ...HAVE, ...BE, ...GO, ...NOT]);

/** Nothing in it is worth a search. */
export function onlyAsks(text: string): boolean {
  return wordsOf(text).every((word) => ASKING.has(word));
}

/** The one outcome a text asks for and nothing else; `null`: none, both, or it is not clear. */
export function readOutcome(text: string): Outcome | null {
  const words = wordsOf(
    text
      .toLowerCase()
      .replaceAll(/\b(did|does|do|has|have|had|is|are|was|were)n['’]?t\b/g, '$1 not'),
  );
  const found: Outcome[] = [];
  let negations = 0;
  /** The words from here on are not accounted for. */
  let open = 0;
  for (let at = 0; at < words.length; at += 1) {
    const outcome = OUTCOMES.get(words[at] ?? '');
    if (outcome === undefined) continue;
    let from = at;
    while (from > open && CHAIN.has(words[from - 1] ?? '')) from -= 1;
    const chain = words.slice(from, at);
    const nots = chain.filter((word) => NOT.has(word)).length;
    if (!meansOutcome(words, from, at, nots > 0)) continue;
    if (nots > 1 || !words.slice(open, from).every((word) => ASKING.has(word))) return null;
    found.push(nots === 0 ? outcome : opposite(outcome));
    negations += nots;
    // "worked well" is one outcome, not two.
    if (WORK.has(words[at] ?? '') && words[at + 1] === 'well') at += 1;
    open = at + 1;
  }
  if (!words.slice(open).every((word) => ASKING.has(word))) return null;
  const [first, ...others] = found;
  if (first === undefined || (negations > 0 && others.length > 0)) return null;
  return others.every((other) => other === first) ? first : null;
}

/**
 * "What worked" is an outcome; "what work was done", "we worked on" and "was worked on" are not.
 * Work, "went well" and negations need a subject that asks: "did it not fail" wants a yes or a no.
 */
function meansOutcome(words: string[], from: number, at: number, negated: boolean): boolean {
  const word = words[at] ?? '';
  const asks = SUBJECTS.has(words[from - 1] ?? '');
  if (word === 'well') return asks && GO.has(words[at - 1] ?? '');
  if (!WORK.has(word)) return asks || !negated;
  if (!asks || (words[at + 1] === 'on' && !negated)) return false;
  const helpers = words.slice(from, at).filter((helper) => !NOT.has(helper));
  switch (word) {
    case 'works':
      return helpers.length === 0;
    case 'worked':
      return helpers.every((helper) => HAVE.has(helper));
    case 'work':
      return helpers.length > 0 && helpers.every((helper) => DO.has(helper));
    default:
      return helpers.length > 0 && helpers.every((helper) => BE.has(helper) || HAVE.has(helper));
  }
}

function opposite(outcome: Outcome): Outcome {
  return outcome === 'failures_only' ? 'success_only' : 'failures_only';
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');
}
