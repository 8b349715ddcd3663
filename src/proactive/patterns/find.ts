/**
 * Whether a task is one more of a kind that was done before: of past tasks of one shape, how many
 * different ones there are, how much they have in common besides the wording, and how well the new
 * one fits. Pure.
 */
import type { Uuid } from '../../shared/ids.js';
import type { Kind } from '../matching/vocabulary.js';
import { commonest, nameOf, type PatternName } from './names.js';
import { ACT, type Head, type Shape } from './shape.js';
import type { Word } from './words.js';

export interface PastTask {
  id: Uuid;
  shape: Shape;
}

export interface Member extends PastTask {
  head: Head;
}

export interface Pattern extends PatternName {
  /** Different tasks among the members: an attempt repeated counts once. */
  occurrences: number;
  /** 0 to 1: how alike the members are × how well the new task fits. */
  confidence: number;
  members: Member[];
  /** In words. */
  evidence: string[];
}

/** Verbs that undo or only look: a task of another verb is never of their kind. */
const APART: ReadonlySet<Kind | undefined> = new Set<Kind>(['remove', 'revert', 'look', 'study']);
/** Terms in common from which two tasks are one task done again. */
const SAME_TASK = 0.6;
/** What agreement of wording and verb alone is worth; the rest is up to files, tags and modifiers. */
const WORDING = 0.55;
/** Where no member has files or tags that could agree or differ. */
const UNKNOWN = 0.5;
/** Files of one programming language are little in common. */
const LANGUAGE = 0.4;
const UNSAID = 0.85;
/** Share of the members that a common word needs. */
const MOST = 0.6;
const OTHER_FILES = 0.85;

/** The best of the patterns that the task belongs to; `null` when there are too few tasks of any. */
export function findPattern(
  task: Shape,
  past: readonly PastTask[],
  minOccurrences: number,
): Pattern | null {
  const patterns = task.heads
    .map((head) => patternOf(task, head, past, minOccurrences))
    .filter((pattern) => pattern !== null)
    .sort((a, b) => b.confidence - a.confidence || b.occurrences - a.occurrences);
  return patterns[0] ?? null;
}

function patternOf(
  task: Shape,
  head: Head,
  past: readonly PastTask[],
  minOccurrences: number,
): Pattern | null {
  const named = past.flatMap((each): Member[] => {
    const own = each.shape.heads.find(({ key }) => key === head.key);
    return own ? [{ ...each, head: own }] : [];
  });
  const alike = named.filter((member) => isSameWork(head, task, member));
  const members =
    head.verb === undefined && task.type === undefined
      ? ofOneWork(alike)
      : withSameType(alike, named, head);
  // A verb that is not said, or not known, may be any: most have to say the same.
  const unsaid = members.filter((member) => member.head.verb === undefined && !member.shape.type);
  if (head.verb !== undefined && unsaid.length > members.length / 2) return null;
  const worded = members.filter((member) => member.head.from === 'wording');
  // A tag is a topic as often as a kind of task: it needs those that say so in words beside it.
  const needed = head.from === 'tag' ? members.length : members.length / 2;
  if (worded.length < needed) return null;
  const common = head.key.startsWith(ACT) ? commonWords(task, members) : [];
  // A verb alone names no kind of task: something it is done to has to recur.
  if (head.key.startsWith(ACT) && common.length === 0) return null;
  const occurrences = countDifferent(members, common);
  if (occurrences < minOccurrences) return null;
  const { support, shared } = supportOf(members);
  const mean = members.reduce((sum, member) => sum + member.head.weight, 0) / members.length;
  const consistency = mean * (WORDING + (1 - WORDING) * support);
  const fit = fitOf(task, head, members);
  const name = nameOf(
    common.length === 0
      ? members
      : members.map((each) => ({
          ...each,
          head: { ...each.head, words: [...each.head.words, ...common.slice(0, 1)] },
        })),
  );
  return {
    ...name,
    occurrences,
    confidence: Math.round(consistency * fit * 100) / 100,
    members,
    evidence: [
      `${occurrences} different tasks of one shape: "${name.title}"`,
      `alike ${consistency.toFixed(2)}${shared === '' ? '' : ` (${shared})`}`,
      `fits ${fit.toFixed(2)}`,
    ],
  };
}

/** One verb, or one task type; verbs that are not said agree with any but those that stand apart. */
function isSameWork(head: Head, task: Shape, { head: other, shape: past }: Member): boolean {
  if (APART.has(head.verb) || APART.has(other.verb)) return head.verb === other.verb;
  if (head.verb !== undefined && head.verb === other.verb) return true;
  if (task.type !== undefined && past.type !== undefined) return task.type === past.type;
  return head.verb === undefined || other.verb === undefined;
}

/** "Set up the pipeline" joins those that configured theirs when all are noted as configuration. */
function withSameType(alike: readonly Member[], named: readonly Member[], head: Head): Member[] {
  const type = commonest(alike.flatMap(({ shape }) => shape.type ?? []));
  if (type === undefined || type.count < 2 || APART.has(head.verb)) return [...alike];
  const known = new Set(alike.map(({ id }) => id));
  const more = named.filter(
    ({ id, shape, head: other }) =>
      !known.has(id) && shape.type === type.value && !APART.has(other.verb),
  );
  return [...alike, ...more];
}

/** Where the new task does not say what is done, what is done most often is meant. */
function ofOneWork(members: readonly Member[]): Member[] {
  const byVerb = new Map<Kind | undefined, Member[]>();
  for (const member of members) {
    byVerb.set(member.head.verb, [...(byVerb.get(member.head.verb) ?? []), member]);
  }
  return [...byVerb.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Words of most members that the new task has, too, those of the most members first. */
function commonWords(task: Shape, members: readonly Member[]): Word[] {
  const counts = new Map<string, { word: Word; count: number }>();
  for (const { shape } of members) {
    for (const word of new Map(shape.words.map((each) => [each.concept, each])).values()) {
      const known = counts.get(word.concept);
      counts.set(word.concept, { word, count: (known?.count ?? 0) + 1 });
    }
  }
  const asked = new Set(task.words.map(({ concept }) => concept));
  return [...counts.values()]
    .filter(({ word, count }) => count >= members.length * MOST && asked.has(word.concept))
    .sort((a, b) => b.count - a.count)
    .map(({ word }) => word);
}

/** Tasks apart by what they are about; order does not matter much, the first of each stands for it. */
function countDifferent(members: readonly Member[], common: readonly Word[]): number {
  const kinds: ReadonlySet<string>[] = [];
  for (const { shape, head } of members) {
    const own = new Set(shape.terms);
    for (const { concept, surface } of [...head.words, ...common]) {
      own.delete(concept);
      own.delete(surface);
    }
    if (!kinds.some((other) => overlap(own, other) >= SAME_TASK)) kinds.push(own);
  }
  return kinds.length;
}

function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  if (a.size === 0 && b.size === 0) return 1;
  let both = 0;
  for (const term of a) if (b.has(term)) both += 1;
  return both / (a.size + b.size - both);
}

/** The most that the members have in common besides verb and noun: share of them × what it is worth. */
function supportOf(members: readonly Member[]): { support: number; shared: string } {
  const headWords = new Set(members[0]?.head.words.map(({ concept }) => concept));
  const signals: [string, number, (shape: Shape) => Iterable<string>][] = [
    ['tag', 1, ({ tags }) => tags.map(({ concept }) => concept)],
    [
      'wording',
      1,
      ({ modifiers }) => modifiers.map(({ concept }) => concept).filter((c) => !headWords.has(c)),
    ],
    ['folder', 1, ({ files }) => files.folders],
    ['file name', 1, ({ files }) => files.parts],
    ['files', 1, ({ files }) => [...files.kinds].filter((kind) => !kind.startsWith('.'))],
    ['files', LANGUAGE, ({ files }) => [...files.kinds].filter((kind) => kind.startsWith('.'))],
    ['names', 1, ({ names }) => [...names].filter((name) => name === 'route')],
  ];
  let support = 0;
  let shared = '';
  for (const [what, worth, read] of signals) {
    const counts = new Map<string, number>();
    for (const { shape } of members) {
      for (const value of new Set(read(shape))) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    for (const [value, count] of counts) {
      const worthHere = count < 2 ? 0 : (count / members.length) * worth;
      if (worthHere > support) {
        support = worthHere;
        shared = `${what} ${value}`;
      }
    }
  }
  const silent = members.every(
    ({ shape }) => shape.files.kinds.size === 0 && shape.tags.length === 0,
  );
  return silent && support < UNKNOWN ? { support: UNKNOWN, shared: '' } : { support, shared };
}

function fitOf(task: Shape, head: Head, members: readonly Member[]): number {
  const isSaid = head.verb !== undefined || task.type !== undefined || head.key.startsWith(ACT);
  const said = isSaid ? 1 : UNSAID;
  const { files } = task;
  const hasFiles = files.kinds.size > 0;
  const signsOf = ({ kinds, folders, parts }: Shape['files']) => [...kinds, ...folders, ...parts];
  const own = new Set(signsOf(files));
  const withFiles = members.filter(({ shape }) => shape.files.kinds.size > 0);
  const fitting = withFiles.some(({ shape }) => signsOf(shape.files).some((sign) => own.has(sign)));
  const filed = !hasFiles || withFiles.length === 0 || fitting ? 1 : OTHER_FILES;
  return head.weight * said * filed;
}
