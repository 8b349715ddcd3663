/**
 * Offers wait for a safe point; what they quote may have changed or gone meanwhile, and then they do
 * not hold. Work memories are asked for by primary key, other records by the detector that brought them.
 */
import type { MemoryChecks } from '../memory/index.js';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { StoredOffer } from './offers/offer-record.js';
import { within } from './patience.js';
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
/** A turn waits for it. */
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

  /** `null`: no answer, or none in time. */
  async function ofOthers(kind: DetectorName, ids: readonly Uuid[]): Promise<Revisions | null> {
    const answer: { revisions: Revisions | null } = { revisions: null };
    const asked = Promise.resolve()
      .then(() => detectors[kind]?.revisions?.(ids) ?? null)
      .then(
        (revisions) => {
          answer.revisions = revisions;
        },
        (error: unknown) => {
          log.warn({ detector: kind, error: messageOf(error) }, 'sources of offers were not found');
        },
      );
    await within(asked, PATIENCE_MS);
    return answer.revisions;
  }

  return async (offers) => {
    const old = offers.filter(({ data }) => clock.now() - data.createdAtMs >= RECENT_MS);
    if (old.length === 0) return [...offers];
    const isForeign = ({ data }: StoredOffer) => detectors[data.kind]?.revisions !== undefined;
    const memories = await ofMemories(sourceIdsOf(old.filter((offer) => !isForeign(offer))));
    const foreign = old.filter(isForeign);
    const kinds = new Set(foreign.map(({ data }) => data.kind));
    const others = new Map<DetectorName, Revisions | null>();
    for (const kind of kinds) {
      const ids = sourceIdsOf(foreign.filter(({ data }) => data.kind === kind));
      others.set(kind, await ofOthers(kind, ids));
    }
    return offers.filter((offer) => {
      if (!old.includes(offer)) return true;
      const revisions = isForeign(offer) ? (others.get(offer.data.kind) ?? null) : memories;
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
