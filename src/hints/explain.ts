/**
 * Which hints are eligible in a context, which is best, and why (seed §4). The best comes first: by
 * score; of equals a person's own before the project's; then as `rank.ts` says.
 */
import type { Caller } from '../records/index.js';
import { isOwn } from './audience.js';
import { compareTies, openFileOf, partsAt, type Standing, scoreOf, weighed } from './rank.js';
import type { NudgeContext } from './schema.js';
import { type CompiledScope, type Eligibility, factsOf } from './scope.js';
import type { OtherHint, ScoredHint } from './types.js';
import type { Variant } from './variants.js';

export interface Asked {
  caller: Caller;
  context: NudgeContext | undefined;
  nowMs: number;
}

/** A variant and what its scope says to the context. */
export interface Filtered {
  variant: Variant;
  reasons: string[];
}

export interface Ranked extends Filtered {
  score: number;
  standing: Standing;
  isOwn: boolean;
}

/** Scores change by a thousandth in minutes, so a computed score is kept for this long. */
const TICK_MS = 10_000;

/** The reason given to the operator for a hint that only its owner can read. */
const PRIVATE = 'private to one person';

/** Without a context only hints without a scope are eligible: what is not known matches nothing. */
export function filterEligible(
  variants: Iterable<Variant>,
  { caller, context = {} }: Asked,
): { eligible: Filtered[]; others: Filtered[] } {
  const eligible: Filtered[] = [];
  const others: Filtered[] = [];
  const facts = factsOf(context);
  const verdicts = new Map<CompiledScope, Eligibility>();
  for (const variant of variants) {
    let verdict = verdicts.get(variant.gate);
    if (!verdict) {
      verdict = variant.gate.explain(facts);
      verdicts.set(variant.gate, verdict);
    }
    const isOthers = variant.isPrivate && caller.kind === 'operator';
    const reasons = isOthers ? [...verdict.reasons, PRIVATE] : verdict.reasons;
    (verdict.eligible ? eligible : others).push({ variant, reasons });
  }
  return { eligible, others };
}

/** All variants, as if every scope matched. */
export function unfiltered(variants: Iterable<Variant>): Filtered[] {
  return [...variants].map((variant) => ({ variant, reasons: [] }));
}

/** The first `limit`, best first. */
export function best(filtered: readonly Filtered[], asked: Asked, limit: number): Ranked[] {
  const { caller, nowMs, context } = asked;
  const files = context?.files_open ?? [];
  const atMs = nowMs - (nowMs % TICK_MS);
  const first: Ranked[] = [];
  let worst = Number.NEGATIVE_INFINITY;
  for (const { variant, reasons } of filtered) {
    const score = scoreAt(variant, atMs);
    if (score < worst) continue;
    const { component, key, scopeKey, hint, audience } = variant;
    const fitsOpenFile = openFileOf(variant, files) !== null;
    const standing = { component, key, scopeKey, hint, fitsOpenFile };
    const ranked = { variant, reasons, score, standing, isOwn: isOwn(caller, audience) };
    first.splice(placeOf(ranked, first), 0, ranked);
    if (first.length > limit) first.pop();
    if (first.length === limit) worst = first[limit - 1]?.score ?? worst;
  }
  return first;
}

function scoreAt(variant: Variant, atMs: number): number {
  if (variant.scored?.atMs !== atMs) {
    variant.scored = { atMs, score: weighed(partsAt(variant.merits, atMs)) };
  }
  return variant.scored.score;
}

export function scored({ variant, reasons, score }: Ranked, asked: Asked): ScoredHint {
  const { component, key, hint } = variant;
  const { nowMs, context = {} } = asked;
  const more = scoreOf(variant, { nowMs, context }).reasons;
  return {
    ...{ component, key, hint, score },
    match_explain: { matched: true, score, reasons: [...reasons, ...more] },
  };
}

export function otherHint({ variant, reasons }: Filtered): OtherHint {
  const { component, key, hint } = variant;
  return { component, key, hint, match_explain: { matched: false, reasons: [...reasons] } };
}

function placeOf(one: Ranked, sorted: readonly Ranked[]): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = sorted[middle];
    if (other && compare(other, one) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function compare(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    Number(b.isOwn) - Number(a.isOwn) ||
    Number(a.variant.isPrivate) - Number(b.variant.isPrivate) ||
    compareTies(a.standing, b.standing) ||
    (a.variant.id < b.variant.id ? -1 : 1)
  );
}
