/**
 * How far two tasks are the same, from what their sentences say: the share of their content words
 * that is common, weighted by what a word tells here (vocabulary, place in the sentence, rarity in
 * the store). A word replaced by another ("pagination" by "rate limiting") counts against more than
 * a word that only one side has; generic words alone never make a match. Pure.
 */
import { vetoOf } from '../../embeddings/index.js';
import { analyze } from '../../shared/text.js';
import { clausesOf } from './clauses.js';
import {
  fileInCommon,
  hasObject,
  type Reading,
  readTask,
  SPECIFIC,
  type Term,
  weightIn,
} from './reading.js';
import { conceptOf, type Kind, kindLikeness, spellingsOf, weightOf } from './vocabulary.js';

/** A shelf is one. */
export interface WordCounts {
  /** Live documents that hold the stem. */
  documentFrequency(stem: string): number;
  /** Live documents. */
  readonly size: number;
}

export interface LikenessOptions {
  /** Concepts (`conceptsOf`) of the file that both are about: they prove nothing. */
  ignored?: ReadonlySet<string> | undefined;
  /** Whether naming different files forbids (true), or was judged by the caller already. */
  files?: boolean | undefined;
}

export interface Likeness {
  /** 0 to 1; 0 with a veto. `ALIKE` and above: the same task. */
  score: number;
  reasons: string[];
  /** Weight of the words that tell: about one for each of them. */
  evidence: number;
  /** Why two similar texts are not one task. */
  veto?: string;
}

/** Same task, calibrated on sentences of our own; see `docs/proactive.md`. */
export const ALIKE = 0.6;
/** Enough where both are about the same file. */
export const ALIKE_ON_FILE = 0.48;

/** A word replaced by another, and one that only one side has. */
const REPLACED = 1.75;
const ADDED = 0.4;
/** Least weight of common words that a match takes; one telling word, or several common ones. */
const EVIDENCE = 0.55;
/** What is told but not asked for is a weaker sign of intent. */
const STATED = 0.95;
const OTHER_OBJECT = 0.6;
/** A file that both name, beside what is done in it. */
const FILE = 0.6;
/** One telling word alone may be shared by chance. */
const SINGLE = 0.9;
/** Telling words of a request that may be about the sentence before it. */
const LITTLE = 1;
const MOST_TERMS = 40;
const LEAST_SEARCHED = 0.3;
const OTHER_SPELLING = 0.8;

const NOTHING: Likeness = { score: 0, reasons: [], evidence: 0 };

/** Kinds of work that are done to a file as such: "refactor auth.ts". */
const WHOLE_FILE: ReadonlySet<Kind | undefined> = new Set<Kind>([
  'fix',
  'remove',
  'reshape',
  'speed',
  'test',
  'migrate',
]);
const SAME_KIND = 0.8;

/** What a text asks for, ready to be compared; read once, compared with many. */
export interface Task {
  readings: readonly Reading[];
}

/**
 * The tasks that a message is about to do: requests, else statements. Empty for questions, thanks
 * and reports of what is done.
 */
export function taskOf(message: string): Task {
  const readings = merged(clausesOf(message).map(readTask));
  const asked = readings.filter(({ clause }) => clause.mode === 'ask');
  if (asked.length > 0) return { readings: asked };
  return { readings: readings.filter(({ clause }) => clause.mode === 'state') };
}

/** A goal as it was stored: whatever its form, it is what was done. */
export function goalOf(goal: string): Task {
  const readings = merged(clausesOf(goal).map(readTask));
  const asked = readings.filter(({ clause }) => clause.mode === 'ask');
  return { readings: asked.length > 0 ? asked : readings };
}

/**
 * "The login times out. Can you fix it?": a request without an object is about what was said before
 * it, and one that says little may be.
 */
function merged(readings: Reading[]): Reading[] {
  return readings.flatMap((reading, at) => {
    const previous = readings[at - 1];
    if (reading.clause.mode !== 'ask' || !previous || previous.clause.mode === 'report') {
      return [reading];
    }
    const telling = tellingOf(reading);
    if (telling > LITTLE || previous.clause.mode === 'ask') {
      if (telling > 0 || reading.files.length > 0) return [reading];
    }
    const text = `${reading.clause.text} ${previous.clause.text}`;
    const both = readTask({ mode: 'ask', text });
    return telling === 0 && reading.files.length === 0 ? [both] : [reading, both];
  });
}

function tellingOf({ terms }: Reading): number {
  return [...terms.values()].filter(({ weight }) => weight >= SPECIFIC).length;
}

/**
 * How far what is asked is what the text (a goal, an approach) was about. Symmetric in the words,
 * not in the roles: `asked` is a message whose questions and reports do not count.
 */
export function likeness(
  asked: string | Task,
  text: string | Task,
  counts: WordCounts,
  options: LikenessOptions = {},
): Likeness {
  const first = typeof asked === 'string' ? taskOf(asked) : asked;
  const second = typeof text === 'string' ? goalOf(text) : text;
  let best = NOTHING;
  for (const a of first.readings) {
    for (const b of second.readings) {
      const found = compare(a, b, counts, options);
      if (found.score > best.score || (best.score === 0 && found.veto !== undefined)) best = found;
    }
  }
  return best;
}

function compare(a: Reading, b: Reading, counts: WordCounts, options: LikenessOptions): Likeness {
  const found = laidSideBySide(a, b, counts, options.ignored);
  if (options.ignored && isWholeFile(a, b, options.ignored)) {
    return { score: SAME_KIND, reasons: [`${a.kind} of the same file`], evidence: 1 };
  }
  if (found.evidence < EVIDENCE) return NOTHING;
  const score =
    found.score *
    kindLikeness(a.kind, b.kind) *
    (a.clause.mode === 'state' ? STATED : 1) *
    (found.otherObject ? OTHER_OBJECT : 1) *
    (found.telling < 2 && found.score < 1 ? SINGLE : 1);
  // Reading for the veto costs more than all of the above.
  if (score < ALIKE_ON_FILE / 2) return { score, reasons: [], evidence: found.evidence };
  const strip = options.files === false;
  const veto = vetoOf(spoken(a, strip), spoken(b, strip));
  if (veto.vetoed) return { ...NOTHING, veto: veto.reason };
  return {
    score,
    reasons: [found.common.length > 0 ? `words ${found.common.join(', ')}` : 'the same file'],
    evidence: found.evidence,
  };
}

/** "Refactor auth.ts" twice: neither says more than the file and what is done to it. */
function isWholeFile(a: Reading, b: Reading, ignored: ReadonlySet<string>): boolean {
  const saysMore = ({ terms }: Reading) =>
    [...terms].some(([concept, { weight }]) => weight >= SPECIFIC && !ignored.has(concept));
  return a.kind === b.kind && WHOLE_FILE.has(a.kind) && !saysMore(a) && !saysMore(b);
}

function spoken({ clause, files }: Reading, strip: boolean): string {
  if (!strip || files.length === 0) return clause.text;
  return clause.text
    .split(/\s+/)
    .filter(
      (word) => !files.some((file) => word.replaceAll('\\', '/').toLowerCase().includes(file)),
    )
    .join(' ');
}

interface Laid {
  score: number;
  evidence: number;
  /** Words in common that tell a task apart alone. */
  telling: number;
  common: string[];
  /** Neither does what the other does it to. */
  otherObject: boolean;
}

function laidSideBySide(
  a: Reading,
  b: Reading,
  counts: WordCounts,
  ignored: ReadonlySet<string> | undefined,
): Laid {
  const pairs = pairsOf(a, b, ignored);
  let shared = 0;
  let evidence = 0;
  let telling = 0;
  const common: string[] = [];
  const told = (term: Term) => rarity(counts, term.stem);
  for (const [left, right] of pairs.common) {
    const rare = Math.min(told(left), told(right));
    const weight = ((weightIn(a, left) + weightIn(b, right)) / 2) * rare;
    shared += weight;
    const specific = Math.min(left.weight, right.weight) >= SPECIFIC;
    if (specific) telling += 1;
    evidence += specific ? left.weight * rare : weight / 2;
    if (weight >= 0.2) common.push(right.stem);
  }
  // Unless the caller has judged the files, one that both name is a place that both name.
  if (ignored === undefined && fileInCommon(a.files, b.files) !== undefined) {
    shared += hasObject(a) || hasObject(b) ? FILE : 1;
    evidence += 1;
    telling += 1;
  }
  const sum = (reading: Reading, terms: readonly Term[]) =>
    terms.reduce((total, term) => total + weightIn(reading, term) * told(term), 0);
  const onlyA = sum(a, pairs.onlyA);
  const onlyB = sum(b, pairs.onlyB);
  const replaced = Math.min(onlyA, onlyB);
  const added = Math.max(onlyA, onlyB) - replaced;
  const against = REPLACED * replaced + (ADDED * added) / (1 + added / 3);
  return {
    score: shared === 0 ? 0 : shared / (shared + against),
    evidence,
    telling,
    common,
    otherObject: isOther(a, pairs.onlyA) && isOther(b, pairs.onlyB),
  };
}

/** Whether nothing of what the sentence does something to is shared. */
function isOther(reading: Reading, only: readonly Term[]): boolean {
  if (!hasObject(reading)) return false;
  const objects = [...reading.terms.values()].filter(
    ({ place, weight }) => !place && weight >= SPECIFIC,
  );
  return objects.every((term) => only.includes(term));
}

/** 1 for a word nobody else uses, down to 0.5 for one that everybody uses; flat while there are few. */
function rarity(counts: WordCounts, stem: string): number {
  const among = Math.log(counts.size + 20);
  return 0.5 + 0.5 * (1 - Math.min(1, Math.log(1 + counts.documentFrequency(stem)) / among));
}

function pairsOf(a: Reading, b: Reading, ignored: ReadonlySet<string> | undefined) {
  const onlyA = new Map(a.terms);
  const onlyB = new Map(b.terms);
  for (const concept of ignored ?? []) {
    onlyA.delete(concept);
    onlyB.delete(concept);
  }
  const common: [Term, Term][] = [];
  const take = (inA: string, inB: string) => {
    const left = onlyA.get(inA);
    const right = onlyB.get(inB);
    if (!left || !right) return;
    common.push([left, right]);
    onlyA.delete(inA);
    onlyB.delete(inB);
  };
  for (const concept of [...onlyA.keys()]) take(concept, concept);
  // `getUserById` beside "get the user by id", and "time out" beside "timeout", on either side.
  for (const [mine, theirs] of [
    [onlyA, onlyB],
    [onlyB, onlyA],
  ] as const) {
    for (const [concept, whole] of [...theirs]) {
      if (!whole.parts?.every((part) => mine.has(part) || weightOf(part) < SPECIFIC)) continue;
      if (!whole.parts.some((part) => mine.has(part))) continue;
      common.push([whole, whole]);
      theirs.delete(concept);
      for (const part of whole.parts) mine.delete(part);
    }
  }
  for (const [mine, theirs, joined] of [
    [onlyA, onlyB, a.joined],
    [onlyB, onlyA, b.joined],
  ] as const) {
    for (const concept of [...theirs.keys()]) {
      const parts = joined.get(concept);
      const said = parts?.find((part) => mine.has(part));
      if (parts === undefined || said === undefined) continue;
      const whole = theirs.get(concept) as Term;
      common.push([whole, whole]);
      theirs.delete(concept);
      for (const part of parts) mine.delete(part);
    }
  }
  for (const [inA, { stem }] of [...onlyA]) {
    const inB = [...onlyB].find(([, other]) => isSpeltAlike(stem, other.stem));
    if (inB !== undefined) take(inA, inB[0]);
  }
  return { common, onlyA: [...onlyA.values()], onlyB: [...onlyB.values()] };
}

/** One family (`authent`, `authentic`) or one typing error apart; words of ASCII letters only. */
export function isSpeltAlike(one: string, other: string): boolean {
  const [short, long] = one.length <= other.length ? [one, other] : [other, one];
  if (short.length < 5 || long.length - short.length > 3) return false;
  if (!/^[a-z]+$/.test(one) || !/^[a-z]+$/.test(other)) return false;
  if (long.startsWith(short)) return true;
  // First letters are rarely mistyped, and "unload" is not "upload".
  if (short.length < 6 || short.slice(0, 2) !== long.slice(0, 2)) return false;
  return isWithin(short, long, short.length >= 9 ? 2 : 1);
}

/** Whether so few letters inserted, left out or replaced turn one into the other. */
function isWithin(short: string, long: string, edits: number): boolean {
  let row = Array.from({ length: long.length + 1 }, (_, at) => at);
  for (let i = 1; i <= short.length; i++) {
    const next = [i];
    for (let j = 1; j <= long.length; j++) {
      const replaced = (row[j - 1] as number) + (short[i - 1] === long[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1));
    }
    row = next;
  }
  return (row[long.length] as number) <= edits;
}

/** What a short text, such as a file's name, is made of. */
export function conceptsOf(text: string): Set<string> {
  return new Set(analyze(text).map(conceptOf));
}

/**
 * Stems to look for in a store, each with what it counts: the telling words and what others write
 * for them. Empty for a text of nothing but general words.
 */
export function searchTerms({ readings }: Task, counts: WordCounts): Map<string, number> {
  const weights = new Map<string, number>();
  const add = (stem: string, weight: number) => {
    if (weights.size < MOST_TERMS) weights.set(stem, Math.max(weight, weights.get(stem) ?? 0));
  };
  for (const { terms, joined } of readings) {
    for (const [concept, { stem, weight }] of terms) {
      if (weight < LEAST_SEARCHED) continue;
      add(stem, weight);
      for (const other of spellingsOf(concept)) add(other, weight * OTHER_SPELLING);
    }
    for (const whole of joined.keys()) {
      if (counts.documentFrequency(whole) > 0) add(whole, OTHER_SPELLING);
    }
  }
  const telling = [...weights].filter(([, weight]) => weight >= OTHER_SPELLING);
  return telling.length === 0 ? new Map() : weights;
}
