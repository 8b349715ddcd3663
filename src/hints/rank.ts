/**
 * The order of hints that are eligible (seed `nudge.md` §4):
 *
 * `score = 0.30 frecency + 0.20 priority/10 + 0.20 confidence + 0.20 scope_specificity + 0.10 recency`
 *
 * Each term is between 0 and 1, so the score is, too. What is left out counts as priority 5 and
 * confidence 0.5. A score is rounded to thousandths, so that hints which differ by minutes are equal
 * and the files that are open decide between them. Pure.
 */
import { ageOf } from '../shared/ages.js';
import { DAY_MS } from '../shared/clock.js';
import type { Hint, NudgeContext } from './schema.js';
import { specificity } from './scope.js';

export const DEFAULT_PRIORITY = 5;
export const DEFAULT_CONFIDENCE = 0.5;

/** After a week without use, past uses count half. */
const USE_HALF_LIFE_MS = 7 * DAY_MS;
/** This many uses just now give half of the maximum. */
const HALF_USES = 2;
/** A day after a change, its freshness is half. */
const CHANGE_HALF_LIFE_MS = DAY_MS;
/** Uses within it are called recent in the reasons. */
const RECENT_MS = DAY_MS;

export interface Parts {
  frecency: number;
  /** `priority / 10`. */
  priority: number;
  confidence: number;
  /** Fields of the scope that are given, of six. */
  scope_specificity: number;
  recency: number;
}

const WEIGHTS: Readonly<Parts> = {
  frecency: 0.3,
  priority: 0.2,
  confidence: 0.2,
  scope_specificity: 0.2,
  recency: 0.1,
};

/** The parts of a hint that the order depends on. */
export interface Rankable {
  component: string;
  hint: Hint;
}

export interface Score {
  score: number;
  reasons: string[];
  parts: Parts;
  /** Whether a file that is open has to do with it: breaks ties. */
  fitsOpenFile: boolean;
}

/** The inputs of a score that only a use or a change of the hint alters; the rest depends on the time. */
export interface Merits extends Pick<Parts, 'priority' | 'confidence' | 'scope_specificity'> {
  uses: number;
  /** Epoch ms; 0: never, or nobody knows when. */
  usedAtMs: number;
  changedAtMs: number;
}

export function meritsOf({ meta, use_count, last_used_at, updated_at }: Hint): Merits {
  return {
    priority: between(0, (meta.priority ?? DEFAULT_PRIORITY) / 10, 1),
    confidence: between(0, meta.confidence ?? DEFAULT_CONFIDENCE, 1),
    scope_specificity: specificity(meta.scope),
    uses: Math.max(0, use_count ?? 0),
    usedAtMs: timeOf(last_used_at),
    changedAtMs: timeOf(updated_at),
  };
}

export function partsAt(merits: Merits, nowMs: number): Parts {
  const { priority, confidence, scope_specificity, uses, usedAtMs, changedAtMs } = merits;
  return {
    frecency: frecencyOf(uses, usedAtMs, nowMs),
    priority,
    confidence,
    scope_specificity,
    recency: halvings(changedAtMs, CHANGE_HALF_LIFE_MS, nowMs),
  };
}

/** The parts by their weights, rounded. */
export function weighed(parts: Parts): number {
  const score =
    WEIGHTS.frecency * parts.frecency +
    WEIGHTS.priority * parts.priority +
    WEIGHTS.confidence * parts.confidence +
    WEIGHTS.scope_specificity * parts.scope_specificity +
    WEIGHTS.recency * parts.recency;
  return Math.round(score * 1_000) / 1_000;
}

/** The `reasons` explain the rank; its scope explains why a hint is eligible. */
export function scoreOf(
  { component, hint }: Rankable,
  { context = {}, nowMs }: { context?: NudgeContext; nowMs: number },
): Score {
  const parts = partsAt(meritsOf(hint), nowMs);
  const file = openFileOf({ component, hint }, context.files_open ?? []);
  const reasons = used(hint, nowMs);
  if (file !== null) reasons.push(`fits the open file ${file}`);
  return { score: weighed(parts), reasons, parts, fitsOpenFile: file !== null };
}

/**
 * How much and how lately a hint was used: `u / (u + 2)`, where `u` is the number of uses, halved for
 * every 7 days since the last one. 0 when it was never used, or nobody knows when.
 */
export function frecency(
  useCount: number | undefined,
  lastUsedAt: string | undefined,
  nowMs: number,
): number {
  return frecencyOf(Math.max(0, useCount ?? 0), timeOf(lastUsedAt), nowMs);
}

/** How lately a hint was changed: 1 just now, halved every day. */
export function recency(updatedAt: string | undefined, nowMs: number): number {
  return halvings(timeOf(updatedAt), CHANGE_HALF_LIFE_MS, nowMs);
}

export interface Standing {
  component: string;
  key: string;
  scopeKey: string;
  hint: Pick<Hint, 'updated_at'>;
  fitsOpenFile: boolean;
}

/**
 * Of hints with equal scores the better one first: fits an open file, changed last, then by
 * component, key and scope, which no two share.
 */
export function compareTies(a: Standing, b: Standing): number {
  return (
    Number(b.fitsOpenFile) - Number(a.fitsOpenFile) ||
    timeOf(b.hint.updated_at) - timeOf(a.hint.updated_at) ||
    compare(a.component, b.component) ||
    compare(a.key, b.key) ||
    compare(a.scopeKey, b.scopeKey)
  );
}

/**
 * The first of the files that has to do with a hint: its component or one of its tags is a folder of
 * the file, its name or its ending, or the file lies where the path of the hint points.
 */
export function openFileOf({ component, hint }: Rankable, files: readonly string[]): string | null {
  if (files.length === 0) return null;
  const names = new Set([component, ...(hint.meta.tags ?? [])].map((name) => name.toLowerCase()));
  const { value } = hint;
  const place = typeof value !== 'string' && value.type === 'path' ? slashed(value.abs) : null;
  const found = files.find((file) => {
    const path = slashed(file);
    if (place !== null && (path === place || path.startsWith(`${place}/`))) return true;
    return partsOf(path).some((part) => names.has(part));
  });
  return found ?? null;
}

const slashed = (path: string): string =>
  path.replaceAll('\\', '/').replace(/\/+$/, '').toLowerCase();

/** `src/api/auth.test.ts` → src, api, auth.test.ts, auth.test, auth, ts. */
function partsOf(path: string): string[] {
  const parts = path.split('/').filter((part) => part !== '');
  const name = parts.at(-1) ?? '';
  const dot = name.lastIndexOf('.');
  if (dot <= 0) return parts;
  return [...parts, name.slice(0, dot), name.slice(0, name.indexOf('.', 1)), name.slice(dot + 1)];
}

function used({ use_count = 0, last_used_at }: Hint, nowMs: number): string[] {
  const at = timeOf(last_used_at);
  if (use_count === 0 || at === 0) return [];
  const age = ageOf(at, nowMs);
  return nowMs - at < RECENT_MS ? [`recently used (${age})`] : [`used ${use_count}× (last ${age})`];
}

/** 1 now (and in the future: a clock was set back), 0.5 after a half-life; 0 for no time. */
function halvings(atMs: number, halfLifeMs: number, nowMs: number): number {
  return atMs === 0 ? 0 : 2 ** (-Math.max(0, nowMs - atMs) / halfLifeMs);
}

function frecencyOf(count: number, usedAtMs: number, nowMs: number): number {
  const uses = count * halvings(usedAtMs, USE_HALF_LIFE_MS, nowMs);
  return uses === 0 ? 0 : uses / (uses + HALF_USES);
}

/** Epoch ms; 0 for none. */
const timeOf = (time: string | undefined): number => Date.parse(time ?? '') || 0;
const between = (low: number, value: number, high: number): number =>
  Math.min(high, Math.max(low, value));
const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));
