/**
 * What was offered, or given otherwise, and then done with success: it has helped (seed `nudge.md` §7
 * A, B). Only in the place where it was shown, within half an hour, and once for each offer.
 */
import type { Caller } from '../memory/index.js';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { placeKey } from './occasions.js';
import type { OfferBook } from './offers/offer-book-types.js';
import type { OfferChange } from './offers/offer-life.js';
import type { Detector, DetectorName, Occasion, OfferTarget } from './types.js';

export interface Successes {
  /** Somebody was told these in an answer. */
  gave(target: OfferTarget, ids: readonly Uuid[]): void;
  /** Something was done and went well. Never rejects. */
  ofAction(target: OfferTarget, action: string, caller: Caller): Promise<void>;
}

export interface SuccessesDeps {
  book: Pick<OfferBook, 'open'>;
  clock: Clock;
  log: Log;
  detectors: Partial<Record<DetectorName, Pick<Detector<Occasion>, 'succeeded'>>>;
  /** Whether a turn that is not over yet shows the offer. */
  isShowing: (offerId: Uuid) => boolean;
  change: (id: Uuid, to: OfferChange, how: string) => unknown;
}

const WITHIN_MS = 30 * MINUTE_MS;
const MOST_GIVEN = 1_000;

interface Given {
  place: string;
  id: Uuid;
  atMs: number;
}

export function createSuccesses(deps: SuccessesDeps): Successes {
  const { book, clock, log, detectors, isShowing, change } = deps;
  let given: Given[] = [];
  /** Sources that an earlier success is being counted for: two that come together count once. */
  const busy = new Set<string>();

  function shownIn(place: string, kind: DetectorName) {
    const nowMs = clock.now();
    return book.open().filter(({ id, data }) => {
      if (data.kind !== kind || placeKey(data.target) !== place) return false;
      if (data.state === 'pending') return isShowing(id);
      return data.state === 'shown' && nowMs - (data.shownAtMs ?? data.createdAtMs) < WITHIN_MS;
    });
  }

  function givenIn(place: string): Given[] {
    const nowMs = clock.now();
    given = given.filter(({ atMs }) => nowMs - atMs < WITHIN_MS);
    return given.filter((one) => one.place === place);
  }

  async function ofKind(
    kind: DetectorName,
    detector: Pick<Detector<Occasion>, 'succeeded'>,
    { place, action, caller }: { place: string; action: string; caller: Caller },
  ): Promise<void> {
    const offers = shownIn(place, kind);
    const told = kind === 'hintMatch' ? givenIn(place) : [];
    const ids = [
      ...offers.flatMap(({ data }) => data.sources.map(({ id }) => id)),
      ...told.map(({ id }) => id),
    ].filter((id) => !busy.has(`${place} ${id}`));
    const asked = [...new Set(ids)];
    if (asked.length === 0) return;
    /** One that cannot be counted now keeps no other from being counted, and may be the next time. */
    const helps = async (id: Uuid): Promise<Uuid[]> => {
      try {
        return (await detector.succeeded?.(id, { action, caller })) ? [id] : [];
      } catch (error) {
        log.warn({ detector: kind, error: messageOf(error) }, 'a success could not be counted');
        return [];
      }
    };
    for (const id of asked) busy.add(`${place} ${id}`);
    try {
      const helped = new Set((await Promise.all(asked.map(helps))).flat());
      given = given.filter((one) => one.place !== place || !helped.has(one.id));
      for (const { id, data } of offers) {
        if (!data.sources.some((source) => helped.has(source.id))) continue;
        change(id, 'shown', 'turn');
        change(id, 'used', 'acted upon');
      }
    } finally {
      for (const id of asked) busy.delete(`${place} ${id}`);
    }
  }

  return {
    gave(target, ids) {
      const place = placeKey(target);
      const atMs = clock.now();
      const others = given.filter((one) => one.place !== place || !ids.includes(one.id));
      given = [...others, ...ids.map((id) => ({ place, id, atMs }))].slice(-MOST_GIVEN);
    },
    async ofAction(target, action, caller) {
      const place = placeKey(target);
      for (const [kind, detector] of Object.entries(detectors)) {
        if (detector.succeeded === undefined) continue;
        try {
          await ofKind(kind as DetectorName, detector, { place, action, caller });
        } catch (error) {
          log.warn({ detector: kind, error: messageOf(error) }, 'a success could not be counted');
        }
      }
    },
  };
}
