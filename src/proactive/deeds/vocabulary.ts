/**
 * The words of software work, for comparing what is to be done with what was done. Kept small on
 * purpose: only words that developers exchange without noticing stand together. Large lexicons
 * measured worse on sentences nobody had seen (they bring unrelated tasks together).
 */
import { analyze } from '../../shared/text.js';

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
