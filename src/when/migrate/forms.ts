/** English word forms by rule: verb ↔ gerund, participle → verb, plural, the verb in a noun of action. */
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
import {
  ACTS,
  ADJECTIVES,
  ING_ADJECTIVES,
  ING_NOUNS,
  isVerb,
  MASS_NOUNS,
  NOT_ADJECTIVES,
  PHRASAL_THINGS,
  THING_NOUNS,
} from './lexicon.js';

/** One closed syllable ends in consonant, vowel, consonant; also behind a prefix that carries no stress. */
const DOUBLES = /^(?:re|un|de|sub|over|out|under|mis|pre)?[^aeiou]*[aeiou][bdgklmnprtvz]$/;
/** The stress lies on the last syllable. */
const LATE_STRESS =
  /(?:[bpm]it|fer|cur|gin|get|pel|trol|map|wrap|plug|ship|stop|log|tag|hash-bang)$/;
const EARLY_STRESS =
  /^(?:edit|offer|differ|suffer|buffer|deliver|limit|inherit|visit|exit|target|widget|audit|orbit|prohibit|exhibit|inhibit|vomit|merit|deposit|profit|benefit|interpret)$/;

/** `write` → `writing`, `split` → `splitting`. */
export function gerundOf(verb: string): string {
  if (/(?:ee|oe|ye)$/.test(verb)) return `${verb}ing`;
  if (/ie$/.test(verb)) return `${verb.slice(0, -2)}ying`;
  if (/[^e]e$/.test(verb) && verb !== 'be') return `${verb.slice(0, -1)}ing`;
  if (/[^aeiou]ic$/.test(verb)) return `${verb}king`;
  const doubles =
    !/(?:[aeiou]{2}.|[wxyh])$/.test(verb) &&
    !EARLY_STRESS.test(verb) &&
    (DOUBLES.test(verb) || LATE_STRESS.test(verb) || /^qui[tz]$/.test(verb));
  return doubles ? `${verb}${verb.at(-1)}ing` : `${verb}ing`;
}

/** Dictionary forms that a form with this ending cut off may have had. */
function stemsOf(cut: string): string[] {
  const undoubled = /([^aeious])\1$/.test(cut) ? [cut.slice(0, -1)] : [];
  const plain = /y$/.test(cut) ? [cut, `${cut.slice(0, -1)}ie`] : [cut];
  return [...undoubled, `${cut}e`, ...plain];
}

/** Whether a word in -ing says what somebody does. */
export function isGerund(word: string): boolean {
  return (
    /[aeiouy].*ing$/.test(word) &&
    word.length > 4 &&
    !ING_NOUNS.has(word) &&
    !ING_ADJECTIVES.has(word)
  );
}

/** `validated` → `validate`, `written` → `write`; undefined when no verb we know has this participle. */
export function verbOfParticiple(word: string): string | undefined {
  const irregular = DICTIONARY_FORMS.get(word);
  if (irregular !== undefined && isVerb(irregular)) return irregular;
  if (!word.endsWith('ed'))
    return /^(?:re)?(?:set|split|put|cut|shut|cast)$/.test(word) ? word : undefined;
  const cut = word.slice(0, -2);
  const stems = cut.endsWith('i') ? [`${cut.slice(0, -1)}y`] : stemsOf(cut);
  return stems.find(isVerb);
}

/** `splits`, `chose`, `validated` → the verb; undefined for other words. */
export function verbOfFinite(word: string): string | undefined {
  if (isVerb(word)) return word;
  const cuts = word.endsWith('ies')
    ? [`${word.slice(0, -3)}y`]
    : word.endsWith('s')
      ? [word.slice(0, -1), word.slice(0, -2)]
      : [];
  return cuts.find(isVerb) ?? verbOfParticiple(word);
}

/** Endings of nouns of action and what stands in their place in the verb; the first known verb is it. */
const DEVERBAL: readonly (readonly [RegExp, readonly string[]])[] = [
  [/ification$/, ['ify']],
  [/i[sz]ation$/, ['ize']],
  [/lication$/, ['licate', 'lish', 'ly']],
  [/ation$/, ['ate', 'e', '', 'ain']],
  [/ention$/, ['ain', 'ent', 'ene']],
  [/cription$/, ['cribe', 'crypt']],
  [/uction$/, ['uce', 'uct']],
  [/umption$/, ['ume']],
  [/eption$/, ['eive', 'ept']],
  [/olution$/, ['olve']],
  [/osition$/, ['ose']],
  [/nition$/, ['ne', 'nize']],
  [/etition$/, ['eat', 'ete']],
  [/uisition$/, ['uire']],
  [/ission$/, ['it']],
  [/ersion$/, ['ert']],
  [/nsion$/, ['nd']],
  [/usion$/, ['ude']],
  [/ision$/, ['ide', 'ise']],
  [/ession$/, ['ess', 'ede']],
  [/ion$/, ['', 'e', 'ate']],
  [/ment$/, ['', 'e']],
  [/al$/, ['', 'e']],
  [/ance$/, ['', 'e', 'ain', 'y']],
  [/enance$/, ['ain']],
  [/ence$/, ['', 'e']],
  [/age$/, ['', 'e']],
  [/ery$/, ['', 'er', 'e']],
  [/y$/, ['', 'e', 'er']],
  [/ysis$/, ['yze']],
  [/sis$/, ['ze']],
];
/** Where the ending is productive, the rule is right for verbs nobody listed. */
const PRODUCTIVE: readonly (readonly [RegExp, string])[] = [
  [/ification$/, 'ify'],
  [/i[sz]ation$/, 'ize'],
];
const PARTICLES = /^(.{2,})(up|out|down|back|over|off|in)$/;

/** An act as a gerund, with the particle that belongs to it: `rolling` `back`. */
export interface Act {
  gerund: string;
  particle?: string;
}

/** `validation` → validating, `rollback` → rolling back, `handling` → itself; undefined: names no act. */
export function actOf(noun: string): Act | undefined {
  if (isGerund(noun)) return { gerund: noun };
  const singular = noun.endsWith('s') && !/(?:ss|sis)$/.test(noun) ? noun.slice(0, -1) : noun;
  if (THING_NOUNS.has(singular) || PHRASAL_THINGS.has(singular)) return undefined;
  const phrasal = PARTICLES.exec(singular);
  const base = phrasal?.[1];
  if (base !== undefined && (isVerb(base) || DICTIONARY_FORMS.has(base) || PHRASAL.has(base)))
    return { gerund: gerundOf(base), particle: phrasal?.[2] ?? '' };
  if (ACTS.has(singular)) return { gerund: gerundOf(singular) };
  if (singular.endsWith('al') && isAdjective(singular)) return undefined;
  const verb = verbOfAct(singular);
  return verb === undefined ? undefined : { gerund: gerundOf(verb) };
}

/** Verbs that live on in nouns with a particle only. */
const PHRASAL = new Set([
  'roll',
  'log',
  'back',
  'set',
  'look',
  'shut',
  'tear',
  'sign',
  'fan',
  'opt',
  'cut',
  'kick',
  'time',
  'phase',
  'spin',
  'fall',
  'fail',
]);

function verbOfAct(noun: string): string | undefined {
  if (noun.length < 5) return undefined;
  for (const [ending, replacements] of DEVERBAL) {
    if (!ending.test(noun)) continue;
    const verb = replacements.map((to) => noun.replace(ending, to)).find(isVerb);
    if (verb !== undefined) return verb;
  }
  for (const [ending, to] of PRODUCTIVE) {
    if (ending.test(noun)) return noun.replace(ending, to);
  }
  return undefined;
}

/** Describes, rather than names, a thing. */
export function isAdjective(word: string): boolean {
  if (NOT_ADJECTIVES.has(word)) return false;
  if (ADJECTIVES.has(word.replace(/(?:e?r|est)$/, '')) || ADJECTIVES.has(word)) return true;
  if (ING_ADJECTIVES.has(word)) return true;
  if (/(?:ical|ful|less|ous|ible|able|ive|al|ly)$/.test(word) && word.length > 5) return true;
  if (/[^aeiou]ic$/.test(word) && word.length > 5) return true;
  return word.endsWith('ed') && verbOfParticiple(word) !== undefined;
}

/** Nouns of quality and of acts. */
const UNCOUNTED = /(?:ity|ness|ism|noise|growth|th|unicode)$/;

/** `mock` → `mocks`; words without a plural, names and plurals stay. */
export function pluralOf(noun: string): string {
  if (MASS_NOUNS.has(noun) || !/^[a-z]{3,}$/.test(noun) || UNCOUNTED.test(noun) || isGerund(noun))
    return noun;
  if (/(?:[st]ion|ance|ence)$/.test(noun) && !THING_NOUNS.has(noun)) return noun;
  // An abbreviation; its plural reads badly.
  if (!/[aeiouy]/.test(noun)) return noun;
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  if (/(?:ss|x|z|ch|sh)$/.test(noun)) return `${noun}es`;
  if (/s$/.test(noun) || /(?:ren|people|data)$/.test(noun)) return noun;
  return `${noun}s`;
}
