/** Which hints of a component mean a deed, by their key and tags. Pure. */
import { directValue, type EligibleHint } from '../../hints/index.js';
import { type Meant, wordsOfComponent } from './components.js';
import { conceptsOfNames, isDeedConcept, wordsOfName } from './concepts.js';
import { type Deed, isGeneral } from './deeds.js';

export interface Fit {
  hint: EligibleHint;
  /** Whether the key means it, and not only a tag. */
  byKey: boolean;
  /** Words of the deed that the hint means. */
  hits: number;
  reasons: string[];
}

export function fittingHints(hints: readonly EligibleHint[], deed: Deed, component: Meant): Fit[] {
  if (deed.isNew) return [];
  const read = hints.map((hint) => meaningOf(hint, component.name));
  const isNoun = (concept: string) =>
    isDeedConcept(concept)
      ? read.some(({ all }) => all.has(concept))
      : read.some(({ key }) => key.has(concept));
  const objects = deed.objects.filter((concept) => !deed.concepts.includes(concept));
  const nouns = objects.filter(isNoun);
  // "Run the tests" tests, also where nobody knows how.
  if (nouns.length === 0 && objects.some(isDeedConcept)) return [];
  const wanted = nouns.length > 0 ? nouns : deed.concepts;
  const said = [
    ...deed.concepts,
    ...deed.objects,
    ...[...deed.object, ...deed.place].flatMap((word) => [...conceptsOfNames([word])]),
  ];
  return read.flatMap(({ hint, key, all, known }) => {
    const meant = wanted.find((concept) => all.has(concept));
    if (meant === undefined) return [];
    const words = component.isSaid ? deed.object : [...deed.object, ...deed.place];
    if (!isGeneral(words, known) || isPartOfName(deed, component, known)) return [];
    const byKey = wanted.some((concept) => key.has(concept));
    const hits = new Set(said.filter((concept) => all.has(concept))).size;
    const how = byKey ? `key ${hint.key} fits` : `a tag fits`;
    return [{ hint, byKey, hits, reasons: [how, component.reason] }];
  });
}

/** "The web budget" is not about web. */
function isPartOfName(deed: Deed, { name }: Meant, known: ReadonlySet<string>): boolean {
  const words = [...deed.object, ...deed.place];
  const own = new Set(wordsOfComponent(name));
  const last = words.findLastIndex((word) => own.has(word));
  return last >= 0 && deed.isOrder && !isGeneral(words.slice(last + 1, last + 2), known);
}

interface Meaning {
  hint: EligibleHint;
  key: ReadonlySet<string>;
  /** Of the tags, too. */
  all: ReadonlySet<string>;
  /** Words that say nothing beside the hint, in lower case. */
  known: ReadonlySet<string>;
}

function meaningOf(hint: EligibleHint, component: string): Meaning {
  const { key, hint: stored } = hint;
  const tags = stored.meta.tags ?? [];
  const value = directValue(stored.value) ?? '';
  return {
    hint,
    key: conceptsOfNames([key]),
    all: conceptsOfNames([key, ...tags]),
    known: new Set([...wordsOfComponent(component), ...[key, ...tags, value].flatMap(wordsOfName)]),
  };
}
