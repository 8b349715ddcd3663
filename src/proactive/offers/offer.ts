/**
 * An offer: what is stored of it (`cue_offer`, DESIGN §3), which state may follow which (DESIGN §8), and
 * how callers see it. Offers are found by conversation, state and time, never by their words, so they
 * are not in the catalog. Pure.
 *
 * | from         | shown | used | acknowledged | dismissed | expired |
 * |--------------|-------|------|--------------|-----------|---------|
 * | pending      | yes   | yes  | yes          | yes       | yes     |
 * | shown        | same  | yes  | yes          | yes       | yes     |
 * | used         | same  | same | noted        | noted     | same    |
 * | acknowledged | same  | yes  | same         | CONFLICT  | same    |
 * | dismissed    | same  | CONFLICT | CONFLICT | same      | same    |
 * | expired      | same  | 7 d  | 7 d          | 7 d       | same    |
 *
 * "same": nothing changes and nothing is wrong; time and turns act without looking. "noted": used is
 * worth more than either answer and stays, but the answer stands (a used warning that is then
 * acknowledged is acknowledged). "7 d": an answer may come late; then it is CONFLICT.
 */
import { z } from 'zod';
import type { RecordType, Scope } from '../../records/index.js';
import { DAY_MS, MINUTE_MS } from '../../shared/clock.js';
import { isUuid, type Uuid } from '../../shared/ids.js';
import { DETECTOR_NAMES } from '../types.js';

export const OFFER_STATES = [
  'pending',
  'shown',
  'used',
  'acknowledged',
  'dismissed',
  'expired',
] as const;
export type OfferState = (typeof OFFER_STATES)[number];

const uuid = z.custom<Uuid>(isUuid, 'must be a UUID');
const detector = z.enum(DETECTOR_NAMES);
const words = z.array(z.string());
/** What a newer writer added survives, and no type tells of it. */
const loose = <Fields extends z.core.$ZodLooseShape>(fields: Fields): z.ZodObject<Fields> =>
  z.looseObject(fields) as unknown as z.ZodObject<Fields>;

const sourceSchema = loose({
  id: uuid,
  /** As it was printed: `mem_…`, or the command of a `/when` entry. */
  memoryId: z.string(),
  /** Of the memory when it was offered: a change of it ends an acknowledgment. */
  revision: z.int().min(1),
  score: z.number(),
  reasons: words,
  /** At most 10 files of that work: who works on one of them afterwards has acted upon the offer. */
  files: words.optional(),
  /** The text quotes a few words of it and is not about it. */
  quoted: z.boolean().optional(),
});
export type OfferSource = z.output<typeof sourceSchema>;

/** What is stored (`metadata.data` of `cue_offer`). */
const offerSchema = loose({
  kind: detector,
  /** What it is about: a path, an intent, a planned action, a pattern. */
  subject: z.string(),
  text: z.string(),
  tokens: z.number(),
  sources: z.array(sourceSchema),
  state: z.enum(OFFER_STATES),
  target: loose({
    roomId: uuid.optional(),
    sessionId: z.string().optional(),
    agentId: z.string().optional(),
  }),
  /** Offers of one notification. */
  groupId: uuid,
  /** A warning that stays until it is acknowledged or dismissed. */
  requiresAcknowledgment: z.boolean(),
  /** Why it exists. */
  why: loose({
    detector,
    strength: z.number(),
    evidence: words,
    /** Left out beside what is shown, and why. */
    suppressed: z.array(loose({ memoryId: z.string(), detector, reason: z.string() })),
    /** What feedback has changed: "mem_1f2e3d4c was dismissed once: its cooldown is …". */
    feedback: z.string().optional(),
    degraded: z.string().optional(),
  }),
  /** The person whose words it was made of, who may have them forgotten. */
  speakerId: uuid.optional(),
  createdAtMs: z.number(),
  expiresAtMs: z.number(),
  shownAtMs: z.number().optional(),
  /** How it was first shown: `turn`, `answer` (of a hook or route), `list`, `stream`, `mcp` (rode along). */
  shownBy: z.string().optional(),
  usedAtMs: z.number().optional(),
  /** "recalled", "linked", "cited", "acted upon", or what the caller said. */
  usedHow: z.string().optional(),
  /** When it was acknowledged, dismissed or expired. */
  closedAtMs: z.number().optional(),
  /** What was said when it was acknowledged or dismissed, or why it expired before its time. */
  reason: z.string().optional(),
  /** Eliza agent, entity or client that did so. */
  closedBy: z.string().optional(),
  /** The sessions of the client that answered; absent: it was no client. */
  closedIn: words.optional(),
});
export type OfferData = z.output<typeof offerSchema>;

export const offerType: RecordType<OfferData> = {
  name: 'cue_offer',
  version: 1,
  schema: offerSchema,
  upgrades: {},
  text: ({ text }) => text,
};

/** An offer in its project, as the module works with it. */
export interface StoredOffer {
  id: Uuid;
  /** Who may read it: never more than may read all of its sources. */
  scope: Scope;
  data: OfferData;
}
/** An offer without its scope. */
export type OfferOf = Pick<StoredOffer, 'id' | 'data'>;

/** As callers see it. */
export interface Offer
  extends Omit<OfferData, 'createdAtMs' | 'expiresAtMs' | 'shownAtMs' | 'usedAtMs' | 'closedAtMs'> {
  id: Uuid;
  createdAt: string;
  expiresAt: string;
  shownAt?: string;
  usedAt?: string;
  closedAt?: string;
}

/** Times as ISO 8601 in UTC; what has not happened is absent. */
export function viewOf({ id, data }: OfferOf): Offer {
  const { createdAtMs, expiresAtMs, shownAtMs, usedAtMs, closedAtMs, ...rest } = data;
  const isoOf = (ms: number) => new Date(ms).toISOString();
  return {
    ...rest,
    id,
    createdAt: isoOf(createdAtMs),
    expiresAt: isoOf(expiresAtMs),
    ...(shownAtMs === undefined ? {} : { shownAt: isoOf(shownAtMs) }),
    ...(usedAtMs === undefined ? {} : { usedAt: isoOf(usedAtMs) }),
    ...(closedAtMs === undefined ? {} : { closedAt: isoOf(closedAtMs) }),
  };
}

/** Memories that it tells of, without those that it only quotes. */
export function toldIn({ sources }: Pick<OfferData, 'sources'>): Uuid[] {
  return sources.flatMap(({ id, quoted }) => (quoted === true ? [] : [id]));
}

/** When it came to be what it is. */
export function settledAtMs(data: OfferData): number {
  const { state, createdAtMs, shownAtMs, usedAtMs, closedAtMs } = data;
  switch (state) {
    case 'pending':
      return createdAtMs;
    case 'shown':
      return shownAtMs ?? createdAtMs;
    case 'used':
      return Math.max(usedAtMs ?? createdAtMs, closedAtMs ?? 0);
    case 'acknowledged':
    case 'dismissed':
    case 'expired':
      return closedAtMs ?? createdAtMs;
  }
}

/** How long what came of an offer has an effect on others. */
export const FEEDBACK_DAYS = 30;
/** How long an offer waits for what comes of it. */
export const OFFER_LIFE_MS = DAY_MS;
/** How long an expired offer may still be answered. */
export const LATE_ANSWER_MS = 7 * DAY_MS;

export type OfferChange = Exclude<OfferState, 'pending'>;

export interface ChangeDetails {
  atMs: number;
  /** Who did it: an agent, entity or client. */
  by?: string | undefined;
  /** The sessions of the client that did it. */
  sessions?: readonly string[] | undefined;
  /** What was said when it was acknowledged or dismissed. */
  reason?: string | undefined;
  /** How it was shown (`turn`, `answer`, `list`, `stream`), used ("recalled") or ended before its time. */
  how?: string | undefined;
}

/** `conflict`: it ended otherwise. */
interface Changed {
  result: 'changed' | 'same' | 'conflict';
  data: OfferData;
}

export function changeOffer(data: OfferData, to: OfferChange, details: ChangeDetails): Changed {
  const same: Changed = { result: 'same', data };
  const { state } = data;
  switch (to) {
    case 'shown':
      return state === 'pending' ? changed(shown(data, details), 'shown') : same;
    case 'expired':
      return isUnanswered(data) ? changed(over(data, details), 'expired') : same;
    case 'used':
      if (state === 'used') return same;
      if (!isUnanswered(data) && state !== 'acknowledged' && !isLate(data, details.atMs)) {
        return { result: 'conflict', data };
      }
      return changed(used(data, details), 'used');
    case 'acknowledged':
    case 'dismissed':
      if (state === to) return same;
      if (state === 'used') {
        return isAnswered(data) ? same : changed(answered(data, details), 'used');
      }
      if (!isUnanswered(data) && !isLate(data, details.atMs)) return { result: 'conflict', data };
      return changed(answered(data, details), to);
  }
}

/** Pending or shown: nobody has answered it. */
export function isUnanswered({ state }: Pick<OfferData, 'state'>): boolean {
  return state === 'pending' || state === 'shown';
}

/** Somebody has acknowledged or dismissed it, whatever else came of it. */
export function isAnswered({
  state,
  closedAtMs,
}: Pick<OfferData, 'state' | 'closedAtMs'>): boolean {
  if (state === 'used') return closedAtMs !== undefined;
  return state === 'acknowledged' || state === 'dismissed';
}

/** Waits for something: to be shown, or, having been shown, for what comes of it. */
export function isOpen(data: OfferData): boolean {
  return isUnanswered(data) || isStandingWarning(data);
}

/** Warnings that ask for an answer stand until there is one, used or not. */
export function isStandingWarning(data: OfferData): boolean {
  const { state, requiresAcknowledgment } = data;
  return requiresAcknowledgment && (isUnanswered(data) || (state === 'used' && !isAnswered(data)));
}

/** An offer that waits longer has lost its moment: the talk is elsewhere. */
const FRESH_MS = 30 * MINUTE_MS;

/** Whether an offer that waits may still be shown. A time in the future is of a clock set back. */
export function isFresh({ state, createdAtMs }: OfferData, nowMs: number): boolean {
  return state === 'pending' && nowMs - createdAtMs < FRESH_MS;
}

/**
 * An offer that a clock made which was set back since: what it made later than now is as old as now,
 * or it would be open for as long as the clock was wrong.
 */
export function inTime(data: OfferData, nowMs: number): OfferData {
  const { createdAtMs, expiresAtMs, shownAtMs, usedAtMs, closedAtMs } = data;
  if (createdAtMs <= nowMs) return data;
  return {
    ...data,
    createdAtMs: nowMs,
    expiresAtMs: nowMs + (expiresAtMs - createdAtMs),
    ...(shownAtMs === undefined ? {} : { shownAtMs: Math.min(shownAtMs, nowMs) }),
    ...(usedAtMs === undefined ? {} : { usedAtMs: Math.min(usedAtMs, nowMs) }),
    ...(closedAtMs === undefined ? {} : { closedAtMs: Math.min(closedAtMs, nowMs) }),
  };
}

/** The offer as it is now, whether or not anybody has noted that its time is over. */
export function asOf(data: OfferData, nowMs: number): OfferData {
  const current = inTime(data, nowMs);
  if (current.expiresAtMs > nowMs) return current;
  return changeOffer(current, 'expired', { atMs: current.expiresAtMs }).data;
}

/** Whether anybody has seen it: whoever uses or answers an offer has. */
export function wasShown({ state, shownAtMs }: Pick<OfferData, 'state' | 'shownAtMs'>): boolean {
  return shownAtMs !== undefined || (state !== 'pending' && state !== 'expired');
}

function changed(data: OfferData, state: OfferState): Changed {
  return { result: 'changed', data: { ...data, state } };
}

function isLate({ state, closedAtMs, expiresAtMs }: OfferData, atMs: number): boolean {
  return state === 'expired' && atMs - (closedAtMs ?? expiresAtMs) <= LATE_ANSWER_MS;
}

function shown(data: OfferData, { atMs, how }: ChangeDetails): OfferData {
  if (data.shownAtMs !== undefined) return data;
  return { ...data, shownAtMs: atMs, ...(how === undefined ? {} : { shownBy: how }) };
}

function used(data: OfferData, { atMs, how }: ChangeDetails): OfferData {
  const { closedAtMs, reason, ...rest } = shown(data, { atMs });
  // What was said when it was acknowledged stays; an expiry is cleared.
  const said = reason === undefined ? { closedAtMs } : { closedAtMs, reason };
  return {
    ...rest,
    ...(isAnswered(data) ? said : {}),
    usedAtMs: atMs,
    ...(how === undefined ? {} : { usedHow: how }),
  };
}

/** What ended before its time says why. */
function over(data: OfferData, { atMs, how }: ChangeDetails): OfferData {
  return { ...data, closedAtMs: atMs, ...(how === undefined ? {} : { reason: how }) };
}

function answered(data: OfferData, { atMs, by, sessions, reason }: ChangeDetails): OfferData {
  const { reason: _ofItsEnd, ...rest } = shown(data, { atMs });
  return {
    ...rest,
    closedAtMs: atMs,
    ...(by === undefined ? {} : { closedBy: by }),
    ...(sessions === undefined ? {} : { closedIn: [...sessions] }),
    ...(reason === undefined ? {} : { reason }),
  };
}
