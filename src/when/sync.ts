/**
 * What the agent knows while the files are away: index and decision files as rows, one each, written when a
 * file changes and compared by content hash. Ids come from project, index and path, so that two processes
 * that read the same files write the same rows, and those that share a project but not the index leave each
 * other's alone.
 */
import { z } from 'zod';
import {
  type NewTypedRecord,
  projectScope,
  type RecordStore,
  type RecordType,
} from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { type Clock, MINUTE_MS, SECOND_MS } from '../shared/clock.js';
import { AppError, isAppError, messageOf } from '../shared/errors.js';
import { derivedId, type Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import { redactSecrets } from '../shared/secrets.js';
import type { Library } from './types.js';

const fileSchema = z.looseObject({
  /** `indexIdOf`. */
  index: z.string(),
  /** '': the index itself. */
  file: z.string(),
  content: z.string(),
  hash: z.string(),
  /** Above 0: a section, which earlier versions stored beside its file. */
  level: z.number().optional(),
});
type FileData = z.output<typeof fileSchema>;

const fileType: RecordType<FileData> = {
  name: 'cue_when_section',
  version: 1,
  schema: fileSchema,
  upgrades: {},
  // The host shows it as a memory; the whole is in the data.
  text: ({ file, content }) => `${file || 'the /when index'}\n${content.slice(0, 2_000)}`,
};

/** Entries had rows of their own in earlier versions; now they are read from the stored index. */
const entryType: RecordType<{ index: string }> = {
  name: 'cue_when_entry',
  version: 1,
  schema: z.looseObject({ index: z.string() }),
  upgrades: {},
  text: () => '',
};

export interface SyncDeps {
  records: RecordStore;
  agentId: Uuid;
  clock: Clock;
  /** Of the index whose rows these are (`indexIdOf`); those of others are neither read nor removed. */
  indexId: Uuid;
}

export interface StoredFiles {
  /** `null`: there was none. */
  index: string | null;
  files: { path: string; text: string }[];
}

export interface LibraryRecords {
  /** `null`: nothing was ever stored. Learns what is there, so that `write` compares with it. */
  read(): Promise<StoredFiles | null>;
  /**
   * Brings the rows in line, and returns how many that took. What fails or is aborted half-way is made good by the next call; what
   * another process has written in between stands, because it has read the same files.
   * @throws AppError CONFLICT while others write other things, and what the database throws
   */
  write(library: Library, signal?: AbortSignal): Promise<number>;
}

interface Known {
  hash: string;
  revision: number;
}

const OPERATOR = { kind: 'operator' } as const;
/** Rows of one statement. */
const CHUNK = 25;
/** Another process may be writing the same rows: looked at again this often. */
const PASSES = 3;

export function createLibraryRecords({
  records,
  agentId,
  clock,
  indexId,
}: SyncDeps): LibraryRecords {
  const scope = projectScope(records.projectId, agentId);
  const known = new Map<Uuid, Known>();
  /** Rows that cannot be read. */
  const damaged = new Set<Uuid>();
  let isRead = false;

  async function readAll(): Promise<FileData[]> {
    isRead = false;
    known.clear();
    damaged.clear();
    const all: FileData[] = [];
    const onDamaged = ({ id }: { id: Uuid }) => damaged.add(id);
    for await (const chunk of records.scan(fileType, OPERATOR, { chunk: CHUNK, onDamaged })) {
      for (const { id, revision, data } of chunk) {
        if (data.index !== indexId) continue;
        known.set(id, { hash: data.hash, revision });
        if (!data.level) all.push(data);
      }
    }
    await yieldToLoop();
    isRead = true;
    return all;
  }

  /** @param ids of a type, in statements that leave the event loop a turn between them */
  async function remove(
    type: RecordType<FileData> | RecordType<{ index: string }>,
    ids: readonly Uuid[],
    signal: AbortSignal | undefined,
  ): Promise<number> {
    let removed = 0;
    for (let at = 0; at < ids.length; at += CHUNK) {
      signal?.throwIfAborted();
      const chunk = ids.slice(at, at + CHUNK);
      removed += await records.remove(type as RecordType<unknown>, chunk);
      for (const id of chunk) known.delete(id);
      await yieldToLoop();
    }
    return removed;
  }

  /** New before old goes: what is renamed is there twice rather than not at all. `agreed`: nobody else was here. */
  async function bringInLine(
    { index, files }: Library,
    signal: AbortSignal | undefined,
  ): Promise<{ rows: number; agreed: boolean }> {
    const wanted = new Map(
      [...(index.text === '' ? [] : [{ ...index, path: '' }]), ...files].map((file) => [
        derivedId('cue_when_section', indexId, file.path),
        file,
      ]),
    );
    const dataOf = ({ path, text, hash }: { path: string; text: string; hash: string }) => ({
      ...{ index: indexId, file: path, content: redactSecrets(text).text, hash },
    });
    // The files have what they lost: they are written anew. Of others nobody can say whose they are.
    await remove(
      fileType,
      [...damaged].filter((id) => wanted.has(id)),
      signal,
    );
    damaged.clear();
    const added: NewTypedRecord<FileData>[] = [];
    let rows = 0;
    let agreed = true;
    for (const [id, file] of wanted) {
      const before = known.get(id);
      if (before?.hash === file.hash) continue;
      signal?.throwIfAborted();
      const data = dataOf(file);
      if (before === undefined) added.push({ id, createdAtMs: clock.now(), scope, data });
      else if (await replaced(id, data, before)) rows += 1;
      else agreed = false;
      await yieldToLoop();
    }
    for (let at = 0; at < added.length; at += CHUNK) {
      signal?.throwIfAborted();
      const chunk = added.slice(at, at + CHUNK);
      const revisions = new Map<Uuid, number>();
      await records.insert(fileType, chunk, {
        onInserted: (id, revision) => revisions.set(id, revision),
      });
      for (const { id, data } of chunk) {
        const revision = revisions.get(id);
        if (revision !== undefined) known.set(id, { hash: data.hash, revision });
        else agreed = false;
      }
      rows += revisions.size;
      await yieldToLoop();
    }
    const gone = [...known.keys()].filter((id) => !wanted.has(id));
    rows += await remove(fileType, gone, signal);
    return { rows, agreed };
  }

  /** `false`: another process was here. */
  async function replaced(id: Uuid, data: FileData, { revision }: Known): Promise<boolean> {
    try {
      const written = await records.replace(fileType, id, revision, { data });
      known.set(id, { hash: data.hash, revision: written.revision });
      return true;
    } catch (error) {
      if (isAppError(error) && (error.code === 'CONFLICT' || error.code === 'NOT_FOUND')) {
        return false;
      }
      throw error;
    }
  }

  let hasEntryRows = true;
  async function removeEntryRows(signal: AbortSignal | undefined): Promise<void> {
    const ids: Uuid[] = [];
    for await (const chunk of records.scan(entryType, OPERATOR, { chunk: CHUNK })) {
      for (const { id, data } of chunk) if (data.index === indexId) ids.push(id);
    }
    await remove(entryType, ids, signal);
    hasEntryRows = false;
  }

  return {
    async read() {
      const all = await readAll();
      if (all.length === 0) return null;
      const files = all
        .filter(({ file }) => file !== '')
        .map(({ file, content }) => ({ path: file, text: content }))
        .toSorted((a, b) => (a.path < b.path ? -1 : 1));
      return { index: all.find(({ file }) => file === '')?.content ?? null, files };
    },
    async write(library, signal) {
      let rows = 0;
      for (let pass = 1; pass <= PASSES; pass++) {
        if (!isRead) await readAll();
        const done = await bringInLine(library, signal);
        rows += done.rows;
        if (done.agreed) {
          if (hasEntryRows) await removeEntryRows(signal);
          return rows;
        }
        isRead = false;
      }
      throw new AppError('CONFLICT', 'other processes keep changing the stored /when index');
    },
  };
}

/**
 * Rows follow the library in the background: the newest one that is wanted is written, one after the
 * other, and what failed is tried again until it stands.
 */

const RETRY_MS = [SECOND_MS, 5 * SECOND_MS, 30 * SECOND_MS, MINUTE_MS] as const;

export function createRowWriter(deps: {
  rows: LibraryRecords;
  log: Log;
  /** Waits before the tries after the first, ms; the last counts for all that follow. */
  retryMs?: readonly number[] | undefined;
}) {
  const { rows, log, retryMs = RETRY_MS } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  let wanted: Library | null = null;
  let running: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;
  let failures = 0;
  let problem: string | undefined;

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
      try {
        const written = await rows.write(library, signal);
        failures = 0;
        problem = undefined;
        if (written > 0) log.info({ rows: written }, 'when index synced');
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
    want(library: Library): void {
      wanted = library;
      run();
    },
    /** Why the rows are behind the files, in words. */
    problem: () => problem,
    /** Resolves when what is wanted is written; what failed is tried once more, now. */
    async settled(): Promise<void> {
      await running;
      run();
      await running;
    },
    /** Ends after the statement that is running; the next start makes good what is left. */
    async stop(): Promise<void> {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
