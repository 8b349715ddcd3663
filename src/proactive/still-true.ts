/**
 * Offers wait for a safe point; what they quote may have changed or gone meanwhile, and then they do
 * not hold. Work memories are asked for by primary key, other records by the detector that brought them.
 */
import type { MemoryChecks } from '../memory/index.js';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { within } from '../shared/within.js';
import type { StoredOffer } from './offers/offer-record.js';
import type { Detector, DetectorName, Occasion } from './types.js';

type Revisions = ReadonlyMap<Uuid, number>;

export interface StillTrueDeps {
  checks: Pick<MemoryChecks, 'rows'>;
  clock: Clock;
  log: Log;
  detectors: Partial<Record<DetectorName, Pick<Detector<Occasion>, 'revisions'>>>;
  /** A source of it is not what it was. */
  changed: (offerId: Uuid) => unknown;
}

/** What was made in this moment is as it was read. */
const RECENT_MS = SECOND_MS;
/** Whoever asks is about to show something; what is not known by then is shown another time. */
const PATIENCE_MS = 100;

/** Those that hold. What cannot be looked up now is kept for later and not shown. */
export function createStillTrue(
  deps: StillTrueDeps,
): (offers: readonly StoredOffer[]) => Promise<StoredOffer[]> {
  const { checks, clock, log, detectors } = deps;

  async function ofMemories(ids: readonly Uuid[]): Promise<Revisions> {
    const rows = ids.length === 0 ? [] : await checks.rows(ids, { kind: 'operator' });
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  async function ofOthers(kind: DetectorName, ids: readonly Uuid[]): Promise<Revisions | null> {
    return (await detectors[kind]?.revisions?.(ids)) ?? null;
  }

  /** `null`: no answer, or none in time. */
  async function inTime(kind: DetectorName, asked: Promise<Revisions | null>) {
    const answered = asked.catch((error: unknown) => {
      log.warn({ detector: kind, error: messageOf(error) }, 'sources of offers were not found');
      return null;
    });
    return within(answered, PATIENCE_MS);
  }

  return async (offers) => {
    const old = offers.filter(({ data }) => clock.now() - data.createdAtMs >= RECENT_MS);
    const kinds = [...new Set(old.map(({ data }) => data.kind))];
    const found = new Map(
      await Promise.all(
        kinds.map(async (kind) => {
          const ids = sourceIdsOf(old.filter(({ data }) => data.kind === kind));
          const isForeign = detectors[kind]?.revisions !== undefined;
          const asked = isForeign ? ofOthers(kind, ids) : ofMemories(ids);
          return [kind, await inTime(kind, asked)] as const;
        }),
      ),
    );
    return offers.filter((offer) => {
      if (!old.includes(offer)) return true;
      const revisions = found.get(offer.data.kind) ?? null;
      if (revisions === null) return false;
      const holds = offer.data.sources.every(({ id, revision }) => revisions.get(id) === revision);
      if (!holds) deps.changed(offer.id);
      return holds;
    });
  };
}

function sourceIdsOf(offers: readonly StoredOffer[]): Uuid[] {
  return [...new Set(offers.flatMap(({ data }) => data.sources.map(({ id }) => id)))];
}
