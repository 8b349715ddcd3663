/**
 * Trigger phrases for entries of the old format: an activity in 2 to 5 words, lower case, letters and
 * digits only, of which an index has each once (seed `when-recall.md` §6). A title that begins with a verb,
 * or is about something in -ing, gives its own; any other begins with a guess, and the report asks a
 * person to look at it.
 */
import { normalizePhrase } from '../phrases.js';
import type { Doubt } from './report.js';

export interface Trigger {
  phrase: string;
  doubts: Doubt[];
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
/** Words that say what kind of statement a title makes, by the verb of somebody who needs it. */
const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    using: 'pattern approach technique method principle idiom example mechanism model concept',
    following: 'convention rule guideline standard policy requirement constraint practice workflow',
    choosing: 'strategy alternative option preference criteria rationale',
    making: 'decision tradeoff',
    debugging: 'gotcha pitfall trap caveat limitation problem issue quirk bug workaround',
    understanding: 'overview basics note insight lesson architecture background',
  }).flatMap(([gerund, kinds]) => kinds.split(' ').map((kind): [string, string] => [kind, gerund])),
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
const kindOf = (word = '') => KINDS.get(word) ?? KINDS.get(word.replace(/s$/, ''));

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
  if (isGerund(first) && rest.length > 0 && kindOf(rest[0]) === undefined) {
    return { words, isGuess: false };
  }
  if (VERBS.has(first) && rest.length > 0) {
    return { words: [gerundOf(first), ...rest], isGuess: false };
  }
  const core = [...words];
  while (core.length > 1 && kindOf(core.at(-1)) !== undefined) core.pop();
  const last = core.at(-1) ?? '';
  if (isGerund(last) && core.length > 1) {
    return { words: [last, ...core.slice(0, -1)], isGuess: false };
  }
  return { words: [kindOf(words.at(-1)) ?? 'using', ...words], isGuess: true };
}

/**
 * Phrases for one index; those in `taken` are in use and never given. `file`: path of the decision file,
 * which tells two alike titles apart.
 */
export function createTriggerNamer(
  taken: Iterable<string>,
): (title: string, file: string) => Trigger {
  const used = new Set([...taken].map(normalizePhrase));
  return (title, file) => {
    const bare = plainWords(title.replaceAll(ASIDE, ' '));
    const { words: whole, isGuess } = activityOf(bare.length > 0 ? bare : plainWords(title));
    const doubts: Doubt[] = isGuess ? ['no_verb'] : [];
    const telling = whole.filter((word) => word !== '' && !/^(?:an?|the|our|your)$/.test(word));
    const words = telling.slice(0, MAX_TRIGGER_WORDS);
    if (telling.length > words.length) doubts.push('shortened');
    while (words.length > MIN_TRIGGER_WORDS && FUNCTION_WORDS.has(words.at(-1) ?? '')) words.pop();
    while (words.length < MIN_TRIGGER_WORDS) words.push('things');
    const phrase = freePhrase(words, file, (one) => used.has(normalizePhrase(one)));
    if (phrase !== words.join(' ')) doubts.push('made_unique');
    used.add(normalizePhrase(phrase));
    return { phrase, doubts };
  };
}

/** The words, else with where they apply, else with a number. */
function freePhrase(
  words: readonly string[],
  file: string,
  isUsed: (phrase: string) => boolean,
): string {
  const place = plainWords(file.replace(/^.*\//, '').replace(/\.[^.]+$/, '')).slice(0, 2);
  const extended = (more: readonly string[]) =>
    [...words.slice(0, MAX_TRIGGER_WORDS - more.length), ...more].join(' ');
  const named = [words.join(' '), ...(place.length > 0 ? [extended(['in', ...place])] : [])];
  const free = named.find((phrase) => !isUsed(phrase));
  if (free !== undefined) return free;
  for (let number = 2; ; number += 1) {
    const phrase = extended([String(number)]);
    if (!isUsed(phrase)) return phrase;
  }
}
