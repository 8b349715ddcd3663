/** What the parent asks of a child process and what it gets back. */
import type { BlockDuring } from '../statement-watch.js';

/**
 * The steps of one size, each in a process of its own, in this order on one database: `fill` it,
 * start without (`cold`) and with a snapshot (`warm`, where all questions are asked), then the
 * `host` alone. `catalog` needs no database.
 */
export type Part = 'fill' | 'cold' | 'warm' | 'host' | 'catalog';

export interface PartRequest {
  part: Part;
  /** Memories that stand around. */
  size: number;
  quick: boolean;
  /** Directory of the database; not there for `catalog`. */
  directory: string;
}

export type SampleName =
  | 'recall.structural'
  | 'recall.causal'
  | 'recall.semantic'
  | 'recall.cascade'
  | 'recall.count'
  | 'trace'
  | 'store'
  | 'import.memory'
  | 'import.link'
  | 'import.gaps'
  | 'embed.memory'
  | 'embed.gaps'
  | 'start.open'
  | 'start.cold'
  | 'start.cold.gaps'
  | 'start.snapshot'
  | 'start.snapshot.gaps'
  | 'snapshot.write'
  | 'snapshot.gaps'
  | 'held.heap'
  | 'held.rss'
  | 'catalog.file'
  | 'catalog.conflict'
  | 'catalog.intent'
  | 'catalog.keyword'
  | 'catalog.put'
  | 'catalog.heap'
  | 'catalog.rss'
  | 'statement'
  | 'statement.cpu';

/** Milliseconds (MB for what is held) by name; the names are the same for the host's way. */
export type Samples = Partial<Record<SampleName, number[]>>;

export interface PartReport {
  samples: Samples;
  /** Longest block of each statement, with what was going on. */
  blocks: BlockDuring[];
  notes?: Partial<Record<SampleName, string>>;
}
