/**
 * Trigger phrases for entries of the old format: an activity in 2 to 5 words, lower case, letters
 * and digits only, of which an index has each once (seed `when-recall.md` §6).
 */
import { analyze } from '../../shared/text.js';
import { normalizePhrase } from '../phrases.js';
import { activityOf, plainWords } from './activity.js';
import { isAdjective } from './forms.js';
import { verbForKind } from './kinds.js';
import { ARTICLES, CONJUNCTIONS, isFunctionWord, isVerb, PREPOSITIONS } from './lexicon.js';

/** Why a person should look at a phrase; `numbered` is the last resort of `made_unique`. */
export type Doubt = 'too_vague' | 'no_verb' | 'shortened' | 'made_unique' | 'numbered';

export interface Trigger {
  phrase: string;
  doubts: Doubt[];
}

export const MIN_TRIGGER_WORDS = 2;
export const MAX_TRIGGER_WORDS = 5;

/** Phrases for one index; those in `taken` are in use and never given. */
export function createTriggerNamer(taken: Iterable<string>): {
  /**
   * `file`: path of the decision file, which tells two alike titles apart. `most`: words that the
   * phrase may have, 2 to 5.
   */
  name(title: string, description: string, file: string, most?: number): Trigger;
} {
  const used = new Set([...taken].map(normalizePhrase));
  return {
    name(title, description, file, most = MAX_TRIGGER_WORDS) {
      const doubts: Doubt[] = [];
      const activity = activityOf(title, description);
      if (activity.guessed) doubts.push('no_verb');
      const fitted = cutToSize(activity.words, most);
      if (fitted.lost) doubts.push('shortened');
      const about = singleWords(description).filter((word) => !isFunctionWord(word));
      let words = fitted.words;
      if (isVague(words, activity.guessed)) doubts.push('too_vague');
      const more = about.filter(
        (word) => !isVerb(word) && !isAdjective(word) && !words.includes(word),
      );
      while (words.length < MIN_TRIGGER_WORDS) words = [...words, more.shift() ?? 'things'];

      let phrase = words.join(' ');
      if (used.has(normalizePhrase(phrase))) {
        const titleWords = singleWords(title).filter((word) => !isFunctionWord(word));
        const other = [...others(words, titleWords, about, file)].find(
          (one) => !used.has(normalizePhrase(one)),
        );
        doubts.push(other === undefined ? 'numbered' : 'made_unique');
        phrase = other ?? numbered(words, used);
      }
      used.add(normalizePhrase(phrase));
      return { phrase, doubts };
    },
  };
}

/**
 * Cut to size: articles go first, then what stands behind the second preposition, then words before
 * the noun behind the first, then all behind it, then words between the verb and its object's noun.
 */
function cutToSize(activity: readonly string[], most: number): { words: string[]; lost: boolean } {
  const whole = activity.filter((word) => !ARTICLES.has(word));
  const [object = [], tail = []] = segments(whole);
  const room = most - sizeOf(object) - 1;
  const candidates = [
    whole,
    [...object, ...tail],
    ...(tail.length > 1 && room > 0
      ? [[...object, tail[0] ?? '', ...lastWords(tail.slice(1), room)]]
      : []),
    object,
    [...object.slice(0, 1), ...lastWords(object.slice(1), most - 1)],
  ];
  const fitting = candidates.findIndex((words) => sizeOf(words) <= most && words.length > 1);
  const words = (candidates[fitting] ?? object).flatMap((word) => word.split('_')).slice(0, most);
  while (words.length > MIN_TRIGGER_WORDS && isFunctionWord(words.at(-1) ?? '')) words.pop();
  return { words, lost: fitting !== 0 && whole.length > 1 };
}

/** Verb and object; then each preposition or conjunction with what follows it. */
function segments(words: readonly string[]): string[][] {
  const parts: string[][] = [];
  for (const word of words) {
    const opens = parts.length > 0 && (PREPOSITIONS.has(word) || CONJUNCTIONS.has(word));
    const last = parts.at(-1);
    if (last === undefined || (opens && (parts.length > 1 || last.length > 1))) parts.push([word]);
    else last.push(word);
  }
  return parts;
}

function sizeOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.split('_').length, 0);
}

function lastWords(words: readonly string[], most: number): string[] {
  const kept = [...words];
  while (sizeOf(kept) > most) kept.shift();
  return kept;
}

/** Names no thing, or by a guessed verb one that half the index may be about: `using pattern`. */
function isVague(words: readonly string[], guessed: boolean): boolean {
  const things = words.slice(1).filter((word) => !isFunctionWord(word));
  const telling = things.filter(
    (word) => verbForKind(word)?.sure === true || verbForKind(word) === undefined,
  );
  return telling.length === 0 || (guessed && things.length === 1);
}

/** The same phrase with what else is known, best first: where it applies, then words not used yet. */
function* others(
  words: readonly string[],
  title: readonly string[],
  about: readonly string[],
  file: string,
): Generator<string> {
  const extended = (more: readonly string[]) =>
    [...words.slice(0, Math.max(MIN_TRIGGER_WORDS, MAX_TRIGGER_WORDS - more.length)), ...more]
      .slice(0, MAX_TRIGGER_WORDS)
      .join(' ');
  const place = singleWords(file.replace(/^.*\//, '').replace(/\.[^.]+$/, ''));
  if (place.length > 0 && place.length < 3 && !place.some((word) => words.includes(word))) {
    yield extended(['in', ...place]);
  }
  // Another form of a word that is there says nothing new.
  const known = new Set(words.flatMap(analyze));
  const spare = [...new Set([...title, ...about])].filter(
    (word) => !analyze(word).some((term) => known.has(term)),
  );
  for (const word of spare) yield extended([word]);
  for (const [at, word] of spare.entries()) {
    for (const second of spare.slice(at + 1)) yield extended([word, second]);
  }
}

function numbered(words: readonly string[], used: ReadonlySet<string>): string {
  const base = words.slice(0, MAX_TRIGGER_WORDS - 1);
  let number = 2;
  while (used.has(normalizePhrase([...base, number].join(' ')))) number += 1;
  return [...base, number].join(' ');
}

function singleWords(text: string): string[] {
  return plainWords(text).flatMap((word) => word.split('_'));
}
