/**
 * A warning stands until it is answered, or until what it warns of is no failure any more: then nobody
 * would be warned of it anew, and it expires.
 */
import type { WorkMemoryData } from '../memory/index.js';
import type { Reader, Shelf, StoredRecord } from '../records/index.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { DetectorContext } from './detectors/context.js';
import { successSince } from './detectors/success-since.js';
import { isStandingWarning } from './offers/offer-life.js';
import type { StoredOffer } from './offers/offer-record.js';

export interface StillStandingDeps {
  context: DetectorContext;
  log: Log;
  /** `reason` says why its memory is no failure any more. */
  ended: (offerId: Uuid, reason: string) => unknown;
}

/** Those that hold for this reader, in their order. Only warnings are judged. Never rejects. */
export type StillStanding = (
  offers: readonly StoredOffer[],
  reader: Reader,
) => Promise<StoredOffer[]>;

type Row = StoredRecord<WorkMemoryData>;

export function createStillStanding({ context, log, ended }: StillStandingDeps): StillStanding {
  const { checks } = context;

  async function overSince(shelf: Shelf, row: Row, reader: Reader): Promise<string | null> {
    if (row.data.outcome.success) return 'its memory is no failure any more';
    return successSince(context, shelf, row, reader);
  }

  /** By memory, why it is over; a memory that still stands has `null`, one that is not there none. */
  async function judged(ids: readonly Uuid[], reader: Reader): Promise<Map<Uuid, string | null>> {
    const found = new Map<Uuid, string | null>();
    const rows = await checks.rows(ids, reader);
    const { shelf } = await checks.lookUp();
    for (const row of rows) found.set(row.id, await overSince(shelf, row, reader));
    return found;
  }

  return async (offers, reader) => {
    const warnings = offers.filter(
      ({ data }) => data.kind === 'conflictWarning' && isStandingWarning(data),
    );
    if (warnings.length === 0) return [...offers];
    const over = new Set<StoredOffer>();
    try {
      const reasons = await judged([...new Set(warnings.flatMap(warnedOf))], reader);
      for (const warning of warnings) {
        const [first, ...others] = warnedOf(warning).map((id) => reasons.get(id) ?? null);
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

function warnedOf({ data }: StoredOffer): Uuid[] {
  return data.sources.flatMap(({ id, quoted }) => (quoted === true ? [] : [id]));
}
