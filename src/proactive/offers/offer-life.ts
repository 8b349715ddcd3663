/**
 * The life of an offer (DESIGN §8): which state may follow which. Pure.
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
import { DAY_MS } from '../../shared/clock.js';
import type { OfferData } from '../offer-types.js';
import type { OfferState } from '../types.js';

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

export type Changed =
  | { result: 'changed'; data: OfferData }
  | { result: 'same'; data: OfferData }
  /** It ended otherwise. */
  | { result: 'conflict'; data: OfferData };

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

/** Somebody has said something to it, whatever else came of it. */
export function isAnswered({
  state,
  closedAtMs,
}: Pick<OfferData, 'state' | 'closedAtMs'>): boolean {
  return (
    state === 'acknowledged' ||
    state === 'dismissed' ||
    (state === 'used' && closedAtMs !== undefined)
  );
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
  // What was said when it was acknowledged stays; that it had expired is over.
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
