/** Which components a moment is about: named in words, or as the folder of a path. Pure. */
import { componentMentions } from '../../hints/index.js';
import { isDeed, wordsOfName } from './concepts.js';

/** `HttpProxy`, `http-proxy` and "http proxy" alike. */
function spelled(text: string): string {
  return text
    .replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
    .join(' ');
}

/** Words of which the name is made, in lower case. */
export function wordsOfComponent(component: string): string[] {
  return [
    ...new Set([
      component.toLowerCase(),
      ...spelled(component).split(' '),
      ...wordsOfName(component),
    ]),
  ];
}

/** A component that a moment is about. */
export interface Meant {
  name: string;
  /** Named, or the folder of a path that is: then what is said is about it. */
  isSaid: boolean;
  /** As it is written in a path of the moment. */
  folder: string | null;
  /** In words. */
  reason: string;
}

/** Who names more speaks of none of them. */
const MOST_COMPONENTS = 5;

/** Those that are named, by words or paths; else the one whose folder one is in; else the only one. */
export function meantComponents(
  names: readonly string[],
  { text, files, cwd }: { text: string; files: readonly string[]; cwd: string | undefined },
): Meant[] {
  const meant = componentMentions(text, names, files).flatMap(({ name, said, folder }): Meant[] => {
    if (said !== null && !isOnlyDeed(name)) {
      return [{ name, isSaid: true, folder, reason: `${name} is named` }];
    }
    if (folder === null) return [];
    return [{ name, isSaid: true, folder, reason: `${name} is the folder of a file` }];
  });
  if (meant.length > 0) {
    const whole = meant.filter(({ name }) => !meant.some((other) => isWithin(name, other.name)));
    return whole.slice(0, MOST_COMPONENTS);
  }
  const parts = (cwd ?? '').split(/[\\/]/).filter((part) => part !== '');
  const here = parts.toReversed().flatMap((part) => names.find((name) => name === part) ?? []);
  const [name = names.length === 1 ? names[0] : undefined] = here;
  if (name === undefined) return [];
  const reason =
    here.length > 0 ? `${name} is the folder one is in` : `${name} is the only component`;
  return [{ name, isSaid: false, folder: null, reason }];
}

/** A component called "test" is not named by "run the test". */
function isOnlyDeed(name: string): boolean {
  return !spelled(name).includes(' ') && isDeed(name);
}

/** "Proxy" is not meant by itself where "http-proxy" is. */
function isWithin(name: string, other: string): boolean {
  return (
    name !== other &&
    ` ${spelled(other)} `.includes(` ${spelled(name)} `) &&
    spelled(name) !== spelled(other)
  );
}
