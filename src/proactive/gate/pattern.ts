/**
 * Whether a moment is one more of a kind: several past tasks are built alike, differ in a slot, and the
 * gate says that the moment is likely to be another, in whatever words. Names and numbers differ because
 * it is a pattern. Pure.
 */
import { analyze } from '../../shared/text.js';
import type { Proposal } from './decide.js';
import { type Part, partOf, type Rarity } from './text.js';

export interface Pattern<Member extends Proposal> {
  /** As `recall("pattern:add_endpoint")` takes it. */
  pattern: string;
  /** For people: "Add … endpoint". */
  title: string;
  /** Different tasks among the members: an attempt repeated counts once. */
  occurrences: number;
  /** 0 to 1: how likely the moment is one more of them, by the member that says so most clearly. */
  confidence: number;
  /** Those of which the moment says another slot. */
  members: Member[];
  /** In words. */
  evidence: string[];
}

/** Share of the members that a word of the skeleton needs. */
const MOST = 0.6;
/** Two goals with so much in common, both ways, are one task done again. */
const SAME_TASK = 0.85;
const NAME_WORDS = 3;
/** Of the likelihood of the one that the others are built like. */
const SHARE = 0.9;
/** Up to here nobody would call it one more of them. */
const UNLIKELY = 0.05;

/** What differs because it is a pattern. */
const IS_SLOT = /^(?:another version|different things)/;

/** @param least different tasks that make a pattern */
export function patternIn<Kind extends Proposal>(
  text: string,
  proposals: readonly Kind[],
  rarity: Rarity,
  least: number,
): Pattern<Kind> | null {
  const said = partOf(text, rarity);
  const open = proposals.filter(({ veto }) => veto === undefined || IS_SLOT.test(veto));
  const goals = new Map(open.map(({ near }) => [near.id, partOf(near.goal, rarity)]));
  const goalOf = ({ near }: Kind) => goals.get(near.id) as Part;
  let best: Pattern<Kind> | null = null;
  for (const seed of open) {
    const family = open.filter(
      ({ near, pattern }) => seed.kin.includes(near.id) && pattern >= SHARE * seed.pattern,
    );
    const members = [seed, ...family].filter((each) => !isSame(goalOf(each), said));
    const kinds: Part[] = [];
    for (const goal of members.map(goalOf)) {
      if (!kinds.some((other) => isSame(other, goal))) kinds.push(goal);
    }
    if (kinds.length < least) continue;
    const confidence = Math.floor(100 * Math.max(...members.map(({ pattern }) => pattern))) / 100;
    if (confidence <= (best?.confidence ?? UNLIKELY)) continue;
    const skeleton = skeletonOf(seed, members.map(goalOf), goalOf(seed));
    if (skeleton.pattern === '') continue;
    best = {
      ...skeleton,
      occurrences: kinds.length,
      confidence,
      members,
      evidence: [
        `${kinds.length} different tasks of one shape: "${skeleton.title}"`,
        `likely to be one more of them: ${confidence.toFixed(2)}`,
      ],
    };
  }
  return best;
}

/** What most of the tasks have in common, as a name and as a title in the words of one of them. */
function skeletonOf(
  seed: Proposal,
  goals: readonly Part[],
  own: Part,
): { pattern: string; title: string } {
  const holds = (term: string) => goals.filter(({ terms }) => terms.has(term)).length;
  const shared = [...own.terms].filter(([term]) => holds(term) >= MOST * goals.length);
  const words = wordsOf(seed.near.goal, new Set(shared.map(([term]) => term)));
  const named = shared
    .sort((a, b) => b[1] - a[1])
    .slice(0, NAME_WORDS)
    .map(([term]) => term);
  const pattern = words.filter(({ term }) => term !== null && named.includes(term));
  return {
    pattern: [...new Set(pattern.map(({ word }) => word.toLowerCase()))]
      .join('_')
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_'),
    title: titleOf(words),
  };
}

function isSame(a: Part, b: Part): boolean {
  const shared = sum([...a.terms].filter(([term]) => b.terms.has(term)).map(([, each]) => each));
  return shared >= SAME_TASK * a.total && shared >= SAME_TASK * b.total;
}

/** Words of a goal in their order, each with the term of the skeleton that it is. */
function wordsOf(goal: string, skeleton: ReadonlySet<string>) {
  return (goal.match(/[\p{L}\p{N}_./-]+/gu) ?? []).map((word) => ({
    word: word.replace(/[./-]+$/, ''),
    term: analyze(word).find((term) => skeleton.has(term)) ?? null,
  }));
}

/** What stands in the slots is left out: "Add … endpoint". */
function titleOf(words: readonly { word: string; term: string | null }[]): string {
  const shown: string[] = [];
  for (const { word, term } of words) {
    if (term !== null) shown.push(word);
    else if (shown.length > 0 && shown.at(-1) !== '…') shown.push('…');
  }
  while (shown.at(-1) === '…') shown.pop();
  const title = shown.join(' ');
  return title.charAt(0).toUpperCase() + title.slice(1);
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
