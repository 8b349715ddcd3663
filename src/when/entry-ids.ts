/** Ids of entries, and the sections they lead to. Pure. */
import type { Uuid } from '../shared/ids.js';
import { yieldToLoop } from '../shared/yield.js';
import { headerKey } from './phrases.js';
import { entryId } from './records.js';
import type { Library, LinkedEntry, Section } from './types.js';

export interface EntryIds {
  /** `null`: an entry of another library. */
  of(entry: LinkedEntry): Uuid | null;
  /** Ids of the entries that lead to the section on this line. */
  ofSection(file: string, line: number): Uuid[];
  /** An entry that leads somewhere. */
  entryOf(id: Uuid): { entry: LinkedEntry; section: Section } | null;
}

/** The same header twice in a file: the n-th entry of it has the n-th id. */
export function ordinalsOf(entries: readonly LinkedEntry[]): number[] {
  const seen = new Map<string, number>();
  return entries.map(({ file, group, header }) => {
    const place = JSON.stringify([file ?? group, headerKey(header)]);
    const ordinal = seen.get(place) ?? 0;
    seen.set(place, ordinal + 1);
    return ordinal;
  });
}

/** Entries between two turns of the event loop: some milliseconds. */
const STEP = 250;

export const NO_ENTRIES: EntryIds = { of: () => null, ofSection: () => [], entryOf: () => null };

export async function createEntryIds(
  indexId: Uuid,
  { entries }: Pick<Library, 'entries'>,
): Promise<EntryIds> {
  const ordinals = ordinalsOf(entries);
  const ids = new Map<LinkedEntry, Uuid>();
  const leading = new Map<Uuid, { entry: LinkedEntry; section: Section }>();
  const bySection = new Map<string, Uuid[]>();
  for (const [at, entry] of entries.entries()) {
    if (at % STEP === STEP - 1) await yieldToLoop();
    const id = entryId(indexId, entry, ordinals[at] ?? 0);
    ids.set(entry, id);
    if (entry.section === null) continue;
    leading.set(id, { entry, section: entry.section });
    const key = placeOf(entry.section.file, entry.section.line);
    bySection.set(key, [...(bySection.get(key) ?? []), id]);
  }
  return {
    of: (entry) => ids.get(entry) ?? null,
    ofSection: (file, line) => bySection.get(placeOf(file, line)) ?? [],
    entryOf: (id) => leading.get(id) ?? null,
  };
}

function placeOf(file: string, line: number): string {
  return `${file}:${line}`;
}
