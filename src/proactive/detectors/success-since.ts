/** Whether what failed went well later: then its failure is history. */
import { FLAGS, keyOf } from '../../memory/index.js';
import type { Reader, Shelf, SlotFilter } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import { pathKeys } from '../../shared/paths.js';
import { sameFile } from '../gate/features.js';
import { retrieve } from '../gate/retrieve.js';
import { ALIKE, ALIKE_ON_FILE, taskLikeness } from '../gate/text.js';
import { rarityIn } from '../gate/weights.js';
import { type DetectorContext, type Row, rowsOf } from './detection.js';

const FILES = 4;
const OF_FILE = 6;
const BY_WORDS = 6;
const JUDGED = 12;
/** Of what the success says it came from. */
const ALIKE_IF_CAUSED = 0.3;

/** "succeeded later: mem_…", or "superseded by mem_…" where that failed too; `null` when neither. */
export async function successSince(
  context: DetectorContext,
  shelf: Shelf,
  failure: Row,
  reader: Reader,
): Promise<string | null> {
  const { checks } = context;
  const edges = await checks.links([failure.id]);
  const from = (type: string) =>
    edges
      .filter(
        (edge) => edge.type === type && edge.target === failure.id && edge.source !== failure.id,
      )
      .map(({ source }) => source);
  const superseding = new Set(from('supersedes'));
  const caused = new Set(from('caused_by'));
  const { goal } = failure.data.intent;
  const rarity = rarityIn(shelf);
  const filter: SlotFilter = {
    reader,
    flagsAll: FLAGS.success,
    sinceMs: failure.createdAtMs + 1,
  };
  const near = retrieve(
    shelf,
    { kind: 'intent_stated', text: goal, files: [] },
    null,
    filter,
    () => undefined,
  );
  const ids = new Set<Uuid>([
    ...superseding,
    ...caused,
    ...near.slice(0, BY_WORDS).map(({ id }) => id),
    ...onFiles(shelf, failure.data.files, filter),
  ]);
  for (const row of await rowsOf(context, [...ids].slice(0, JUDGED), reader)) {
    const { success } = row.data.outcome;
    const by = checks.print(row.id);
    if (superseding.has(row.id)) return success ? `succeeded later: ${by}` : `superseded by ${by}`;
    if (!success || row.createdAtMs <= failure.createdAtMs) continue;
    const file = failure.data.files.some((path) =>
      row.data.files.some((other) => sameFile(path, other)),
    );
    const otherFile = !file && failure.data.files.length > 0 && row.data.files.length > 0;
    if (otherFile && !caused.has(row.id)) continue;
    const score = taskLikeness(goal, row.data.intent.goal, rarity);
    const least = caused.has(row.id) ? ALIKE_IF_CAUSED : file ? ALIKE_ON_FILE : ALIKE;
    if (score >= least) return `succeeded later: ${by}`;
  }
  return null;
}

function onFiles(shelf: Shelf, files: readonly string[], filter: SlotFilter): Uuid[] {
  return files.slice(0, FILES).flatMap((path) => {
    const [whole] = pathKeys(path);
    if (whole === undefined) return [];
    return shelf.byKeys([keyOf.file(whole)], filter, OF_FILE).hits.map(({ id }) => id);
  });
}
