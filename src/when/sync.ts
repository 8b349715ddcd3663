/**
 * The rows of a library: written when files change, one row per entry, section and file, compared by
 * content hash, so that an edit costs only what it changed. Lines are no part of the hash: a line
 * added at the top of the index must not rewrite every row below it.
 */
import { createHash } from 'node:crypto';
import {
  type NewTypedRecord,
  projectScope,
  type RecordStore,
  type RecordType,
} from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, isAppError, messageOf } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { redactDeep, redactSecrets } from '../shared/secrets.js';
import { createMemo, type Memo } from './memo.js';
import {
  type EntryData,
  entryId,
  fileId,
  ordinalsOf,
  type SectionData,
  sectionId,
  whenEntryType,
  whenSectionType,
} from './records.js';
import type { DecisionFile, Entry, Library, LinkedEntry, Section } from './types.js';

export interface SyncDeps {
  records: RecordStore;
  agentId: Uuid;
  clock: Clock;
  /** Of the index whose rows these are (`indexIdOf`); those of others are neither read nor removed. */
  indexId: Uuid;
}

/** Rows. */
export interface SyncResult {
  added: number;
  changed: number;
  removed: number;
}

/** What was stored, in the order of the index and by path. */
/** An entry and the file that its group led to when it was stored. */
export interface StoredEntry extends Entry {
  file: string | null;
}

export interface StoredLibrary {
  entries: StoredEntry[];
  files: { path: string; text: string }[];
}

export interface LibraryRecords {
  /** `null`: nothing was ever stored. Learns what is there, so that `write` compares with it. */
  read(): Promise<StoredLibrary | null>;
  /**
   * Brings the rows in line. What fails or is aborted half-way is made good by the next call; what
   * another process has written in between stands, because it has read the same files.
   * @throws AppError CONFLICT while others write other things, and what the database throws
   */
  write(library: Library, signal?: AbortSignal): Promise<SyncResult>;
}

interface RowData {
  index: string;
  hash: string;
}
interface Row<Data> {
  id: Uuid;
  data: Data;
}
interface Known {
  hash: string;
  revision: number;
}
/** Rows of one type: those that are to be, and those that are. */
interface Shelf<Data extends RowData> {
  type: RecordType<Data>;
  known: Map<Uuid, Known>;
  /** Rows that cannot be read. */
  damaged: Set<Uuid>;
}

const OPERATOR = { kind: 'operator' } as const;
/** Rows of one statement. */
const CHUNK = 25;
/** Rows made between two turns of the event loop. */
const STEP = 100;
/** Another process may be writing the same rows: looked at again this often. */
const PASSES = 3;

export function createLibraryRecords({
  records,
  agentId,
  clock,
  indexId,
}: SyncDeps): LibraryRecords {
  const scope = projectScope(records.projectId, agentId);
  const entryShelf: Shelf<EntryData> = {
    type: whenEntryType,
    known: new Map(),
    damaged: new Set(),
  };
  const sectionShelf: Shelf<SectionData> = {
    type: whenSectionType,
    known: new Map(),
    damaged: new Set(),
  };
  const made = new WeakMap<DecisionFile, Row<SectionData>[]>();
  const madeEntries = createMemo<Row<EntryData>>();
  let isRead = false;

  async function readShelf<Data extends RowData>({
    type,
    known,
    damaged,
  }: Shelf<Data>): Promise<Data[]> {
    known.clear();
    damaged.clear();
    const all: Data[] = [];
    const onDamaged = ({ id }: { id: Uuid }) => damaged.add(id);
    for await (const chunk of records.scan(type, OPERATOR, { chunk: CHUNK, onDamaged })) {
      for (const { id, revision, data } of chunk) {
        if (data.index !== indexId) continue;
        known.set(id, { hash: data.hash, revision });
        all.push(data);
      }
    }
    return all;
  }

  async function readAll() {
    isRead = false;
    const entries = await readShelf(entryShelf);
    await yieldToLoop();
    const sections = await readShelf(sectionShelf);
    await yieldToLoop();
    isRead = true;
    return { entries, sections };
  }

  /** New before old goes: what is renamed is there twice rather than not at all. */
  async function bring<Data extends RowData>(
    { type, known, damaged }: Shelf<Data>,
    rows: readonly Row<Data>[],
    result: SyncResult,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const wanted = new Map(rows.map((row) => [row.id, row]));
    // The files have what they lost: they are written anew. Of others nobody can say whose they are.
    const lost = [...damaged].filter((id) => wanted.has(id));
    if (lost.length > 0) {
      await records.remove(type, lost);
      await yieldToLoop();
    }
    damaged.clear();
    const added: NewTypedRecord<Data>[] = [];
    let agreed = true;
    for (const { id, data } of wanted.values()) {
      const before = known.get(id);
      if (before?.hash === data.hash) continue;
      if (before === undefined) {
        added.push({ id, createdAtMs: clock.now(), scope, data });
        continue;
      }
      signal?.throwIfAborted();
      if (await replaced(type, id, data, before, known)) result.changed += 1;
      else agreed = false;
      await yieldToLoop();
    }
    for (let at = 0; at < added.length; at += CHUNK) {
      signal?.throwIfAborted();
      const chunk = added.slice(at, at + CHUNK);
      const revisions = new Map<Uuid, number>();
      await records.insert(type, chunk, {
        onInserted: (id, revision) => revisions.set(id, revision),
      });
      for (const { id, data } of chunk) {
        const revision = revisions.get(id);
        if (revision !== undefined) known.set(id, { hash: data.hash, revision });
        else agreed = false;
      }
      result.added += revisions.size;
      await yieldToLoop();
    }
    const gone = [...known.keys()].filter((id) => !wanted.has(id));
    for (let at = 0; at < gone.length; at += CHUNK) {
      signal?.throwIfAborted();
      const chunk = gone.slice(at, at + CHUNK);
      result.removed += await records.remove(type, chunk);
      for (const id of chunk) known.delete(id);
      await yieldToLoop();
    }
    return agreed;
  }

  /** `false`: another process was here. */
  async function replaced<Data extends RowData>(
    type: RecordType<Data>,
    id: Uuid,
    data: Data,
    { revision }: Known,
    known: Map<Uuid, Known>,
  ): Promise<boolean> {
    try {
      const written = await records.replace(type, id, revision, { data });
      known.set(id, { hash: data.hash, revision: written.revision });
      return true;
    } catch (error) {
      if (isAppError(error) && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND')) {
        return false;
      }
      throw error;
    }
  }

  return {
    async read() {
      const { entries, sections } = await readAll();
      if (entries.length + sections.length === 0) return null;
      return {
        entries: entries
          .toSorted((a, b) => a.line - b.line)
          .map(({ prefix, phrase, header, description, group, file, line }) => ({
            ...{ prefix, phrase, header, description, group, file, line },
          })),
        files: filesOf(sections),
      };
    },
    async write(library, signal) {
      const sections = await sectionRows(indexId, library, made);
      const entries = await entryRows(indexId, library.entries, madeEntries);
      const result: SyncResult = { added: 0, changed: 0, removed: 0 };
      for (let pass = 1; pass <= PASSES; pass++) {
        if (!isRead) await readAll();
        const agreed =
          (await bring(sectionShelf, sections, result, signal)) &&
          (await bring(entryShelf, entries, result, signal));
        if (agreed) return result;
        isRead = false;
      }
      throw new AppError('CONFLICT', 'other processes keep changing the stored /when index');
    },
  };
}

/** Whole files; one whose own row is lost is put together from its sections. */
function filesOf(sections: readonly SectionData[]): { path: string; text: string }[] {
  const texts = new Map<string, string>();
  for (const { file, level, content } of sections) if (level === 0) texts.set(file, content);
  const outermost = sections
    .filter(({ file, level, path }) => level > 0 && path.length === 0 && !texts.has(file))
    .toSorted((a, b) => a.line - b.line);
  const lost = new Map<string, string[]>();
  for (const { file, level, title, content } of outermost) {
    lost.set(file, [...(lost.get(file) ?? []), `${'#'.repeat(level)} ${title}\n${content}`]);
  }
  for (const [file, parts] of lost) texts.set(file, parts.join('\n'));
  return [...texts]
    .map(([path, text]) => ({ path, text }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Entries that did not change are not hashed and searched again, wherever they stand now. */
async function entryRows(
  indexId: Uuid,
  entries: readonly LinkedEntry[],
  made: Memo<Row<EntryData>>,
): Promise<Row<EntryData>[]> {
  const ordinals = ordinalsOf(entries);
  const keys: string[] = [];
  const rows: Row<EntryData>[] = [];
  for (const [at, entry] of entries.entries()) {
    if (at % STEP === STEP - 1) await yieldToLoop();
    const { prefix, phrase, header, description, group, file, line } = entry;
    const fields = { prefix, phrase, header, description, group, file };
    const ordinal = ordinals[at] ?? 0;
    const key = JSON.stringify([ordinal, prefix, phrase, header, description, group, file]);
    const row = made.get(key) ?? {
      id: entryId(indexId, entry, ordinal),
      data: { index: indexId, ...redactDeep(fields).value, line, hash: hashOf(fields) },
    };
    made.set(key, row);
    keys.push(key);
    rows.push(row.data.line === line ? row : { ...row, data: { ...row.data, line } });
  }
  made.tidy(rows.length, () => keys);
  return rows;
}

/** Files that did not change are the same objects, and are not hashed and searched again. */
async function sectionRows(
  indexId: Uuid,
  { files }: Library,
  made: WeakMap<DecisionFile, Row<SectionData>[]>,
): Promise<Row<SectionData>[]> {
  const all: Row<SectionData>[] = [];
  for (const file of files) {
    const before = made.get(file);
    if (before !== undefined) {
      all.push(...before);
      continue;
    }
    const whole: Row<SectionData> = {
      id: fileId(indexId, file),
      data: {
        index: indexId,
        ...{ file: file.path, level: 0, title: '', path: [], ordinal: 0, line: 1 },
        content: redactSecrets(file.text).text,
        hash: file.hash,
      },
    };
    await yieldToLoop();
    const rows = [whole];
    for (const [at, section] of file.sections.entries()) {
      if (at % STEP === STEP - 1) await yieldToLoop();
      rows.push(sectionRow(indexId, section));
    }
    made.set(file, rows);
    all.push(...rows);
    await yieldToLoop();
  }
  return all;
}

function sectionRow(indexId: Uuid, section: Section): Row<SectionData> {
  const { file, level, title, path, ordinal, line, content } = section;
  const fields = { file, level, title, path: [...path], ordinal, content };
  return {
    id: sectionId(indexId, section),
    data: { index: indexId, ...redactDeep(fields).value, line, hash: hashOf(fields) },
  };
}

function hashOf(value: object): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

/**
 * Rows follow the library in the background: the newest one that is wanted is written, one after the
 * other, and what failed is tried again until it stands.
 */

/** A sync that succeeded. */
export interface Written extends SyncResult {
  atMs: number;
  tookMs: number;
}

interface RowWriter {
  want(library: Library): void;
  /** The last sync; `undefined` before the first. */
  last(): Written | undefined;
  /** Why the rows are behind the files, in words. */
  problem(): string | undefined;
  /** Resolves when what is wanted is written; what failed is tried once more, now. */
  settled(): Promise<void>;
  /** Ends after the statement that is running; the next start makes good what is left. */
  stop(): Promise<void>;
}

const RETRY_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS] as const;

export function createRowWriter(deps: {
  rows: LibraryRecords;
  clock: Clock;
  log: Log;
  /** Waits before the tries after the first, ms; the last counts for all that follow. */
  retryMs?: readonly number[] | undefined;
}): RowWriter {
  const { rows, clock, log, retryMs = RETRY_MS } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let wanted: Library | null = null;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let problem: string | undefined;
  let last: Written | undefined;

  function run(): void {
    clearTimeout(timer);
    if (running !== null || wanted === null || signal.aborted) return;
    running = drain().finally(() => {
      running = null;
      // Write what was asked for in the meantime; after a failure the timer does it.
      if (failures === 0) run();
    });
  }

  async function drain(): Promise<void> {
    while (wanted !== null && !signal.aborted) {
      const library = wanted;
      wanted = null;
      const startedMs = clock.now();
      try {
        const result = await rows.write(library, signal);
        last = { ...result, atMs: clock.now(), tookMs: clock.now() - startedMs };
        failures = 0;
        problem = undefined;
        if (result.added + result.changed + result.removed > 0) {
          log.info({ ...result }, 'when index synced');
        }
      } catch (error) {
        wanted ??= library;
        if (!signal.aborted) failed(error);
        return;
      }
    }
  }

  function failed(error: unknown): void {
    problem = `the rows are behind the files: ${messageOf(error)}`;
    log.error({ error: messageOf(error) }, 'when index not stored');
    timer = setTimeout(run, retryMs[Math.min(failures, retryMs.length - 1)]);
    timer.unref();
    failures += 1;
  }

  return {
    want(library) {
      wanted = library;
      run();
    },
    last: () => last,
    problem: () => problem,
    async settled() {
      await running;
      run();
      await running;
    },
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
