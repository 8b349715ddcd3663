/** What the stages of a recall work on and what comes out of it. */
import type { Embedder } from '../../embeddings/index.js';
import type { Reader, Shelf, SlotFilter } from '../../records/index.js';
import type { Uuid } from '../../shared/ids.js';
import type { MemoryContext } from '../context.js';
import type { Depth } from '../render.js';
import type { ORIGINS } from '../schema.js';
import type { AnswerSigns, HitSigns } from './confidence.js';
import type { Fused } from './fusion.js';
import type { RecallRequest } from './request.js';

export type StageName = 'structural' | 'temporal' | 'causal' | 'semantic';

/** One memory found, before its row is read. */
export interface Candidate {
  id: Uuid;
  stage: StageName;
  /** Probability that it answers the question; 1 for what was asked for by id or key. */
  confidence: number;
  /** In words, for people: "file auth.ts", "led to mem_…", "words: jwt, refresh". */
  why: string;
  /** Found by likeness, not by a fact. */
  fuzzy: boolean;
}

/** A stage's answer, best first. `total` counts all that fit, beyond `limit`. */
export interface Found {
  candidates: Candidate[];
  total: number;
}

/** What a search found, and what it says of the question and of each hit. */
export interface Fit {
  fused: Fused;
  answer: AnswerSigns;
  hitAt(slot: number): HitSigns;
  whyAt(slot: number): string;
  degraded: string | undefined;
  /** Nothing of it is read any more. */
  release(): void;
}

/** A question made ready for the stages. */
export interface Search {
  request: RecallRequest;
  reader: Reader;
  shelf: Shelf;
  /** Reader, flags, explicit times and tags: holds in every stage. */
  filter: SlotFilter;
  /** The same, and the time that the words name: for the stages that answer with facts. */
  within: SlotFilter;
  /** Exact keys that must all be there; empty when nothing exact was asked. */
  keys: string[];
  /** What is looked for in words beside what was read as a key or a time; empty when nothing is. */
  text: string;
  /** All the words: a text may say "last week" itself. */
  asked: string;
  /** Of these words, where it was needed before. */
  vector?: Float32Array;
  /** Time named in the words. Facts keep to it; likeness only comes after them. */
  range: { sinceMs: number; beforeMs: number; words: string } | null;
  memoryId: Uuid | null;
  nowMs: number;
  /** How many more are wanted. */
  room: number;
  /** Found by earlier stages, best first. */
  found: readonly Candidate[];
  /** The search by words and likeness, made by the first stage that needs it. */
  made: { fit?: Promise<Fit> };
}

export interface StageContext extends Pick<MemoryContext, 'records' | 'log'> {
  embedder: Embedder;
}

export type Stage = (
  context: StageContext,
  search: Search,
) => Promise<Found & { degraded?: string }>;

export interface RecalledMemory {
  memory_id: string;
  depth: Depth;
  content: string;
  /** Probability that it answers the question; 1 for what was asked for by id or key. */
  confidence: number;
  stage: StageName;
  why: string;
  fuzzy: boolean;
  created_at: string;
  success: boolean;
  /** `captured`: made from a finished run by itself. */
  origin: (typeof ORIGINS)[number];
  /** The catalog did not hold it: the database found it for this question. */
  from_database?: true;
  links?: Record<string, string[]>;
}

export interface RecallResult {
  memories: RecalledMemory[];
  /**
   * What fits the exact part of the question (id, file, tags, time …), shown or not; what is linked to
   * that or alike may be shown beside it and is not counted. Without an exact part, or where nothing
   * fits it, what the search found, which depends on `limit`.
   */
  total_matches: number;
  /** Tokens (o200k_base) of all contents. */
  token_count: number;
  stages: { name: StageName; ms: number; found: number }[];
  /**
   * In a project that is larger than the catalog: memories that it did not hold, which the database
   * found and which were ranked with the others.
   */
  from_database?: number;
  /** What made this answer worse than it could be. */
  degraded?: string;
}
