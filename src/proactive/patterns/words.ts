/**
 * Words of a goal for finding what kind of task it is. English; kept to words that hold for any
 * project. Pure.
 */
import { normalizePath } from '../../shared/paths.js';
import { conceptOf, type Kind, stemOf, verbOf, weightOf } from '../matching/vocabulary.js';

const set = (words: string): ReadonlySet<string> => new Set(words.split(' '));

/** Where the object of a verb ends: "the endpoint | for invoices". */
export const ENDS = set(
  'in on for to of with by from at into onto when while that which who because so via using after before ' +
    'under without across over between through during against per until unless if where as and or but nor ' +
    'then than is are was were be been being am not too cannot should must will would can could may might ' +
    'has have had does do did like about around behind within instead due',
);
/** Prepositions after which stands in what form something is done: "expose it through an endpoint". */
export const THROUGH = set('through via as using with');
/** Prepositions after which stands what a test, a page of docs or support is for. */
export const BELONGS = set('for of on to in about around against');

/** Say nothing about which or what kind. */
const SKIPPED = set(
  'a an the this that these those my our your its their his her some any all each every both another new ' +
    'more other additional extra same existing current first second third next last remaining just also ' +
    'simple basic small big proper quick initial missing old again please it them him us me up out off down ' +
    'back away properly',
);

/** Heads that name no kind of task, beyond those that name nothing at all. */
const HOLLOW = new Set(
  (
    'function method class mode option value data name list item part area aspect case section setup ' +
    'ability capability behavior behaviour way piece place step set type test doc spec bug fix ' +
    'warning exception crash fault defect regression element object entity number string text result ' +
    'state flow process story ticket request requirement module package library dependency version ' +
    'system service server client backend frontend layer level structure architecture base repo branch'
  )
    .split(' ')
    .map(conceptOfWord),
);

/** Qualifiers that every second bug has. */
const UNTELLING = new Set(
  (
    'failing failed broken bad wrong slow missing weird strange nasty urgent critical minor major simple ' +
    'hourly daily nightly weekly monthly quarterly yearly basic current existing same good better possible common general main core'
  )
    .split(' ')
    .map(conceptOfWord),
);

/** Nouns that name work only with what stands before them: "flaky test", "type error". */
const NEEDS_MODIFIER = new Set(
  'test spec doc error warning exception suite'.split(' ').map(conceptOfWord),
);
const TEST = conceptOfWord('test');
const DOCS = conceptOfWord('docs');
const DEPENDENCIES = new Set('dependency package library version'.split(' ').map(conceptOfWord));
const FOR_SOMETHING = new Set([TEST, DOCS, ...['support', 'suite'].map(conceptOfWord)]);

export type WordClass = 'route' | 'path' | 'name' | 'number' | 'quoted';

export interface Word {
  /** Lower case, singular. */
  surface: string;
  concept: string;
  /** Written in capitals: API, JWT. */
  shouted: boolean;
}

export type Token =
  | { word: Word[] }
  | { specific: WordClass; tail: Word | null }
  | { stop: string };

/** Which test a noun passes that is to name a kind of task. */
export function isHollow(concept: string): boolean {
  return HOLLOW.has(concept) || weightOf(concept) <= 0.1;
}
export const isUntelling = (concept: string): boolean => UNTELLING.has(concept);
export const needsModifier = (concept: string): boolean => NEEDS_MODIFIER.has(concept);
export const isDependencyWord = (concept: string): boolean => DEPENDENCIES.has(concept);
export const isForSomething = (concept: string): boolean => FOR_SOMETHING.has(concept);
/** The kind of work that a noun makes of it, whatever the verb: tests are written, docs are updated. */
export function kindOfNoun(concept: string): Kind | undefined {
  if (concept === TEST) return 'test';
  return concept === DOCS ? 'document' : undefined;
}

export function conceptOfWord(word: string): string {
  return conceptOf(stemOf(word) ?? word.toLowerCase());
}

/** "entries" → "entry", "indexes" → "index"; words that only look plural stay. */
export function singular(word: string): string {
  if (word.length < 4 || /(?:ss|us|is|as|ws)$/.test(word)) return word;
  if (/[^aeiou]ies$/.test(word)) return `${word.slice(0, -3)}y`;
  if (/(?:x|z|ch|sh|ss)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') ? word.slice(0, -1) : word;
}

export function wordOf(raw: string): Word {
  const surface = singular(raw.toLowerCase());
  return {
    surface,
    concept: conceptOfWord(surface),
    shouted: /^[A-Z][A-Z0-9]+s?$/.test(raw) && raw.length <= 6,
  };
}

const HOW_OFTEN = /^(?:hour|dai|night|week|month|quarter|year)ly$/;
const METHODS = /^(?:GET|POST|PUT|PATCH|DELETE|HEAD)$/;

/** Tokens of a clause; a comma, colon or dash is a stop of its own. */
export function tokensOf(clause: string): Token[] {
  const tokens: Token[] = [];
  for (const [raw] of clause
    .slice(0, 600)
    .matchAll(/"[^"]*"|'[^']*'(?=\W|$)|`[^`]*`|[^\s,;:()]+|[,;:()]/g)) {
    if (/^[,;()]$/.test(raw)) tokens.push({ stop: raw });
    else if (raw === ':') tokens.push({ stop: raw });
    else tokens.push(...tokensOfWord(raw));
  }
  return tokens;
}

function tokensOfWord(raw: string): Token[] {
  if (/^["'`]/.test(raw)) return [specificOf(raw.slice(1, -1), 'quoted')];
  const text = raw.replace(/[.!?…]+$/, '').replace(/['’]s$/, '');
  const lower = text.toLowerCase();
  if (text === '' || /^[–—-]+$/.test(text)) return [{ stop: '-' }];
  if (METHODS.test(text)) return [{ specific: 'name', tail: null }];
  if (/^\/[\w{:]/.test(text) && !/\.[a-z]\w*$/i.test(text))
    return [{ specific: 'route', tail: null }];
  if (/[/\\]/.test(text)) return [{ specific: 'path', tail: null }];
  if (/\.[a-z]\w*$/i.test(text)) return [{ specific: 'path', tail: null }];
  if (/^v?\d/i.test(text) || (/\d/.test(text) && !/^[a-z]+\d[a-z]*$/i.test(text)))
    return [{ specific: 'number', tail: null }];
  if (/[_.@#$*=<>[\]{}]|[a-z][A-Z]/.test(text)) return [specificOf(text, 'name')];
  if (ENDS.has(lower) || isParticiple(lower)) return [{ stop: lower }];
  if (SKIPPED.has(lower) || (/^[a-z]{3,}ly$/.test(lower) && !HOW_OFTEN.test(lower))) return [];
  const parts = text.split('-').filter((part) => /\p{L}/u.test(part));
  return parts.length === 0 ? [] : [{ word: parts.map(wordOf) }];
}

/** "the migration adding a column": what follows is another task's object. */
function isParticiple(word: string): boolean {
  const verb = word.endsWith('ing') ? verbOf(word) : undefined;
  return verb !== undefined && !verb.nounish;
}

/** `InvoicesController` is a controller, whichever. */
function specificOf(text: string, kind: WordClass): Token {
  const parts = text
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .split(/[^\p{L}]+/u)
    .filter((part) => part !== '');
  const tail = parts.length > 1 && kind === 'name' ? parts.at(-1) : undefined;
  return { specific: kind, tail: tail === undefined ? null : wordOf(tail) };
}

const CODE_FOLDERS = set(
  'src lib libs app apps packages source main java python server client web backend frontend internal cmd pkg home',
);
const DOC = /\.(?:md|mdx|rst|adoc|txt)$/i;
const CONFIG =
  /(?:^|\/)(?:package(?:-lock)?\.json|[^/]*lock[^/]*|dockerfile|makefile|\.[\w.-]+|[^/]*\.(?:ya?ml|toml|ini|env|conf|cfg|properties|tf))$/i;
const TESTS =
  /(?:^|\/)(?:tests?|__tests__|specs?|e2e|cypress)\/|[._-](?:test|spec)\.\w+$|(?:^|\/)test_[^/]+$/i;

/** What the files of a task have to say about its kind. */
export interface FileSigns {
  /** `test`, `doc`, `config`, `.sql`. */
  kinds: Set<string>;
  /** Names of folders that are not the usual roots. */
  folders: Set<string>;
  /** What file names share beside what they are about: `routes` of `users.routes.ts`. */
  parts: Set<string>;
}

export function fileSigns(files: readonly string[]): FileSigns {
  const signs: FileSigns = { kinds: new Set(), folders: new Set(), parts: new Set() };
  for (const file of files.slice(0, 30)) {
    const normal = normalizePath(file);
    if ('finding' in normal) continue;
    const path = normal.path.toLowerCase();
    const steps = path.split('/');
    const base = steps.pop() ?? '';
    const extension = /\.([a-z]\w*)$/.exec(base)?.[1];
    if (TESTS.test(path)) signs.kinds.add('test');
    else if (DOC.test(path)) signs.kinds.add('doc');
    else if (CONFIG.test(path)) signs.kinds.add('config');
    else if (extension !== undefined) signs.kinds.add(`.${extension}`);
    const folder = steps.filter((step) => step !== '' && !CODE_FOLDERS.has(step)).at(-1);
    if (folder !== undefined) signs.folders.add(folder);
    for (const part of base.split(/[._-]+/).slice(0, -1)) {
      if (/^[a-z]{3,}$/.test(part)) signs.parts.add(singular(part));
    }
    if (/^(?:package\.json|requirements\.txt|go\.mod|cargo\.toml|gemfile|pom\.xml)$/.test(base)) {
      signs.parts.add('manifest');
    }
  }
  return signs;
}
