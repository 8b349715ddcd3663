/**
 * What the gate proposes at a moment: memories near it, their rows, and what is made of them. Detectors
 * that are asked about the same moment side by side share one look.
 */
import { fileKeys } from '../../memory/index.js';
import type { Reader, Shelf } from '../../records/index.js';
import { analyze } from '../../shared/text.js';
import { decide, idleReason, type Proposal } from '../gate/decide.js';
import { featuresOf, type Moment, meaning } from '../gate/features.js';
import { type MomentVectors, nearOf, phrasesNear, retrieve } from '../gate/retrieve.js';
import { momentParts } from '../gate/text.js';
import { opens, rarityIn, WEIGHTS } from '../gate/weights.js';
import type { DetectorName, Suppressed } from '../types.js';
import { barIn, type DetectorContext, type Row, rowsOf, suppressedBy } from './detection.js';

/** Of the memories that the catalog does not hold, by each of files, words and likeness. */
const BROUGHT = 8;
const FILES = 3;

export interface Proposed extends Proposal {
  row: Row;
}

export interface Proposals {
  proposed: Proposed[];
  shelf: Shelf;
  /** Why nothing was looked for. */
  idle?: string;
  degraded?: string;
}

export type Propose = (moment: Moment, reader: Reader) => Promise<Proposals>;

export function createPropose(context: DetectorContext): Propose {
  const asked = new Map<string, Promise<Proposals>>();
  return (moment, reader) => {
    const key = JSON.stringify([moment, reader]);
    const known = asked.get(key);
    if (known) return known;
    const answer = proposals(context, moment, reader);
    asked.set(key, answer);
    const forget = () => asked.delete(key);
    answer.then(forget, forget);
    return answer;
  };
}

async function proposals(
  context: DetectorContext,
  moment: Moment,
  reader: Reader,
): Promise<Proposals> {
  const { checks, clock } = context;
  const { shelf, degraded: loading } = await checks.lookUp();
  const idle = idleReason(moment);
  if (idle !== undefined) return { proposed: [], shelf, idle };
  const { vectors, degraded: worse } = await vectorsOf(context, shelf, moment);
  const filter = { reader };
  const beyond = await checks.bringOlder({
    reader,
    keys: moment.files.slice(0, FILES).flatMap((path) => fileKeys(path).map((key) => [key])),
    terms: new Map(analyze(moment.text).map((term) => [term, 1])),
    vector: vectors?.whole ?? null,
    limit: BROUGHT,
  });
  const phrases = phrasesNear(checks.store.catalog, moment, vectors, reader);
  const keyOf = (path: string) => checks.fileKey(shelf, path, filter);
  const found = retrieve(shelf, moment, vectors, filter, keyOf, phrases);
  const rows = await rowsOf(
    context,
    found.map(({ id }) => id),
    reader,
  );
  const nowMs = clock.now();
  const foundOf = new Map(found.map((one) => [one.id, one]));
  const pool = rows.map(({ id, data, createdAtMs }) => {
    const { stored = null, alike = null } = foundOf.get(id) ?? {};
    return nearOf(data, { id, stored, alike, ageMs: nowMs - createdAtMs });
  });
  const seen = featuresOf(moment, pool, { rarity: rarityIn(shelf), meaning, opens });
  const decided = decide(moment, seen, WEIGHTS);
  // In the order of the pool.
  const proposed = decided.map((each, at): Proposed => ({ ...each, row: rows[at] as Row }));
  const degraded = loading ?? worse ?? beyond ?? undefined;
  return { proposed, shelf, ...(degraded === undefined ? {} : { degraded }) };
}

/** Of the model that serves; `null` while the store has vectors of another one. */
async function vectorsOf(
  { checks }: DetectorContext,
  shelf: Shelf,
  moment: Moment,
): Promise<{ vectors: MomentVectors | null; degraded?: string }> {
  if (shelf.size === 0) return { vectors: null };
  const texts = [moment.text, ...momentParts(moment.text)];
  const embedded = await Promise.all(texts.map((text) => checks.embed(text)));
  const [first] = embedded;
  if (!first) return { vectors: null, degraded: 'compared by words only: the model failed' };
  const { embedder } = first;
  if (embedder.id !== shelf.model) {
    const degraded = `compared by words only: vectors for ${embedder.id} are being made`;
    return { vectors: null, degraded };
  }
  const [whole, ...parts] = embedded.flatMap((one) => (one ? [one.vector] : []));
  if (whole === undefined) return { vectors: null };
  return { vectors: { whole, parts, thresholds: embedder.thresholds } };
}

/** Vetoed ones named among the suppressed. */
const NAMED = 3;

/**
 * What is likely enough of what is proposed, as it is set and as it was learned; the nearest of what is
 * not is named with its reason.
 * @param of.by which probability decides
 */
export function likelyIn(
  context: DetectorContext,
  kind: DetectorName,
  of: { proposed: readonly Proposed[]; setting: number; by: 'offer' | 'warn' },
): { likely: Proposed[]; suppressed: Suppressed[] } {
  const { setting, by } = of;
  const suppress = suppressedBy(context, kind);
  const { least, because } = barIn(context, kind, setting);
  const near = of.proposed.filter((each) => each[by] >= Math.min(setting, least));
  const left = near.flatMap(({ row, veto, [by]: probability }) => {
    if (veto !== undefined) return [suppress(row.id, `not the same: ${veto}`)];
    return probability < least && because !== null ? [suppress(row.id, because)] : [];
  });
  return {
    likely: near.filter((each) => each[by] >= least && each.veto === undefined),
    suppressed: left.slice(0, NAMED),
  };
}
