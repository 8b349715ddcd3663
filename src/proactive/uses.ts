/**
 * What counts as the use of an offer: its memory (or entry) was recalled or linked by who was shown it,
 * cited in the agent's answer, or it was acted upon. That is work on one of its files which began after
 * it was shown (the file that an offer about a file is about is no sign: it was touched before), or,
 * where its module can tell, an action that went well within half an hour in the same place (seed
 * `nudge.md` §7 A, B).
 */
import type { Caller, MemoryUse } from '../memory/index.js';
import { type Clock, MINUTE_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { pathKeys } from '../shared/paths.js';
import { isInView, targetKey } from './event-context.js';
import type { OfferChange, StoredOffer } from './offers/offer.js';
import type { OfferBook } from './offers/offer-book.js';
import type { Detector, DetectorName, EventContext, OfferTarget } from './types.js';

const WITHIN_MS = 30 * MINUTE_MS;
const MOST_GIVEN = 1_000;

type Succeeding = Pick<Detector<EventContext>, 'succeeded'>;

export function createUses(deps: {
  book: Pick<OfferBook, 'open' | 'quoting'>;
  clock: Clock;
  log: Log;
  detectors: Partial<Record<DetectorName, Succeeding>>;
  /** Whether a turn that is not over yet shows the offer. */
  isShowing: (offerId: Uuid) => boolean;
  change: (id: Uuid, to: OfferChange, how: string) => unknown;
}) {
  const { book, clock, log, detectors, isShowing, change } = deps;
  /** Sources that somebody was told otherwise. */
  let given: { place: string; id: Uuid; atMs: number }[] = [];
  /** Sources that an earlier success is being counted for: two that come together count once. */
  const busy = new Set<string>();

  function used(id: Uuid, how: string): void {
    change(id, 'shown', 'turn');
    change(id, 'used', how);
  }

  function shownIn(place: string, kind: DetectorName): StoredOffer[] {
    const nowMs = clock.now();
    return book.open().filter(({ id, data }) => {
      if (data.kind !== kind || targetKey(data.target) !== place) return false;
      if (data.state === 'pending') return isShowing(id);
      return data.state === 'shown' && nowMs - (data.shownAtMs ?? data.createdAtMs) < WITHIN_MS;
    });
  }

  function givenIn(place: string): Uuid[] {
    const nowMs = clock.now();
    given = given.filter(({ atMs }) => nowMs - atMs < WITHIN_MS);
    return given.filter((one) => one.place === place).map(({ id }) => id);
  }

  async function succeeded(
    kind: DetectorName,
    detector: Succeeding,
    { place, action, caller }: { place: string; action: string; caller: Caller },
  ): Promise<void> {
    const offers = shownIn(place, kind);
    const told = offers.flatMap(({ data }) => data.sources.map(({ id }) => id));
    const ids = new Set([...told, ...(kind === 'hintMatch' ? givenIn(place) : [])]);
    const asked = [...ids].filter((id) => !busy.has(`${place} ${id}`));
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
        if (data.sources.some((source) => helped.has(source.id))) used(id, 'acted upon');
      }
    } finally {
      for (const id of asked) busy.delete(`${place} ${id}`);
    }
  }

  return {
    /** Memories were recalled or linked. */
    ofMemories({ how, ids, caller }: MemoryUse): void {
      for (const { id, scope, data } of book.quoting(ids)) {
        if (!isInView({ scope, target: data.target }, caller)) continue;
        // What waits is not what made anybody look.
        if (data.state !== 'pending' || isShowing(id)) used(id, how);
      }
    },
    /** The agent has named memories in what it said in a conversation. */
    ofCitations(roomId: Uuid, memoryIds: readonly string[]): void {
      const cited = new Set(memoryIds);
      if (cited.size === 0) return;
      for (const { id, data } of book.open({ roomId })) {
        const isCited = data.sources.some(({ memoryId }) => cited.has(memoryId));
        if (isCited && data.state !== 'pending') change(id, 'used', 'cited');
      }
    },
    /** Work on these files was seen. */
    ofFiles(target: OfferTarget, files: readonly string[]): void {
      const touched = new Set(files.flatMap((file) => pathKeys(file)));
      if (touched.size === 0) return;
      const place = targetKey(target);
      for (const { id, data } of book.open()) {
        if (data.state !== 'shown' || targetKey(data.target) !== place) continue;
        if (data.kind === 'fileTouch' || data.kind === 'conflictWarning') continue;
        const isFile = (path: string) => touched.has(pathKeys(path)[0] ?? '');
        if (data.sources.some(({ files: of = [] }) => of.some(isFile))) {
          change(id, 'used', 'acted upon');
        }
      }
    },
    /** Somebody was told these in an answer. */
    gave(target: OfferTarget, ids: readonly Uuid[]): void {
      const place = targetKey(target);
      const atMs = clock.now();
      const others = given.filter((one) => one.place !== place || !ids.includes(one.id));
      given = [...others, ...ids.map((id) => ({ place, id, atMs }))].slice(-MOST_GIVEN);
    },
    /** Something was done and went well. Never rejects. */
    async ofAction(target: OfferTarget, action: string, caller: Caller): Promise<void> {
      const place = targetKey(target);
      for (const [kind, detector] of Object.entries(detectors)) {
        if (detector.succeeded === undefined) continue;
        try {
          await succeeded(kind as DetectorName, detector, { place, action, caller });
        } catch (error) {
          log.warn({ detector: kind, error: messageOf(error) }, 'a success could not be counted');
        }
      }
    },
  };
}
