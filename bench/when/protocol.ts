/** What the parent asks of a child process and what it gets back. */
import type { BlockDuring } from '../statement-watch.js';

/**
 * `book`: index and files in memory, no host. `synced`: the same in a directory, with an agent on
 * PGlite beside it. `host`: the host alone with the same texts as memories of its own.
 */
export type Part = 'book' | 'synced' | 'host';

export interface PartRequest {
  part: Part;
  /** Entries. */
  size: number;
  quick: boolean;
  /** A fresh one; not there for `book`. */
  directory: string;
}

export type SampleName =
  | 'resolve.exact'
  | 'resolve.hybrid'
  | 'resolve.hybrid.bm25'
  | 'resolve.section'
  | 'resolve.file'
  | 'resolve.miss'
  | 'resolve.batch'
  | 'relevant.listing'
  | 'relevant.offer'
  | 'relevant.file'
  | 'load.first'
  | 'load.gaps'
  | 'load.edit'
  | 'load.edit.gaps'
  | 'validate'
  | 'sync.first'
  | 'sync.gaps'
  | 'sync.restart'
  | 'edit.look'
  | 'edit.watched'
  | 'statement'
  | 'statement.cpu'
  | 'command.start'
  | 'command.recall'
  | 'command.validate';

/** Milliseconds by name; the names are the same for the way beside. */
export type Samples = Partial<Record<SampleName, number[]>>;

export interface PartReport {
  samples: Samples;
  /** Of another way to the same, measured in the same process. */
  beside?: Samples;
  blocks?: BlockDuring[];
  notes?: Partial<Record<SampleName, string>>;
}
