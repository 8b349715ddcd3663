/** The results of the operations (seed `nudge.md` §4, §5), and a hint as the store holds it. */
import type { Caller, Scope } from '../records/index.js';
import type { Uuid } from '../shared/ids.js';
import type {
  BumpParams,
  DeleteHintParams,
  ExportParams,
  GetHintParams,
  Hint,
  ImportParams,
  QueryParams,
  SetHintParams,
} from './schema.js';

/** Why a hint was found, or was not eligible: "cwd matched **\/http-proxy*", "branch=main not in dev". */
export interface MatchExplain {
  matched: boolean;
  /** 0 to 1; absent when it did not match. */
  score?: number;
  reasons: string[];
}

/** A hint in a list, with its component and key. */
export interface ScoredHint {
  component: string;
  key: string;
  hint: Hint;
  score: number;
  match_explain: MatchExplain;
}

export interface OtherHint {
  component: string;
  key: string;
  hint: Hint;
  match_explain: MatchExplain;
}

export interface GetResult {
  /** The best; `null`: the key is known, but no variant is eligible here. */
  hint: Hint | null;
  match_explain: MatchExplain;
  /** Best first, when more than one was asked for (`limit`). */
  hints?: ScoredHint[];
  /** With `explain: "all"`: those that are not eligible. */
  others?: OtherHint[];
}

export interface SetResult {
  hint: Hint;
  /** Warns that the hint ends with the serving process although no TTL was given. */
  notice?: string;
}

export interface QueryResult {
  hints: ScoredHint[];
  others?: OtherHint[];
}

export interface DeleteResult {
  deleted: true;
  /** The best of the deleted variants. */
  previous: Hint;
  previous_all: Hint[];
}

export interface ComponentCount {
  name: string;
  hint_count: number;
}

export interface ImportOutcome {
  imported: number;
  skipped: number;
  /** Of the skipped ones, at most 100: `component/key: reason`. */
  reasons: string[];
}

/** The seed's `NudgeStore`, and the variants of keys that have several; fit for `import` as it is. */
export type StorePayload = {
  schema_version: string;
  created_at: string;
  session_id: string;
  components: Record<string, { hints: Record<string, Hint>; variants?: Record<string, Hint[]> }>;
};

export interface HintCounts {
  components: number;
  hints: number;
  durable: number;
  session: number;
  secret: number;
  top_tags: { tag: string; count: number }[];
}

/** One variant as the store holds it. */
export interface StoredHint {
  /** Derived from component, key, normalized scope and, for a private one, its owner. */
  id: Uuid;
  component: string;
  key: string;
  hint: Hint;
  /** Who may read it (DESIGN §3); not to be confused with `hint.meta.scope`. */
  audience: Scope;
  /** Epoch ms; `null`: ends with a session. `Infinity` never occurs. */
  expiresAtMs: number | null;
  /** The client's session that it ends with; `null`: a duration, or the life of the serving process. */
  session: string | null;
}

/** All operations on hints; each checks shape, rights and quotas, and throws AppError codes. */
export interface Hints {
  setHint(params: SetHintParams, caller: Caller): Promise<SetResult>;
  getHint(params: GetHintParams, caller: Caller): Promise<GetResult>;
  query(params: QueryParams, caller: Caller): Promise<QueryResult>;
  deleteHint(params: DeleteHintParams, caller: Caller): Promise<DeleteResult>;
  listComponents(params: object, caller: Caller): Promise<{ components: ComponentCount[] }>;
  bump(params: BumpParams, caller: Caller): Promise<{ hint: Hint }>;
  export(params: ExportParams, caller: Caller): Promise<{ payload: StorePayload }>;
  import(params: ImportParams, caller: Caller): Promise<ImportOutcome>;
  /** Removes expired hints and returns their number. */
  sweep(): Promise<number>;
  counts(caller: Caller): HintCounts;
  readonly sessionId: string;
}
