/** Which stored hints a message is about: the components it names, and the keys and tags it asks for. */
import type { NudgeContext } from '../../hints/index.js';
import type { Uuid } from '../../shared/ids.js';
import { componentsIn, keyFit, termsIn } from './hint-names.js';
import type { NamedHint } from './hint-text.js';
import type { HintTurn } from './hint-turn.js';

/** A variant, which its name and scope alone do not tell from another person's. */
export interface KnownHint extends NamedHint {
  id: Uuid;
}

export interface FoundHint extends KnownHint {
  isEligible: boolean;
  /** Why it counts here, or why not. */
  reasons: string[];
  /** As `keyFit`; 0 where nothing but the component is asked for. */
  fit: number;
}

export interface Found {
  /** That the caller knows anything of. */
  components: string[];
  /** That the message names. */
  named: string[];
  /** What it asks for beside them, as stems. */
  terms: string[];
  /**
   * Of the named components, of all when none is named: those with the best fit, else all. The best
   * variant of each key; one that does not count in the context only where none does.
   */
  hints: FoundHint[];
  /** Every variant of the keys in `hints`, whatever its scope. */
  variants: KnownHint[];
  /** Whether `hints` have the key that is asked for. */
  isFit: boolean;
}

const MOST_OF_COMPONENT = 200;
const MOST_OF_ALL = 1_000;

export async function findHints(
  { service, caller }: Pick<HintTurn, 'service' | 'caller'>,
  text: string,
  context: NudgeContext,
): Promise<Found> {
  const components = (await service.listComponents({}, caller)).components.map(({ name }) => name);
  const named = componentsIn(text, components);
  const all: FoundHint[] = [];
  const variants: KnownHint[] = [];
  const terms = new Set<string>();
  const places = named.length > 0 ? named : [{ name: undefined, words: [] }];
  for (const { name: place, words } of places) {
    const asked = termsIn(text, words);
    for (const term of asked) terms.add(term);
    const limit = place === undefined ? MOST_OF_ALL : MOST_OF_COMPONENT;
    const scope = place === undefined ? {} : { component: place };
    const { hints, others = [] } = await service.query(
      { ...scope, context, limit, explain: 'all' },
      caller,
    );
    const taken = new Set<string>();
    for (const [found, isEligible] of [
      ...hints.map((one) => [one, true] as const),
      ...others.map((one) => [one, false] as const),
    ]) {
      const { component, key, hint, match_explain } = found;
      const id = service.offering.idOf(found, caller);
      if (id === null) continue;
      variants.push({ id, component, key, hint });
      const name = JSON.stringify([component, key]);
      if (taken.has(name)) continue;
      taken.add(name);
      const fit = keyFit({ key, tags: hint.meta.tags }, asked);
      all.push({ id, component, key, hint, isEligible, reasons: match_explain.reasons, fit });
    }
  }
  const best = Math.max(0, ...all.map(({ fit }) => fit));
  const hints = best === 0 ? all : all.filter(({ fit }) => fit === best);
  const isOf = (one: NamedHint) =>
    hints.some(({ component, key }) => component === one.component && key === one.key);
  return {
    components,
    named: named.map(({ name }) => name),
    terms: [...terms],
    hints,
    variants: variants.filter(isOf),
    isFit: best > 0,
  };
}
