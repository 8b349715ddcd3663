/**
 * Trigger phrases for entries of the old format: an activity in 2 to 5 words, lower case, letters and
 * digits only, of which an index has each once (seed `when-recall.md` §6). A title that begins with a verb,
 * or is about something in -ing, gives its own; any other begins with "using", and the report asks a person
 * to look at it.
 */
import { normalizePhrase } from '../phrases.js';

export interface Trigger {
  phrase: string;
  /** The verb is a guess, words were cut off, or another entry has the phrase without its number. */
  isDoubtful: boolean;
}

const MIN_TRIGGER_WORDS = 2;
const MAX_TRIGGER_WORDS = 5;

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** Verbs of software work that are hardly ever nouns, in dictionary form. */
const VERBS = setOf(
  `add adopt allow apply avoid catch choose clean compare configure convert create decide define delete deploy
  describe detect disable emit enable encrypt ensure execute expose extend extract fetch find fix generate
  handle hide ignore implement inject insert install isolate keep make manage merge migrate minimize
  normalize optimize organize parse prefer prevent propagate protect provide publish put read rebase recover
  reduce refactor register reject remove rename replace require resolve restrict return reuse revoke rewrite
  rotate run save send serialize show simplify store suppress throw treat understand use validate verify wait
  wrap write`,
);
const FUNCTION_WORDS = setOf(
  `a about after all an and any around as at be before by each every for from in into is it its my no not of on
  or our over per the their this to under when where with without your`,
);
/** What a title says beside its subject: "(initial release)". */
const ASIDE = /\s*[([][^)\]]*[)\]]/g;
/** Says how the rest is meant, and is no part of it. */
const OPENING = /^(?:how to|when to|never|always|only|please|do not|don t) /;

const isGerund = (word = '') => /[aeiouy].*ing$/.test(word) && word.length > 4;

/** `write` → `writing`, `get` → `getting`. */
function gerundOf(verb: string): string {
  if (/[^eoy]e$/.test(verb)) return `${verb.slice(0, -1)}ing`;
  return /^[^aeiou]*[aeiou][bdgklmnprt]$/.test(verb) ? `${verb}${verb.at(-1)}ing` : `${verb}ing`;
}

/** Words of a title: lower case, letters and digits; markup and punctuation gone. */
function plainWords(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

/** The verb first; `isGuess`: the title does not say it. */
function activityOf(said: readonly string[]): { words: string[]; isGuess: boolean } {
  const words = said.join(' ').replace(OPENING, '').split(' ');
  const [first = '', ...rest] = words;
  if (rest.length > 0 && isGerund(first)) return { words, isGuess: false };
  if (rest.length > 0 && VERBS.has(first)) {
    return { words: [gerundOf(first), ...rest], isGuess: false };
  }
  // "Error handling", "mock patching pattern".
  const at = words.findLastIndex(isGerund);
  const isSubject = at > 0 && at >= words.length - 2;
  const others = words.filter((_, place) => place !== at || !isSubject);
  return { words: [isSubject ? (words[at] ?? '') : 'using', ...others], isGuess: !isSubject };
}

/** Phrases for one index; those in `taken` are in use and never given. */
export function createTriggerNamer(taken: Iterable<string>): (title: string) => Trigger {
  const used = new Set([...taken].map(normalizePhrase));
  return (title) => {
    const bare = plainWords(title.replaceAll(ASIDE, ' '));
    const { words: whole, isGuess } = activityOf(bare.length > 0 ? bare : plainWords(title));
    const telling = whole.filter((word) => word !== '' && !/^(?:an?|the|our|your)$/.test(word));
    const words = telling.slice(0, MAX_TRIGGER_WORDS);
    const isShort = telling.length > words.length;
    while (words.length > MIN_TRIGGER_WORDS && FUNCTION_WORDS.has(words.at(-1) ?? '')) words.pop();
    while (words.length < MIN_TRIGGER_WORDS) words.push('things');
    let phrase = words.join(' ');
    let number = 1;
    while (used.has(normalizePhrase(phrase))) {
      number += 1;
      phrase = [...words.slice(0, MAX_TRIGGER_WORDS - 1), number].join(' ');
    }
    used.add(normalizePhrase(phrase));
    return { phrase, isDoubtful: isGuess || isShort || number > 1 };
  };
}
