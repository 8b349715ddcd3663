/**
 * Which stored hints a message is about: the components it names, and the keys and tags it asks for. "The
 * HTTP proxy", `httpProxy` and `http-proxy` are one name.
 */
import { bareName, componentMentions, type NudgeContext } from '../../hints/index.js';
import type { Uuid } from '../../shared/ids.js';
import { analyze, analyzeQuery } from '../../shared/text.js';
import type { ToldHint } from './hint-reading.js';
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

const MAX_TEXT = 8_192;
const ARTICLE = /^(?:the|our|my|your|this|that|an?)\s+/i;
/** What a component is called by beside its name. */
const KIND = /\s+(?:service|module|component|package|project|app|repo)$/i;
/** Words with which a hint is spoken of; they name none. */
const ABOUT_HINTS = new Set(
  analyze(
    'hint hints command commands cmd script get list all every give need use please again key keys component ' +
      'remember recall way correct right currently now bump forget delete remove drop worked work works thank thanks value',
  ),
);

/** The component that is known by what was said, with or without its kind ("the auth service"); else a new name. */
export function componentNamed(said: string, known: readonly string[]): string {
  const whole = said.trim().replace(ARTICLE, '');
  const short = whole.replace(KIND, '');
  const found = [whole, short].map((name) =>
    known.find((other) => bareName(other) === bareName(name)),
  );
  return found.find((one) => one !== undefined) ?? short.replace(/\s+/g, '-');
}

/** With the component that is known by this name. */
export async function knownAs(
  { service, caller }: Pick<HintTurn, 'service' | 'caller'>,
  { params, share }: ToldHint,
): Promise<ToldHint> {
  const known = (await service.listComponents({}, caller)).components.map(({ name }) => name);
  return { params: { ...params, component: componentNamed(params.component, known) }, share };
}

/** A component that a text names, and the words that do it. */
interface NamedComponent {
  name: string;
  words: string[];
}

type PlacedComponent = NamedComponent & { from: number; to: number };

/**
 * The components that a text is about: named in words, or as a folder of a file that is mentioned.
 * A longer name goes before one that is part of it ("auth service" is not "auth").
 *
 * @param text at most 8,192 characters of it
 */
export function componentsIn(text: string, known: readonly string[]): NamedComponent[] {
  const mentions = componentMentions(text.slice(0, MAX_TEXT), known);
  const found = mentions.flatMap(({ name, said, folder }): PlacedComponent[] => {
    if (said?.isWhole) return [{ name, ...said }];
    return folder === null ? [] : [{ name, words: [], from: -1, to: -1 }];
  });
  return found
    .filter((one) => !found.some((other) => isPartOf(one, other)))
    .sort((a, b) => a.from - b.from || Number(a.name > b.name) - Number(a.name < b.name))
    .map(({ name, words }) => ({ name, words }));
}

function isPartOf(one: { from: number; to: number }, other: { from: number; to: number }): boolean {
  const isWithin = one.from >= other.from && one.to <= other.to;
  return one.from >= 0 && other.from >= 0 && isWithin && other.to - other.from > one.to - one.from;
}

/** Stems of what a text says beside the name of a component and the words that hints are spoken of with. */
export function termsIn(text: string, component: readonly string[] = []): string[] {
  const own = analyze(component.join(' '));
  const terms = analyzeQuery(text.slice(0, MAX_TEXT));
  for (const term of own) {
    const at = terms.indexOf(term);
    if (at >= 0) terms.splice(at, 1);
  }
  return [...new Set(terms)].filter((term) => !ABOUT_HINTS.has(term));
}

/**
 * How well a key and its tags fit what is asked for: 3 the key says just that, 2 all of the key was
 * said, 1 a tag was, 0 neither.
 */
export function keyFit(
  { key, tags = [] }: { key: string; tags?: readonly string[] | undefined },
  terms: readonly string[],
): 0 | 1 | 2 | 3 {
  const said = new Set(terms);
  const all = (text: string) => {
    const own = analyze(text);
    return own.length > 0 && own.every((term) => said.has(term)) ? own.length : 0;
  };
  const ofKey = all(key);
  if (ofKey > 0) return ofKey >= said.size ? 3 : 2;
  return tags.some((tag) => all(tag) > 0) ? 1 : 0;
}
