/**
 * How people call components and keys, and how the same ones are stored: "the HTTP proxy", `httpProxy`
 * and `http-proxy` are one name. Pure.
 */
import { bareName, componentMentions } from '../../hints/index.js';
import { DICTIONARY_FORMS } from '../../shared/irregular.js';
import { analyze, analyzeQuery } from '../../shared/text.js';

const MAX_TEXT = 8_192;
const ARTICLE = /^(?:(?:the|our|my|your|this|that|an?)\s+)+/i;
/** What a name is called by beside itself. */
const KIND = /\s+(?:service|module|component|package|project|app|application|repo|repository)$/i;
const COMMAND = /\s+(?:command(?: line)?|cmd|script|instructions?)$/i;
const PRONOUN =
  /^(?:it|this|that|these|those|them|they|everything|all|one|we|you|i|he|she|there|here)$/i;
/** Words with which a hint is spoken of; they name none. */
const ABOUT_HINTS = new Set(
  analyze(
    'hint hints command commands cmd script get list all every give need use please again key keys component ' +
      'remember recall way correct right currently now bump forget delete remove drop worked work works thank thanks value',
  ),
);

/** The name as it is to be stored: as it was said, words joined by `-`; '' for a pronoun. */
export function nameOf(said: string): string {
  const words = said
    .trim()
    .replace(ARTICLE, '')
    .replace(/^[\s,;:'‘’]+|[\s,;:.!?'‘’]+$/g, '');
  return PRONOUN.test(words) ? '' : words.replace(/\s+/g, '-');
}

/** As `nameOf`, but what is known by that name, or by it without its kind ("the auth service"). */
export function componentNamed(said: string, known: readonly string[]): string {
  const name = nameOf(said);
  const short = nameOf(said.trim().replace(KIND, ''));
  const found = [name, short].map((one) =>
    known.find((other) => other === one || bareName(other) === bareName(one)),
  );
  return found.find((one) => one !== undefined) ?? (short === '' ? name : short);
}

/** "test command" → "test": what a command is for names its key. */
export function keyNamed(said: string): { key: string; isCommand: boolean } {
  const words = said.trim().replace(ARTICLE, '');
  const short = words.replace(COMMAND, '');
  const isCommand = short !== words;
  return { key: nameOf(short), isCommand };
}

const DOUBLED = /([bdgkmnprt])\1$/;
/** Verbs whose stem ends so have an `e`: compile, configure, release, migrate, package, handle, serve. */
const SILENT_E = /(?:[^aeiou](?:at|il|ur|ut)|[^s]s|[aeiou]c|[aeiour]g|[zvu]|[^aeiouwyl]l)$/;

/** "built", "building" and "builds" are forms of "build". A guess for verbs that follow the rule. */
export function baseForm(word: string): string {
  const lower = word.toLowerCase();
  const irregular = DICTIONARY_FORMS.get(lower);
  if (irregular !== undefined) return irregular;
  const [, stem, end] = /^([\p{L}]{2,}?)(ied|ies|ing|ed|es|s)$/u.exec(lower) ?? [];
  if (stem === undefined || end === undefined || /(?:ss|us|is)$/.test(lower)) return lower;
  if (end === 'ied' || end === 'ies') return `${stem}y`;
  if (end === 's') return stem;
  if (end === 'es') return /(?:ss|sh|ch|x|zz|o)$/.test(stem) ? stem : `${stem}e`;
  if (!/[aeiouy]/.test(stem) || stem.endsWith('e')) return lower;
  if (DOUBLED.test(stem)) return stem.slice(0, -1);
  return SILENT_E.test(stem) ? `${stem}e` : stem;
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
