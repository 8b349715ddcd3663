/**
 * Requests → answers. A trigger is found exactly, or else by the nearest section when that is near
 * enough to be believed, or else not, with suggestions; `§` names exactly or lists what there is.
 */

import type { Ranked } from './match/matcher.js';
import {
  ALIKE,
  createNames,
  createTriggers,
  type Names,
  nearestTo,
  type Triggers,
} from './names.js';
import { normalizePhrase } from './phrases.js';
import { type Answered, commandOf, keyOfSection, relatedOf } from './related.js';
import { namesMarkdown } from './requests.js';
import type { Answer, Library, LinkedEntry, Match, Recall, Request } from './types.js';

export type FoundSection = Omit<Ranked, 'score'>;
/** Sections by content, best first, each once. */
export type Rank = (
  query: string,
  limit: number,
) => readonly FoundSection[] | Promise<readonly FoundSection[]>;

interface ResolverDeps {
  library: () => Library;
  rank: Rank;
}

/** Below it a command is answered with suggestions: most probably no section is about it. */
export const FLOOR = 0.47;

export interface Resolver {
  /**
   * One answer for each request, in order; of those that ask for the same, one. `nearby: false`: nothing is
   * ranked to stand behind an answer, for whom that is enough. Unknown names and `invalid` requests are answers with a message; nothing is
   * thrown for what was asked.
   */
  resolve(requests: readonly Request[], options?: ResolveOptions): Promise<Recall>;
}

export interface ResolveOptions {
  nearby?: boolean;
}

const MATCHES = 5;
const SUGGESTIONS = 5;
/** Where nothing is near. */
const FEWEST_SUGGESTIONS = 3;
/** Confidence from which a section that is no answer is suggested. */
const WORTH_SHOWING = 0.05;

export function createResolver({ library, rank }: ResolverDeps): Resolver {
  let known: Known | undefined;

  return {
    async resolve(requests, { nearby = true } = {}) {
      const current = library();
      if (known?.library !== current) known = knownOf(current);
      const context: Context = { ...known, rank, nearby };
      const found: Resolved[] = [];
      for (const request of distinctRequests(requests)) {
        found.push(await answerTo(context, request));
      }
      const answered = found.map((one) => one.answered);
      const related = relatedOf(current, known.names, answered);
      return {
        results: found.map(({ answer }, index) => ({ ...answer, related: related[index] ?? [] })),
      };
    },
  };
}

/** What is looked up in a library, made once for it. */
interface Known {
  library: Library;
  names: Names;
  exact: Triggers;
  /** Entries that lead to no section, by their trigger. */
  lost: ReadonlyMap<string, LinkedEntry>;
  /** Commands of the triggers that are spelled most alike; `least` as in `nearestTo`. */
  nearestCommands(phrase: string, most: number, least?: number): string[];
}

function knownOf(library: Library): Known {
  const lost = new Map<string, LinkedEntry>();
  for (const entry of library.entries) {
    const key = entry.section === null ? normalizePhrase(entry.phrase) : '';
    if (key !== '' && !lost.has(key)) lost.set(key, entry);
  }
  let commands: Map<string, string> | undefined;
  return {
    library,
    names: createNames(library),
    exact: createTriggers(library),
    lost,
    nearestCommands(phrase, most, least) {
      const found = library.entries.filter(({ section }) => section !== null);
      commands ??= new Map(found.map((entry) => [entry.phrase, commandOf(entry)]));
      const near = nearestTo(phrase, new Set(commands.keys()), most, least);
      return near.flatMap((one) => commands?.get(one) ?? []);
    },
  };
}

interface Context extends Known {
  rank: Rank;
  nearby: boolean;
}

interface Resolved {
  answer: Answer;
  answered: Answered | null;
}

/** A match that has no rank yet; sections and files are told apart by `key`. */
interface Candidate extends Pick<Match, 'header' | 'file' | 'line' | 'confidence'> {
  key: string;
  entry: LinkedEntry | null;
  answered: Answered;
}

/** Each once. */
function distinctRequests(requests: readonly Request[]): Request[] {
  const keys = new Set<string>();
  return requests.filter((request) => {
    const key = normalizePhrase(request.query);
    return request.kind === 'invalid' || (!keys.has(key) && keys.add(key));
  });
}

async function answerTo(context: Context, request: Request): Promise<Resolved> {
  switch (request.kind) {
    case 'invalid':
      return miss(request.query, [], { message: request.message });
    case 'trigger':
      return byTrigger(context, request.query, request.phrase);
    case 'section':
      return byName(context, request.query, request.title, 'section');
    case 'file':
      return byName(context, request.query, request.name, 'file');
  }
}

async function byTrigger(context: Context, query: string, phrase: string): Promise<Resolved> {
  const exact = distinct(
    context.exact(phrase).flatMap((entry) => {
      const { section } = entry;
      return section === null ? [] : [candidateOf({ section, entry, confidence: 1 })];
    }),
  );
  if (exact.length === 0 && looksNamed(phrase)) {
    // No trigger looks like this, so the § was forgotten.
    const kind = namesMarkdown(phrase) ? 'file' : 'section';
    if (meantBy(context, phrase, kind).length === 1) return byName(context, query, phrase, kind);
  }
  const sure = await sureAnswer(context, phrase, exact);
  const candidates = sure === null ? await nearest(context, phrase, exact) : [sure];
  if (exact.length > 0) {
    const others = exact.slice(1).map(({ header, file, line }) => `"${header}" (${file}:${line})`);
    const more = others.length > 0 ? { message: `also stands for ${others.join(', ')}` } : {};
    return hit(query, 'exact', candidates, more);
  }
  const lost = context.lost.get(normalizePhrase(phrase));
  if ((candidates[0]?.confidence ?? 0) >= FLOOR) {
    return hit(query, 'hybrid', candidates, lost ? { message: leadsNowhere(lost) } : {});
  }
  return miss(query, candidates, {
    ...(lost ? { message: `${leadsNowhere(lost)}.` } : {}),
    suggestions: suggestionsFor(context, phrase, candidates),
  });
}

/** For whom the answer is enough: what is found by content, where that can be believed. */
async function sureAnswer(
  { rank, nearby }: Context,
  phrase: string,
  exact: readonly Candidate[],
): Promise<Candidate | null> {
  if (nearby || exact.length > 0) return null;
  const [best] = await rank(phrase, 1);
  return best !== undefined && best.confidence >= FLOOR ? candidateOf(best) : null;
}

/**
 * Commands near by content and commands spelled alike, in turn: which of them is meant is open. With
 * neither, those that are nearest of all, so that there is always a way on.
 */
function suggestionsFor(
  { nearestCommands }: Context,
  phrase: string,
  candidates: readonly Candidate[],
): string[] {
  const near = candidates.flatMap(({ entry, confidence }) =>
    entry !== null && confidence >= WORTH_SHOWING ? [commandOf(entry)] : [],
  );
  const alike = nearestCommands(phrase, SUGGESTIONS, ALIKE);
  const inTurn = Array.from({ length: SUGGESTIONS }, (_, at) => [near[at], alike[at]]).flat();
  const commands = new Set(inTurn.filter((command) => command !== undefined));
  return commands.size > 0
    ? [...commands].slice(0, SUGGESTIONS)
    : nearestCommands(phrase, FEWEST_SUGGESTIONS);
}

/** `.Mock Patching`, `testing.md`. */
function looksNamed(phrase: string): boolean {
  return /^\.\S/.test(phrase) || (namesMarkdown(phrase) && !phrase.includes(' '));
}

async function byName(
  context: Context,
  query: string,
  name: string,
  kind: 'section' | 'file',
): Promise<Resolved> {
  const meant = meantBy(context, name, kind);
  // Which of several is meant nobody knows: each is as likely as the others.
  const given = meant.map((one) => ({ ...one, confidence: 1 / meant.length }));
  const words = name.replace(/^\./, '').replace(/\.\w+$/, '');
  const candidates = await nearest(context, words, given);
  if (given.length === 1) return hit(query, 'exact', candidates, {});
  return miss(
    query,
    candidates,
    given.length === 0 ? unknown(context.names, name, kind) : several(given),
  );
}

/** What a name means; with nothing of that kind, the other kind is tried. */
function meantBy(context: Context, name: string, kind: 'section' | 'file'): Candidate[] {
  const sections = () =>
    context.names.sections(name).map((section) => {
      const key = keyOfSection(section);
      const entry = context.library.entries.find(
        (one) => one.section?.file === section.file && keyOfSection(one.section) === key,
      );
      const answered: Answered = { by: 'section', section };
      return { ...candidateOf({ section, entry: entry ?? null, confidence: 1 }), answered };
    });
  const files = () =>
    context.names.files(name).map((file) => ({
      header: context.names.fileName(file.path),
      file: file.path,
      line: 1,
      confidence: 1,
      entry: null,
      key: file.path,
      answered: { by: 'file' as const, file },
    }));
  const [first, second] = kind === 'file' ? [files, sections] : [sections, files];
  const found = first();
  return found.length > 0 ? found : second();
}

/**
 * The given ones, behind them what is near by content, and what is not near at all, where the rest
 * does not make up as many as wanted.
 */
async function nearest(
  { rank, library, nearby }: Context,
  query: string,
  given: readonly Candidate[],
): Promise<Candidate[]> {
  if (!nearby && given.length > 0) return [...given];
  const ranked = await rank(query, MATCHES + given.length);
  const near = distinct([...given, ...ranked.map(candidateOf)]);
  if (near.length >= MATCHES) return near.slice(0, Math.max(MATCHES, given.length));
  const keys = new Set(near.map(({ key }) => key));
  for (const entry of library.entries) {
    if (entry.section === null) continue;
    const far = candidateOf({ section: entry.section, entry, confidence: 0 });
    if (!keys.has(far.key)) near.push(far);
    keys.add(far.key);
    if (near.length === MATCHES) break;
  }
  return near;
}

function candidateOf({ section, entry, confidence }: FoundSection): Candidate {
  return {
    header: section.title,
    file: section.file,
    line: section.line,
    confidence,
    entry,
    key: keyOfSection(section),
    answered: { by: 'trigger', section },
  };
}

function distinct(candidates: readonly Candidate[]): Candidate[] {
  const first = new Map<string, Candidate>();
  for (const one of candidates) if (!first.has(one.key)) first.set(one.key, one);
  return [...first.values()];
}

function hit(
  query: string,
  found: 'exact' | 'hybrid',
  candidates: readonly Candidate[],
  more: { message?: string },
): Resolved {
  const [first] = candidates;
  if (first === undefined) return miss(query, [], {});
  const { answered } = first;
  const content = answered.by === 'file' ? answered.file.text : answered.section.content;
  const matches = matchesOf(candidates);
  if (matches[0] !== undefined) matches[0].content = content;
  const { confidence } = first;
  return {
    answer: { query, found, confidence, matches, related: [], suggestions: [], ...more },
    answered,
  };
}

function miss(
  query: string,
  candidates: readonly Candidate[],
  more: { message?: string; suggestions?: string[] },
): Resolved {
  const matches = matchesOf(candidates);
  const none = { found: 'none' as const, confidence: 0, related: [], suggestions: [] };
  return { answer: { query, ...none, matches, ...more }, answered: null };
}

/** None is surer than one that is ranked above it. */
function matchesOf(candidates: readonly Candidate[]): Match[] {
  let most = 1;
  return candidates.map((candidate, index) => {
    most = Math.min(most, candidate.confidence);
    return { ...matchOf(candidate, index), confidence: most };
  });
}

function matchOf(candidate: Candidate, index: number): Match {
  const { header, file, line, entry, confidence } = candidate;
  const trigger = entry?.phrase ?? '';
  const description = entry?.description ?? '';
  return { rank: index + 1, header, file, line, trigger, description, confidence };
}

/** What is said where nothing is given: why, and what comes closest. Pure. */

interface Miss {
  message: string;
  /** Commands. */
  suggestions: string[];
}

const SUGGESTED = 5;
/** Names that a message lists. */
const LISTED = 8;

/** Why an entry is no answer to its own trigger: it leads to no section. */
function leadsNowhere({ phrase, line, header, file, group }: LinkedEntry): string {
  const place = `"${phrase}" (line ${line} of the index)`;
  if (file === null) {
    return group === ''
      ? `${place} stands under no decision file`
      : `${place} stands under "${group}", which names no decision file`;
  }
  return `${place} leads to "${header}", which ${file} does not have`;
}

/** What `§` may stand for: several of one name. */
function several(given: readonly Pick<Match, 'header' | 'file' | 'line'>[]): Miss {
  const places = given.map(({ file, line }) => `${file}:${line}`);
  const files = [...new Set(given.map(({ file }) => file))];
  return {
    message: `"${given[0]?.header ?? ''}" is ambiguous, it stands for ${places.length}: ${listed(places, LISTED)}.`,
    suggestions: files.slice(0, SUGGESTED).map((file) => `/when § ${file}`),
  };
}

/** What `§` names, and nothing has that name. */
function unknown(names: Names, name: string, kind: 'section' | 'file'): Miss {
  const { near, total } =
    kind === 'file' ? names.filesLike(name, LISTED) : names.titlesLike(name, LISTED);
  if (total === 0) return { message: `No ${kind} "${name}": there are none.`, suggestions: [] };
  const which = total > near.length ? `The closest of ${total}` : 'There are';
  return {
    message: `No ${kind} "${name}". ${which}: ${near.map((one) => `§ ${one}`).join(', ')}.`,
    suggestions: near.slice(0, SUGGESTED).map((one) => `/when § ${one}`),
  };
}

function listed(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ');
  return items.length > most ? `${shown} and ${items.length - most} more` : shown;
}
