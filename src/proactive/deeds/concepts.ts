/**
 * What is done to software over and over, by whatever word: "compile" builds, "dev" starts. The key and
 * the tags of a hint and the words of a moment are brought to the same concepts. Pure.
 */
import { analyze } from '../../shared/text.js';
import { conceptOf, stemOf } from './vocabulary.js';

/** Words for one deed, and the nouns for it; the first names the group. Compared by stem. */
const SAME_DEED: readonly string[] = [
  'build compile compiler compilation bundle bundler transpile assemble',
  'test spec tester',
  'run start launch serve execute boot dev startup',
  'install installer setup bootstrap',
  'deploy deployment ship release publish rollout',
  'lint linter',
  'format formatter prettify',
  'stop shutdown terminate halt',
  'migrate migration',
];

const DEEDS: ReadonlyMap<string, string> = new Map(
  SAME_DEED.flatMap((words) => {
    const stems = words.split(' ').map((word) => stemOf(word) ?? word);
    return stems.map((stem): [string, string] => [stem, stems[0] as string]);
  }),
);

/** Of one word: the concept of its group, without "re" where a deed is done again; '' for small words. */
export function deedConcept(word: string): string {
  const stem = stemOf(word) ?? '';
  const known = DEEDS.get(stem);
  if (known !== undefined) return known;
  // To reserve is not to serve again.
  const again = /^re-?(?=[a-z]{3})(?!serv)/i.exec(word)?.[0];
  const once = again === undefined ? undefined : DEEDS.get(stemOf(word.slice(again.length)) ?? '');
  return once ?? conceptOf(stem);
}

const GROUPS: ReadonlySet<string> = new Set(DEEDS.values());
export const RUN = deedConcept('run');
export const STOP = deedConcept('stop');

export function isDeedConcept(concept: string): boolean {
  return GROUPS.has(concept);
}

/** Whether a word stands for something that is done to software over and over. */
export function isDeed(word: string): boolean {
  return isDeedConcept(deedConcept(word));
}

/** What names mean: of the key and the tags of a hint. */
export function conceptsOfNames(names: readonly string[]): ReadonlySet<string> {
  const concepts = names.flatMap((name) => wordsOfName(name).map(deedConcept));
  return new Set(concepts.filter((concept) => concept !== ''));
}

/** `env.FEATURE_X` → env, feature, x; `testUnit` → test, unit. */
export function wordsOfName(name: string): string[] {
  return name
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => analyze(word).length > 0)
    .map((word) => word.toLowerCase());
}
