/**
 * Whether offers hold. They wait for a safe point; what they quote may have changed or gone meanwhile.
 * Work memories are asked for by primary key, other records by the detector that brought them. A warning
 * stands until it is answered, or until what it warns of is no failure any more: then nobody would be
 * warned of it anew, and it expires.
 */
import type { MemoryChecks, WorkMemoryData } from '../memory/index.js';
import type { Reader, Shelf, StoredRecord } from '../records/index.js';
import { withTimeout } from '../shared/async.js';
import { type Clock, SECOND_MS } from '../shared/clock.js';
import { messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { DetectorContext } from './detectors/context.js';
import { successSince } from './detectors/success-since.js';
import { isStandingWarning } from './offers/offer-life.js';
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
    return withTimeout(answered, PATIENCE_MS);
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
