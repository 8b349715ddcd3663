/**
 * When an offer may be made (seed, "Cooldown & Deduplication"; DESIGN §8). A state machine without a
 * clock of its own: the time comes with every question. Per target (conversation, session or agent):
 *
 * - a file is not offered again for `file_cooldown_seconds`,
 * - a memory is not offered again for `memory_cooldown_seconds`, whatever kind of offer shows it,
 * - at most `rate_limit_per_minute` notifications in any 60 seconds; the offers of one event
 *   are one notification,
 * - at most `hintMatch.max_per_10_minutes` hints in any ten minutes,
 * - a session is greeted once, one without an id not again for `memory_cooldown_seconds`; what it is
 *   told may have been offered before, since a session starts with nothing in front of it,
 * - what is not wanted comes less often (`learning.ts`).
 *
 * Warnings do not count and know no rate limit. Those that ask for an acknowledgment pass all of it
 * until they have one or are dismissed; only one that was dismissed and comes again because its
 * memory has changed waits for its own cooldown. Those that ask for none wait as other offers do.
 */
import { MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import { pathKeys } from '../shared/paths.js';
import { RecencyCache } from '../shared/recency-cache.js';
import { fileCooldownSeconds, type ProactiveConfig } from './config.js';
import { targetKey } from './event-context.js';
import { type Feedback, spanOf } from './learning.js';
import type { DetectorName, OfferTarget, Suppressed } from './types.js';

export interface CooldownQuestion {
  kind: DetectorName;
  /** The path, for `fileTouch`; the session where its target has none, for `sessionStart`. */
  subject: string;
  sources: readonly { id: Uuid; memoryId: string; revision: number }[];
  target: OfferTarget;
  /** A warning that comes until it is answered (`require_acknowledgment`); others wait their time. */
  standing: boolean;
  /** Of the notification that it would be part of. */
  groupId: Uuid;
  nowMs: number;
  feedback: Pick<Feedback, 'memoryCooldownMs' | 'dismissals'>;
  /** Time between two offers of the kind, ms (`learning.ts`); 0: any. */
  intervalMs: number;
  /** Revision at which warnings of the memory were answered; absent or `null`: never. */
  answeredRevision?: ((sourceId: Uuid) => number | null) | undefined;
}

interface CooldownAnswer {
  /** Ids of the sources that may be shown, in their order; all of them are suppressed when blocked. */
  allowed: Uuid[];
  /** Why there may be no such offer at all now, in words; `null`: there may. */
  blocked: string | null;
  suppressed: Suppressed[];
}

interface OfferNoted {
  kind: DetectorName;
  subject: string;
  sourceIds: readonly Uuid[];
  target: OfferTarget;
  groupId: Uuid;
  atMs: number;
}

const MOST_ENTRIES = 10_000;
const WINDOW_MS = MINUTE_MS;
const HINTS_MS = 10 * MINUTE_MS;

export type Cooldown = ReturnType<typeof createCooldown>;

export function createCooldown(config: () => ProactiveConfig) {
  /** When it was last offered, by key. */
  const offered = new RecencyCache<string, number>(MOST_ENTRIES);
  /** Notifications of the last minute by target. */
  const windows = new RecencyCache<string, Map<Uuid, number>>(MOST_ENTRIES);
  /** When hints were suggested in the last ten minutes, by target; oldest first. */
  const hints = new RecencyCache<string, number[]>(MOST_ENTRIES);
  let latestMs = 0;

  /** Times in the future come from a clock that was set back: they are now, or it would be long. */
  function keepUp(nowMs: number): void {
    if (nowMs < latestMs) {
      const past = (atMs: number) => Math.min(atMs, nowMs);
      for (const [key, atMs] of [...offered]) offered.set(key, past(atMs));
      for (const window of windows.values()) {
        for (const [groupId, atMs] of window) window.set(groupId, past(atMs));
      }
      for (const [key, times] of [...hints]) hints.set(key, times.map(past));
    }
    latestMs = nowMs;
  }

  /** Time left of a wait, ms. */
  function left(key: string, waitMs: number, nowMs: number): number {
    const atMs = offered.get(key);
    return atMs === undefined ? 0 : Math.max(0, atMs + waitMs - nowMs);
  }

  function blockedBy(question: CooldownQuestion): string | null {
    const { kind, subject, target, nowMs, intervalMs } = question;
    const { cooldown } = config();
    const place = targetKey(target);
    if (kind === 'sessionStart') {
      const key = sessionKey(target, subject);
      if (target.sessionId !== undefined && offered.has(key)) return 'this session was greeted';
      const ms = left(key, cooldown.memory_cooldown_seconds * SECOND_MS, nowMs);
      if (ms > 0) return `a session was greeted before: again in ${secondsOf(ms)}`;
    }
    if (kind === 'fileTouch') {
      const waitMs = fileCooldownSeconds(config()) * SECOND_MS;
      const ms = left(fileKey(place, subject), waitMs, nowMs);
      if (ms > 0) return `the file was offered before: again in ${secondsOf(ms)}`;
    }
    if (intervalMs > 0) {
      const ms = left(kindKey(place, kind), intervalMs, nowMs);
      if (ms > 0) {
        return `${kind} was not wanted lately, at most one in ${spanOf(intervalMs)}: again in ${secondsOf(ms)}`;
      }
    }
    const limit = cooldown.rate_limit_per_minute;
    const others = recent(place, nowMs).filter(([groupId]) => groupId !== question.groupId);
    if (others.length < limit) return null;
    if (limit === 0) return 'the limit of notifications per minute is 0';
    const first = others[others.length - limit]?.[1] ?? nowMs;
    return `${limit} notifications within a minute: again in ${secondsOf(first + WINDOW_MS - nowMs)}`;
  }

  /** Oldest first. */
  function recent(place: string, nowMs: number): [Uuid, number][] {
    const window = windows.get(place) ?? [];
    return [...window].filter(([, atMs]) => nowMs - atMs < WINDOW_MS);
  }

  function whyNot(
    question: CooldownQuestion,
    source: { id: Uuid; revision: number },
  ): string | null {
    const { kind, target, nowMs, feedback } = question;
    const times = feedback.dismissals(source.id, kind, nowMs);
    const isWarning = kind === 'conflictWarning';
    if (isWarning && (question.answeredRevision?.(source.id) ?? 0) >= source.revision) {
      return 'the warning was answered, and the memory has not changed since';
    }
    const comesAnyway = (isWarning && question.standing) || kind === 'sessionStart';
    if (comesAnyway && times === 0) return null;
    const baseMs = config().cooldown.memory_cooldown_seconds * SECOND_MS;
    const waitMs = feedback.memoryCooldownMs(source.id, kind, baseMs, nowMs);
    const ms = left(memoryKey(targetKey(target), source.id), waitMs, nowMs);
    if (ms <= 0) return null;
    const often =
      times === 0 ? 'offered before' : `dismissed ${times === 1 ? 'once' : `${times} times`}`;
    return `${often}: again in ${secondsOf(ms)}`;
  }

  /** @param more hints that are let through with this one */
  function tooManyHints({ kind, target, nowMs }: CooldownQuestion, more: number): string | null {
    if (kind !== 'hintMatch') return null;
    const limit = config().hintMatch.max_per_10_minutes;
    if (limit === 0) return 'the limit of hints in ten minutes is 0';
    const times = hintTimes(targetKey(target), nowMs);
    if (times.length + more < limit) return null;
    const first = times[times.length + more - limit] ?? nowMs;
    return `${limit} hints within ten minutes: again in ${secondsOf(first + HINTS_MS - nowMs)}`;
  }

  function hintTimes(place: string, nowMs: number): number[] {
    return (hints.get(place) ?? []).filter((atMs) => nowMs - atMs < HINTS_MS);
  }

  function remember(key: string, atMs: number): void {
    // What was made before a restart is noted late.
    offered.set(key, Math.max(atMs, offered.get(key) ?? atMs));
  }

  function count(key: string, groupId: Uuid, atMs: number): void {
    const window = windows.get(key) ?? new Map<Uuid, number>();
    if (!window.has(groupId)) window.set(groupId, atMs);
    const entries = [...window].sort(([, a], [, b]) => a - b);
    const newestMs = entries.at(-1)?.[1] ?? atMs;
    windows.set(key, new Map(entries.filter(([, ms]) => newestMs - ms < WINDOW_MS)));
  }

  return {
    /** Takes nothing up: ask as often as you like. */
    allows(question: CooldownQuestion): CooldownAnswer {
      const { kind, sources, nowMs } = question;
      keepUp(nowMs);
      const blocked = kind === 'conflictWarning' ? null : blockedBy(question);
      const allowed: Uuid[] = [];
      const suppressed: Suppressed[] = [];
      for (const source of sources) {
        const reason =
          blocked ?? whyNot(question, source) ?? tooManyHints(question, allowed.length);
        if (reason === null) allowed.push(source.id);
        else suppressed.push({ memoryId: source.memoryId, detector: kind, reason });
      }
      return { allowed, blocked, suppressed };
    },
    /** An offer was made; also one of before a restart, oldest first. */
    note({ kind, subject, sourceIds, target, groupId, atMs }: OfferNoted): void {
      latestMs = Math.max(latestMs, atMs);
      const key = targetKey(target);
      for (const id of sourceIds) remember(memoryKey(key, id), atMs);
      // What a warning shows has been shown, but a warning takes nobody's turn.
      if (kind === 'conflictWarning') return;
      remember(kindKey(key, kind), atMs);
      if (kind === 'hintMatch') {
        const times = [...hintTimes(key, atMs), ...sourceIds.map(() => atMs)];
        hints.set(
          key,
          times.sort((a, b) => a - b),
        );
      }
      if (kind === 'fileTouch') remember(fileKey(key, subject), atMs);
      if (kind === 'sessionStart') remember(sessionKey(target, subject), atMs);
      count(key, groupId, atMs);
    },
  };
}

/** @param place key of the target */
const fileKey = (place: string, path: string): string =>
  // Without a spelling of its own the text stands for itself.
  `file ${place} ${pathKeys(path)[0] ?? path}`;
const memoryKey = (place: string, id: Uuid): string => `memory ${place} ${id}`;
const kindKey = (place: string, kind: DetectorName): string => `kind ${place} ${kind}`;
const sessionKey = (target: OfferTarget, subject: string): string =>
  `start ${targetKey(target)} ${target.sessionId ?? subject}`;

function secondsOf(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / SECOND_MS))} s`;
}
