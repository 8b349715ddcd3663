/** get, query, list and counts (seed §4, §5). Reading changes nothing, and what has expired is not there. */
import type { z } from 'zod';
import type { Caller } from '../records/index.js';
import { type AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import { yieldToLoop } from '../shared/yield.js';
import { mayRead } from './audience.js';
import { type HintContext, notFound } from './context.js';
import { type Asked, best, type Filtered, filterEligible, otherHint, scored } from './explain.js';
import { type Matcher, type Steps, safeRegex } from './patterns.js';
import type { getHintParams, queryParams } from './schema.js';
import type { ComponentCount, GetResult, HintCounts, QueryResult } from './types.js';
import { isLive, type Variant } from './variants.js';

type Variants = HintContext['store']['variants'];

/** The limit of a query that names none. */
const DEFAULT_LIMIT = 10;
/** At most this many reasons why no variant is eligible. */
const MAX_REASONS = 20;
const TOP_TAGS = 10;
/** Steps of a regular expression between two turns of the event loop. */
const REGEX_SLICE = 500_000;
/** Steps of one query: enough for an expression of 20 instructions on 5,000 hints of 1,000 characters. */
const REGEX_STEPS = 100_000_000;

/** Those of the variants that the caller may read and that have not expired. */
export function* liveFor(
  variants: Iterable<Variant>,
  caller: Caller,
  nowMs: number,
): Generator<Variant> {
  for (const variant of variants) {
    if (isSeen(variant, caller, nowMs)) yield variant;
  }
}

/**
 * What an answer about a key is chosen from. To the operator, who sees everything, what is private to
 * one person answers only where the project has no hint of the key.
 */
export function answersOf(
  variants: Variants,
  { component, key }: { component: string; key: string },
  caller: Caller,
  nowMs: number,
): Variant[] {
  const seen = [...liveFor(variants.ofKey(component, key), caller, nowMs)];
  if (caller.kind !== 'operator') return seen;
  const shared = seen.filter(({ isPrivate }) => !isPrivate);
  return shared.length > 0 ? shared : seen;
}

/** As `answersOf`, of many keys. */
function* answersAmong(
  seen: Iterable<Variant>,
  variants: Variants,
  { caller, nowMs }: Asked,
): Generator<Variant> {
  const shared = new Map<string, boolean>();
  for (const variant of seen) {
    if (caller.kind === 'operator' && variant.isPrivate) {
      // No name holds a line break.
      const name = `${variant.component}\n${variant.key}`;
      const isShared =
        shared.get(name) ?? answersOf(variants, variant, caller, nowMs)[0]?.isPrivate === false;
      shared.set(name, isShared);
      if (isShared) continue;
    }
    yield variant;
  }
}

function isSeen(variant: Variant, caller: Caller, nowMs: number): boolean {
  if (!isLive(variant, nowMs)) return false;
  return !variant.isPrivate || mayRead(caller, variant.audience);
}

export function getHint(
  { store, clock }: HintContext,
  params: z.output<typeof getHintParams>,
  caller: Caller,
): GetResult {
  const { component, key, context, limit = 1, explain } = params;
  const asked: Asked = { caller, context, nowMs: clock.now() };
  const known = answersOf(store.variants, { component, key }, caller, asked.nowMs);
  if (known.length === 0) throw missing({ store, clock }, component, key, asked);
  const { eligible, others } = filterEligible(known, asked);
  const hints = best(eligible, asked, limit).map((one) => scored(one, asked));
  const [first] = hints;
  return {
    hint: first?.hint ?? null,
    match_explain: first?.match_explain ?? { matched: false, reasons: reasonsOf(others) },
    ...(limit > 1 ? { hints } : {}),
    ...(explain === 'all' ? { others: others.map(otherHint) } : {}),
  };
}

export async function query(
  { store, clock }: HintContext,
  params: z.output<typeof queryParams>,
  caller: Caller,
): Promise<QueryResult> {
  const { context, limit = DEFAULT_LIMIT, explain, regex } = params;
  const asked: Asked = { caller, context, nowMs: clock.now() };
  const pattern = regex === undefined ? null : patternOf(regex);
  const seen = liveFor(filtered(store.variants, params), caller, asked.nowMs);
  const fitting = answersAmong(seen, store.variants, asked);
  const found = pattern === null ? fitting : await matching(fitting, pattern);
  const { eligible, others } = filterEligible(found, asked);
  return {
    hints: best(eligible, asked, limit).map((one) => scored(one, asked)),
    ...(explain === 'all' ? { others: best(others, asked, limit).map(otherHint) } : {}),
  };
}

export function listComponents({ store, clock }: HintContext, caller: Caller): ComponentCount[] {
  const counts = new Map<string, number>();
  for (const { component } of liveFor(store.variants.all(), caller, clock.now())) {
    counts.set(component, (counts.get(component) ?? 0) + 1);
  }
  return [...counts]
    .map(([name, hint_count]) => ({ name, hint_count }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

export function counts({ store, clock }: HintContext, caller: Caller): HintCounts {
  const nowMs = clock.now();
  const { variants } = store;
  const result = { hints: 0, durable: 0, session: 0, secret: 0 };
  /** Hidden from the caller. They are few, so the totals are corrected by them. */
  const unseen: Variant[] = [];
  for (const variant of variants.all()) {
    if (!isSeen(variant, caller, nowMs)) {
      unseen.push(variant);
      continue;
    }
    result.hints += 1;
    if (variant.expiresAtMs === null) result.session += 1;
    if (variant.isSecret) result.secret += 1;
  }
  result.durable = result.hints - result.session;
  const hidden = tally(unseen.map(({ component }) => component));
  const hiddenTags = tally(unseen.flatMap(({ tags }) => tags));
  const isHidden = ([component, count]: [string, number]) => count === variants.countOf(component);
  const components = variants.componentCount - [...hidden].filter(isHidden).length;
  const top_tags = [...variants.tagCounts()]
    .map(([tag, count]) => ({ tag, count: count - (hiddenTags.get(tag) ?? 0) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
    .slice(0, TOP_TAGS);
  return { components, ...result, top_tags };
}

function tally(names: readonly string[]): Map<string, number> {
  const counted = new Map<string, number>();
  for (const name of names) counted.set(name, (counted.get(name) ?? 0) + 1);
  return counted;
}

/** NOT_FOUND for a key, or for its component when the caller has nothing in that. */
function missing(
  { store }: Pick<HintContext, 'store' | 'clock'>,
  component: string,
  key: string,
  { caller, nowMs }: Asked,
): AppError {
  const here = liveFor(store.variants.ofComponent(component), caller, nowMs).next();
  return notFound(component, here.done ? null : key);
}

/** Uses the narrowest index: component, then tags. */
function* filtered(
  variants: Variants,
  { component, keys, tags = [] }: z.output<typeof queryParams>,
): Generator<Variant> {
  const wanted = keys === undefined ? null : new Set(keys);
  const hasTags = ({ hint }: Variant) => tags.every((tag) => hint.meta.tags?.includes(tag));
  const from =
    component !== undefined
      ? variants.ofComponent(component)
      : tags.length > 0
        ? variants.tagged(tags)
        : variants.all();
  for (const variant of from) {
    if (wanted !== null && !wanted.has(variant.key)) continue;
    if (component === undefined || hasTags(variant)) yield variant;
  }
}

/** @throws InvalidInputError when it cannot be read or could take long */
function patternOf(regex: string): Matcher {
  const pattern = safeRegex(regex);
  if ('test' in pattern) return pattern;
  throw new InvalidInputError([pattern]);
}

/**
 * Those of which key, value or a tag fits.
 * @throws InvalidInputError when finding out would take too long
 */
async function matching(variants: Iterable<Variant>, pattern: Matcher): Promise<Variant[]> {
  const found: Variant[] = [];
  const steps: Steps = { left: REGEX_STEPS };
  let nextTurn = REGEX_STEPS - REGEX_SLICE;
  for (const variant of [...variants]) {
    for (const word of variant.words) {
      const fits = pattern.test(word, steps);
      if (steps.left < 0) throw new InvalidInputError([TOO_LONG]);
      if (steps.left < nextTurn) {
        nextTurn = steps.left - REGEX_SLICE;
        await yieldToLoop();
      }
      if (!fits) continue;
      found.push(variant);
      break;
    }
  }
  return found;
}

const TOO_LONG: Finding = {
  field: 'regex',
  message:
    'takes too long on what is stored: ask for a component, keys or tags, or for something simpler',
};

/** The reasons of all variants, without repetition. */
function reasonsOf(others: readonly Filtered[]): string[] {
  return [...new Set(others.flatMap(({ reasons }) => reasons))].slice(0, MAX_REASONS);
}
