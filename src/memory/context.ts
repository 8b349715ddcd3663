/** What every operation of the room works with. */
import { type SQL, sql } from 'drizzle-orm';
import type { Embeddings } from '../embeddings/index.js';
import { memoriesTable, type RecordStore } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Ids, Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { Caller, WriteRule } from './access.js';

export interface MemoryContext {
  records: RecordStore;
  embeddings: Embeddings;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** The Eliza agent: author of what is made without a registered identity. */
  agentId: Uuid;
  /** Keep the text of diffs (CUE_STORE_DIFFS). */
  storeDiffs: boolean;
  /** Rewrites an extract with a model (CUE_SUMMARIES=model); absent: extracts stand as they are. */
  rewrite?: ((text: string) => Promise<string>) | undefined;
  rule: WriteRule;
  observer?: MemoryObserver | undefined;
}

/** Who is told what happens to memories: rooms that show them must know what came of it. */
export interface MemoryObserver {
  /** Memories were asked for or linked by this caller; look-ahead does not count. Must not throw. */
  used(use: MemoryUse): void;
  /** These memories say something else now, or another supersedes them. Must not throw. */
  changed(ids: readonly Uuid[]): void;
  /**
   * These memories are about to be removed, and, when a person is named, all that was made with them:
   * what quotes it has to go first.
   */
  forgetting(ids: readonly Uuid[], entityId?: Uuid): Promise<void>;
}

export interface MemoryUse {
  how: 'recalled' | 'linked';
  ids: readonly Uuid[];
  caller: Caller;
}

type DataField = 'agent_id' | 'session_id' | 'content_hash' | 'origin' | 'source_id' | 'target_id';

/** Text of a field of the data in SQL; a literal key, so that an index on it can serve. */
export function dataText(key: DataField): SQL {
  return sql`(${memoriesTable.metadata}->'data'->>${sql.raw(`'${key}'`)})`;
}

/** Text of a field of the scope in SQL. */
export function scopeText(key: 'entityId' | 'roomId' | 'authorId'): SQL {
  return sql`(${memoriesTable.metadata}->'scope'->>${sql.raw(`'${key}'`)})`;
}

/** ISO 8601 in UTC, as every time of ours is shown. */
export function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}
