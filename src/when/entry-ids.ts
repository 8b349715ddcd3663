/**
 * Ids of entries, as offers and listings name them: made of project, index, file and heading, so that two
 * processes that read the same files call an entry the same.
 */
import { yieldToLoop } from '../shared/async.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { addTo } from '../shared/multimap.js';
import { headerKey } from './phrases.js';
import type { Library, LinkedEntry, Section } from './types.js';

/**
 * Stands for one index of a project. The whole path tells it from others: a part of it, such as
 * `agents/memory-index.md`, every checkout has. @param path absolute, as it was set
 */
export function indexIdOf(projectId: Uuid, path: string): Uuid {
  return derivedId('cue_when_index', projectId, path);
}

export interface EntryIds {
  /** `null`: an entry of another library. */
  of(entry: LinkedEntry): Uuid | null;
  /** Ids of the entries that lead to the section on this line. */
  ofSection(file: string, line: number): Uuid[];
  /** An entry that leads somewhere. */
  entryOf(id: Uuid): { entry: LinkedEntry; section: Section } | null;
}

/** Entries between two turns of the event loop: some milliseconds. */
const STEP = 250;

export const NO_ENTRIES: EntryIds = { of: () => null, ofSection: () => [], entryOf: () => null };

export async function createEntryIds(
  indexId: Uuid,
  { entries }: Pick<Library, 'entries'>,
): Promise<EntryIds> {
  /** The same header twice in a file: the n-th entry of it has the n-th id. */
  const seen = new Map<string, number>();
  const ids = new Map<LinkedEntry, Uuid>();
  const leading = new Map<Uuid, { entry: LinkedEntry; section: Section }>();
  const bySection = new Map<string, Uuid[]>();
  for (const [at, entry] of entries.entries()) {
    if (at % STEP === STEP - 1) await yieldToLoop();
    const where = entry.file ?? entry.group;
    const header = headerKey(entry.header);
    const key = JSON.stringify([where, header]);
    const ordinal = seen.get(key) ?? 0;
    seen.set(key, ordinal + 1);
    const id = derivedId('cue_when_entry', indexId, where, header, ordinal);
    ids.set(entry, id);
    if (entry.section === null) continue;
    leading.set(id, { entry, section: entry.section });
    addTo(bySection, placeOf(entry.section.file, entry.section.line), id);
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
