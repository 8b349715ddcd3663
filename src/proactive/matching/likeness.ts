/**
 * How far two tasks are the same, from what their sentences say: the share of their content words
 * that is common, weighted by what a word tells here (vocabulary, place in the sentence, rarity in
 * the store). A word replaced by another ("pagination" by "rate limiting") counts against more than
 * a word that only one side has; generic words alone never make a match. Pure.
 */
import { vetoOf } from '../../embeddings/index.js';
import { analyze } from '../../shared/text.js';
import { asksForFact, type Clause, clausesOf } from './clauses.js';
import { pairsOf } from './pairs.js';
import {
  fileInCommon,
  hasObject,
  type Reading,
  readTask,
  SPECIFIC,
  type Term,
  together,
  weightIn,
} from './reading.js';
import { conceptOf, type Kind, kindLikeness, spellingsOf } from './vocabulary.js';

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
/** What is only asked about, or said over several sentences, has to name nearly the whole task. */
const ASKED = 0.95;
const MOST_OF_IT = 0.75;
/** From here on a text has all of the other one's words: generic ones prove something together. */
const ALL_OF_IT = 0.95;
/** A verb that only one side has: people choose them freely. The second where it may be a noun. */
const VERB = 0.35;
const PERHAPS_VERB = 0.65;
const OTHER_VERB = 0.75;
const PERHAPS_OTHER_VERB = 0.8;
/** Of a word that only the longer text has, where that is much longer: a reason, not a replacement. */
const REASONED = 1.2;
const MORE = 0.5;
/** What is told in passing and leaves out much of the task is about something else. */
const IN_PASSING = 0.75;
const SOME_OF_IT = 0.6;
/** What the name of a file that both are about counts for where both say it. */
const SAID_TOO = 0.3;
/** A file that both name, beside what is done in it. */
const FILE = 0.6;
/** One telling word alone may be shared by chance. */
const SINGLE = 0.9;
const LONE = 0.8;
const HALF_OF_IT = 0.5;
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
/** Done to the thing that a file is named after. */
const MAKING: ReadonlySet<Kind | undefined> = new Set<Kind>(['add', 'ship', 'upgrade', 'migrate']);
const SAME_KIND = 0.8;

/** What a text asks for, ready to be compared; read once, compared with many. */
export interface Task {
  readings: readonly Reading[];
}

/**
 * The tasks that a message is about to do: requests and statements, each alone and all in one.
 * Empty for questions, thanks and reports of what is done.
 */
export function taskOf(message: string): Task {
  return readAs(message, ({ mode }) => mode === 'ask' || mode === 'state');
}

/**
 * What is wanted, handed over as such: also what is only asked for ("do we know a solvent for it?").
 * Empty for greetings, thanks and reports.
 */
export function intentOf(message: string): Task {
  return readAs(message, (clause) => clause.mode !== 'report' && !asksForFact(clause));
}

function readAs(message: string, counts: (clause: Clause) => boolean): Task {
  const single = clausesOf(message).map(readTask);
  const readings = merged(single).filter(({ clause }) => counts(clause));
  const told = single.filter(({ clause }) => counts(clause));
  return { readings: told.length > 1 ? [...readings, together(told)] : readings };
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
  const evidence =
    found.covered >= ALL_OF_IT && found.words > 1
      ? Math.max(EVIDENCE, found.evidence)
      : found.evidence;
  if (evidence < EVIDENCE) return NOTHING;
  const loose = a.whole === true || a.clause.mode === 'question';
  if (loose && (found.covered < MOST_OF_IT || found.words < 2 || found.telling === 0))
    return NOTHING;
  const score =
    found.score *
    kindLikeness(a.kind, b.kind) *
    verbLikeness(a, b) *
    (a.clause.mode === 'state' ? STATED : a.clause.mode === 'question' ? ASKED : 1) *
    (a.clause.mode === 'state' && found.covered < SOME_OF_IT ? IN_PASSING : 1) *
    (found.otherObject ? OTHER_OBJECT : 1) *
    loneliness(found, options.ignored !== undefined);
  // Reading for the veto costs more than all of the above.
  if (score < ALIKE_ON_FILE / 2) return { score, reasons: [], evidence };
  const strip = options.files === false;
  const veto = vetoOf(spoken(a, strip), spoken(b, strip));
  if (veto.vetoed) return { ...NOTHING, veto: veto.reason };
  return {
    score,
    reasons: [found.common.length > 0 ? `words ${found.common.join(', ')}` : 'the same file'],
    evidence,
  };
}

/** "Water the tomatoes" is not "plant the tomatoes", though neither verb is in the vocabulary. */
function verbLikeness(a: Reading, b: Reading): number {
  const lost = [
    a.head !== undefined &&
    !b.terms.has(a.head.concept) &&
    (b.head !== undefined || b.kind !== undefined)
      ? a.head
      : null,
    b.head !== undefined &&
    !a.terms.has(b.head.concept) &&
    (a.head !== undefined || a.kind !== undefined)
      ? b.head
      : null,
  ].filter((head) => head !== null);
  if (lost.length === 0) return 1;
  return lost.every(({ sure }) => sure) ? OTHER_VERB : PERHAPS_OTHER_VERB;
}

/** One telling word in common proves less, unless it is all that there is to say. */
function loneliness({ telling, covered, score }: Laid, onFile: boolean): number {
  if (telling > 1 || (onFile ? score >= 1 : covered >= ALL_OF_IT)) return 1;
  return covered < HALF_OF_IT ? LONE : SINGLE;
}

/** "Refactor auth.ts" twice: neither says more than the file and what is done to it. */
function isWholeFile(a: Reading, b: Reading, ignored: ReadonlySet<string>): boolean {
  const saysMore = ({ terms }: Reading) =>
    [...terms].some(([concept, { weight }]) => weight >= SPECIFIC && !ignored.has(concept));
  if (a.kind === b.kind && WHOLE_FILE.has(a.kind) && !saysMore(a) && !saysMore(b)) return true;
  // "Install redis with the chart" in redis.yaml: both add what the file is there for.
  const objects = ({ terms }: Reading) =>
    [...terms].filter(([, { weight, place }]) => weight >= SPECIFIC && !place);
  const [ofA, ofB] = [objects(a), objects(b)];
  return (
    a.kind === b.kind &&
    MAKING.has(a.kind) &&
    ofA.length > 0 &&
    [...ofA, ...ofB].every(([concept]) => ignored.has(concept)) &&
    ofA.some(([concept]) => ofB.some(([other]) => other === concept))
  );
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
  /** Words in common that say anything. */
  words: number;
  /** 0 to 1: share of the second text's words that the first has. */
  covered: number;
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
  let words = 0;
  const common: string[] = [];
  const told = (term: Term) => rarity(counts, term.stem);
  for (const [left, right] of pairs.common) {
    const rare = Math.min(told(left), told(right));
    const weight = ((weightIn(a, left) + weightIn(b, right)) / 2) * rare;
    shared += weight;
    // "Have a look at auth.ts" says nothing of what is to be done there.
    const specific = Math.min(left.weight, right.weight) >= SPECIFIC && !(left.ofFile && isIdle(a));
    if (specific) telling += 1;
    if (Math.min(left.weight, right.weight) >= LEAST_SEARCHED) words += 1;
    evidence += specific ? left.weight * rare : weight / 2;
    if (weight >= 0.2) common.push(right.stem);
  }
  for (const [left, right] of pairs.ofFile) {
    shared += SAID_TOO * Math.min(left.weight, right.weight);
  }
  // Unless the caller has judged the files, one that both name is a place that both name.
  if (ignored === undefined && fileInCommon(a.files, b.files) !== undefined) {
    shared += hasObject(a) || hasObject(b) ? FILE : 1;
    evidence += 1;
    telling += 1;
    words += 1;
  }
  // Who tells of a symptom does not say what was done about it.
  const isTold = a.clause.mode === 'state' && a.head === undefined;
  const sum = (reading: Reading, terms: readonly [string, Term][]) =>
    terms.reduce(
      (total, [concept, term]) =>
        total + weightIn(reading, term) * told(term) * chosen(reading, concept, isTold),
      0,
    );
  const onlyA = sum(a, pairs.onlyA);
  const onlyB = sum(b, pairs.onlyB);
  const replaced = Math.min(onlyA, onlyB);
  const added = Math.max(onlyA, onlyB) - replaced;
  const lost = telling > 1 && onlyA > 2 * onlyB + MORE ? REASONED : REPLACED;
  const against = lost * replaced + (ADDED * added) / (1 + added / 3);
  return {
    score: shared === 0 ? 0 : shared / (shared + against),
    evidence,
    telling,
    words,
    covered: shared === 0 ? 0 : shared / (shared + onlyB),
    common,
    otherObject: isOther(a, pairs.onlyA) && isOther(b, pairs.onlyB),
  };
}

function isIdle({ kind }: Reading): boolean {
  return kind === undefined || kind === 'look' || kind === 'study';
}

function chosen({ head }: Reading, concept: string, isTold: boolean): number {
  if (head?.concept !== concept) return 1;
  return head.sure || isTold ? VERB : PERHAPS_VERB;
}

/** Whether nothing of what the sentence does something to is shared. */
function isOther(reading: Reading, only: readonly [string, Term][]): boolean {
  if (!hasObject(reading)) return false;
  const objects = [...reading.terms.values()].filter(
    ({ place, weight }) => !place && weight >= SPECIFIC,
  );
  return objects.every((term) => only.some(([, other]) => other === term));
}

/** 1 for a word nobody else uses, down to 0.5 for one that everybody uses; flat while there are few. */
function rarity(counts: WordCounts, stem: string): number {
  const among = Math.log(counts.size + 20);
  return 0.5 + 0.5 * (1 - Math.min(1, Math.log(1 + counts.documentFrequency(stem)) / among));
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
  // Several generic words together may be all that a task is made of.
  const telling = [...weights.values()].some((weight) => weight >= OTHER_SPELLING);
  return telling || weights.size > 1 ? weights : new Map();
}
