/**
 * When an offer may be made (seed, "Cooldown & Deduplication"; DESIGN §8). A state machine without a
 * clock of its own: the time comes with every question. Per target (conversation, session or agent):
 *
 * - a file is not offered again for `file_cooldown_seconds`,
 * - a memory is not offered again for `memory_cooldown_seconds`, whatever kind of offer shows it,
 * - at most `rate_limit_per_minute` notifications in any 60 seconds; the offers of one happening
 *   are one notification,
 * - at most `hintMatch.max_per_10_minutes` hints in any ten minutes,
 * - a session is greeted once, one without an id not again for `memory_cooldown_seconds`; what it is
 *   told may have been offered before, since a session starts with nothing in front of it,
 * - what is not wanted comes less often (`feedback.ts`, `learned.ts`).
 *
 * Warnings do not count and know no rate limit. Those that ask for an acknowledgment pass all of it
 * until they have one or are dismissed; only one that was dismissed and comes again because its
 * memory has changed waits for its own cooldown. Those that ask for none wait as other offers do.
 */
import { MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import { pathKeys } from '../shared/paths.js';
import { fileCooldownSeconds, type ProactiveConfig } from './config.js';
import { type Feedback, spanOf } from './feedback.js';
import { placeKey } from './occasions.js';
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
  /** Time between two offers of the kind, ms (`learned.ts`); 0: any. */
  intervalMs: number;
  /** Revision at which warnings of the memory were answered; absent or `null`: never. */
  answeredRevision?: ((sourceId: Uuid) => number | null) | undefined;
}

export interface CooldownAnswer {
  /** Ids of the sources that may be shown, in their order; all of them are suppressed when blocked. */
  allowed: Uuid[];
  /** Why there may be no such offer at all now, in words; `null`: there may. */
  blocked: string | null;
  suppressed: Suppressed[];
}

export interface OfferNoted {
  kind: DetectorName;
  subject: string;
  sourceIds: readonly Uuid[];
  target: OfferTarget;
  groupId: Uuid;
  atMs: number;
}

export interface Cooldown {
  /** Takes nothing up: ask as often as you like. */
  allows(question: CooldownQuestion): CooldownAnswer;
  /** An offer was made; also one of before a restart (`facts()` of the book, oldest first). */
  note(offer: OfferNoted): void;
}

const MOST_ENTRIES = 10_000;
const WINDOW_MS = MINUTE_MS;
const HINTS_MS = 10 * MINUTE_MS;

export function createCooldown(config: () => ProactiveConfig): Cooldown {
  /** When it was last offered, by key; least recently offered first. */
  const offered = new Map<string, number>();
  /** Notifications of the last minute by target. */
  const windows = new Map<string, Map<Uuid, number>>();

  /** When hints were suggested in the last ten minutes, by target; oldest first. */
  const hints = new Map<string, number[]>();

  let latestMs = 0;

  /** Times in the future come from a clock that was set back: they are now, or it would be long. */
  function keepUp(nowMs: number): void {
    if (nowMs < latestMs) {
      for (const [key, atMs] of offered) offered.set(key, Math.min(atMs, nowMs));
      for (const window of windows.values()) {
        for (const [groupId, atMs] of window) window.set(groupId, Math.min(atMs, nowMs));
      }
      for (const [place, times] of hints) {
        hints.set(
          place,
          times.map((atMs) => Math.min(atMs, nowMs)),
        );
      }
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
    const place = placeKey(target);
    if (kind === 'sessionStart') {
      const key = sessionKey(place, target, subject);
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
    const ms = left(memoryKey(placeKey(target), source.id), waitMs, nowMs);
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
    const times = hintTimes(placeKey(target), nowMs);
    if (times.length + more < limit) return null;
    const first = times[times.length + more - limit] ?? nowMs;
    return `${limit} hints within ten minutes: again in ${secondsOf(first + HINTS_MS - nowMs)}`;
  }

  function hintTimes(place: string, nowMs: number): number[] {
    return (hints.get(place) ?? []).filter((atMs) => nowMs - atMs < HINTS_MS);
  }

  function remember(key: string, atMs: number): void {
    // What was made before a restart is noted late.
    const latestMs = Math.max(atMs, offered.get(key) ?? atMs);
    offered.delete(key);
    offered.set(key, latestMs);
    evict(offered);
  }

  function count(place: string, groupId: Uuid, atMs: number): void {
    const window = windows.get(place) ?? new Map<Uuid, number>();
    if (!window.has(groupId)) window.set(groupId, atMs);
    const entries = [...window].sort(([, a], [, b]) => a - b);
    const newestMs = entries.at(-1)?.[1] ?? atMs;
    windows.delete(place);
    windows.set(place, new Map(entries.filter(([, ms]) => newestMs - ms < WINDOW_MS)));
    evict(windows);
  }

  return {
    allows(question) {
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
    note({ kind, subject, sourceIds, target, groupId, atMs }) {
      latestMs = Math.max(latestMs, atMs);
      const place = placeKey(target);
      for (const id of sourceIds) remember(memoryKey(place, id), atMs);
      // What a warning shows has been shown, but a warning takes nobody's turn.
      if (kind === 'conflictWarning') return;
      remember(kindKey(place, kind), atMs);
      if (kind === 'hintMatch') {
        const times = [...hintTimes(place, atMs), ...sourceIds.map(() => atMs)];
        hints.delete(place);
        hints.set(
          place,
          times.sort((a, b) => a - b),
        );
        evict(hints);
      }
      if (kind === 'fileTouch') remember(fileKey(place, subject), atMs);
      if (kind === 'sessionStart') remember(sessionKey(place, target, subject), atMs);
      count(place, groupId, atMs);
    },
  };
}

function fileKey(place: string, path: string): string {
  // Without a spelling of its own the text stands for itself.
  return `file ${place} ${pathKeys(path)[0] ?? path}`;
}

function memoryKey(place: string, id: Uuid): string {
  return `memory ${place} ${id}`;
}

function kindKey(place: string, kind: DetectorName): string {
  return `kind ${place} ${kind}`;
}

function sessionKey(place: string, { sessionId }: OfferTarget, subject: string): string {
  return `start ${place} ${sessionId ?? subject}`;
}

function secondsOf(ms: number): string {
  return `${Math.max(1, Math.ceil(ms / SECOND_MS))} s`;
}

function evict<Value>(entries: Map<string, Value>): void {
  const [oldest] = entries.keys();
  if (entries.size > MOST_ENTRIES && oldest !== undefined) entries.delete(oldest);
}
