/**
 * get, query, list and counts (seed §4, §5), and the hints that other rooms offer, with ids and audience,
 * which no surface reveals. Reading changes nothing, touches nothing but memory, and what has expired is not
 * there. The best comes first: by score; of equals a person's own before the project's; then as `rank.ts` says.
 */
import type { z } from 'zod';
import type { Caller } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { AppError, type Finding, InvalidInputError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { type Matcher, type Steps, safeRegex } from './globs.js';
import type {
  ComponentCount,
  GetResult,
  getHintParams,
  Hint,
  HintCounts,
  HintValue,
  NudgeContext,
  OtherHint,
  QueryResult,
  queryParams,
  ScoredHint,
  StoredHint,
} from './schema.js';
import { type CompiledScope, type Eligibility, factsOf } from './scope.js';
import { printedValue } from './secrets.js';
import { beforeDelete, type HintContext, isAdminCaller, notFound } from './store.js';
import {
  isLive,
  isOwn,
  mayRead,
  mayWrite,
  openFileOf,
  rankReasons,
  scoreAt,
  type Variant,
} from './variants.js';

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
  const result = { hints: 0, durable: 0, session: 0, secret: 0 };
  const components = new Set<string>();
  const tags = new Map<string, number>();
  for (const variant of liveFor(store.variants.all(), caller, clock.now())) {
    components.add(variant.component);
    result.hints += 1;
    if (variant.expiresAtMs === null) result.session += 1;
    if (variant.isSecret) result.secret += 1;
    for (const tag of variant.tags) tags.set(tag, (tags.get(tag) ?? 0) + 1);
  }
  result.durable = result.hints - result.session;
  const top_tags = [...tags]
    .map(([tag, count]) => ({ tag, count }))
    .toSorted((a, b) => b.count - a.count || (a.tag < b.tag ? -1 : 1))
    .slice(0, TOP_TAGS);
  return { components: components.size, ...result, top_tags };
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

export type EligibleHint = StoredHint & Pick<ScoredHint, 'score' | 'match_explain'>;

export type Offering = ReturnType<typeof createOffering>;

export function createOffering(room: HintContext) {
  const { store, clock } = room;
  return {
    /**
     * This variant has helped.
     * @param delta how often, 1 to 1,000
     * @throws AppError NOT_FOUND: it is no more, or not for the caller. UNAVAILABLE: nothing was counted
     */
    bump: (id: Uuid, caller: Caller, delta = 1): Promise<Hint> =>
      store.inTurn(() => countUse(room, variantOf(room, id, caller), delta)),
    /**
     * Takes away this variant.
     * @throws AppError NOT_FOUND: it is no more, or not for the caller. PERMISSION_DENIED. UNAVAILABLE: it
     * stays
     */
    async delete(id: Uuid, caller: Caller): Promise<void> {
      const isAdmin = await isAdminCaller(room, caller);
      const own = () => {
        const variant = variantOf(room, id, caller);
        if (mayWrite(caller, variant.audience, isAdmin)) return variant;
        throw denied();
      };
      await store.inTurn(async () => own());
      // Outside the queue: deleting the quotes may be slow, and other hints must not wait for it.
      await beforeDelete(room, [id], () => store.inTurn(() => store.commit({ remove: [own()] })));
    },
    /** Components of which the caller may read something, by name. */
    components(caller: Caller): string[] {
      const nowMs = clock.now();
      const names = new Set<string>();
      for (const variant of store.variants.all()) {
        const { component, isPrivate, audience } = variant;
        if (names.has(component) || !isLive(variant, nowMs)) continue;
        if (!isPrivate || mayRead(caller, audience)) names.add(component);
      }
      return [...names].sort();
    },
    /** All that the caller may read, whatever the context. */
    readable: (caller: Caller): Iterable<Pick<StoredHint, 'component' | 'key' | 'hint'>> =>
      liveFor(store.variants.all(), caller, clock.now()),
    /** Of one component, what is eligible in the context, best first, with why. */
    eligible(component: string, context: NudgeContext, caller: Caller): EligibleHint[] {
      const asked = { caller, context, nowMs: clock.now() };
      const known = liveFor(store.variants.ofComponent(component), caller, asked.nowMs);
      const { eligible } = filterEligible(known, asked);
      return best(eligible, asked, eligible.length).map((ranked) => {
        const { score, match_explain } = scored(ranked, asked);
        return { ...storedOf(ranked.variant), score, match_explain };
      });
    },
    /** Those of these hints that still exist, whoever they belong to. */
    current(ids: readonly Uuid[]): StoredHint[] {
      const nowMs = clock.now();
      return ids.flatMap((id) => {
        const variant = store.variants.get(id);
        return variant && isLive(variant, nowMs) ? [storedOf(variant)] : [];
      });
    },
    /** The id of the variant that an answer holds, found by object identity; `null`: it no longer exists. */
    idOf(
      { component, key, hint }: Pick<StoredHint, 'component' | 'key' | 'hint'>,
      caller: Caller,
    ): Uuid | null {
      for (const variant of liveFor(store.variants.ofKey(component, key), caller, clock.now())) {
        if (variant.hint === hint) return variant.id;
      }
      return null;
    },
  };
}

function storedOf(stored: StoredHint): StoredHint {
  const { id, component, key, hint, audience, expiresAtMs, session } = stored;
  return { id, component, key, hint, audience, expiresAtMs, session };
}

/** A value that can be run or opened as it is; `null`: it is a template or data. */
export function directValue(value: HintValue): string | null {
  const isDirect = typeof value === 'string' || value.type === 'command' || value.type === 'path';
  return isDirect ? printedValue(value) : null;
}

/** Only in turn. */
export async function countUse(
  { store, clock }: HintContext,
  variant: Variant,
  delta: number,
): Promise<Hint> {
  const at = new Date(clock.now()).toISOString();
  return (await store.use(variant, { delta, at })).hint;
}

export const denied = (): AppError =>
  new AppError('PERMISSION_DENIED', 'only owner and admins may delete what all share');

function variantOf({ store, clock }: HintContext, id: Uuid, caller: Caller): Variant {
  const variant = store.variants.get(id);
  for (const known of liveFor(variant ? [variant] : [], caller, clock.now())) return known;
  throw new AppError('NOT_FOUND', 'no such hint');
}

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
  fitsOpenFile: boolean;
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
  return filtered
    .map(({ variant, reasons }) => {
      if (variant.scored?.atMs !== atMs) {
        variant.scored = { atMs, score: scoreAt(variant.merits, atMs) };
      }
      const fitsOpenFile = openFileOf(variant, files) !== null;
      const { score } = variant.scored;
      return { variant, reasons, score, fitsOpenFile, isOwn: isOwn(caller, variant.audience) };
    })
    .sort(compare)
    .slice(0, limit);
}

export function scored({ variant, reasons, score }: Ranked, asked: Asked): ScoredHint {
  const { component, key, hint } = variant;
  const more = rankReasons(variant, asked.context?.files_open ?? [], asked.nowMs);
  return {
    ...{ component, key, hint, score },
    match_explain: { matched: true, score, reasons: [...reasons, ...more] },
  };
}

export function otherHint({ variant, reasons }: Filtered): OtherHint {
  const { component, key, hint } = variant;
  return { component, key, hint, match_explain: { matched: false, reasons: [...reasons] } };
}

/** Of equal scores: one's own, then the project's, then what fits an open file or was changed last, then by name. */
function compare(a: Ranked, b: Ranked): number {
  return (
    b.score - a.score ||
    Number(b.isOwn) - Number(a.isOwn) ||
    Number(a.variant.isPrivate) - Number(b.variant.isPrivate) ||
    Number(b.fitsOpenFile) - Number(a.fitsOpenFile) ||
    b.variant.merits.changedAtMs - a.variant.merits.changedAtMs ||
    byName(a.variant, b.variant)
  );
}

function byName(a: Variant, b: Variant): number {
  for (const name of ['component', 'key', 'scopeKey', 'id'] as const) {
    if (a[name] !== b[name]) return a[name] < b[name] ? -1 : 1;
  }
  return 0;
}
