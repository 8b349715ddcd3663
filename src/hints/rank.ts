/**
 * The order of hints that are eligible (seed `nudge.md` §4):
 *
 * `score = 0.30 frecency + 0.20 priority/10 + 0.20 confidence + 0.20 scope_specificity + 0.10 recency`
 *
 * Each term is between 0 and 1, so the score is, too. What is left out counts as priority 5 and
 * confidence 0.5. A score is rounded to thousandths, so that hints which differ by minutes are equal
 * and the files that are open decide between them. Pure.
 */
import { ageOf, DAY_MS } from '../shared/clock.js';
import type { Hint } from './schema.js';
import { specificity } from './scope.js';

const DEFAULT_PRIORITY = 5;
const DEFAULT_CONFIDENCE = 0.5;

/** After a week without use, past uses count half. */
const USE_HALF_LIFE_MS = 7 * DAY_MS;
/** This many uses just now give half of the maximum. */
const HALF_USES = 2;
/** A day after a change, its freshness is half. */
const CHANGE_HALF_LIFE_MS = DAY_MS;
/** Uses within it are called recent in the reasons. */
const RECENT_MS = DAY_MS;

/** What a hint has to do with the order, for `openFileOf`. */
export interface Rankable {
  component: string;
  hint: Hint;
}

/** The inputs of a score that only a use or a change of the hint alters; the rest depends on the time. */
export interface Merits {
  /** `priority / 10`. */
  priority: number;
  confidence: number;
  /** Fields of the scope that are given, of six. */
  specificity: number;
  uses: number;
  /** Epoch ms; 0: never, or nobody knows when. */
  usedAtMs: number;
  changedAtMs: number;
}

export function meritsOf({ meta, use_count, last_used_at, updated_at }: Hint): Merits {
  return {
    priority: between(0, (meta.priority ?? DEFAULT_PRIORITY) / 10, 1),
    confidence: between(0, meta.confidence ?? DEFAULT_CONFIDENCE, 1),
    specificity: specificity(meta.scope),
    uses: Math.max(0, use_count ?? 0),
    usedAtMs: timeOf(last_used_at),
    changedAtMs: timeOf(updated_at),
  };
}

export function scoreAt(merits: Merits, nowMs: number): number {
  const score =
    0.3 * frecency(merits, nowMs) +
    0.2 * merits.priority +
    0.2 * merits.confidence +
    0.2 * merits.specificity +
    0.1 * recency(merits, nowMs);
  return Math.round(score * 1_000) / 1_000;
}

/**
 * How much and how lately a hint was used: `u / (u + 2)`, where `u` is the number of uses, halved for
 * every 7 days since the last one. 0 when it was never used, or nobody knows when.
 */
export function frecency({ uses, usedAtMs }: Pick<Merits, 'uses' | 'usedAtMs'>, nowMs: number) {
  const left = uses * halvings(usedAtMs, USE_HALF_LIFE_MS, nowMs);
  return left === 0 ? 0 : left / (left + HALF_USES);
}

/** How lately a hint was changed: 1 just now, halved every day. */
export function recency({ changedAtMs }: Pick<Merits, 'changedAtMs'>, nowMs: number): number {
  return halvings(changedAtMs, CHANGE_HALF_LIFE_MS, nowMs);
}

/** Why a hint stands where it does; its scope explains why it is eligible. */
export function rankReasons(one: Rankable, files: readonly string[], nowMs: number): string[] {
  const { use_count = 0, last_used_at } = one.hint;
  const reasons: string[] = [];
  const atMs = timeOf(last_used_at);
  if (use_count > 0 && atMs > 0) {
    const age = ageOf(atMs, nowMs);
    const isRecent = nowMs - atMs < RECENT_MS;
    reasons.push(isRecent ? `recently used (${age})` : `used ${use_count}× (last ${age})`);
  }
  const file = openFileOf(one, files);
  if (file !== null) reasons.push(`fits the open file ${file}`);
  return reasons;
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

/** 1 now (and in the future: a clock was set back), 0.5 after a half-life; 0 for no time. */
function halvings(atMs: number, halfLifeMs: number, nowMs: number): number {
  return atMs === 0 ? 0 : 2 ** (-Math.max(0, nowMs - atMs) / halfLifeMs);
}

/** Epoch ms; 0 for none. */
const timeOf = (time: string | undefined): number => Date.parse(time ?? '') || 0;
const between = (low: number, value: number, high: number): number =>
  Math.min(high, Math.max(low, value));
