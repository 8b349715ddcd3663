/**
 * Index entries, sections and whole decision files as records (`cue_when_entry`, `cue_when_section`,
 * DESIGN §3): what the agent knows when the files are away. Ids come from project, index, path, heading
 * and ordinal, so that two processes that read the same files write the same rows, and those that share
 * a project but not the index leave each other's alone.
 */
import { z } from 'zod';
import type { RecordType } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import { headerKey } from './phrases.js';
import type { DecisionFile, Library, LinkedEntry, Section } from './types.js';

const entrySchema = z.looseObject({
  /** `indexIdOf`. */
  index: z.string(),
  prefix: z.enum(['when', 'how']),
  phrase: z.string(),
  header: z.string(),
  description: z.string(),
  group: z.string(),
  file: z.string().nullable(),
  /** Line when the record was written; others may have moved it since. */
  line: z.number(),
  hash: z.string(),
});

const sectionSchema = z.looseObject({
  /** `indexIdOf`. */
  index: z.string(),
  file: z.string(),
  /** 0: the whole file. */
  level: z.number(),
  title: z.string(),
  path: z.array(z.string()),
  ordinal: z.number(),
  line: z.number(),
  content: z.string(),
  hash: z.string(),
});

export type EntryData = z.output<typeof entrySchema>;
export type SectionData = z.output<typeof sectionSchema>;

export const whenEntryType: RecordType<EntryData> = {
  name: 'cue_when_entry',
  version: 1,
  schema: entrySchema,
  upgrades: {},
  text: ({ prefix, phrase, header, description }) =>
    `/${prefix} ${phrase} | ${header} | ${description}`,
};

export const whenSectionType: RecordType<SectionData> = {
  name: 'cue_when_section',
  version: 1,
  schema: sectionSchema,
  upgrades: {},
  // The host shows it as a memory; the whole is in the data.
  text: ({ file, path, title, content }) =>
    `${[file, ...path, title].filter((part) => part !== '').join(' › ')}\n${content.slice(0, 2_000)}`,
};

/**
 * Stands for one index of a project. The whole path tells it from others: a part of it, such as
 * `agents/memory-index.md`, every checkout has. @param path absolute, as it was set
 */
export function indexIdOf(projectId: Uuid, path: string): Uuid {
  return derivedId('cue_when_index', projectId, path);
}

/** Of an entry: the same header twice in a file has two ids by its place among them. */
export function entryId(indexId: Uuid, entry: LinkedEntry, ordinal: number): Uuid {
  const where = entry.file ?? entry.group;
  return derivedId('cue_when_entry', indexId, where, headerKey(entry.header), ordinal);
}

export function sectionId(indexId: Uuid, { file, path, title, ordinal }: Section): Uuid {
  return derivedId('cue_when_section', indexId, file, ...path, title, ordinal);
}

/** The row with the whole text of a file. */
export function fileId(indexId: Uuid, { path }: Pick<DecisionFile, 'path'>): Uuid {
  return derivedId('cue_when_section', indexId, path);
}

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
