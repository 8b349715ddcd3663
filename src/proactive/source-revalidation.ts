/**
 * Whether offers hold. They wait for a safe point; what they quote may have changed or gone meanwhile.
 * Work memories are asked for by primary key, other records by the detector that brought them. A warning
 * stands until it is answered, or until what it warns of is no failure any more: then nobody would be
 * warned of it anew, and it expires.
 */
import type { MemoryChecks } from '../memory/index.js';
import type { Reader, Shelf } from '../records/index.js';
import { withTimeout } from '../shared/async.js';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { DetectorContext, Row } from './detectors/detection.js';
import { successSince } from './detectors/success-since.js';
import { isStandingWarning, type StoredOffer, toldIn } from './offers/offer.js';
import type { Detector, DetectorName, EventContext } from './types.js';

type Revisions = ReadonlyMap<Uuid, number>;

/** What was made in this moment is as it was read. */
const RECENT_MS = SECOND_MS;
/** Whoever asks is about to show something; what is not known by then is shown another time. */
const PATIENCE_MS = 100;

/** Those that hold. What cannot be looked up now is kept for later and not shown. */
export function createRevalidation(deps: {
  checks: Pick<MemoryChecks, 'rows'>;
  clock: Clock;
  log: Log;
  detectors: Partial<Record<DetectorName, Pick<Detector<EventContext>, 'revisions'>>>;
  /** A source of it is not what it was. */
  changed: (offerId: Uuid) => unknown;
}): (offers: readonly StoredOffer[]) => Promise<StoredOffer[]> {
  const { checks, clock, log, detectors } = deps;

  async function revisionsOf(kind: DetectorName, ids: readonly Uuid[]): Promise<Revisions | null> {
    const detector = detectors[kind];
    if (detector?.revisions) return detector.revisions(ids);
    const rows = ids.length === 0 ? [] : await checks.rows(ids, { kind: 'operator' });
    return new Map(rows.map(({ id, revision }) => [id, revision]));
  }

  /** `null`: no answer, or none in time. */
  function answerOf(kind: DetectorName, offers: readonly StoredOffer[]): Promise<Revisions | null> {
    const mine = offers.filter(({ data }) => data.kind === kind);
    const ids = new Set(mine.flatMap(({ data }) => data.sources.map(({ id }) => id)));
    const asked = revisionsOf(kind, [...ids]).catch((error: unknown) => {
      log.warn({ detector: kind, error: messageOf(error) }, 'sources of offers were not found');
      return null;
    });
    return withTimeout(asked, PATIENCE_MS);
  }

  return async (offers) => {
    const old = offers.filter(({ data }) => clock.now() - data.createdAtMs >= RECENT_MS);
    const kinds = [...new Set(old.map(({ data }) => data.kind))];
    const found = new Map(
      await Promise.all(kinds.map(async (kind) => [kind, await answerOf(kind, old)] as const)),
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

/** Those that hold for this reader, in their order. Only warnings are judged. Never rejects. */
export type WarningExpiry = (
  offers: readonly StoredOffer[],
  reader: Reader,
) => Promise<StoredOffer[]>;

export function createWarningExpiry(deps: {
  context: DetectorContext;
  log: Log;
  /** `reason` says why its memory is no failure any more. */
  ended: (offerId: Uuid, reason: string) => unknown;
}): WarningExpiry {
  const { context, log, ended } = deps;
  const { checks } = context;

  async function overSince(shelf: Shelf, row: Row, reader: Reader): Promise<string | null> {
    if (row.data.outcome.success) return 'its memory is no failure any more';
    return successSince(context, shelf, row, reader);
  }

  return async (offers, reader) => {
    const warnings = offers.filter(
      ({ data }) => data.kind === 'conflictWarning' && isStandingWarning(data),
    );
    if (warnings.length === 0) return [...offers];
    const over = new Set<StoredOffer>();
    try {
      const ids = [...new Set(warnings.flatMap(({ data }) => toldIn(data)))];
      const rows = await checks.rows(ids, reader);
      const { shelf } = await checks.lookUp();
      /** By memory, why it is over; a memory that still stands has `null`, one that is not there none. */
      const reasons = new Map<Uuid, string | null>();
      for (const row of rows) reasons.set(row.id, await overSince(shelf, row, reader));
      for (const warning of warnings) {
        const [first, ...others] = toldIn(warning.data).map((id) => reasons.get(id) ?? null);
        if (typeof first !== 'string' || others.includes(null)) continue;
        over.add(warning);
        ended(warning.id, first);
      }
    } catch (error) {
      log.warn({ error: messageOf(error) }, 'warnings could not be looked at again');
    }
    return offers.filter((offer) => !over.has(offer));
  };
}
