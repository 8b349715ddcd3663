/**
 * Writes durable hints through to their rows. Each write is compared with the revision this process
 * knows, so that two processes on one database do not overwrite each other unseen.
 */
import { z } from 'zod';
import type { RecordStore, RecordType, StoredRecord, TransactionStore } from '../records/index.js';
import { yieldToLoop } from '../shared/async.js';
import { AppError, isAppError } from '../shared/errors.js';
import type { Uuid } from '../shared/ids.js';
import { isRecord, parsedJson } from '../shared/json.js';
import type { Log } from '../shared/log.js';
import { redactSecrets } from '../shared/secrets.js';
import { type Hint, hintSchema, type StoredHint } from './schema.js';
import { printedValue, redactHint } from './secrets.js';

const dataSchema = z.looseObject({
  component: z.string(),
  key: z.string(),
  /** The hint without its usage, as JSON text: a JSONB column would sort the keys and drop U+0000. */
  hint: z.string(),
  /** Kept beside the hint, because SQL increments it in place. */
  use_count: z.number(),
  /** Empty: never. */
  last_used_at: z.string(),
  /** Readable text for a person who inspects the table. */
  value: z.string(),
});
export type HintData = z.output<typeof dataSchema>;

/** Characters of a value in the text that the host shows. */
const SHOWN = 500;

export const hintType: RecordType<HintData> = {
  name: 'cue_hint',
  version: 1,
  schema: dataSchema,
  upgrades: {},
  text: ({ component, key, value }) => redactSecrets(`${component}/${key}: ${value}`).text,
};

export function encodeHint(component: string, key: string, stored: Hint): HintData {
  const { use_count = 0, last_used_at = '', ...hint } = stored;
  const value = printedValue(redactHint(stored, key).value).slice(0, SHOWN);
  return { component, key, hint: JSON.stringify(hint), use_count, last_used_at, value };
}

/** @returns why it cannot be read, in words, or the hint */
export function decodeHint(data: HintData): Hint | string {
  const hint = parsedJson(data.hint);
  if (!isRecord(hint)) return hint === undefined ? 'is not JSON' : 'is no object';
  const { last_used_at } = data;
  // The database can count beyond the exact integers of JavaScript.
  const use_count = Math.min(data.use_count, Number.MAX_SAFE_INTEGER);
  const used = last_used_at === '' ? {} : { last_used_at };
  const parsed = hintSchema.safeParse({ ...hint, use_count, ...used });
  return parsed.success ? parsed.data : `${parsed.error.issues[0]?.path.join('.')} is wrong`;
}

/** A durable hint as its row has it. Expiry and session are derived by the store. */
export type Row = Omit<StoredHint, 'expiresAtMs' | 'session'>;

export interface HowPut {
  /** Overwrites changes of another process. */
  force?: boolean;
  /** Keeps the usage counters of the row, which other processes increment, too. */
  keepUses?: boolean;
  /** Called for each row that was written. */
  onWritten?: () => void;
}

export type HintRows = ReturnType<typeof createHintRows>;

const OPERATOR = { kind: 'operator' } as const;
const CHUNK = 50;
const USES = ['use_count', 'last_used_at'] as const satisfies (keyof HintData)[];

export function createHintRows({ records, log }: { records: RecordStore; log: Log }) {
  let revisions = new Map<Uuid, number>();

  function rowOf(
    { id, revision, scope, data }: StoredRecord<HintData>,
    known: Map<Uuid, number>,
  ): Row | null {
    const hint = decodeHint(data);
    if (typeof hint === 'string') {
      log.warn({ id, reason: hint }, 'a stored hint cannot be read');
      return null;
    }
    known.set(id, revision);
    return { id, component: data.component, key: data.key, hint, audience: scope };
  }

  /** The same rows within a transaction and outside of one. */
  function rowsIn(store: TransactionStore) {
    async function read(id: Uuid): Promise<Row | null> {
      const [record] = await store.get(hintType, [id], OPERATOR);
      if (record) return rowOf(record, revisions);
      revisions.delete(id);
      return null;
    }

    async function replace(row: Row, data: HintData, how: HowPut): Promise<void> {
      for (let attempt = 1; ; attempt += 1) {
        const revision = revisions.get(row.id);
        if (revision === undefined) return insertOver(row, data);
        try {
          const change = { data, scope: row.audience, ...(how.keepUses ? { keep: USES } : {}) };
          const written = await store.replace(hintType, row.id, revision, change);
          revisions.set(row.id, written.revision);
          return;
        } catch (error) {
          const isGone = isAppError(error) && error.code === 'NOT_FOUND';
          if (isGone) revisions.delete(row.id);
          if (isGone && !how.force) throw conflict(row.hint, row.id);
          if (isGone) continue;
          if (!isConflict(error) || !how.force || attempt === 3) throw error;
          await read(row.id);
        }
      }
    }

    /** Replaces a row that cannot be read. */
    async function insertOver(row: Row, data: HintData): Promise<void> {
      if ((await insert([{ row, data }])).has(row.id)) return;
      await store.remove(hintType, [row.id]);
      if ((await insert([{ row, data }])).has(row.id)) return;
      throw new AppError('CONFLICT', 'another process keeps writing this hint', { id: row.id });
    }

    async function insert(
      rows: readonly { row: Row; data: HintData }[],
      onWritten: () => void = () => {},
    ): Promise<Set<Uuid>> {
      return store.insert(
        hintType,
        rows.map(({ row, data }) => ({
          id: row.id,
          createdAtMs: Date.parse(row.hint.created_at),
          scope: row.audience,
          data,
        })),
        {
          onInserted: (id, revision) => {
            revisions.set(id, revision);
            onWritten();
          },
        },
      );
    }

    return {
      /** One row as it is now; `null`: there is none, or it cannot be read. */
      read,

      /**
       * Writes rows, those that are new together.
       * @throws AppError CONFLICT when another process has changed one, and what the database throws
       */
      async put(rows: readonly Row[], how: HowPut = {}): Promise<void> {
        const all = await encoded(rows);
        const fresh = all.filter(({ row }) => !revisions.has(row.id));
        const known = all.filter(({ row }) => revisions.has(row.id));
        const inserted = await insert(fresh, how.onWritten);
        const met = fresh.filter(({ row }) => !inserted.has(row.id));
        for (const { row, data } of met) {
          // Another process was first.
          if ((await read(row.id)) !== null && !how.force) throw conflict(row.hint, row.id);
          known.push({ row, data });
        }
        for (const [at, { row, data }] of known.entries()) {
          if (at > 0) await yieldToLoop();
          await replace(row, data, how);
          how.onWritten?.();
        }
      },

      /** @param unchanged only those that are as this process knows them */
      async remove(ids: readonly Uuid[], unchanged = false): Promise<void> {
        if (ids.length === 0) return;
        await store.remove(hintType, ids, unchanged ? { revisions } : {});
        for (const id of ids) revisions.delete(id);
      },
    };
  }

  const rows = rowsIn(records);
  return {
    ...rows,

    /** Reads every row and remembers its revision; damaged rows are logged and left out. */
    async load(): Promise<Row[]> {
      // Adopted only after the whole scan: a write must not rely on the revisions of a failed one.
      const known = new Map<Uuid, number>();
      const rows: Row[] = [];
      const onDamaged = ({ id, reason }: { id: Uuid; reason: string }) =>
        log.warn({ id, reason }, 'a stored hint cannot be read');
      for await (const chunk of records.scan(hintType, OPERATOR, { chunk: CHUNK, onDamaged })) {
        for (const record of chunk) {
          const row = rowOf(record, known);
          if (row) rows.push(row);
        }
      }
      revisions = known;
      return rows;
    },

    /** Both, or neither: also when the process is killed. @throws what `put` throws */
    async change(put: readonly Row[], remove: readonly Uuid[], how?: HowPut): Promise<void> {
      if (put.length + remove.length < 2) {
        await rows.put(put, how);
        return rows.remove(remove);
      }
      const before = new Map(revisions);
      try {
        await records.atomically(async (store) => {
          const within = rowsIn(store);
          await within.put(put, how);
          await within.remove(remove);
        });
      } catch (error) {
        revisions = before;
        throw error;
      }
    },

    /** Increments the usage counters in the row, whatever its revision. */
    async touch(id: Uuid, { delta, at }: { delta: number; at: string }): Promise<void> {
      await records.touch(hintType, [id], {
        add: { use_count: delta },
        set: { last_used_at: at },
      });
    },
  };
}

/** Yields in between, because each text is searched for secrets. */
async function encoded(rows: readonly Row[]): Promise<{ row: Row; data: HintData }[]> {
  const all: { row: Row; data: HintData }[] = [];
  for (const row of rows) {
    all.push({ row, data: encodeHint(row.component, row.key, row.hint) });
    if (all.length % CHUNK === 0) await yieldToLoop();
  }
  return all;
}

function conflict(hint: Hint, id: Uuid): AppError {
  return new AppError('CONFLICT', 'another process has set this hint', {
    id,
    version: hint.version,
  });
}

function isConflict(error: unknown): boolean {
  return isAppError(error) && error.code === 'CONFLICT';
}
