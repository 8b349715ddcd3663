/**
 * Trigger phrases for entries of the old format: an activity in 2 to 5 words, lower case, letters and
 * digits only, of which an index has each once (seed `when-recall.md` §6). A title with a verb in it
 * gives its own; any other begins with a guess, and the report asks a person to look at it.
 */
import { stemmer } from 'stemmer';
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
import { analyze } from '../../shared/text.js';
import { normalizePhrase } from '../phrases.js';
import type { Doubt } from './report.js';

export interface Trigger {
  phrase: string;
  doubts: Doubt[];
}

export const MIN_TRIGGER_WORDS = 2;
export const MAX_TRIGGER_WORDS = 5;

const setOf = (text: string): ReadonlySet<string> => new Set(text.split(/\s+/));

/** General verbs of software work, in dictionary form. */
const VERBS = setOf(
  `abandon accept acknowledge acquire activate adapt add adjust adopt aggregate allocate allow analyze
  annotate append apply approve archive arrange assert assign attach authenticate authorize automate avoid
  balance bind bootstrap break build buy cancel capture catch centralize change check choose classify clean
  clear clone close collapse collect combine compare compile compose compress compute configure confirm
  connect consolidate construct convert coordinate copy create customize debounce debug decide declare
  decode decouple decrypt deduplicate define delegate delete deliver denormalize deploy deprecate derive
  describe deserialize design detect diagnose disable discard discover dispatch display distribute divide
  document download drop duplicate edit embed emit enable encapsulate encode encrypt enforce ensure escalate
  establish estimate evaluate evict exclude execute expand expect expire explain export expose extend extract
  fetch filter find fix flatten follow fork freeze generate grant group grow guard handle hash hide identify
  ignore implement import improve increase index inherit initialize inject inline insert inspect install
  integrate intercept introduce invalidate invoke isolate keep launch learn limit link load localize lock log
  maintain make manage measure merge migrate minimize mock modify monitor move name negotiate normalize notify
  observe obtain open optimize orchestrate organize override overwrite paginate parallelize parse partition
  patch pin poll prefer prepare preserve prevent prioritize process profile promote propagate protect provide
  provision prune publish pull purge push put query queue quote raise randomize read rebase rebuild receive
  recognize reconcile reconnect record recover redact redirect reduce refactor refresh refuse register reject
  release reload remove rename render renew reorder repair repeat replace replay replicate report request
  require reserve reset resolve respect restart restore restrict resume retain rethrow retire retrieve retry
  return reuse review revoke rewrite rollback rotate route run sample sanitize save schedule seed select send
  separate serialize serve set share ship show sign simplify skip snapshot sort specify split stage standardize
  start stop store stream structure style submit subscribe suppress swap sync synchronize tag terminate test
  throttle throw tokenize trace track transfer transform translate transmit treat trim troubleshoot truncate
  trust tune understand unify uninstall update upgrade upload use validate verify version view visualize wait
  warn wrap write`,
);
/** Verbs whose bare form is also the noun of the act: "the module split", "a retry". */
const ACTS = setOf(
  `change check copy debounce design download edit export import merge patch purge rebuild release replay reset
  restart retry review rollback sort split transfer update upgrade upload`,
);
/** Verbs whose bare form is a thing more often: "log levels", "query cache". */
const THINGS = setOf(
  `archive capture document drop duplicate filter group guard hash index limit link lock log mock name pin poll
  process profile query queue quote record report request route run sample schedule seed set share ship sign
  snapshot stage store stream structure style tag test trace track version view`,
);
/** An act with its particle. */
const PHRASAL = /^(roll|back|clean|shut|set|tear|look|start)(back|up|down)s?$/;
/** A word of any form, to the verb whose act it names: `validation`, `validated`, `validates`. */
const VERB_OF_STEM: ReadonlyMap<string, string> = new Map(
  [...VERBS].map((verb) => [stemmer(verb), verb]),
);
/** Endings of words that name what is done and no thing, and what the verb has in their place. */
const NAMES_ACT: readonly (readonly [RegExp, string])[] = [
  [/ification$/, 'ify'],
  [/ention$/, 'ain'],
  [/olution$/, 'olve'],
  [/osition$/, 'ose'],
  [/ission$/, 'it'],
  [/ersion$/, 'ert'],
  [/age$/, 'e'],
  [/([st]ion|ment|al|ance|ence|ery|y)$/, '$1'],
];

/** Words that say what kind of statement a title makes, by the verb of somebody who needs it. */
const KINDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    using: 'pattern approach technique method principle idiom example mechanism model concept',
    following:
      'convention rule guideline standard policy requirement constraint practice process procedure workflow checklist',
    choosing: 'strategy alternative option preference criteria rationale',
    making: 'decision tradeoff',
    debugging: 'gotcha pitfall trap caveat limitation problem issue quirk bug workaround',
    understanding: 'overview basics note insight lesson architecture background',
  }).flatMap(([gerund, kinds]) => kinds.split(' ').map((kind): [string, string] => [kind, gerund])),
);
const FORMS: ReadonlyMap<string, string> = new Map([
  ['format', 'formatting'],
  ['structure', 'structuring'],
  ['selection', 'choosing'],
]);

const ARTICLES = setOf('a an the our your my its their this that these those some any');
const AUXILIARIES = setOf(
  'must should can may shall will would need needs cannot is are was were be',
);
const PREPOSITIONS = setOf(
  `about above across after against along among around as at before behind below between beyond by during for
  from in inside into like near of off on onto out outside over per since through throughout to toward under
  until upon versus via when where while with within without and or but`,
);
/** Words in -ing that name a thing or say which. */
const NO_ACT =
  /^(?:any|every|no|some)?thing$|^(?:being|ceiling|during|evening|meaning|meeting|morning|sibling|spelling|spring|string|missing|pending|existing|following|incoming|outgoing|matching|remaining|upcoming)$/;
/** Describe a thing of their own: "lazy loading", "two-phase commit". */
const DESCRIBES =
  /^(?:lazy|eager|soft|hard|bulk|batch|single|double|multi|two|three|static|dynamic|negative|optimistic|restricted|permitted)$|(?:[^aeiou]ic|ical|ful|less|ous|ible|able|ive|[^e]ed)$/;

const isFunctionWord = (word: string) =>
  ARTICLES.has(word) || PREPOSITIONS.has(word) || AUXILIARIES.has(word) || word === 'not';
const isGerund = (word: string) =>
  /[aeiouy].*ing$/.test(word) && word.length > 4 && !NO_ACT.test(word);
/** Hardly ever a noun. */
const isPure = (word: string) => VERBS.has(word) && !ACTS.has(word) && !THINGS.has(word);
const kindOf = (word: string) => {
  const singular = word.replace(/ies$/, 'y').replace(/s$/, '');
  return KINDS.get(word) ?? KINDS.get(singular) ?? FORMS.get(singular);
};

/** `write` → `writing`, `split` → `splitting`. */
function gerundOf(verb: string): string {
  if (/[^eoy]e$/.test(verb)) return `${verb.slice(0, -1)}ing`;
  const doubles = /^[^aeiou]*[aeiou][bdgklmnprt]$|(?:mit|fer|pel|set|lap)$/;
  return doubles.test(verb) && !/^(?:offer|differ|buffer|limit)$/.test(verb)
    ? `${verb}${verb.at(-1)}ing`
    : `${verb}ing`;
}

/** The verb that a form is of: `splits`, `chose`, `validated`. */
function verbOf(word: string): string | undefined {
  const form = DICTIONARY_FORMS.get(word) ?? word;
  const stem = stemmer(form);
  return [form, stem].find((one) => VERBS.has(one)) ?? VERB_OF_STEM.get(stem);
}

/**
 * What is done, of a noun that says so: `handling` → itself, `validation` → `validating`. Of a word that
 * may be a thing only where it stands in front of a kind of statement ("snapshot strategy").
 */
function actOf(noun: string, hasKind: boolean): string | undefined {
  if (isGerund(noun)) return noun;
  const [, base, particle] = PHRASAL.exec(noun) ?? [];
  if (base !== undefined) return `${gerundOf(base)} ${particle}`;
  const singular = noun.replace(/s$/, '');
  const isBare = VERBS.has(singular) && (hasKind || !THINGS.has(singular));
  const found = NAMES_ACT.find(([ending]) => ending.test(singular));
  const verb = isBare ? singular : found && verbOf(singular.replace(...found));
  return verb === undefined ? undefined : gerundOf(verb);
}

/** `mock` → `mocks`; what ends like a plural or has none stays. */
function pluralOf(noun: string): string {
  const isCounted = /^[a-z]{3,}$/.test(noun) && /[aeiou]/.test(noun);
  if (
    !isCounted ||
    /(?:s|ity|ness|ism|th|[st]ion|ance|ence|(?:or|us|er)age|data|text|code|html)$/.test(noun)
  ) {
    return noun;
  }
  if (/[^aeiou]y$/.test(noun)) return `${noun.slice(0, -1)}ies`;
  return /(?:x|z|ch|sh)$/.test(noun) ? `${noun}es` : `${noun}s`;
}

/** Words of a title or description: lower case, letters and digits; markup and punctuation gone. */
function plainWords(text: string): string[] {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\bc\+\+/g, 'cpp')
    .replaceAll(/\bc#/g, 'csharp')
    .replaceAll(/['’]s?(?![\p{L}\p{N}])|['’]/gu, '')
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');
}

/** What a title says beside its subject: "(initial release)". */
const ASIDE = /\s*[([][^)\]]*[)\]]/g;
/** Says how the rest is meant, and is no part of it; `asks`: what follows is a verb. */
const OPENING =
  /^(?:(?:how|when|where|what) to |(?:why|when|how) (?:we|you|i|they) |never |do not |dont |don t )|^(?:always|only|please|just|why|how|when|what) /;

/** What somebody does who needs the decision, the verb first; `null`: the title does not say. */
function activityOf(title: string, words: readonly string[]): string[] | null {
  const said = words.join(' ');
  if (/^(?:no|without) /.test(said)) return ['avoiding', ...words.slice(1)];
  const rest = said.replace(OPENING, '').split(' ');
  const asks = rest.length < words.length;
  return choiceOf(title, rest) ?? orderOf(rest, asks) ?? clauseOf(rest) ?? namedAct(rest);
}

/** "X over Y", "X instead of Y", "X, not Y". */
function choiceOf(title: string, words: readonly string[]): string[] | null {
  const [, left, right] =
    /^(.+?) (?:over|vs|versus|instead of|not) (.+)$/.exec(words.join(' ')) ?? [];
  const isNot = words.includes('not') && !/,\s*not\b/i.test(title);
  if (left === undefined || right === undefined || isNot || isGerund(words[0] ?? '')) return null;
  if (verbOf(words[0] ?? '') !== undefined && isPure(words[0] ?? '')) return null;
  return ['choosing', ...left.split(' '), 'over', ...right.split(' ')];
}

/** "Use X for Y", "Writing docs", and "Log the errors" rather than "log levels". */
function orderOf(words: readonly string[], asks: boolean): string[] | null {
  const [first = '', second = '', third = ''] = words;
  if (isGerund(first) && words.length > 1 && kindOf(second) === undefined) return [...words];
  const verb = VERBS.has(first) ? first : asks ? verbOf(first) : undefined;
  if (verb === undefined || words.length < 2) return null;
  const isObject = ARTICLES.has(second) || /^(?:all|each|every)$/.test(second);
  const isPlural =
    /[^su]s$/.test(second) && PREPOSITIONS.has(third) && kindOf(second) === undefined;
  if (!asks && !isPure(first) && !isObject && !isPlural) return null;
  const isJoined = (at: number) => /^(?:and|or)$/.test(words[at - 1] ?? '');
  const rest = words.map((word, at) => (isJoined(at) && isPure(word) ? gerundOf(word) : word));
  return [gerundOf(verb), ...rest.slice(1)];
}

/** "Tests must be isolated", "Workers should acknowledge jobs", "Flags are exact tokens". */
function clauseOf(words: readonly string[]): string[] | null {
  const at = words.findIndex((word, index) => index > 0 && AUXILIARIES.has(word));
  if (at < 0) return statementOf(words);
  const subject = words.slice(0, at);
  const [first = '', ...behind] = words
    .slice(at)
    .filter((word) => !AUXILIARIES.has(word) && !/^(?:not|never|always)$/.test(word));
  if (first === '') return null;
  const verb = verbOf(first);
  if (!words.some((word) => /^(?:is|are|was|were|be)$/.test(word))) {
    return verb === first ? [gerundOf(verb), ...behind, 'in', ...subject] : null;
  }
  return verb === undefined || verb === first
    ? ['treating', ...subject, 'as', first, ...behind]
    : [gerundOf(verb), ...subject, ...behind];
}

/** "Review uses linters", "payloads carry identifiers": number of subject and verb agree. */
function statementOf(words: readonly string[]): string[] | null {
  const verbAt = (at: number) => {
    const isPlural = /[^sui]s$/.test(words[at - 1] ?? '');
    const verb = isPlural ? words[at] : words[at]?.replace(/s$/, '');
    return isPlural === (verb === words[at]) && isPure(verb ?? '') ? verb : undefined;
  };
  const at = words.findIndex((_, index) => index > 0 && verbAt(index) !== undefined);
  const [, next, ...more] = words.slice(at);
  if (at < 0 || next === undefined || PREPOSITIONS.has(next)) return null;
  const about = more.length > 0 ? [] : ['for', ...words.slice(0, at)];
  return [gerundOf(verbAt(at) ?? ''), next, ...more, ...about];
}

/** "Mock patching pattern", "Configuration of mail servers", "Commit message format". */
function namedAct(words: readonly string[]): string[] | null {
  const { core: whole, tail } = partsOf(words);
  const core = [...whole];
  const form = core.length > 1 ? FORMS.get(core.at(-1) ?? '') : undefined;
  while (form === undefined && kindOf(core.at(-1) ?? '') !== undefined) core.pop();
  // "Guidelines for writing docs"
  if (core.length === 0) return isGerund(tail[1] ?? '') ? tail.slice(1) : null;
  const act = form ?? actOf(core.at(-1) ?? '', core.length < whole.length);
  const before = core.slice(0, -1);
  if (act === undefined || DESCRIBES.test(before.at(-1) ?? '')) return null;
  if (before.length > 0) {
    return [...act.split(' '), ...before.slice(0, -1), pluralOf(before.at(-1) ?? ''), ...tail];
  }
  const object = /^(?:of|for)$/.test(tail[0] ?? '') ? tail.slice(1) : tail;
  const said = [...act.split(' '), ...object];
  return said.length > 1 ? said : null;
}

/** Phrases for one index; those in `taken` are in use and never given. */
export function createTriggerNamer(taken: Iterable<string>): {
  /**
   * `file`: path of the decision file, which tells two alike titles apart. `most`: words that the
   * phrase may have, 2 to 5.
   */
  name(title: string, description: string, file: string, most?: number): Trigger;
} {
  const used = new Set([...taken].map(normalizePhrase));
  const isFree = (phrase: string) => !used.has(normalizePhrase(phrase));
  return {
    name(title, description, file, most = MAX_TRIGGER_WORDS) {
      const doubts: Doubt[] = [];
      const bare = plainWords(title.replaceAll(ASIDE, ' '));
      const said = bare.length > 0 ? bare : plainWords(title);
      const activity = activityOf(title, said);
      if (activity === null) doubts.push('no_verb');
      const whole = (activity ?? [guessFor(said), ...said]).filter((word) => !ARTICLES.has(word));
      const words = cutToSize(whole, most);
      if (words.length < whole.length) doubts.push('shortened');
      const things = words.slice(1).filter((word) => !isFunctionWord(word));
      const isEmpty = things.every((word) => KINDS.has(word));
      if (isEmpty || (activity === null && things.length === 1)) doubts.push('too_vague');
      const spare = spareWords(words, [...said, ...plainWords(description)]);
      while (words.length < MIN_TRIGGER_WORDS) words.push(spare.shift() ?? 'things');
      let phrase = words.join(' ');
      if (!isFree(phrase)) {
        const other = others(words, spare, file).find(isFree);
        doubts.push(other === undefined ? 'numbered' : 'made_unique');
        for (let number = 2; !isFree(phrase); number += 1) {
          phrase = other ?? extended(words, [String(number)]);
        }
      }
      used.add(normalizePhrase(phrase));
      return { phrase, doubts };
    },
  };
}

/** A noun phrase, and what its first preposition adds. */
function partsOf(words: readonly string[]): { core: string[]; tail: string[] } {
  const cut = words.findIndex((word, at) => at > 0 && PREPOSITIONS.has(word));
  const end = cut < 0 ? words.length : cut;
  return { core: words.slice(0, end), tail: words.slice(end) };
}

function guessFor(words: readonly string[]): string {
  const last = partsOf(words).core.at(-1) ?? '';
  const isTrouble = /(?:error|failure|exception|conflict|limit|timeout)s?$/.test(last);
  const isAct = words.length === 1 && actOf(last, false) !== undefined;
  return isTrouble || isAct ? 'handling' : (kindOf(last) ?? 'using');
}

/** Behind the last preposition the noun stays, if there is space; else it goes with its preposition. */
function cutToSize(whole: readonly string[], most: number): string[] {
  let words = [...whole];
  while (words.length > most) {
    const at = words.findLastIndex((word, index) => index > 1 && PREPOSITIONS.has(word));
    const free = most - at - 1;
    if (at < 0) words = [...words.slice(0, 1), ...words.slice(1 - most)];
    else
      words = [
        ...words.slice(0, at),
        ...(free > 0 ? [words[at] ?? '', ...words.slice(-free)] : []),
      ];
  }
  while (words.length > MIN_TRIGGER_WORDS && isFunctionWord(words.at(-1) ?? '')) words.pop();
  return words;
}

/** Words that say something new beside the phrase. */
function spareWords(words: readonly string[], more: readonly string[]): string[] {
  const known = new Set(words.flatMap(analyze));
  return [...new Set(more)].filter(
    (word) => !isFunctionWord(word) && !analyze(word).some((term) => known.has(term)),
  );
}

/** The same phrase with where it applies, else with a word more. */
function others(words: readonly string[], spare: readonly string[], file: string): string[] {
  const place = plainWords(file.replace(/^.*\//, '').replace(/\.[^.]+$/, ''));
  const isShort = place.length > 0 && place.length < 3 && !place.some((one) => words.includes(one));
  return [...(isShort ? [['in', ...place]] : []), ...spare.map((word) => [word])].map((more) =>
    extended(words, more),
  );
}

function extended(words: readonly string[], more: readonly string[]): string {
  const kept = Math.max(MIN_TRIGGER_WORDS, MAX_TRIGGER_WORDS - more.length);
  return [...words.slice(0, kept), ...more].slice(0, MAX_TRIGGER_WORDS).join(' ');
}
