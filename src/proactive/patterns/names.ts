/** What a pattern is called: `api_endpoint` for `recall("pattern:…")`, a title for people. Pure. */
import type { Kind } from '../matching/vocabulary.js';
import type { Member } from './find.js';
import { ACT } from './shape.js';
import { isHollow, isUntelling, kindOfNoun, type Word } from './words.js';

export interface PatternName {
  /** One to three words with `_` between them, all of them words of most members. */
  pattern: string;
  /** "API endpoint addition". */
  title: string;
}

const BY_TYPE: Readonly<Record<string, string>> = {
  bug_fix: 'fix',
  feature_add: 'addition',
  refactor: 'refactoring',
  investigation: 'investigation',
  test_write: 'tests',
  documentation: 'docs',
  optimization: 'optimization',
  security_fix: 'security fix',
  dependency_update: 'upgrade',
  configuration: 'configuration',
};
const BY_VERB: Readonly<Partial<Record<Kind, string>>> = {
  fix: 'fix',
  add: 'addition',
  remove: 'removal',
  change: 'update',
  reshape: 'refactoring',
  speed: 'optimization',
  test: 'tests',
  document: 'docs',
  look: 'investigation',
  study: 'investigation',
  upgrade: 'upgrade',
  migrate: 'migration',
  ship: 'release',
  revert: 'revert',
  run: 'run',
};
/** Written in capitals by people, in small letters in paths and tags. */
const ACRONYMS = new Set(
  'api db ui cli sql http https css html jwt ci cd url uri json xml yaml sdk e2e id io pdf csv rest rpc grpc ssl tls orm crud seo aws gcp dns'.split(
    ' ',
  ),
);
/** Share of the members that a word before the noun needs. */
const MOST = 0.6;

/** @param members at least one, all of the same head */
export function nameOf(members: readonly Member[]): PatternName {
  const words = wordsOf(members);
  const before = words.length > 1 ? undefined : qualifierOf(members, words);
  const named = before === undefined ? words : [before, ...words];
  const last = lastWord(members, named);
  const shown = named.map(({ surface, shouted, concept }, at) => {
    if (shouted || ACRONYMS.has(surface)) return surface.toUpperCase();
    const isLast = at === named.length - 1 && last === undefined;
    return isLast && kindOfNoun(concept) !== undefined ? `${surface}s` : surface;
  });
  const title = [...shown, ...(last === undefined ? [] : [last])].join(' ');
  return {
    pattern: named.map(({ surface }) => surface).join('_'),
    title: title.charAt(0).toUpperCase() + title.slice(1),
  };
}

/** The head's words, each as most members write it. */
function wordsOf(members: readonly Member[]): Word[] {
  const [first] = members;
  return (first?.head.words ?? []).map((word, at) => {
    const forms = members.map(({ head }) => head.words[at] ?? word);
    const surface = commonest(forms.map((form) => form.surface))?.value ?? word.surface;
    return { ...word, surface, shouted: forms.some((form) => form.shouted) };
  });
}

/** A word that most members put before the noun, else one of their tags, else of their folder. */
function qualifierOf(members: readonly Member[], head: readonly Word[]): Word | undefined {
  const taken = new Set(head.map(({ concept }) => concept));
  const sources: ((member: Member) => Word[])[] = [
    ({ shape }) => shape.modifiers,
    ({ shape }) => shape.tags,
    ({ shape }) =>
      [...shape.files.folders]
        .filter((folder) => /^[a-z]{2,}$/.test(folder))
        .map((folder) => ({ surface: folder, concept: folder, shouted: false })),
  ];
  for (const [at, read] of sources.entries()) {
    const bySurface = new Map<string, Word>();
    const surfaces = members.flatMap((member) => {
      const own = read(member).filter(
        ({ surface, concept }) =>
          !taken.has(concept) &&
          !surface.startsWith(head[0]?.surface ?? ' ') &&
          /^[a-z][a-z0-9]+$/.test(surface) &&
          !isUntelling(concept) &&
          // What everybody writes before it belongs to it: feature flag, data model.
          (at === 0 || !isHollow(concept) || ACRONYMS.has(surface)),
      );
      for (const word of own) bySurface.set(word.surface, word);
      return [...new Set(own.map(({ surface }) => surface))];
    });
    const most = commonest(surfaces);
    if (most && most.count >= members.length * MOST && most.count > 1) {
      return bySurface.get(most.value);
    }
  }
  return undefined;
}

/** What is done to it, unless the noun says so already. */
function lastWord(members: readonly Member[], named: readonly Word[]): string | undefined {
  const noun = named.at(-1);
  const [member] = members;
  const key = member?.head.key ?? '';
  if (noun === undefined || key === 'dependency upgrade' || key.startsWith(ACT)) return undefined;
  const types = commonest(members.flatMap(({ shape }) => shape.type ?? []));
  const type = types && types.count * 2 >= members.length ? types.value : undefined;
  const verb = commonest<Kind>(members.flatMap(({ head }) => head.verb ?? []))?.value;
  const apart = verb === 'remove' || verb === 'revert';
  const word =
    (apart || type === undefined ? undefined : BY_TYPE[type]) ??
    (verb === undefined ? undefined : BY_VERB[verb]);
  if (word === undefined || word === noun.surface) return undefined;
  // "Unit test", "endpoint docs" need no "tests", "docs".
  const kind = kindOfNoun(noun.concept);
  return (kind === 'test' && word === 'tests') || (kind === 'document' && word === 'docs')
    ? undefined
    : word;
}

/** The value that stands there most often, the first of equals. */
export function commonest<Value extends string>(
  values: readonly Value[],
): { value: Value; count: number } | undefined {
  const counts = new Map<Value, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  let best: { value: Value; count: number } | undefined;
  for (const [value, count] of counts) {
    if (!best || count > best.count) best = { value, count };
  }
  return best;
}
