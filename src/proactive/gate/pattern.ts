/**
 * Whether a moment is one more of a kind: several tasks and the moment share a skeleton, and what
 * stands in its slot differs. Names and numbers differ because it is a pattern. Pure.
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
  /** 0 to 1: how likely the members help, or how much of what they share is to be done again. */
  confidence: number;
  /** Those of which the moment says another slot. */
  members: Member[];
  /** In words. */
  evidence: string[];
}

export interface Wanted {
  /** Different tasks that make a pattern. */
  least: number;
  /** The moment says that something is done now: then the shape alone may be enough. */
  acts: boolean;
}

/** Share of a goal, by rarity, that the skeleton has to be. */
const SKELETON = 0.3;
/** Share of the members that a word of the skeleton needs. */
const MOST = 0.6;
/** Two goals with so much in common, both ways, are one task done again. */
const SAME_TASK = 0.85;
const NAME_WORDS = 3;

/** What differs because it is a pattern. */
const IS_SLOT = /^(?:another version|different things)/;

interface Member<Kind extends Proposal> {
  proposal: Kind;
  goal: Part;
  shared: Map<string, number>;
  weight: number;
}

export function patternIn<Kind extends Proposal>(
  text: string,
  proposals: readonly Kind[],
  rarity: Rarity,
  { least, acts }: Wanted,
): Pattern<Kind> | null {
  const said = partOf(text, rarity);
  const near = proposals
    .filter(({ veto }) => veto === undefined || IS_SLOT.test(veto))
    .map((proposal): Member<Kind> => {
      const goal = partOf(proposal.near.goal, rarity);
      const shared = new Map([...goal.terms].filter(([term]) => said.terms.has(term)));
      return { proposal, goal, shared, weight: sum(shared.values()) };
    })
    .filter(({ weight, goal }) => weight >= SKELETON * goal.total && weight > 0);
  let best: Pattern<Kind> | null = null;
  for (const seed of near) {
    const found = around(seed, near, said, { least, acts });
    if (found && (best === null || found.confidence > best.confidence)) best = found;
  }
  return best;
}

function around<Kind extends Proposal>(
  seed: Member<Kind>,
  near: readonly Member<Kind>[],
  said: Part,
  { least, acts }: Wanted,
): Pattern<Kind> | null {
  const members = near.filter(
    (each) => common(seed.shared, each.shared) >= MOST * Math.max(seed.weight, each.weight),
  );
  const skeleton = [...seed.shared].filter(
    ([term]) => members.filter(({ shared }) => shared.has(term)).length >= MOST * members.length,
  );
  const weight = sum(skeleton.map(([, each]) => each));
  const kin = members.filter(({ goal }) => weight >= SKELETON * goal.total);
  const slots = kin.filter(({ goal }) => !isSame(goal, said));
  const kinds: Part[] = [];
  for (const { goal } of slots) if (!kinds.some((other) => isSame(other, goal))) kinds.push(goal);
  if (kinds.length < least) return null;
  const mean = (of: (proposal: Kind) => number) =>
    sum(kin.map(({ proposal }) => of(proposal))) / kin.length;
  const probability = mean(({ offer }) => offer);
  const shape = acts
    ? mean(({ features }) => features.kin_said ?? 0) *
      mean(({ features }) => (1 + (features.kin_order ?? 0)) / 2)
    : 0;
  const confidence = Math.round(Math.max(probability, shape) * 100) / 100;
  const words = wordsOf(seed.proposal.near.goal, new Set(skeleton.map(([term]) => term)));
  const named = [...skeleton]
    .sort((a, b) => b[1] - a[1])
    .slice(0, NAME_WORDS)
    .map(([term]) => term);
  const pattern = words.filter(({ term }) => term !== null && named.includes(term));
  const title = titleOf(words);
  return {
    pattern: [...new Set(pattern.map(({ word }) => word.toLowerCase()))]
      .join('_')
      .replaceAll(/[^\p{L}\p{N}]+/gu, '_'),
    title,
    occurrences: kinds.length,
    confidence,
    members: slots.map(({ proposal }) => proposal),
    evidence: [
      `${kinds.length} different tasks of one shape: "${title}"`,
      `likely to help: ${confidence.toFixed(2)}`,
    ],
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

function common(a: ReadonlyMap<string, number>, b: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const [term, weight] of a) if (b.has(term)) total += weight;
  return total;
}

function sum(values: Iterable<number>): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}
