/** Reads of one clause what tasks are compared by: what is done, to what, and where. Pure. */
import { pathsIn } from '../../shared/path-mentions.js';
import { pathKeys } from '../../shared/paths.js';
import { analyze } from '../../shared/text.js';
import type { Clause } from './clauses.js';
import { conceptOf, type Kind, PHRASES, stemOf, verbOf, weightOf } from './vocabulary.js';

export interface Term {
  /** Stem as the catalog counts it. */
  stem: string;
  /** 0 to 1, from the vocabulary alone. */
  weight: number;
  /** Said after "in", "to", "for" …: where or for what it is done rather than what is done. */
  place: boolean;
  /** Only the name of a file says it. */
  ofFile?: boolean;
  /** Least for what only says where; what it is for tells tasks apart more. */
  standing: number;
  /** Of an identifier, the words it is made of: others write them apart. */
  parts?: readonly string[];
}

export interface Reading {
  clause: Clause;
  kind: Kind | undefined;
  /** By concept. */
  terms: ReadonlyMap<string, Term>;
  /** Neighbouring words written as one: "time out" is also `timeout`, by the concepts it is made of. */
  joined: ReadonlyMap<string, readonly string[]>;
  /** Named files, each as `pathKeys` spells it, whole. */
  files: readonly string[];
  /** The word that is probably the verb of a command, where the vocabulary does not know it. */
  head?: { concept: string; sure: boolean };
  /** All that a message says in one: its words come from several sentences. */
  whole?: boolean;
}

/** Behind these stands the place. "of" continues the name of the thing. */
const PLACES = new Set(
  'about in into to on onto at for from within inside across under over with without using via by when while because since so after before during through throughout against between'.split(
    ' ',
  ),
);
const MOST_WORDS = 120;
/** Behind a verb these begin its object or its place. */
const BEHIND_VERB =
  /^(?:the|a|an|all|any|every|each|both|some|our|my|your|his|her|their|its|this|that|these|those|it|them|me|us|people|with|without|through|in|into|on|at|from|by|for|to|as)$/;
const VERBAL = /^\p{L}+(?:ize|ise|ify|ate)$/u;
const PARTICIPLE = /ed$/;
const PASSIVE = /^(?:be|been|being|get|gets|got|is|are|was|were)$/;
/** Weight of a participle: "verified sessions" are sessions before all. */
const QUALITY = 0.45;
/** From here a word alone tells which task is meant. */
export const SPECIFIC = 0.9;
/** Where something is done tells less than what is done, what for a little less. */
const STANDING = { object: 1, purpose: 0.8, place: 0.6 } as const;

export function readTask(clause: Clause): Reading {
  const { text, files } = withoutFiles(clause.text);
  let spoken = text;
  for (const [phrase, word] of PHRASES) spoken = spoken.replace(phrase, word);
  const words = (spoken.match(/[\p{L}\p{N}][\p{L}\p{N}_'’]*/gu) ?? []).slice(0, MOST_WORDS);
  const terms = new Map<string, Term>();
  const joined = new Map<string, readonly string[]>();
  let kind: Kind | undefined;
  let standing: number = STANDING.object;
  let before = '';
  words.forEach((word, at) => {
    const lower = word.toLowerCase();
    const previous = before;
    join(joined, before, lower);
    before = lower;
    if (PLACES.has(lower)) {
      if (terms.size > 0) standing = lower === 'for' ? STANDING.purpose : STANDING.place;
      return;
    }
    const verb = verbOf(lower);
    const heads = at === 0;
    if (verb && !heads && PARTICIPLE.test(lower) && !PASSIVE.test(previous)) {
      // What was done to a thing describes it; it is not what is to be done.
      addTerms(terms, word, standing, QUALITY);
      return;
    }
    if (verb && (heads || !verb.nounish)) {
      // "We see deadlocks" tells of them; it is not what is to be done.
      const tells = verb.kind === 'look' || verb.kind === 'study';
      if (heads || (kind === undefined && !tells)) kind = verb.kind;
      // "Caching" and "testing" name what is worked on, wherever they stand.
      if (verb.kind === 'speed') addTerms(terms, 'performance', standing);
      // "Shipping costs are wrong" names a thing.
      if (!(heads && verb.nounish && /(?:ing|s)$/.test(lower))) return;
    }
    addTerms(terms, word, standing);
  });
  // Who names a file names the place.
  const said = new Set(terms.keys());
  for (const file of files) addTerms(terms, fileWords(file), STANDING.place);
  for (const [concept, term] of terms) if (!said.has(concept)) term.ofFile = true;
  const head = headOf(words);
  const read = { clause, terms, joined, files, ...(head === undefined ? {} : { head }) };
  return { ...read, kind: kindBy(kind, terms) };
}

/** Commands begin with their verb: "Anneal the films", "Arrange seats". A subject may, too. */
function headOf([first = '', second = '']: readonly string[]): Reading['head'] {
  const word = first.toLowerCase();
  if (verbOf(word) !== undefined || !/^[a-z]{3,}$/.test(word) || second === '') return undefined;
  if (/(?:[^s]s|ing|ed|ion|ment|ness|ly)$/.test(word)) return undefined;
  const stem = stemOf(word);
  if (stem === undefined) return undefined;
  const sure = VERBAL.test(word) || BEHIND_VERB.test(second.toLowerCase());
  return { concept: conceptOf(stem), sure };
}

/** Several sentences as one: the task may be in one and its object in another. */
export function together(readings: readonly Reading[]): Reading {
  const terms = new Map<string, Term>();
  const joined = new Map<string, readonly string[]>();
  for (const reading of readings) {
    for (const [concept, term] of reading.terms) {
      const known = terms.get(concept);
      if (known === undefined || term.standing > known.standing) terms.set(concept, term);
    }
    for (const [concept, parts] of reading.joined) joined.set(concept, parts);
  }
  const asking = readings.find(({ clause }) => clause.mode === 'ask');
  return {
    clause: {
      mode: asking === undefined ? 'state' : 'ask',
      text: readings.map(({ clause }) => clause.text).join('. '),
    },
    kind: asking?.kind,
    terms,
    joined,
    files: [...new Set(readings.flatMap(({ files }) => files))],
    whole: true,
  };
}

/** "Add tests for the parser" tests, "write docs" documents. */
function kindBy(kind: Kind | undefined, terms: ReadonlyMap<string, Term>): Kind | undefined {
  if (kind !== 'add' && kind !== 'change' && kind !== undefined) return kind;
  if (terms.has(SPEED)) return 'speed';
  const object = [...terms].filter(([, { place }]) => !place);
  if (object.some(([, { weight }]) => weight >= SPECIFIC)) {
    const [head] = object;
    if (kind === undefined || head === undefined || head[1].weight >= SPECIFIC) return kind;
  }
  if (object.some(([concept]) => concept === 'test')) return 'test';
  return object.some(([concept]) => DOCS.has(concept)) ? 'document' : kind;
}

const SPEED = conceptOf(stemOf('performance') ?? 'performance');
const DOCS: ReadonlySet<string> = new Set(
  ['docs', 'readme', 'comment', 'changelog', 'docstring', 'jsdoc'].map((word) =>
    conceptOf(stemOf(word) ?? word),
  ),
);

function addTerms(terms: Map<string, Term>, word: string, standing: number, most = 1): void {
  const stems = analyze(word.replace(/^v(?=\d)/i, '').replace(/^(\d+)s$/, '$1'));
  const [whole] = stems;
  // No spaces between words: each pair of characters is a term of its own.
  const isIdentifier = stems.length > 1 && /^[\w'’]+$/.test(word);
  for (const stem of isIdentifier && whole !== undefined ? [whole] : stems) {
    const concept = conceptOf(stem);
    if (terms.has(concept)) continue;
    const weight = Math.min(
      most,
      /^\p{N}+$/u.test(stem) ? 0.45 : stem.length < 2 ? 0.1 : weightOf(concept),
    );
    const parts = isIdentifier ? { parts: stems.slice(1).map(conceptOf) } : {};
    terms.set(concept, { stem, weight, standing, place: standing < STANDING.object, ...parts });
  }
}

function join(joined: Map<string, readonly string[]>, first: string, second: string): void {
  if (first === '' || second === '') return;
  const of = [first, second].map((word) => conceptOf(stemOf(word) ?? word));
  for (const start of new Set([first, stemOf(first) ?? first])) {
    const whole = stemOf(start + second);
    if (whole !== undefined) joined.set(conceptOf(whole), of);
  }
}

/** What the name of a file is made of: `src/auth-token.ts` → auth token. */
export function fileWords(file: string): string {
  const name = file.split('/').at(-1) ?? file;
  return name.replace(/(?<=.)\.[^/]*$/, '').replaceAll(/[._-]+/g, ' ');
}

/** Most clauses have neither a dot nor a slash, and looking for paths costs more than the rest. */
function withoutFiles(text: string): { text: string; files: string[] } {
  if (!/[./\\]/.test(text)) return { text, files: [] };
  const files: string[] = [];
  let rest = text;
  for (const path of pathsIn(text)) {
    const [whole] = pathKeys(path);
    if (whole === undefined) continue;
    files.push(whole);
    rest = rest.replaceAll(path, ' ');
  }
  return { text: rest, files };
}

/** What a term counts for where it stands; a place counts whole when there is no other object. */
export function weightIn(reading: Reading, term: Term): number {
  return term.place && hasObject(reading) ? term.weight * term.standing : term.weight;
}

export function hasObject({ terms }: Pick<Reading, 'terms'>): boolean {
  for (const { place, weight } of terms.values()) if (!place && weight >= SPECIFIC) return true;
  return false;
}

/** The first file of the one that the other has too; a path without folders is any of that name. */
export function fileInCommon(
  files: readonly string[],
  others: readonly string[],
): string | undefined {
  const whole = others.flatMap((path) => pathKeys(path).slice(0, 1));
  const ends = new Set(others.flatMap(pathKeys));
  return files.find((path) => ends.has(path) || whole.some((other) => path.endsWith(`/${other}`)));
}
