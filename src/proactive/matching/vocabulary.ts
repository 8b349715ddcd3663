/**
 * The words of software work, for comparing what is to be done with what was done. Kept small on
 * purpose: only words that developers exchange without noticing stand together. Large lexicons
 * measured worse on sentences nobody had seen (they bring unrelated tasks together).
 */
import { analyze } from '../../shared/text.js';

/** What kind of work a sentence asks for. Kinds of one group are done in one go, others are not. */
export type Kind =
  | 'fix'
  | 'add'
  | 'remove'
  | 'change'
  | 'reshape'
  | 'name'
  | 'speed'
  | 'test'
  | 'document'
  | 'study'
  | 'look'
  | 'upgrade'
  | 'migrate'
  | 'ship'
  | 'revert'
  | 'run';

/** Verbs in their base form; `?` marks those that are nouns as often ("the build", "a test"). */
const VERBS: Readonly<Record<Kind, string>> = {
  fix: 'fix repair resolve solve correct debug patch? hotfix address? handle? prevent stop? stabilize',
  add: 'add implement create introduce insert include build? write support? develop provide generate install enable wire integrate set? setup? append extend expose',
  remove: 'remove delete drop? strip? eliminate disable purge kill? clean? uninstall prune',
  change:
    'update? change? improve modify adjust edit tweak alter configure replace swap? switch? use? apply increase decrease raise? lower reduce shrink enlarge scale? limit? set? put store? wrap turn keep make rewrite allow require ensure enforce',
  reshape:
    'refactor restructure reorganize extract simplify split? move? merge? decouple inline deduplicate tidy consolidate modularize',
  name: 'rename',
  speed: 'optimize speed? accelerate tune',
  test: 'test? cover',
  document: 'document? annotate',
  study:
    'investigate diagnose analyze research inspect examine audit? profile? find review? check? trace? identify locate explore study? verify compare',
  look: 'look? read show? view? explain list? understand summarize see grep cat browse describe discuss think remind recall',
  upgrade: 'upgrade? bump? downgrade',
  migrate: 'migrate port? convert transition',
  ship: 'deploy release? publish ship? rollout? push? launch?',
  revert: 'revert undo rollback? backout restore?',
  run: 'run? execute start? restart? rerun call? invoke',
};

export interface Verb {
  kind: Kind;
  /** As often a noun: it is a verb only where a command stands. */
  nounish: boolean;
}

function inflected(verb: string): string[] {
  const stem = verb.endsWith('e') ? verb.slice(0, -1) : verb;
  const last = verb.at(-1) ?? '';
  const double = /[^aeiou][aeiou][bdglmnprt]$/.test(verb) ? [`${verb}${last}`] : [];
  const base = verb.endsWith('y') && !/[aeiou]y$/.test(verb) ? verb.slice(0, -1) : null;
  return [
    verb,
    ...(base === null ? [`${verb}s`, `${verb}es`] : [`${base}ies`, `${base}ied`]),
    `${stem}ing`,
    `${stem}ed`,
    ...double.flatMap((form) => [`${form}ing`, `${form}ed`]),
  ];
}

/** Every form of every verb. Where a word has two kinds the first one named is meant. */
const VERB_FORMS: ReadonlyMap<string, Verb> = (() => {
  const forms = new Map<string, Verb>();
  for (const [kind, words] of Object.entries(VERBS) as [Kind, string][]) {
    for (const marked of words.split(' ')) {
      const nounish = marked.endsWith('?');
      for (const form of inflected(marked.replace('?', ''))) {
        if (!forms.has(form)) forms.set(form, { kind, nounish });
      }
    }
  }
  const irregular: [string, Kind][] = [
    ['wrote', 'add'],
    ['written', 'add'],
    ['built', 'add'],
    ['made', 'change'],
    ['ran', 'run'],
    ['rewrote', 'change'],
    ['found', 'look'],
    ['shown', 'look'],
  ];
  for (const [form, kind] of irregular) forms.set(form, { kind, nounish: false });
  // "Seed" is no form of "see".
  forms.delete('seed');
  // British spelling.
  for (const [form, verb] of [...forms]) {
    if (/iz(?:e|es|ed|ing)$/.test(form)) forms.set(form.replace(/iz(?=\w+$)/, 'is'), verb);
  }
  return forms;
})();

export function verbOf(word: string): Verb | undefined {
  return VERB_FORMS.get(word);
}

/** Kinds that are near enough to be one task worded differently. Symmetric. */
const NEAR: readonly (readonly [Kind, Kind, number?])[] = [
  ['fix', 'change', 0.7],
  ['fix', 'remove'],
  ['add', 'change'],
  ['speed', 'change'],
  ['speed', 'fix'],
  ['study', 'fix'],
  ['study', 'speed'],
  ['study', 'look'],
  ['reshape', 'change'],
  ['upgrade', 'change'],
  ['migrate', 'change'],
  ['upgrade', 'migrate'],
  ['reshape', 'migrate'],
  ['ship', 'run'],
  ['add', 'run'],
];

const ANOTHER = 0.5;
const UNDOING: ReadonlySet<Kind | undefined> = new Set<Kind>(['remove', 'revert']);

/** 1: one kind, or one of them is not said; less: a different thing is done to the same object. */
export function kindLikeness(a: Kind | undefined, b: Kind | undefined): number {
  if (a === b) return 1;
  if (a === undefined || b === undefined) {
    // "Debounce the input" does not say "add", but it is not the removal of it.
    return UNDOING.has(a ?? b) ? ANOTHER : 1;
  }
  const near = NEAR.find(
    ([one, other]) => (one === a && other === b) || (one === b && other === a),
  );
  return near === undefined ? ANOTHER : (near[2] ?? 0.88);
}

/** Words for one thing; the first names the group. Compared by stem. */
const SAME: readonly string[] = [
  'auth authentication authenticate login logon signin',
  'config configuration configure settings setting',
  'database db',
  'cache caching memoize memoization memoise',
  'performance perf speed slow slowness latency fast faster quicker optimize optimization optimise sluggish',
  'docs doc documentation document documenting',
  'dependency dependencies deps dep package',
  'repository repo',
  'environment env',
  'parameter param argument arg',
  'endpoint route',
  'permission authorization authorize authorise authorisation',
  'expire expiry expiration ttl',
  'ratelimit throttle throttling',
  'duplicate dedupe dedup deduplicate twice double',
  'log logger',
  'email mail',
  'administrator admin',
  'payment pay',
  'image picture photo',
  'javascript js',
  'typescript ts',
  'postgresql postgres',
  'kubernetes k8s',
  'test spec',
  'crash crashing',
  'flaky intermittent unstable nondeterministic',
  'translation i18n internationalization localization translate localize',
  'retry retrying',
  'upload uploading',
  'hour hourly',
  'daily everyday',
  'weekly week',
  'monthly month',
  'yearly annual annually year',
  'nightly night overnight tonight',
  'phone telephone',
  'thumbnail preview',
  'folder directory',
  'automatic auto automate automatically',
  'validate validation validator',
];

export function stemOf(word: string): string | undefined {
  return analyze(word)[0];
}

const GROUPS: ReadonlyMap<string, string> = new Map(
  SAME.flatMap((words) => {
    const stems = words.split(' ').map((word) => stemOf(word) ?? word);
    return stems.map((stem): [string, string] => [stem, stems[0] as string]);
  }),
);

/** What a stem means: its group's first word, or itself. */
export function conceptOf(stem: string): string {
  return GROUPS.get(stem) ?? stem;
}

const SPELLINGS: ReadonlyMap<string, readonly string[]> = (() => {
  const found = new Map<string, string[]>();
  for (const [stem, concept] of GROUPS) found.set(concept, [...(found.get(concept) ?? []), stem]);
  return found;
})();

/** Stems of a concept's group; none for a word that stands alone. */
export function spellingsOf(concept: string): readonly string[] {
  return SPELLINGS.get(concept) ?? [];
}

/** Phrases read as one word. */
export const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(rate)[ -]?limit(?:s|ing|er|ed)?\b/gi, 'ratelimit'],
  [/\b(?:log|sign)(?:s|ged|ging|ed|ing)?[ -](?:in|on)\b/gi, 'login'],
  [/\b(?:log|sign)(?:s|ged|ging|ed|ing)?[ -](?:out|off)\b/gi, 'logout'],
  [/\bget(?:ting)? rid of\b/gi, 'remove'],
  [/\bspeed(?:ing)?[ -]up\b/gi, 'optimize'],
  [/\b(?:roll(?:ing)?|back(?:ing)?)[ -](?:back|out)\b/gi, 'revert'],
  [/\bset(?:ting)?[ -]up\b/gi, 'setup'],
  [/\bback(?:ing|s|ed)?[ -]up\b/gi, 'backup'],
  [/\bclean(?:ing)?[ -]up\b/gi, 'tidy'],
  [/\bsort(?:ing)? (?:(it|this|that|them) )?out\b/gi, 'fix $1'],
  [/\btak(?:es?|ing) (?:forever|ages|(?:too|so|very) long)\b/gi, 'slow'],
  [/\blook(?:ing)? into\b/gi, 'investigate'],
  [/\btake a look at\b/gi, 'inspect'],
  [/\bturn(?:ing)? on\b/gi, 'enable'],
  [/\bturn(?:ing)? off\b/gi, 'disable'],
];

const stems = (words: string): ReadonlySet<string> =>
  new Set(words.split(' ').map((word) => conceptOf(stemOf(word) ?? word)));

/** Say next to nothing about which task is meant. */
const EMPTY = stems(
  'code bug bugs issue problem feature functionality thing stuff work task todo new proper properly correct ' +
    'correctly good better best bad wrong broken current existing way line part logic support handling ' +
    'implementation version more less other another all each every again still please sure first next ' +
    'last now today yet always never only really actually currently basic simple small big large little nice ' +
    'great quick quickly easy hard old own whole full different several many few lot bit kind sort type ' +
    'able need want like try happen get go come let keep take give put know think say look seem fail failing ' +
    'failure error errors working project app application software program system codebase repository ' +
    'change update improvement fix refactoring one two time instead using use used via per etc folder directory ' +
    'file files when while because since after before during until whenever everything something anything ' +
    'script tool development short long early late missing hey hi hello thanks thank ok okay team guys ' +
    'morning afternoon today tomorrow hope week day user users people customer customers complain say tell never arrive why how what where who which non ' +
    'myself yourself himself herself itself ourselves themselves someone somebody anyone anybody everyone everybody nobody ' +
    'month hour year soon later ago maybe perhaps probably quite rather please then there here already',
);

/** Stand in the names of very many tasks; two that share only such words are not one. */
const COMMON = stems(
  'function class method module component service page api endpoint server client data test unit integration ' +
    'button field form table list value name object array string number request response query ' +
    'interface model view controller handler helper util utility library package dependency config docs log ' +
    'state event property column row input output id url path link key schema type layer level ' +
    'option flag field default support backend frontend build main core common shared index general web http ' +
    'result set call check process step logic internal external public private global local production ' +
    'environment parameter performance readme comment documentation style create remove add website site mode commit push pull pr branch merge pipeline workflow',
);

/** 0 to 1: how much a concept says about which task is meant, before its rarity is known. */
export function weightOf(concept: string): number {
  if (EMPTY.has(concept)) return 0.1;
  if (COMMON.has(concept)) return 0.45;
  return 1;
}
