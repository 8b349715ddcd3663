/** What `/when` of one agent does, what it needs, and what it tells. */
import type { Caller, RecordStore } from '../records/index.js';
import type { Clock } from '../shared/clock.js';
import type { Uuid } from '../shared/ids.js';
import type { Log } from '../shared/log.js';
import type { WatchDeps } from './disk/watch.js';
import type { Written } from './row-writer.js';
import type { WhenTurns } from './turns.js';
import type {
  Recall,
  RelevantEntry,
  RememberDraft,
  Remembered,
  ShownEntry,
  Validation,
  Warning,
  WhenPaths,
} from './types.js';
import type { AskedBy, UsageStats } from './usage.js';
import type { Bar } from './when-index.js';

/** Entries were asked for, and given, to this caller. Must not throw. */
export type WhenObserver = (use: { ids: readonly Uuid[]; caller: Caller }) => void;

export interface WhenDeps {
  records: RecordStore;
  agentId: Uuid;
  clock: Clock;
  log: Log;
  paths: WhenPaths | null;
  usagePath: string | null;
  onRecalled: WhenObserver;
  /** Whether this person may write files: owner or admin. */
  isAdmin: (entityId: string, roomId: string) => Promise<boolean>;
  /** How long opening, and later a question, waits for the first look at the files, ms. */
  waitMs?: { open: number; ask: number } | undefined;
  /** For tests: how fast the files are followed. */
  watching?: WatchDeps | undefined;
}

export interface WhenHealth {
  /** `stored`: index or files are away, and what was stored of them answers. */
  state: 'off' | 'loading' | 'ready' | 'stored';
  index: string | null;
  decisions: string | null;
  entries: number;
  sections: number;
  files: number;
  /** Newest problems of index and files, at most 20, and how many there are. */
  warnings: Warning[];
  warningCount: number;
  /** Of the last sync of the rows; absent before the first. */
  lastSync?: Written;
  /** Why it is worse than it could be, in words. */
  degraded?: string;
}

export interface When {
  readonly configured: boolean;
  /** What is shown in conversations. */
  readonly turns: WhenTurns;
  /**
   * One command or a batch, with or without `/when`; it counts as a recall.
   * @param by whose words these are; absent: the operator's own, else the agent's
   * @throws AppError DISABLED without an index; where nothing was found, UNAVAILABLE or PERMISSION_DENIED
   * when the index cannot be read and nothing of it is known
   */
  recall(input: string | readonly string[], caller: Caller, by?: AskedBy): Promise<Recall>;
  /** What the commands in a free text ask for; `null`: there are none in it. `by` as in `recall`. */
  find(text: string, caller: Caller, by?: AskedBy): Promise<Recall | null>;
  /** What bears on a sentence or on touched files; counts nothing. */
  relevant(
    moment: { text: string; files: readonly string[] },
    limit: number,
    bar?: Bar,
  ): Promise<RelevantEntry[]>;
  /** All entries that lead to a section, in the order of the index; counts nothing. */
  entries(): Promise<ShownEntry[]>;
  /** Those of these entries that still are, as they are now. */
  current(ids: readonly Uuid[]): Promise<ShownEntry[]>;
  /** These entries were shown unasked in that session, or room. */
  offered(ids: readonly Uuid[], session: { sessionId?: string; roomId?: Uuid }): void;
  /**
   * Writes an entry, and its section when there is content, to the files.
   * @throws AppError PERMISSION_DENIED for a person who is neither owner nor admin, and for a
   * client without a session; DISABLED without an index; what `remember` throws
   */
  remember(draft: RememberDraft, caller: Caller): Promise<Remembered>;
  /** @throws AppError DISABLED without an index */
  validate(): Promise<Validation>;
  stats(): Promise<UsageStats>;
  health(): WhenHealth;
  settled(): Promise<void>;
  stop(): Promise<void>;
}
