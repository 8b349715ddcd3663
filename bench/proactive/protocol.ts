/** What the parent asks of a child process and what it gets back. */

/**
 * `stored`: an agent with the plugin on a filled database. `plain`: the host alone on the same
 * database. `alone`: the catalog in memory, with a database that holds offers only.
 */
export type Part = 'stored' | 'plain' | 'alone';

export interface PartRequest {
  part: Part;
  /** Memories that stand around. */
  size: number;
  quick: boolean;
  /** Directory of the database; not there for `alone`. */
  directory: string;
}

export type SampleName =
  | 'check.file'
  | 'check.conflict'
  | 'check.intent'
  | 'detect.file'
  | 'detect.conflict'
  | 'detect.intent'
  | 'detect.pattern'
  | 'detect.session'
  | 'reaction.file'
  | 'reaction.action'
  | 'turn.nothing'
  | 'turn.offer'
  | 'turn.again'
  | 'turn.added'
  | 'turn.wanted'
  | 'turn.behind'
  | 'turn.whole';

/** Milliseconds by name; the names are the same for the host's way. */
export type Samples = Partial<Record<SampleName, number[]>>;

export interface PartReport {
  samples: Samples;
  notes: Partial<Record<SampleName, string>>;
}
