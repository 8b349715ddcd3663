/**
 * From the title of a decision to what somebody does who needs it: `Mock patching pattern` →
 * `patching mocks`. Titles are orders ("Use X for Y"), clauses ("X must be Y", "X over Y") or noun
 * phrases; each has a rule that makes a gerund of its verb and an object of the rest.
 */

import {
  actOf,
  gerundOf,
  isAdjective,
  isGerund,
  pluralOf,
  verbOfFinite,
  verbOfParticiple,
} from './forms.js';
import { type KindVerb, verbForKind } from './kinds.js';
import {
  ACTS,
  ARTICLES,
  CONJUNCTIONS,
  COPULAS,
  followsVerb,
  isFunctionWord,
  isVerb,
  MODALS,
  NEGATIONS,
  PREPOSITIONS,
  PURE_VERBS,
} from './lexicon.js';

/** Words in lower case, the verb first; longer than a trigger may be. */
export interface Activity {
  words: string[];
  /** The title has no verb: it is a guess from its kind, or from the description. */
  guessed: boolean;
}

/** "phase-by-phase", "end-to-end": the preposition in it begins nothing. */
const LINKED = /\p{L}+(?:-(?:by|to|in|of|on|and|for|the|at|over))+-\p{L}+/gu;

/**
 * Words of a title or description: lower case, letters and digits, markup and punctuation gone. A
 * compound held together by a preposition is one word, with `_` in it.
 */
export function plainWords(text: string): string[] {
  return text
    .normalize('NFKC')
    .replaceAll(
      /([\p{Ll}\p{N}])(\p{Lu})(?=\p{Ll})/gu,
      (all, before, next, at: number, whole: string) =>
        /^\p{Ll}/u.test(whole.slice(wordStart(whole, at))) ? `${before} ${next}` : all,
    )
    .toLowerCase()
    .replaceAll(/\b(auto|re|pre|un|de|non|sub|anti|co)-(?=\p{L})/gu, '$1')
    .replaceAll(/\bc\+\+/g, 'cpp')
    .replaceAll(/\bc#/g, 'csharp')
    .replaceAll(/n['’]t\b/g, 'n')
    .replaceAll(/['’]s?(?![\p{L}\p{N}])/gu, '')
    .replaceAll(/['’]/g, '')
    .replaceAll('_', ' ')
    .replaceAll(LINKED, (compound) => compound.replaceAll('-', '_'))
    .split(/[^\p{L}\p{N}\p{M}_]+/u)
    .filter((word) => word !== '');
}

function wordStart(text: string, at: number): number {
  let start = at;
  while (start > 0 && /[\p{L}\p{N}]/u.test(text[start - 1] ?? '')) start -= 1;
  return start;
}

/** What a title says beside its subject: "(initial release)". */
const ASIDE = /\s*[([][^)\]]*[)\]]/g;

export function activityOf(title: string, description: string): Activity {
  const plain = title.replaceAll(ASIDE, ' ');
  const full = plainWords(plain).length > 0 ? plain : title;
  const colon = /^(.+?):\s+(.+)$/.exec(full);
  if (colon === null) return activityOfPart(full, description);
  // "TDD workflow: commit squashing" is about squashing commits, there.
  const [, place = '', said = ''] = colon;
  const activity = activityOfPart(said, '');
  if (activity.guessed) return activityOfPart(full, description);
  const where = plainWords(place);
  while (where.length > 1 && isKind(where.at(-1) ?? '')) where.pop();
  return { words: [...activity.words, 'in', ...where], guessed: false };
}

/** Rules from the most to the least certain; a noun phrase is what is left. */
function activityOfPart(title: string, description: string): Activity {
  const words = plainWords(title);
  const opened = withoutOpening(words);
  const said = order(opened.words, opened.asked) ?? choice(title, words) ?? clause(opened.words);
  if (said !== undefined) return { words: said, guessed: false };
  if (opened.how) {
    const thing = isVerb(singularVerb(opened.words.at(-1)))
      ? opened.words.slice(0, -1)
      : opened.words;
    return {
      words: ['understanding', ...(thing.length > 0 ? thing : opened.words)],
      guessed: true,
    };
  }
  return nounPhrase(opened.words, plainWords(description));
}

function singularVerb(word: string | undefined): string {
  return word?.replace(/s$/, '') ?? '';
}

/** "How to", "When to", "Always", "Why we": says how the rest is meant and is no part of it. */
function withoutOpening(words: string[]): { words: string[]; asked: boolean; how: boolean } {
  let rest = words;
  let asked = false;
  let how = false;
  while (rest.length > 1) {
    const [first = '', second = ''] = rest;
    const question = /^(?:how|when|why|what|where|which|whether)$/.test(first);
    if (question && second === 'to') {
      rest = rest.slice(2);
      asked = true;
    } else if (/^(?:why|when|how|what|where)$/.test(first) && /^(?:we|you|i|they)$/.test(second)) {
      const verb = verbOfFinite(rest[2] ?? '');
      rest = verb === undefined ? rest.slice(2) : [verb, ...rest.slice(3)];
      asked = true;
    } else if (question && !asked) {
      rest = rest.slice(1);
      how = true;
    } else if (/^(?:always|only|please|just|to|then|when)$/.test(first)) {
      rest = rest.slice(1);
    } else if (NEGATIONS.has(first) || (first === 'do' && second === 'not')) {
      const after = rest.slice(first === 'do' ? 2 : 1);
      // "No shared state" has nothing to do but to avoid it; "never mock the clock" is about mocking.
      rest = first === 'no' || first === 'without' ? ['avoid', ...after] : after;
      asked = true;
    } else break;
  }
  return { words: rest, asked, how };
}

/** "Use X for Y", "Log errors with context". */
function order(words: readonly string[], asked: boolean): string[] | undefined {
  const [first = '', second = ''] = words;
  if (isGerund(first) && (words.length > 2 || (words.length > 1 && !isKind(second)))) {
    return isKind(second) ? undefined : [...words];
  }
  if (!isVerb(first) || /^(?:vs|versus|over)$/.test(second)) return undefined;
  const ambiguous = !PURE_VERBS.has(first);
  const sure = asked || !ambiguous || followsVerb(second) || orders(words);
  if (!sure || (!asked && words.length === 2 && isKind(second))) return undefined;
  return [gerundOf(first), ...words.slice(1).map((word, at, rest) => joined(word, rest[at - 1]))];
}

/** "Catch and rethrow": the second verb is one, too. */
function joined(word: string, before: string | undefined): string {
  return (before === 'and' || before === 'or') && PURE_VERBS.has(word) ? gerundOf(word) : word;
}

function isKind(word: string): boolean {
  return verbForKind(word) !== undefined;
}

/** "Log errors with context" rather than "log levels": a plural, then a preposition, and no kind. */
function orders(words: readonly string[]): boolean {
  const [, second = '', third = ''] = words;
  return /[^su]s$/.test(second) && PREPOSITIONS.has(third) && !words.some(isKind);
}

/** "X over Y", "X instead of Y", "X beats Y", "X, not Y". */
function choice(title: string, words: readonly string[]): string[] | undefined {
  const at = words.findIndex((word) => /^(?:over|vs|versus|beats?|not)$/.test(word));
  const instead = words.findIndex((word, index) => word === 'instead' && words[index + 1] === 'of');
  const split = at > 0 ? at : instead;
  if (split <= 0 || split === words.length - 1) return undefined;
  if (words[split] === 'not' && !/,\s*not\b/i.test(title)) return undefined;
  if (words.slice(0, split).some((word) => MODALS.has(word) || COPULAS.has(word))) return undefined;
  const left = words.slice(0, split);
  const right = words.slice(instead === split ? split + 2 : split + 1);
  // "Fields extracted over the wire" has its verb; only things are chosen between.
  if (isGerund(left[0] ?? '')) return undefined;
  return ['choosing', ...left, 'over', ...right];
}

/** "Tests must be isolated", "Workers should acknowledge jobs", "Design review uses a model". */
function clause(words: readonly string[]): string[] | undefined {
  const at = words.findIndex((word, index) => index > 0 && (MODALS.has(word) || COPULAS.has(word)));
  if (at > 0) return predicate(words.slice(0, at), words.slice(at));
  const verbAt = words.findIndex((_, index) => index > 0 && isPredicate(words, index));
  const verb = verbOfFinite(words[verbAt] ?? '');
  if (verb === undefined || verbAt < 1) return undefined;
  const subject = words.slice(0, verbAt);
  const rest = words.slice(verbAt + 1);
  if (/^(?:stay|live|belong|go|remain|come)$/.test(verb)) return ['keeping', ...subject, ...rest];
  return [gerundOf(verb), ...rest, ...(rest.length > 1 ? [] : ['for', ...subject])];
}

/** "A gate reduces overhead", "gates reduce overhead": number of subject and verb agree. */
function isPredicate(words: readonly string[], at: number): boolean {
  const [before = '', word = '', next = ''] = words.slice(at - 1, at + 2);
  if (next === '' || isKind(word) || (isKind(next) && at === words.length - 2)) return false;
  const verb = verbOfFinite(word) ?? '';
  if (/[^sui]s$/.test(before)) return PURE_VERBS.has(word) && !isAdjective(word);
  if (!/[^su]s$/.test(word) || PREPOSITIONS.has(next)) return false;
  return PURE_VERBS.has(verb) || ACTS.has(verb);
}

function predicate(subject: readonly string[], rest: readonly string[]): string[] | undefined {
  const after = rest.filter(
    (word, at) => at > 2 || !(MODALS.has(word) || COPULAS.has(word) || NEGATIONS.has(word)),
  );
  const said = after.filter((word) => word !== 'always' && word !== 'be');
  const [first = ''] = said;
  if (first === '') return undefined;
  const passive = rest.some((word) => COPULAS.has(word) || word === 'be');
  const verb = passive ? verbOfParticiple(first) : undefined;
  if (verb !== undefined) return [gerundOf(verb), ...subject, ...said.slice(1)];
  if (passive) {
    return isAdjective(first)
      ? ['keeping', ...subject, ...said]
      : ['treating', ...subject, 'as', ...said];
  }
  return isVerb(first) ? [gerundOf(first), ...said.slice(1), 'in', ...subject] : undefined;
}

/** "Configuration of X", "Mock patching pattern", "Commit message format". */
function nounPhrase(words: readonly string[], description: readonly string[]): Activity {
  const cut = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word));
  const core = cut < 0 ? [...words] : words.slice(0, cut);
  const tail = cut < 0 ? [] : words.slice(cut);
  const bare = [...core];
  while (bare.length > 0 && isKind(bare.at(-1) ?? '')) bare.pop();
  // "Model selection" is about models.
  if (bare.length === 0 && core.length > 1) bare.push(core[0] ?? '');
  if (bare.length === 0 && isGerund(tail[1] ?? '')) return { words: tail.slice(1), guessed: false };
  const acted = acting(bare, tail, core.length > bare.length);
  if (acted !== undefined) return { words: acted, guessed: false };
  const verb = guess(core, bare, description);
  // "Writing commit messages" rather than "writing commit message formats".
  const object = verb.replacesKind && bare.length > 0 ? plural(bare) : core;
  return { words: [verb.gerund, ...object, ...tail], guessed: verb.sure !== true };
}

/** The phrase's last word is an act: its object is what stands before it, or behind "of" and "for". */
function acting(
  bare: readonly string[],
  tail: readonly string[],
  hadKind: boolean,
): string[] | undefined {
  const act = actOf(bare.at(-1) ?? '');
  if (act === undefined) return undefined;
  const verb = [act.gerund, ...(act.particle === undefined ? [] : [act.particle])];
  const before = bare.slice(0, -1);
  const last = before.at(-1);
  if (CONJUNCTIONS.has(last ?? '')) {
    const other = actOf(before.at(-2) ?? '');
    return other === undefined || before.length > 2
      ? undefined
      : [other.gerund, last ?? 'and', ...verb, ...tail];
  }
  if (last === undefined) {
    // "Authentication" alone: nothing says of what.
    if (tail.length === 0 && verb.length === 1 && !isGerund(bare[0] ?? '')) return undefined;
    const object = /^(?:of|for)$/.test(tail[0] ?? '') ? tail.slice(1) : tail;
    if (object.length > 0) return [...verb, ...object];
    return verb.length > 1 || !hadKind ? verb : undefined;
  }
  // "Lazy loading" and "two phase commit" are things in themselves, not the loading of something.
  const set = isNumber(before[0] ?? '') && !isGerund(bare.at(-1) ?? '');
  if (isAdjective(last) || set) return ['using', ...bare, ...tail];
  if (/^(?:of|for)$/.test(tail[0] ?? '') && before.every(isAdjective)) {
    return [...verb, ...before, ...tail.slice(1)];
  }
  return [...verb, ...plural(before), ...tail];
}

function isNumber(word: string): boolean {
  return /^(?:\d+|one|two|three|four|five|six|seven|single|double|multi|\d+th|first|second|third)$/.test(
    word,
  );
}

function plural(words: readonly string[]): string[] {
  const last = words.at(-1);
  return last === undefined || isAdjective(last)
    ? [...words]
    : [...words.slice(0, -1), pluralOf(last)];
}

/** Verbs that say nothing about what is done. */
const EMPTY =
  /^(?:use|do|make|have|be|get|let|avoid|prefer|need|keep|always|require|allow|take|give)$/;

function guess(
  core: readonly string[],
  bare: readonly string[],
  description: readonly string[],
): KindVerb {
  const kind = core.length > bare.length ? verbForKind(core.at(-1) ?? '') : undefined;
  const [first = '', ...rest] = description.slice(
    description.findIndex((word) => !NEGATIONS.has(word) && word !== 'always'),
  );
  const told = isGerund(first)
    ? first
    : PURE_VERBS.has(first) && !EMPTY.test(first)
      ? gerundOf(first)
      : undefined;
  if (told !== undefined && concerns(rest, core)) return { gerund: told, replacesKind: false };
  if (kind !== undefined) return kind;
  const head = core.at(-1) ?? '';
  if (core.length === 1 && actOf(head) !== undefined)
    return { gerund: 'handling', replacesKind: false };
  return isTrouble(head)
    ? { gerund: 'handling', replacesKind: true }
    : { gerund: 'using', replacesKind: false };
}

/** The verb's object is the title's thing: nothing else is named before the next preposition. */
function concerns(rest: readonly string[], core: readonly string[]): boolean {
  const end = rest.findIndex((word) => PREPOSITIONS.has(word));
  const object = (end < 0 ? rest : rest.slice(0, end)).filter(
    (word) => !isFunctionWord(word) && !ARTICLES.has(word) && !/^(?:it|them|\d+)$/.test(word),
  );
  const stems = new Set(core.map((word) => pluralOf(word)));
  return object.length === 0 || object.some((word) => stems.has(pluralOf(word)));
}

function isTrouble(word: string): boolean {
  return /^(?:error|failure|exception|edge|conflict|crash|timeout|gap|mismatch|limit|collision|race|leak|warning|overflow|outage|incident|secret|signal|request|upload|migration)s?$|(?:case|cases|failures)$/.test(
    word,
  );
}
